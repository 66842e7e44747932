//! Loss recovery of another crate: which outstanding segments are lost, and what leaves when none is and none is new.

use std::fmt::Debug;

use serde::Deserialize;
use serde::de::Deserializer;

use super::config::RecoveryScheme;
use super::rack::Circumstances;
use super::report::Report;
use super::scoreboard::{Arrived, Scoreboard};
use crate::config::outside::{self, Choice};
use crate::kernel::Duration;

/// Which outstanding segments are lost. What is lost is sent again before anything new; the window falls once a
/// recovery, as congestion control and `recovery.prr` have it.
pub trait LossDetection: Debug + Send + Sync {
    /// `arrived` are known to have arrived by an acknowledgment that tells `report`.
    fn on_arrival(&mut self, _arrived: &[Arrived], _report: &Report, _cx: Circumstances) {}

    /// What is lost by now, after every acknowledgment and when the time to look again is over.
    fn detect(&mut self, board: &Scoreboard, cx: Circumstances) -> Detected;

    /// The retransmission timer has expired: the segments to send again. All that have not arrived, unless it says
    /// otherwise.
    fn on_timeout(&mut self, board: &Scoreboard, _cx: Circumstances) -> Vec<u32> {
        (board.first()..board.end()).collect()
    }

    /// A recovery begins with segment `first` sent again.
    fn on_recovery(&mut self, _first: u32) {}

    /// A recovery has ended, or was needless.
    fn on_recovered(&mut self) {}

    /// The segment to send again in a recovery, up to below `recover`, when none is lost and none is new.
    fn last_resort(&mut self, _board: &Scoreboard, _recover: u32) -> Option<u32> {
        None
    }
}

/// What a look at the scoreboard has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detected {
    /// The segments that are lost; to name one again means that its retransmission is lost too.
    pub lost: Vec<u32>,
    /// Look again after this time, if nothing else happens.
    pub again_after: Option<Duration>,
}

/// A loss recovery from outside.
pub type Outside = outside::Outside<Make>;

/// Makes that of a flow.
pub type Make = dyn Fn() -> Box<dyn LossDetection> + Send + Sync;

impl Outside {
    /// The loss recovery `name`, which `make` makes for each flow; it is kept as long as the process lives.
    pub fn new(
        name: &str,
        make: impl Fn() -> Box<dyn LossDetection> + Send + Sync + 'static,
    ) -> Outside {
        Outside::made_by(name, Box::new(make))
    }
}

impl Choice for RecoveryScheme {
    type Make = Make;
    const KEY: &'static str = "transport.recovery.scheme";
    const DEFINITION: &'static str = "RecoveryScheme";
    const OURS: &'static [(&'static str, RecoveryScheme)] = &[
        ("duplicate-acks", RecoveryScheme::DuplicateAcks),
        ("sack", RecoveryScheme::Sack),
        ("rack-tlp", RecoveryScheme::RackTlp),
    ];

    fn from_outside(outside: Outside) -> RecoveryScheme {
        RecoveryScheme::Outside(outside)
    }

    fn outside(&mut self) -> Option<&mut Outside> {
        match self {
            RecoveryScheme::Outside(outside) => Some(outside),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for RecoveryScheme {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RecoveryScheme, D::Error> {
        outside::choice(deserializer)
    }
}
