//! Frames on wires: what the ports send arrives at the others after the wire's delay, whatever
//! these send.
//!
//! Between two ports is a cable. More are joined by a switch, which passes a frame on as soon as it
//! knows where to: frames for one port that come at the same time wait there for each other, as
//! many as in a queue of a port, and more are lost. A port learns at once that the wire is cut, as
//! it loses the carrier; that a frame is lost it never learns.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::Serialize;

use super::Simulation;
use super::event::Event;
use crate::capture::{Detail, Happening, Note};
use crate::kernel::{Duration, Instant, Purpose, Rng, Slab};
use crate::mac::wired;
use crate::radio::StationLayout;
use crate::scenario::{Scenario, WireTable};
use crate::wire::{Frame, NodeId};

/// What a port of a wire has sent.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct WireReport {
    /// The name of the wire.
    pub wire: String,
    /// The node.
    pub node: u32,
    /// Frames that it has sent.
    pub frames: u64,
    /// Packets in them, without what Ethernet adds \[bytes\].
    pub bytes: u64,
    /// Share of the run in which it sent.
    pub busy_share: f64,
    /// Frames that the wire lost on their way from it, by its `loss` or at a switch.
    pub lost: u64,
    /// Frames that it could not send, as the wire was cut.
    pub cut: u64,
}

/// All wires.
#[derive(Debug)]
pub struct Wires {
    /// By station; none for radios.
    ports: Vec<Option<Port>>,
    /// Frames under way: to whom, their numbers in the record of events, and the frames.
    under_way: Slab<(NodeId, u32, Frame)>,
}

#[derive(Debug)]
struct Port {
    wire: String,
    /// The other ports of the wire.
    others: Vec<NodeId>,
    delay: Duration,
    /// Between two frames.
    gap: Duration,
    loss: f64,
    /// Frames that wait for this port at a switch, at most.
    room: usize,
    /// When each frame on its way to this port is over.
    leaving: VecDeque<Instant>,
    rng: Rng,
    frames: u64,
    bytes: u64,
    busy: Duration,
    lost: u64,
    cut: u64,
}

impl Port {
    fn new(table: &WireTable, own: NodeId, layout: &StationLayout, room: u32, seed: u64) -> Port {
        Port {
            wire: table.name.clone(),
            others: layout.wired_to(own).collect(),
            delay: Duration::from_secs_f64(table.delay_s),
            gap: Duration::from_secs_f64(f64::from(wired::GAP_BYTES) * 8.0 / table.rate_bps),
            loss: table.loss,
            room: room as usize,
            leaving: VecDeque::new(),
            rng: Rng::stream(seed, Purpose::Wires, u64::from(own.0)),
            frames: 0,
            bytes: 0,
            busy: Duration::ZERO,
            lost: 0,
            cut: 0,
        }
    }

    /// A frame of `airtime` whose first bit comes to this port at `first` is over when; none if
    /// there is no room for it.
    fn take(&mut self, first: Instant, airtime: Duration) -> Option<Instant> {
        while self.leaving.front().is_some_and(|&over| over <= first) {
            self.leaving.pop_front();
        }
        // The one that is being passed on does not wait.
        if self.leaving.len() > self.room {
            return None;
        }
        let over = self.leaving.back().map_or(first, |&last| last.max(first)) + airtime;
        self.leaving.push_back(over);
        Some(over - self.gap)
    }
}

impl Wires {
    /// Those of `scenario`, if it has any.
    pub fn new(scenario: &Scenario, layout: &StationLayout, seed: u64) -> Option<Box<Wires>> {
        if !layout.have_wires() {
            return None;
        }
        let port = |station: u32| {
            let station = NodeId(station);
            let place = usize::from(layout.kind(station).0).checked_sub(scenario.first_wire())?;
            let table = &scenario.wires[place];
            let room = table.queue_packets.unwrap_or(scenario.mac.queue_packets);
            Some(Port::new(table, station, layout, room, seed))
        };
        let ports = (0..layout.count() as u32).map(port).collect();
        Some(Box::new(Wires { ports, under_way: Slab::default() }))
    }

    fn port(&mut self, station: NodeId) -> Option<&mut Port> {
        self.ports.get_mut(station.index())?.as_mut()
    }
}

impl Simulation {
    /// A port sends `frame`, which takes `airtime`.
    #[cold]
    pub(super) fn send_by_wire(&mut self, mut frame: Frame, airtime: Duration) {
        let (now, from, to) = (self.clock.now(), frame.transmitter, frame.receiver);
        let number = self.stations.medium.count_elsewhere();
        let Some(wires) = &mut self.wires else { return };
        let Some(port) = wires.port(from) else { return };
        port.frames += 1;
        port.bytes += frame.packet().map_or(0, |packet| u64::from(packet.size_bytes));
        port.busy += airtime;
        let (delay, loss) = (port.delay, port.loss);
        let mut missed = Vec::new();
        let mut why = Detail::None;
        for place in 0..port.others.len() {
            let Some(port) = wires.port(from) else { return };
            let other = port.others[place];
            if to != other && !to.is_broadcast() {
                continue;
            }
            let passes = self.stations.medium.hearers.is_in_reach(from, other, now);
            let is_lost = passes && loss > 0.0 && port.rng.unit() < loss;
            let arrival = match (passes, is_lost) {
                (false, _) => Err(Detail::Cut),
                (true, true) => Err(Detail::WireLoss),
                (true, false) => wires
                    .port(other)
                    .and_then(|other| other.take(now + delay, airtime))
                    .ok_or(Detail::SwitchFull),
            };
            match arrival {
                Ok(at) => {
                    let copy = self.stations.medium.payloads.copy(&frame);
                    let number = wires.under_way.insert((other, number, copy));
                    self.clock.schedule(at, Event::Wire(number));
                }
                Err(reason) => {
                    why = reason;
                    if let Some(port) = wires.port(from) {
                        *(if why == Detail::Cut { &mut port.cut } else { &mut port.lost }) += 1;
                    }
                    let note = Note::new(now + airtime, Happening::Miss, other, number);
                    missed.push(Note { detail: why, ..note });
                }
            }
        }
        if !missed.is_empty() {
            self.note(|capture, _| capture.on_late(missed));
        }
        let packet = frame.take_packet();
        self.stations.medium.payloads.recycle(frame.payload);
        match (packet.filter(|_| !to.is_broadcast()), why) {
            (None, _) | (_, Detail::None) => {}
            (Some(packet), Detail::Cut) => self.on_given_up(from, to, packet),
            (Some(packet), _) => self.drop_at(from, &packet, why),
        }
    }

    /// Frame `number` of those under way arrives.
    #[cold]
    pub(super) fn on_wire_arrival(&mut self, number: u32) {
        let Some(wires) = &mut self.wires else { return };
        let (station, sent, frame) = wires.under_way.remove(number);
        self.note(|capture, now| capture.on_reception(now, station, sent));
        self.drive(station, |mac, cx| mac.on_frame(cx, frame));
    }

    /// What the ports of all wires have sent, by wire and node.
    pub(super) fn wire_reports(&self) -> Vec<WireReport> {
        let Some(wires) = &self.wires else { return Vec::new() };
        let layout = &self.stations.layout;
        let ports = (0..).map(NodeId).zip(&wires.ports);
        let report = |(station, port): (NodeId, &Option<Port>)| {
            let port = port.as_ref()?;
            let report = WireReport {
                wire: port.wire.clone(),
                node: layout.node(station).0,
                frames: port.frames,
                bytes: port.bytes,
                busy_share: port.busy.as_secs_f64() / self.end.as_secs_f64(),
                lost: port.lost,
                cut: port.cut,
            };
            Some((layout.kind(station), report))
        };
        let mut all: Vec<_> = ports.filter_map(report).collect();
        all.sort_by_key(|(kind, report)| (*kind, report.node));
        all.into_iter().map(|(_, report)| report).collect()
    }
}
