//! The medium where frames are received by signal over noise and interference.
//!
//! The stations' own receivers only show what is asked about without catching up: what keeps the
//! medium busy, and whether a frame has been received or overheard.

use super::{Medium, Sent, Station, keep_overhearers};
use crate::kernel::Instant;
use crate::mac::{IdleSense, StationSense};
use crate::radio::sinr::{Needs, Rules, SinrReceiver};
use crate::radio::{Arrival, Fades, Traits, fading};
use crate::routing::Listeners;
use crate::simulation::LINK_DELAY;
use crate::wire::NodeId;

/// The receivers of all nodes, and what changes the power of frames on their way.
#[derive(Debug)]
pub struct Air {
    /// What all receivers have in common.
    pub rules: Rules,
    /// Every node's.
    pub receivers: Vec<SinrReceiver>,
    /// How links fade, if they do.
    pub fades: Option<Fades>,
    /// Standard deviation \[dB\] and seed of the shadowing that the list of hearers leaves out.
    pub shadowing: Option<(f64, u64)>,
    /// The weakest signal that counts \[W\].
    pub weakest_w: f64,
    /// What mean powers are enough for.
    pub needs: Needs,
}

impl Air {
    /// The factor of the power between two nodes at `now`.
    #[inline]
    fn factor(&self, a: NodeId, b: NodeId, now: Instant) -> f64 {
        let fade = self.fades.as_ref().map_or(1.0, |fades| fades.factor(a, b, now));
        match self.shadowing {
            None => fade,
            Some(_) => fade * self.shadowed(a, b),
        }
    }

    /// The factor of the mean power between two nodes that the list of hearers leaves out.
    pub fn shadowed(&self, a: NodeId, b: NodeId) -> f64 {
        let factor = |(deviation_db, seed)| fading::shadowing(seed, deviation_db, a, b);
        self.shadowing.map_or(1.0, factor)
    }
}

impl Medium {
    /// Brings what `node` hears up to `now`.
    pub(super) fn catch_up_by_sinr(&mut self, node: NodeId, now: Instant) {
        let timing = self.timings.of(node);
        let Some(air) = &mut self.air else { return };
        let Air { rules, receivers, .. } = &mut **air;
        let receiver = &mut receivers[node.index()];
        let arrivals = self.arrivals.at(node);
        let Station { contention, receiver: shown, .. } = &mut self.stations[node.index()];
        let idle = match self.fates {
            None => IdleSense::of(contention, timing, &mut self.collisions),
            Some(_) => None,
        };
        if let Some(mut sense) = idle {
            let seen = receiver.catch_up(arrivals, now, rules, &mut sense);
            receiver.show_in(shown);
            sense.store(contention, shown);
            return self.arrivals.forget(node, seen);
        }
        let mut sense = StationSense { contention, timing, collisions: &mut self.collisions };
        let seen = match &mut self.fates {
            None => receiver.catch_up(arrivals, now, rules, &mut sense),
            Some(fates) => receiver.catch_up(arrivals, now, rules, &mut fates.noting(node, sense)),
        };
        self.arrivals.forget(node, seen);
        receiver.show_in(shown);
    }

    #[cold]
    pub(super) fn release_by_sinr(&mut self, node: NodeId, number: u32, now: Instant) {
        let timing = self.timings.of(node);
        let Some(air) = &mut self.air else { return };
        let Air { rules, receivers, .. } = &mut **air;
        let Station { contention, receiver: shown, .. } = &mut self.stations[node.index()];
        let mut sense = StationSense { contention, timing, collisions: &mut self.collisions };
        let receiver = &mut receivers[node.index()];
        receiver.release(number, now, rules, &mut sense);
        receiver.show_in(shown);
    }

    /// Power \[W\] of the frame that `node` received last.
    #[cold]
    pub fn last_power_w(&self, node: NodeId) -> Option<f64> {
        self.air.as_ref().map(|air| air.receivers[node.index()].last_w())
    }

    /// Marks which MPDUs `node` has received if transmission `number` is an A-MPDU.
    #[cold]
    pub fn mark_received(&mut self, node: NodeId, number: u32) {
        if let Some(air) = &self.air {
            let received = air.receivers[node.index()].parts_received();
            self.in_flight.get_mut(number).frame.mark_received(received);
        }
    }

    /// To which frame, in the order of transmission, `node` has lost MPDUs of the A-MPDU that it
    /// received last, and which of them it would have received without others. Only if fates are
    /// noted.
    #[cold]
    pub fn parts_lost_to(&self, node: NodeId) -> Option<(u32, u64)> {
        let air = self.air.as_ref()?;
        let (by, good_alone) = air.receivers[node.index()].parts_good_alone(&air.rules)?;
        Some((self.fates.as_ref()?.frame_of(&by), good_alone))
    }

    /// Notes the transmission `sent` from `now` to `end` wherever it is strong enough to count, as
    /// the second half of [`Medium::transmit`].
    #[cold]
    pub(super) fn spread(
        &mut self,
        sent: &Sent,
        (now, end): (Instant, Instant),
        duration_us: u16,
        mut receptions: Vec<(NodeId, Instant)>,
        listeners: &dyn Listeners,
    ) -> Option<(Instant, u32)> {
        let &Sent { number, sender, addressee, traits, tapped, for_macs } = sent;
        self.silence(sender, end);
        let Some(air) = &mut self.air else { return None };
        let frame = &self.in_flight.get_mut(number).frame;
        let aggregate = frame.aggregate();
        // All who notice an A-MPDU are called at its end, when its parts are known.
        let by_all = for_macs || aggregate.is_some();
        let tapped = tapped || by_all;
        let traits = traits.with_if(aggregate.is_some(), Traits::AGGREGATE).with_rate(frame.rate);
        if let Some(aggregate) = aggregate {
            air.rules.begin_aggregate(number, aggregate.mpdus.iter().map(|mpdu| mpdu.end));
        }
        let air = &**air;
        let packet = match self.mac_overhears {
            true => None,
            false => self.in_flight.get_mut(number).frame.packet(),
        };
        let arrival = Arrival { start: now, end, power_w: 0.0, frame: number, duration_us, traits };
        let hearers = self.hearers.sensing(sender, number);
        let mut is_in_range = false;
        for neighbour in hearers {
            let node = neighbour.node;
            let power_w = neighbour.power_w * air.factor(sender, node, now);
            if power_w < air.weakest_w {
                continue;
            }
            let mut traits = traits;
            let is_for_here = addressee.is_broadcast() || addressee == node;
            if air.rules.is_noticed(power_w, traits.rate()) {
                let here = end + neighbour.delay();
                let ignored = addressee.is_broadcast()
                    && packet.is_some_and(|packet| {
                        listeners.will_ignore(node, packet, here + LINK_DELAY)
                    });
                let is_wanted = is_for_here && !ignored;
                traits = traits
                    .with_if(true, Traits::DECODABLE)
                    .with_if(is_for_here, Traits::FOR_HERE)
                    .with_if(is_wanted, Traits::WANTED)
                    .with_if(!is_for_here && tapped, Traits::TAPPED);
                if is_wanted || traits.has(Traits::TAPPED) {
                    receptions.push((node, here));
                }
                is_in_range |= addressee == node;
            }
            let hearer = neighbour.with_power(power_w);
            self.arrivals.note(&hearer, &Arrival { traits, ..arrival }, &mut self.full);
            if traits.has(Traits::FOR_HERE) && !traits.has(Traits::WANTED) {
                self.arrivals.count_last(node);
            }
        }
        if tapped && !by_all && self.overhearers.len() < hearers.len() {
            keep_overhearers(&self.overhearers, hearers, addressee, &mut receptions);
        }
        // Hearers are nearest first only among those that decode each other on average.
        receptions.sort_by_key(|&(node, at)| (at, node));
        self.arrivals.put_all_in_order(hearers, now);
        let is_lost = !addressee.is_broadcast() && !is_in_range && addressee != sender;
        if let (true, Some(fates)) = (is_lost, &mut self.fates) {
            fates.on_out_of_range(addressee, end);
        }
        self.keep(number, now, receptions)
    }

    /// `node` sends until `end`, and hears nothing.
    fn silence(&mut self, node: NodeId, end: Instant) {
        let timing = self.timings.of(node);
        let Some(air) = &mut self.air else { return };
        let Station { contention, receiver: shown, .. } = &mut self.stations[node.index()];
        let sense = StationSense { contention, timing, collisions: &mut self.collisions };
        let receiver = &mut air.receivers[node.index()];
        match &mut self.fates {
            None => receiver.begin_emission(end, &mut { sense }),
            Some(fates) => receiver.begin_emission(end, &mut fates.noting(node, sense)),
        }
        receiver.show_in(shown);
    }
}
