//! The nodes' stations, and the medium between them.
//!
//! Time comes in as an argument, and what a MAC wants done goes out in its [`Outbox`]: whoever
//! calls has the clock, and what is above the MACs.

use std::ops::{Index, IndexMut};
use std::sync::Arc;

use super::medium::Medium;
use crate::kernel::{Duration, Instant, Rng};
use crate::link::{Arp, InterfaceQueue};
use crate::mac::{AdmissionCounters, Category, Mac, MacContext, Outbox, Timing, Wake};
use crate::measure::{BackoffCounts, MacCounters};
use crate::radio::{Hearers, StationLayout as Layout};
use crate::routing::{ByStation, Layer, Listeners};
use crate::wire::{Frame, NodeId};

/// One station between its radio and its node's routing.
#[derive(Debug)]
pub struct Station {
    pub timing: Arc<Timing>,
    pub mac: Mac,
    pub queue: InterfaceQueue,
    pub arp: Arp,
    pub backoff_rng: Rng,
}

/// All stations.
#[derive(Debug)]
pub struct Stations {
    /// Whose they are.
    pub layout: Layout,
    all: Vec<Station>,
    /// The air between them.
    pub medium: Medium,
    /// What their MACs have done.
    pub counters: MacCounters,
    pub admission: AdmissionCounters,
}

impl Index<NodeId> for Stations {
    type Output = Station;

    #[inline]
    fn index(&self, station: NodeId) -> &Station {
        &self.all[station.index()]
    }
}

impl IndexMut<NodeId> for Stations {
    #[inline]
    fn index_mut(&mut self, station: NodeId) -> &mut Station {
        &mut self.all[station.index()]
    }
}

impl Stations {
    /// These, which are idle.
    pub fn new(layout: Layout, all: Vec<Station>, medium: Medium) -> Stations {
        let (counters, admission) = Default::default();
        Stations { layout, all, medium, counters, admission }
    }

    /// Every station.
    pub fn iter(&self) -> impl Iterator<Item = &Station> {
        self.all.iter()
    }

    /// `station`, who hears whom, and whose stations are whose.
    pub fn with_hearers(&mut self, station: NodeId) -> (&mut Station, &mut Hearers, &Layout) {
        (&mut self.all[station.index()], &mut self.medium.hearers, &self.layout)
    }

    /// Calls the MAC of `station`, which has been brought up to date. `waiting` data packets are in
    /// the node outside the MAC.
    #[inline]
    pub fn call<R>(
        &mut self,
        station: NodeId,
        now: Instant,
        waiting: u32,
        out: &mut Outbox,
        call: impl FnOnce(&mut Mac, &mut MacContext) -> R,
    ) -> R {
        let this = &mut self.all[station.index()];
        let (contention, payloads) = self.medium.for_mac(station);
        let mut cx = MacContext {
            now,
            timing: &this.timing,
            contention,
            rng: &mut this.backoff_rng,
            counters: &mut self.counters,
            admission: &mut self.admission,
            waiting,
            payloads,
            out,
        };
        call(&mut this.mac, &mut cx)
    }

    /// It is the turn of `station`, and its MAC is about to be asked what may join.
    #[cold]
    pub fn begin_gathering(&mut self, station: NodeId, now: Instant) {
        let contention = self.medium.contention(station);
        self.all[station.index()].mac.begin_gathering(contention, now);
    }

    /// `station` is woken for its backoff.
    #[inline]
    pub fn wake(&mut self, station: NodeId, now: Instant) -> Wake {
        self.medium.catch_up(station, now);
        self.medium.wake(station, now)
    }

    /// How long `frame` lasts.
    #[inline]
    pub fn airtime(&self, frame: &Frame) -> Duration {
        self[frame.transmitter].timing.airtime(frame)
    }

    /// Puts `frame` on the air for `airtime`: see [`Medium::transmit`].
    #[inline]
    pub fn transmit(
        &mut self,
        now: Instant,
        frame: Frame,
        airtime: Duration,
        layer: &dyn Layer,
    ) -> Option<(Instant, u32)> {
        let by_station;
        // One call, so that it is inlined.
        let listeners: &dyn Listeners = if self.layout.are_several() {
            by_station = ByStation { layer, stations: &self.layout };
            &by_station
        } else {
            layer
        };
        self.medium.transmit(now, frame, airtime, listeners)
    }

    /// How often `station` has backed off.
    #[inline]
    pub fn backoffs(&self, station: NodeId) -> BackoffCounts {
        BackoffCounts { freezes: self.medium.freezes(station), ..self[station].mac.backoffs() }
    }

    /// What all MACs have done.
    pub fn mac_counters(&self) -> MacCounters {
        let mut counters = self.counters.clone();
        counters.collisions = self.medium.collisions();
        for station in (0..self.layout.count() as u32).map(NodeId) {
            counters.add_backoffs(self.backoffs(station));
            for (category, own) in
                Category::ALL.iter().zip(self[station].mac.by_category().iter().flatten())
            {
                *counters.categories.entry(category.name()).or_default() += own;
            }
        }
        counters
    }

    /// The node that has sent for the longest time of those for which `counts` holds, with that
    /// time and the payload that its neighbours have acknowledged \[bytes\].
    pub fn busiest(&self, counts: impl Fn(NodeId) -> bool) -> Option<(NodeId, Duration, u64)> {
        let sending = |node| {
            let own = self.layout.all_of(node);
            own.fold(Duration::ZERO, |sum, station| sum + self.medium.sending[station.index()])
        };
        let nodes = (0..self.layout.nodes() as u32).map(NodeId).filter(|&node| counts(node));
        let busiest = nodes.max_by_key(|&node| sending(node))?;
        let delivered = |station: NodeId| self[station].mac.delivered_payload_bytes();
        Some((busiest, sending(busiest), self.layout.all_of(busiest).map(delivered).sum()))
    }
}

#[cfg(test)]
mod tests;
