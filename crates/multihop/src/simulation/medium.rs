//! The shared medium: the receiver of every station, and the transmissions on the air.
//!
//! A transmission costs one pass over the sender's neighbours, which notes its arrival at each, and
//! one event at its end, which serves the nodes that get or overhear the frame one after another.
//! Bystanders get no event.

mod sinr;

use std::sync::Arc;

use super::LINK_DELAY;
use super::fates::Fates;
use crate::capture::Capture;
use crate::kernel::{Duration, Instant, Slab};
use crate::mac::{Contention, IdleSense, Payloads, StationSense, Timing, Wake};
use crate::radio::sinr::{Rules, SinrReceiver};
use crate::radio::{
    Arrival, Arrivals, CarrierSense, Hearers, Lasting, Neighbour, Past, Receiver, Stations, Traits,
};
use crate::routing::Listeners;
use crate::wire::{Frame, FrameKind, Mpdu, NodeId, Notice, Payload};
pub use sinr::Air;

/// One node's receiver, and what its MAC makes of what it hears. It takes two whole lines of the
/// cache, of 64 bytes: large networks wait for memory.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub struct Station {
    /// The radio's receiving side.
    pub receiver: Receiver,
    /// Carrier sense and backoff.
    pub contention: Contention,
}

/// The timing of each station.
#[derive(Debug)]
pub struct Timings {
    stations: usize,
    /// That of each kind of station.
    kinds: Vec<Arc<Timing>>,
    /// The kind of each station, if there are several.
    kind_of: Vec<u8>,
}

impl Timings {
    /// Those of `layout`, of whose kinds each has one of `kinds`.
    pub fn new(layout: &Stations, kinds: Vec<Arc<Timing>>) -> Timings {
        let stations = (0..layout.count() as u32).map(NodeId);
        let kind_of = match kinds.len() {
            1 => Vec::new(),
            _ => stations.map(|station| layout.kind(station).0).collect(),
        };
        Timings { stations: layout.count(), kinds, kind_of }
    }

    #[inline]
    fn of(&self, station: NodeId) -> &Timing {
        match &self.kinds[..] {
            [only] => only,
            kinds => &kinds[usize::from(self.kind_of[station.index()])],
        }
    }
}

/// A frame on the air.
#[derive(Debug)]
struct Transmission {
    frame: Frame,
    /// The nodes that get it, and when its last bit reaches each; nearest first.
    receptions: Vec<(NodeId, Instant)>,
    /// Which of them is next.
    next: usize,
}

/// A transmission that starts, for [`Medium::spread`].
struct Sent {
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
    /// Every node's station.
    pub stations: Vec<Station>,
    /// Time that each node has spent transmitting.
    pub sending: Vec<Duration>,
    arrivals: Arrivals,
    /// Nodes whose list of arrivals is full.
    full: Vec<NodeId>,
    in_flight: Slab<Transmission>,
    /// Payloads of frames that are over.
    pub payloads: Payloads,
    /// Emptied lists of receptions, for reuse.
    spare: Vec<Vec<(NodeId, Instant)>>,
    lasting: Lasting,
    timings: Timings,
    capture_ratio: f64,
    /// Of the transmission that starts, the places of the nodes whose routing overhears it, in
    /// order.
    overhearers: Vec<u32>,
    /// Whether MACs overhear frames for other nodes that signal congestion or its end.
    mac_overhears: bool,
    /// Whether a node's routing may overhear packets for others.
    routing_overhears: bool,
    /// Frames lost to collisions at a node that they were addressed to.
    pub collisions: u64,
    /// Frames sent.
    pub transmissions: u64,
    /// What became of which frames where, if events are recorded.
    fates: Option<Box<Fates>>,
    /// Reception by signal over noise and interference, if it is not by threshold.
    air: Option<Box<Air>>,
    /// It is not plain reception by threshold: fates are noted, or it is by signal and noise.
    is_special: bool,
}

impl Medium {
    /// A silent medium.
    pub fn new(
        hearers: Hearers,
        timings: Timings,
        capture_ratio: f64,
        [mac_overhears, routing_overhears]: [bool; 2],
    ) -> Medium {
        Medium {
            hearers,
            stations: vec![Station::default(); timings.stations],
            sending: vec![Duration::ZERO; timings.stations],
            arrivals: Arrivals::new(timings.stations),
            full: Vec::new(),
            in_flight: Slab::default(),
            payloads: Payloads::default(),
            spare: Vec::new(),
            lasting: Lasting::default(),
            timings,
            capture_ratio,
            overhearers: Vec::new(),
            mac_overhears,
            routing_overhears,
            collisions: 0,
            transmissions: 0,
            fates: None,
            air: None,
            is_special: false,
        }
    }

    /// From the start, frames are received by signal over noise and interference.
    pub fn receive_through(&mut self, air: Air) {
        self.air = Some(Box::new(air));
        self.is_special = true;
    }

    /// Notes from now on what becomes of which frames where.
    pub fn note_fates(&mut self) {
        self.fates = Some(Box::default());
        self.is_special = true;
        // Nodes look back at frames that are over: numbers that are not used again at once tell
        // them apart.
        self.in_flight = Slab::with_places(64);
    }

    /// Tells `capture` what became of frames where no MAC was called for them.
    pub fn tell_fates(&mut self, capture: &mut Capture) {
        if let Some(fates) = &mut self.fates {
            fates.tell(capture);
        }
    }

    /// Of transmission `number`, if fates are noted, which one it is in the order of transmission.
    pub fn number_sent(&self, number: u32) -> u32 {
        self.fates.as_ref().map_or(number, |fates| fates.frame(number))
    }

    /// Brings what `node` hears up to `now`.
    #[inline]
    pub fn catch_up(&mut self, node: NodeId, now: Instant) {
        let Station { receiver, contention, .. } = &mut self.stations[node.index()];
        let arrivals = self.arrivals.at(node);
        if arrivals.is_empty() && !receiver.ends_by(now) {
            return;
        }
        if self.is_special {
            return self.catch_up_specially(node, now);
        }
        let timing = self.timings.of(node);
        let seen = match IdleSense::of(contention, timing, &mut self.collisions) {
            Some(mut sense) => {
                let seen = receiver.catch_up(arrivals, now, self.capture_ratio, &mut sense);
                sense.store(contention, receiver);
                seen
            }
            None => {
                let mut sense =
                    StationSense { contention, timing, collisions: &mut self.collisions };
                receiver.catch_up(arrivals, now, self.capture_ratio, &mut sense)
            }
        };
        self.arrivals.forget(node, seen);
    }

    /// Makes room for what `node` will hear: most stations have nothing to send, and most of what
    /// they heard can't matter any more.
    fn make_room(&mut self, node: NodeId, now: Instant) {
        let Station { receiver, contention, .. } = &mut self.stations[node.index()];
        let (arrivals, counted) = (self.arrivals.at(node), self.arrivals.counted(node));
        let timing = self.timings.of(node);
        let is_half_counted = 2 * counted > arrivals.len();
        if is_half_counted || self.fates.is_some() || contention.is_backing_off() {
            return self.catch_up(node, now);
        }
        let past = Past { arrivals, counted, now, lasting: &self.lasting };
        let air = self.air.as_deref_mut().map(|air| (&mut air.receivers[node.index()], &air.rules));
        let (ratio, collisions) = (self.capture_ratio, &mut self.collisions);
        let seen = match IdleSense::of(contention, timing, collisions) {
            Some(mut sense) => {
                let seen = pass_over(receiver, air, &past, ratio, &mut sense);
                sense.store(contention, receiver);
                seen
            }
            None => {
                let mut sense =
                    StationSense { contention, timing, collisions: &mut self.collisions };
                pass_over(receiver, air, &past, ratio, &mut sense)
            }
        };
        let is_half_empty = 2 * seen >= arrivals.len();
        if seen > 0 {
            self.arrivals.forget(node, seen);
        }
        if !is_half_empty {
            self.catch_up(node, now);
        }
    }

    /// [`Medium::catch_up`] by signal and noise, or noting what becomes of frames.
    #[cold]
    fn catch_up_specially(&mut self, node: NodeId, now: Instant) {
        if self.air.is_some() {
            return self.catch_up_by_sinr(node, now);
        }
        let Some(fates) = &mut self.fates else { return };
        let Station { receiver, contention, .. } = &mut self.stations[node.index()];
        let (arrivals, ratio) = (self.arrivals.at(node), self.capture_ratio);
        let timing = self.timings.of(node);
        let seen = match IdleSense::of(contention, timing, &mut self.collisions) {
            Some(sense) => {
                let mut noting = fates.noting(node, sense);
                let seen = receiver.catch_up(arrivals, now, ratio, &mut noting);
                noting.sense.store(contention, receiver);
                seen
            }
            None => {
                let sense = StationSense { contention, timing, collisions: &mut self.collisions };
                receiver.catch_up(arrivals, now, ratio, &mut fates.noting(node, sense))
            }
        };
        self.arrivals.forget(node, seen);
    }

    /// Transmission `number` begins `now`.
    #[cold]
    fn note_sent(&mut self, number: u32, now: Instant) {
        let aggregate = self.in_flight.get_mut(number).frame.aggregate();
        let frames = aggregate.map_or(1, |aggregate| aggregate.mpdus.len() as u32);
        if let Some(fates) = &mut self.fates {
            fates.on_sent(number, now, frames);
        }
        while let Some(number) = self.fates.as_mut().and_then(|fates| fates.spent(now)) {
            self.discard(number);
        }
        self.in_flight.pass_on(self.transmissions as u32);
    }

    /// Brings what every node hears up to `now`.
    pub fn catch_up_all(&mut self, now: Instant) {
        for node in 0..self.stations.len() {
            self.catch_up(NodeId(node as u32), now);
        }
    }

    /// Puts `frame` on the air for `airtime`. `listeners` tell which nodes overhear what it carries,
    /// and on which that would have no effect. If any node gets the frame, returns when its first
    /// reception ends, and the transmission's number for [`Medium::receiver_at_end`].
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
        let mut receptions = self.spare.pop().unwrap_or_default();
        let may_be_overheard = self.routing_overhears && !broadcast && frame.payload.is_some();
        let number = self.begin(frame);
        if self.fates.is_some() {
            self.note_sent(number, now);
        }
        self.hearers.update(sender, number, now);
        self.stations[sender.index()].receiver.begin_emission(end);
        self.sending[sender.index()] += airtime;
        let tapped =
            for_macs || may_be_overheard && self.find_overhearers(sender, number, listeners);
        let timing = self.timings.of(sender);
        let nav = Duration::from_micros(u64::from(duration_us)).max(timing.eifs);
        self.lasting.extend(airtime, nav + timing.eifs);
        if self.air.is_some() {
            let sent = Sent { number, sender, addressee, traits, tapped, for_macs };
            return self.spread(&sent, (now, end), duration_us, receptions, listeners);
        }
        // For a MAC that overhears, every data frame counts, whatever it brings.
        let packet = match self.mac_overhears {
            true => None,
            false => self.in_flight.get_mut(number).frame.packet(),
        };
        let decoding = self.hearers.decoding(sender, number).len();
        let (near, far) = self.hearers.sensing(sender, number).split_at(decoding);
        let arrival = Arrival { start: now, end, power_w: 0.0, frame: number, duration_us, traits };
        let decodable = traits.with_if(true, Traits::DECODABLE);
        let wanted = decodable.with_if(true, Traits::WANTED);
        if broadcast {
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
                self.arrivals.note(neighbour, &Arrival { traits, ..arrival }, &mut self.full);
                if is_ignored {
                    self.arrivals.count_last(neighbour.node);
                }
            }
        } else {
            let traits = decodable.with_if(tapped, Traits::TAPPED);
            self.arrivals.note_all(near, &Arrival { traits, ..arrival }, &mut self.full);
            let reception = |other: &Neighbour| (other.node, end + other.delay());
            match tapped {
                true => receptions.extend(near.iter().map(reception)),
                false => receptions
                    .extend(near.iter().find(|other| other.node == addressee).map(reception)),
            }
            if tapped && !for_macs && self.overhearers.len() < near.len() {
                keep_overhearers(&self.overhearers, near, addressee, &mut receptions);
            }
            if receptions.iter().any(|&(node, _)| node == addressee) {
                self.arrivals.mark_last(addressee, wanted);
            } else if addressee != sender
                && let Some(fates) = &mut self.fates
            {
                fates.on_out_of_range(addressee, end);
            }
        }
        self.arrivals.note_all(far, &arrival, &mut self.full);
        self.arrivals.put_in_order(self.hearers.sensing(sender, number), now);
        self.keep(number, now, receptions)
    }

    /// Has a number given to the transmission of `frame`. Not inlined, so that the frame stays in
    /// one piece on its way.
    #[inline(never)]
    fn begin(&mut self, frame: Frame) -> u32 {
        self.in_flight.insert(Transmission { frame, receptions: Vec::new(), next: 0 })
    }

    /// Completes the start of transmission `number`: catches up where it is due, and keeps who gets
    /// it.
    #[inline(always)]
    fn keep(
        &mut self,
        number: u32,
        now: Instant,
        receptions: Vec<(NodeId, Instant)>,
    ) -> Option<(Instant, u32)> {
        while let Some(node) = self.full.pop() {
            self.make_room(node, now);
        }
        let first = receptions.first().map(|&(_, at)| at);
        self.in_flight.get_mut(number).receptions = receptions;
        if first.is_none() {
            match &mut self.fates {
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
        let near = match self.air {
            None => self.hearers.decoding(sender, number),
            Some(_) => self.hearers.sensing(sender, number),
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
        match &self.air {
            None => self.hearers.is_in_reach(sender, node, now),
            Some(air) => {
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
    pub fn retire(&mut self, number: u32) -> Frame {
        let Transmission { frame, mut receptions, .. } = self.in_flight.remove(number);
        receptions.clear();
        self.spare.push(receptions);
        frame
    }

    /// Whether `node`, caught up to `now`, has received the frame of transmission `number`.
    pub fn is_received(&self, node: NodeId, number: u32, now: Instant) -> bool {
        self.stations[node.index()].receiver.finish(number, now)
    }

    /// Whether frames have a power that matters to MACs.
    #[inline]
    pub fn tells_power(&self) -> bool {
        self.air.is_some()
    }

    /// Whether `node`, caught up to `now`, has overheard the whole of tapped transmission `number`.
    pub fn is_overheard(&self, node: NodeId, number: u32, now: Instant) -> bool {
        self.stations[node.index()].receiver.overheard(number, now)
    }

    /// The MAC of `node` has handled the frame of transmission `number`, which frees its receiver.
    pub fn release(&mut self, node: NodeId, number: u32, now: Instant) {
        if self.air.is_some() {
            return self.release_by_sinr(node, number, now);
        }
        let station = &mut self.stations[node.index()];
        let contention = &mut station.contention;
        let timing = self.timings.of(node);
        let mut sense = StationSense { contention, timing, collisions: &mut self.collisions };
        station.receiver.release(number, now, &mut sense);
    }

    /// The station of `node`, caught up to `now`, is woken for its backoff.
    pub fn wake(&mut self, node: NodeId, now: Instant) -> Wake {
        let station = &mut self.stations[node.index()];
        station.contention.wake(now, station.receiver.followed(), self.timings.of(node))
    }

    /// The earliest instant at which the backoff of `node` can run out.
    pub fn earliest_expiry(&self, node: NodeId) -> Option<Instant> {
        let station = &self.stations[node.index()];
        station.contention.earliest_expiry(station.receiver.followed(), self.timings.of(node))
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

/// A station's receiver passes over what is over: by signal and noise, if it has one for that,
/// which it then shows.
fn pass_over(
    receiver: &mut Receiver,
    by_sinr: Option<(&mut SinrReceiver, &Rules)>,
    past: &Past<'_>,
    capture_ratio: f64,
    sense: &mut impl CarrierSense,
) -> usize {
    let Some((by_sinr, rules)) = by_sinr else {
        return receiver.pass_over(past, capture_ratio, sense);
    };
    let seen = by_sinr.pass_over(past, rules, sense);
    by_sinr.show_in(receiver);
    seen
}

#[cfg(test)]
mod tests;
