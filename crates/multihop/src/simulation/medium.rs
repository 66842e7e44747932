//! The shared medium: the receiver of every station, and the transmissions on the air.
//!
//! A transmission costs one pass over the sender's neighbours, which notes its arrival at each, and
//! one event at its end, which serves the nodes that get or overhear the frame one after another.
//! Bystanders get no event.

mod in_flight;
mod radios;
mod sinr;

use super::LINK_DELAY;
use crate::capture::Capture;
use crate::kernel::{Duration, Instant};
use crate::mac::{Contention, Payloads, Wake};
use crate::radio::energy::{EnergyMeter, Spent};
use crate::radio::{Arrival, Hearers, Neighbour, Reception, Traits};
use crate::routing::Listeners;
use crate::wire::{Frame, FrameKind, Mpdu, NodeId, Notice, Payload};
use in_flight::{InFlight, Transmission};
pub use radios::{Radios, Timings};
use radios::{Signals, each};
pub use sinr::ChannelModel;

/// A transmission that starts, for [`Medium::spread`].
struct NewTransmission {
    number: u32,
    sender: NodeId,
    addressee: NodeId,
    /// Those that are the same at all nodes.
    traits: Traits,
    /// Whether nodes that it is not for hear it out.
    tapped: bool,
    /// All of them do, for their MACs.
    for_macs: bool,
}

/// The medium.
#[derive(Debug)]
pub struct Medium {
    /// Who hears whom.
    pub hearers: Hearers,
    /// The stations' radios.
    radios: Radios,
    /// What reaches them.
    signals: Signals,
    /// Time that each node has spent transmitting.
    pub sending: Vec<Duration>,
    /// Stations whose list of arrivals is full.
    full: Vec<NodeId>,
    in_flight: InFlight,
    /// Payloads of frames that are over.
    pub payloads: Payloads,
    /// Of the transmission that starts, the places of the nodes whose routing overhears it, in
    /// order.
    overhearers: Vec<u32>,
    /// Whether MACs overhear frames for other nodes that signal congestion or its end.
    mac_overhears: bool,
    /// Whether a node's routing may overhear packets for others.
    routing_overhears: bool,
    /// Frames sent.
    pub transmissions: u64,
}

impl Medium {
    /// A silent medium among `radios` with these timings.
    pub fn new(
        hearers: Hearers,
        timings: Timings,
        radios: Radios,
        [mac_overhears, routing_overhears]: [bool; 2],
    ) -> Medium {
        Medium {
            hearers,
            radios,
            sending: vec![Duration::ZERO; timings.stations],
            signals: Signals::new(timings),
            full: Vec::new(),
            in_flight: InFlight::default(),
            payloads: Payloads::default(),
            overhearers: Vec::new(),
            mac_overhears,
            routing_overhears,
            transmissions: 0,
        }
    }

    /// Notes from now on what becomes of which frames where.
    pub fn note_fates(&mut self) {
        self.signals.fates = Some(Box::default());
        self.signals.are_noted = true;
        // Nodes look back at frames that are over: numbers that are not used again at once tell
        // them apart.
        self.in_flight.take_turns();
    }

    /// Counts from now on how long each station sends and receives.
    pub fn meter_energy(&mut self) {
        self.signals.meters = vec![EnergyMeter::new(); self.sending.len()];
        self.signals.are_noted = true;
    }

    /// How long `station`, which is up to `now`, has sent and received, if that is counted.
    pub fn spent(&self, station: NodeId, now: Instant) -> Option<Spent> {
        self.signals.meters.get(station.index()).map(|meter| meter.spent(now))
    }

    /// The radio of `station` is switched off or on at `now`.
    pub fn switch(&mut self, station: NodeId, is_off: bool, now: Instant) {
        self.catch_up(station, now);
        if let Some(meter) = self.signals.meters.get_mut(station.index()) {
            meter.on_switch(is_off, now);
        }
    }

    /// Tells `capture` what became of frames where no MAC was called for them.
    pub fn tell_fates(&mut self, capture: &mut Capture) {
        if let Some(fates) = &mut self.signals.fates {
            fates.tell(capture);
        }
    }

    /// Of transmission `number`, if fates are noted, which one it is in the order of transmission.
    pub fn number_sent(&self, number: u32) -> u32 {
        self.signals.fates.as_ref().map_or(number, |fates| fates.frame(number))
    }

    /// Brings what `node` hears up to `now`.
    #[inline]
    pub fn catch_up(&mut self, node: NodeId, now: Instant) {
        each!(&mut self.radios, ears => ears.catch_up(node, now, &mut self.signals));
    }

    /// Carrier sense and backoff of `node`, and payloads to be used again.
    #[inline]
    pub fn for_mac(&mut self, node: NodeId) -> (&mut Contention, &mut Payloads) {
        (self.radios.contention(node), &mut self.payloads)
    }

    /// Carrier sense and backoff of `node`.
    #[inline]
    pub fn contention(&mut self, node: NodeId) -> &mut Contention {
        self.radios.contention(node)
    }

    /// How often a busy medium has frozen a countdown of `node`.
    pub fn freezes(&self, node: NodeId) -> u32 {
        self.radios.freezes(node)
    }

    /// Frames lost to collisions at a station that they were addressed to.
    pub fn collisions(&self) -> u64 {
        self.signals.collisions
    }

    /// Transmission `number` of `sender` begins `now` and lasts until `end`.
    #[cold]
    fn note_sent(&mut self, number: u32, sender: NodeId, (now, end): (Instant, Instant)) {
        if let Some(meter) = self.signals.meters.get_mut(sender.index()) {
            meter.on_emission(now, end);
        }
        let aggregate = self.in_flight.get_mut(number).frame.aggregate();
        let frames = aggregate.map_or(1, |aggregate| aggregate.mpdus.len() as u32);
        if let Some(fates) = &mut self.signals.fates {
            fates.on_sent(number, now, frames);
        }
        while let Some(number) = self.signals.fates.as_mut().and_then(|fates| fates.spent(now)) {
            self.discard(number);
        }
    }

    /// A frame is sent by other means: the number after it in the order of transmission is that of
    /// the next one. Returns its own, if fates are noted.
    pub fn count_elsewhere(&mut self) -> u32 {
        self.transmissions += 1;
        self.signals.fates.as_mut().map_or(0, |fates| fates.on_sent_elsewhere())
    }

    /// Brings what every node hears up to `now`.
    pub fn catch_up_all(&mut self, now: Instant) {
        for node in 0..self.sending.len() {
            self.catch_up(NodeId(node as u32), now);
        }
    }

    /// Puts `frame` on the air for `airtime`. `listeners` tell which nodes overhear what it
    /// carries, and on which that would have no effect. If any node gets the frame, returns when
    /// its first reception ends, and the transmission's number for [`Medium::receiver_at_end`].
    pub fn transmit(
        &mut self,
        now: Instant,
        frame: Frame,
        airtime: Duration,
        listeners: &dyn Listeners,
    ) -> Option<(Instant, u32)> {
        self.transmissions += 1;
        let (sender, addressee) = (frame.transmitter, frame.receiver);
        let duration_us = frame.duration_us;
        let broadcast = addressee.is_broadcast();
        let for_macs = self.mac_overhears && !broadcast && concerns_macs(&frame);
        let traits = Traits::default().with_if(frame.kind == FrameKind::Rts, Traits::RTS);
        let end = now + airtime;
        let may_be_overheard = self.routing_overhears && !broadcast && frame.payload.is_some();
        let number = self.in_flight.begin(frame);
        if self.signals.are_noted {
            self.note_sent(number, sender, (now, end));
        }
        self.hearers.update(sender, number, now);
        each!(&mut self.radios, ears => ears.begin_emission(sender, end, &mut self.signals));
        self.sending[sender.index()] += airtime;
        let tapped =
            for_macs || may_be_overheard && self.find_overhearers(sender, number, listeners);
        self.signals.extend(sender, airtime, duration_us);
        if self.tells_power() {
            let sent = NewTransmission { number, sender, addressee, traits, tapped, for_macs };
            return self.spread(&sent, (now, end), duration_us, listeners);
        }
        let Transmission { frame, receptions, .. } = self.in_flight.get_mut(number);
        let (near, far) = self.hearers.near_and_far(sender, number);
        let arrival = Arrival { start: now, end, power_w: 0.0, frame: number, duration_us, traits };
        let decodable = traits.with_if(true, Traits::DECODABLE);
        let wanted = decodable.with_if(true, Traits::WANTED);
        if broadcast {
            // For a MAC that overhears, every data frame counts, whatever it brings.
            let packet = if self.mac_overhears { None } else { frame.packet() };
            for neighbour in near {
                let here = end + neighbour.delay();
                let ignores =
                    |packet| listeners.will_ignore(neighbour.node, packet, here + LINK_DELAY);
                let is_ignored = packet.is_some_and(ignores);
                if !is_ignored {
                    receptions.push((neighbour.node, here));
                }
                let missed = decodable.with_if(true, Traits::FOR_HERE);
                let traits = if is_ignored { missed } else { wanted };
                self.signals.arrivals.note(
                    neighbour,
                    &Arrival { traits, ..arrival },
                    &mut self.full,
                );
                if is_ignored {
                    self.signals.arrivals.count_last(neighbour.node);
                }
            }
        } else {
            let traits = decodable.with_if(tapped, Traits::TAPPED);
            self.signals.arrivals.note_all(near, &Arrival { traits, ..arrival }, &mut self.full);
            let reception = |other: &Neighbour| (other.node, end + other.delay());
            let to = near.iter().find(|other| other.node == addressee);
            match tapped {
                true => receptions.extend(near.iter().map(reception)),
                false => receptions.extend(to.map(reception)),
            }
            if tapped && !for_macs && self.overhearers.len() < near.len() {
                keep_overhearers(&self.overhearers, near, addressee, receptions);
            }
            if to.is_some() {
                self.signals.arrivals.mark_last(addressee, wanted);
            } else if addressee != sender
                && let Some(fates) = &mut self.signals.fates
            {
                fates.on_out_of_range(addressee, end);
            }
        }
        self.signals.arrivals.note_all(far, &arrival, &mut self.full);
        self.signals.arrivals.put_in_order(near, far, now);
        self.keep(number, now)
    }

    /// Completes the start of transmission `number`: catches up where it is due. When its first
    /// reception ends, if it has any.
    #[inline(always)]
    fn keep(&mut self, number: u32, now: Instant) -> Option<(Instant, u32)> {
        while let Some(node) = self.full.pop() {
            each!(&mut self.radios, ears => ears.make_room(node, now, &mut self.signals));
        }
        let first = self.in_flight.get_mut(number).receptions.first().map(|&(_, at)| at);
        if first.is_none() {
            match &mut self.signals.fates {
                Some(fates) => fates.on_unreceived(number, now),
                None => self.discard(number),
            }
        }
        first.map(|at| (at, number))
    }

    /// Finds the nodes whose routing overhears a packet of transmission `number`. Whether there are
    /// any.
    #[inline(never)]
    fn find_overhearers(&mut self, sender: NodeId, number: u32, listeners: &dyn Listeners) -> bool {
        let places = &mut self.overhearers;
        places.clear();
        let near = match self.radios {
            Radios::Threshold(_) => self.hearers.decoding(sender, number),
            Radios::Sinr(_) => self.hearers.sensing(sender, number),
        };
        match self.in_flight.get_mut(number).frame.payload.as_deref() {
            Some(Payload::Packet(packet)) => listeners.overhearers(packet, near, places),
            Some(Payload::Aggregate(aggregate)) => {
                for Mpdu { packet, .. } in &aggregate.mpdus {
                    listeners.overhearers(packet, near, places);
                }
                places.sort_unstable();
                places.dedup();
            }
            _ => {}
        }
        !places.is_empty()
    }

    /// Whether data that `sender` sends at `now` can reach `node`, never earlier than the last
    /// transmission: by signal and noise at the mean power.
    pub fn is_in_reach(&mut self, sender: NodeId, node: NodeId, now: Instant) -> bool {
        match self.radios.sinr() {
            None => self.hearers.is_in_reach(sender, node, now),
            Some((_, air)) => {
                let power_w = self.hearers.power_w(sender, node, now);
                power_w.is_some_and(|power_w| {
                    power_w * air.shadowed(sender, node) >= air.needs.carried_w
                })
            }
        }
    }

    /// The receiver at which transmission `number` ends now, and when it ends at the next one, if
    /// any.
    pub fn receiver_at_end(&mut self, number: u32) -> (NodeId, Option<Instant>) {
        let transmission = self.in_flight.get_mut(number);
        let (node, _) = transmission.receptions[transmission.next];
        transmission.next += 1;
        let following = transmission.receptions.get(transmission.next);
        (node, following.map(|&(_, at)| at))
    }

    /// The frame of transmission `number`.
    pub fn frame(&mut self, number: u32) -> &Frame {
        &self.in_flight.get_mut(number).frame
    }

    /// What the frame of transmission `number` carries.
    pub fn payload(&mut self, number: u32) -> &mut Option<Box<Payload>> {
        &mut self.in_flight.get_mut(number).frame.payload
    }

    /// A copy of the frame of transmission `number`, which has more receivers.
    pub fn copy(&mut self, number: u32) -> Frame {
        self.payloads.copy(&self.in_flight.get_mut(number).frame)
    }

    /// Removes transmission `number`, which has no receiver left.
    #[inline(never)]
    pub fn discard(&mut self, number: u32) {
        let frame = self.retire(number);
        self.payloads.recycle(frame.payload);
    }

    /// Removes transmission `number` at its last reception.
    #[inline]
    pub fn retire(&mut self, number: u32) -> Frame {
        self.in_flight.end(number)
    }

    /// Whether `node`, caught up to `now`, has received the frame of transmission `number`.
    pub fn is_received(&mut self, node: NodeId, number: u32, now: Instant) -> bool {
        each!(&mut self.radios, ears => ears.receiver(node).finish(number, now))
    }

    /// Whether frames have a power that matters to MACs.
    #[inline]
    pub fn tells_power(&self) -> bool {
        self.radios.sinr().is_some()
    }

    /// Whether `node`, caught up to `now`, has overheard the whole of tapped transmission `number`.
    pub fn is_overheard(&mut self, node: NodeId, number: u32, now: Instant) -> bool {
        each!(&mut self.radios, ears => ears.receiver(node).overheard(number, now))
    }

    /// The MAC of `node` has handled the frame of transmission `number`, which frees its receiver.
    #[inline(always)]
    pub fn release(&mut self, node: NodeId, number: u32, now: Instant) {
        each!(&mut self.radios, ears => ears.release(node, number, now, &mut self.signals));
    }

    /// The station of `node`, caught up to `now`, is woken for its backoff.
    #[inline]
    pub fn wake(&mut self, node: NodeId, now: Instant) -> Wake {
        let timing = self.signals.timings.of(node);
        each!(&mut self.radios, ears => ears.wake(node, now, timing))
    }

    /// The earliest instant at which the backoff of `node` can run out.
    #[inline]
    pub fn earliest_expiry(&mut self, node: NodeId) -> Option<Instant> {
        let timing = self.signals.timings.of(node);
        each!(&mut self.radios, ears => ears.earliest_expiry(node, timing))
    }
}

/// Of the receptions at nodes of `near`, keeps those of `addressee` and of the nodes at these
/// places.
#[cold]
fn keep_overhearers(
    places: &[u32],
    near: &[Neighbour],
    addressee: NodeId,
    receptions: &mut Vec<(NodeId, Instant)>,
) {
    let overhears = |node| places.iter().any(|&place| near[place as usize].node == node);
    receptions.retain(|&(node, _)| node == addressee || overhears(node));
}

/// Whether MACs that overhear frames learn anything from `frame`.
#[cold]
fn concerns_macs(frame: &Frame) -> bool {
    let is_data = matches!(frame.kind, FrameKind::Data | FrameKind::Aggregate);
    is_data || frame.notice != Notice::None
}

#[cfg(test)]
mod tests;
