//! The medium where frames are received by signal over noise and interference.

use super::{Medium, NewTransmission, Radios, Transmission, keep_overhearers};
use crate::kernel::Instant;
use crate::radio::sinr::Needs;
use crate::radio::{Arrival, Arrivals, Cuts, Fades, Neighbours, Traits, fading};
use crate::routing::Listeners;
use crate::simulation::LINK_DELAY;
use crate::wire::{MpduSet, NodeId};

/// What changes the power of frames on their way.
#[derive(Debug)]
pub struct ChannelModel {
    /// How links fade, if they do.
    pub fades: Option<Fades>,
    /// Standard deviation \[dB\] and seed of the shadowing that the list of hearers leaves out.
    pub shadowing: Option<(f64, u64)>,
    /// The weakest signal that counts \[W\].
    pub weakest_w: f64,
    /// What leaks from stations to others on neighbouring channels, if that counts.
    pub leaks: Option<Neighbours>,
    /// What mean powers are enough for.
    pub needs: Needs,
}

impl ChannelModel {
    /// Whether powers are other than those of the list of hearers.
    fn varies(&self) -> bool {
        self.fades.is_some() || self.shadowing.is_some()
    }

    /// The factor of the power between two nodes in the coherence time of this number.
    #[inline]
    fn factor(&mut self, a: NodeId, b: NodeId, block: u64) -> f64 {
        let fade = self.fades.as_mut().map_or(1.0, |fades| fades.factor(a, b, block));
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
    /// Power \[W\] of the frame that `node` received last.
    #[cold]
    pub fn last_power_w(&self, node: NodeId) -> Option<f64> {
        self.radios.sinr().map(|(ears, _)| ears.receiver(node).last_w())
    }

    /// Marks which MPDUs `node` has received if transmission `number` is an A-MPDU.
    #[cold]
    pub fn mark_received(&mut self, node: NodeId, number: u32) {
        if let Some((ears, _)) = self.radios.sinr() {
            let received = ears.receiver(node).parts_received();
            self.in_flight.get_mut(number).frame.mark_received(received);
        }
    }

    /// To which frame, in the order of transmission, `node` has lost MPDUs of the A-MPDU that it
    /// received last, and which of them it would have received without others. Only if fates are
    /// noted.
    #[cold]
    pub fn parts_lost_to(&self, node: NodeId) -> Option<(u32, MpduSet)> {
        let (ears, _) = self.radios.sinr()?;
        let (by, good_alone) = ears.receiver(node).parts_good_alone(ears.rules.of(node))?;
        Some((self.signals.fates.as_ref()?.frame_of(&by), good_alone))
    }

    /// From now on nothing leaks through `cuts`. `whole` keeps what leaks without any.
    pub fn cut_leaks(&mut self, cuts: &Cuts, whole: &mut Option<Neighbours>) {
        let Radios::Sinr(sinr) = &mut self.radios else { return };
        if let Some(leaks) = &mut sinr.1.leaks {
            let left = whole.as_ref().unwrap_or(leaks).without(cuts);
            let before = std::mem::replace(leaks, left);
            whole.get_or_insert(before);
        }
    }

    /// Notes what leaks of `arrival`, sent by `sender`, to stations on neighbouring channels.
    #[cold]
    fn leak(&mut self, sender: NodeId, arrival: &Arrival, block: u64) {
        let Radios::Sinr(sinr) = &mut self.radios else { return };
        let (ears, air) = &mut **sinr;
        // Out of the air meanwhile, whose fading changes.
        let Some(leaks) = air.leaks.take() else { return };
        for hearer in leaks.sensing(sender) {
            let node = hearer.node;
            let power_w = hearer.power_w * air.factor(sender, node, block);
            if power_w >= air.weakest_w {
                let traits = Traits::default().with_rate(ears.rules.of(node).foreign());
                let arrival = Arrival { traits, ..*arrival };
                self.signals.arrivals.note(&hearer.with_power(power_w), &arrival, &mut self.full);
            }
        }
        self.signals.arrivals.put_all_in_order(leaks.sensing(sender), arrival.start);
        air.leaks = Some(leaks);
    }

    /// Notes the transmission `sent` from `now` to `end` wherever it is strong enough to count, as
    /// the second half of [`Medium::transmit`].
    #[cold]
    pub(super) fn spread(
        &mut self,
        sent: &NewTransmission,
        (now, end): (Instant, Instant),
        duration_us: u16,
        listeners: &dyn Listeners,
    ) -> Option<(Instant, u32)> {
        let &NewTransmission { number, sender, addressee, traits, tapped, for_macs } = sent;
        let Radios::Sinr(sinr) = &mut self.radios else { return None };
        let (ears, air) = &mut **sinr;
        let Transmission { frame, receptions, .. } = self.in_flight.get_mut(number);
        let aggregate = frame.aggregate();
        // All who notice an A-MPDU are called at its end, when its parts are known.
        let by_all = for_macs || aggregate.is_some();
        let tapped = tapped || by_all;
        let traits = traits.with_if(aggregate.is_some(), Traits::AGGREGATE).with_rate(frame.rate);
        if let Some(aggregate) = aggregate {
            let ends = aggregate.mpdus.iter().map(|mpdu| mpdu.end);
            ears.rules.of_mut(sender).begin_aggregate(number, ends);
        }
        let rules = ears.rules.of(sender);
        let packet = if self.mac_overhears { None } else { frame.packet() };
        let arrival = Arrival { start: now, end, power_w: 0.0, frame: number, duration_us, traits };
        let hearers = self.hearers.sensing(sender, number);
        let block = air.fades.as_ref().map_or(0, |fades| fades.block(now));
        let mut is_in_range = false;
        let mut mark = |arrivals: &mut Arrivals, node: NodeId, here: Instant| {
            let is_for_here = addressee.is_broadcast() || addressee == node;
            let ignored = addressee.is_broadcast()
                && packet
                    .is_some_and(|packet| listeners.will_ignore(node, packet, here + LINK_DELAY));
            let is_wanted = is_for_here && !ignored;
            let traits = traits
                .with_if(true, Traits::DECODABLE)
                .with_if(is_for_here, Traits::FOR_HERE)
                .with_if(is_wanted, Traits::WANTED)
                .with_if(!is_for_here && tapped, Traits::TAPPED);
            if is_wanted || traits.has(Traits::TAPPED) {
                receptions.push((node, here));
            }
            is_in_range |= addressee == node;
            arrivals.mark_last(node, traits);
            if is_for_here && !is_wanted {
                arrivals.count_last(node);
            }
        };
        let (arrivals, full) = (&mut self.signals.arrivals, &mut self.full);
        let noticed_w = rules.noticed_w(traits.rate());
        // One pass over all, then one over the few, is faster; factors would have to be drawn twice.
        if !air.varies() && hearers.iter().all(|hearer| hearer.power_w >= air.weakest_w) {
            arrivals.note_all(hearers, &arrival, full);
            for hearer in hearers.iter().filter(|hearer| hearer.power_w >= noticed_w) {
                mark(arrivals, hearer.node, end + hearer.delay());
            }
        } else {
            for hearer in hearers {
                let power_w = hearer.power_w * air.factor(sender, hearer.node, block);
                if power_w >= air.weakest_w {
                    arrivals.note(&hearer.with_power(power_w), &arrival, full);
                    if power_w >= noticed_w {
                        mark(arrivals, hearer.node, end + hearer.delay());
                    }
                }
            }
        }
        if tapped && !by_all && self.overhearers.len() < hearers.len() {
            keep_overhearers(&self.overhearers, hearers, addressee, receptions);
        }
        // Hearers are nearest first only among those that decode each other on average.
        receptions.sort_by_key(|&(node, at)| (at, node));
        self.signals.arrivals.put_all_in_order(hearers, now);
        if air.leaks.is_some() {
            self.leak(sender, &arrival, block);
        }
        let is_lost = !addressee.is_broadcast() && !is_in_range && addressee != sender;
        if let (true, Some(fates)) = (is_lost, &mut self.signals.fates) {
            fates.on_out_of_range(addressee, end);
        }
        self.keep(number, now)
    }
}
