//! The parts of a station that `[mac]` keys ask for.

use super::{AccessKind, MacConfig, MacScheme};
use crate::mac::dcf::Dcf;
use crate::mac::dispatch::Mac;
use crate::mac::edca::{ByClass, Edca};
use crate::mac::rates::RateControl;
use crate::mac::reservation::{self, Reserving};
use crate::mac::semi::Admission;
use crate::mac::tdma::Tdma;
use crate::mac::timing::Timing;
use crate::mac::windows::diffq::{self, Diffq};
use crate::mac::windows::ez_flow::{self, EzFlow};
use crate::mac::windows::{Needs, WindowRule, Windowed, Windows, adaptive_csma};
use crate::wire::NodeId;

impl MacConfig {
    /// Hop-by-hop admission of one station, if the scheme has it.
    pub fn admission(&self) -> Option<Admission> {
        match self.scheme {
            MacScheme::Dcf => None,
            MacScheme::SemiTcp => Some(Admission::new(&self.semi.rules())),
        }
    }

    /// The access of the station `station` of `node`, with access categories `by_class`.
    pub fn access(
        &self,
        station: NodeId,
        node: NodeId,
        timing: &Timing,
        rates: Option<RateControl>,
        by_class: Option<&ByClass>,
    ) -> Mac {
        if let (Some(config), Some((classes, timings))) = (&self.categories, by_class) {
            return Mac::Other(Box::new(Edca::new(station, config, timings, classes, rates)));
        }
        if let Some(table) = &self.tdma {
            return Mac::Other(Box::new(Tdma::new(station, table.turns(node))));
        }
        if let Some(config) = self.reservation() {
            return Mac::Other(Box::new(Reserving::new(station, &config, timing)));
        }
        match self.window_rule(node, timing) {
            Some(rule) => {
                let dcf = Dcf::new(station, timing, rates, self.admission());
                Mac::Other(Box::new(Windowed::new(dcf, timing, rule)))
            }
            None => Mac::Dcf(Dcf::new(station, timing, rates, self.admission())),
        }
    }

    /// The rule for the contention window of a station of `node`, if it has one.
    fn window_rule(&self, node: NodeId, timing: &Timing) -> Option<Box<dyn WindowRule>> {
        match self.access {
            AccessKind::Dcf | AccessKind::Tdma | AccessKind::SlotReservation => None,
            AccessKind::AdaptiveCsma => {
                let config = self.adaptive_csma.clone().unwrap_or_default();
                Some(Box::new(config.rule(node, timing)))
            }
            AccessKind::EzFlow => {
                let config = self.ez_flow.clone().unwrap_or_default();
                Some(Box::new(EzFlow::new(&config, Windows::of(timing))))
            }
            AccessKind::Diffq => {
                Some(Box::new(Diffq::new(&self.diffq.clone().unwrap_or_default())))
            }
        }
    }

    /// What the MACs have to be told for the rule of their windows.
    pub fn window_needs(&self) -> Needs {
        match self.access {
            AccessKind::Dcf | AccessKind::Tdma => Needs::default(),
            AccessKind::AdaptiveCsma => adaptive_csma::NEEDS,
            AccessKind::EzFlow => ez_flow::NEEDS,
            AccessKind::Diffq => diffq::NEEDS,
            AccessKind::SlotReservation => reservation::NEEDS,
        }
    }
}
