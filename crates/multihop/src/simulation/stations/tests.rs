//! Stations and the medium driven by hand: the test is the clock, and what is above the MACs.

use std::sync::Arc;

use super::*;
use crate::kernel::{Purpose, Rng};
use crate::link::{CodelConfig, QueueDiscipline};
use crate::mac::{Leaving, MacConfig, TimerChange};
use crate::profile::Profile;
use crate::radio::{Hearers, Neighbours, Position, RadioConfig, Reach};
use crate::routing::Nodes;
use crate::routing::fixed::FixedRoutes;
use crate::simulation::medium::{Radios, Timings};
use crate::wire::{Body, FlowId, Packet, udp};

/// What the clock would hold.
#[derive(Debug, Default)]
struct Pending {
    timer: Option<Instant>,
    sifs: Option<Instant>,
}

struct Network {
    stations: Stations,
    layer: Nodes<FixedRoutes>,
    pending: Vec<Pending>,
    /// Frames on the air: when each ends next, and its number.
    ends: Vec<(Instant, u32)>,
    /// When each packet came, where and from whom.
    received: Vec<(Instant, u32, u32)>,
    given_up: u32,
}

impl Network {
    /// Nodes in a row, 200 m apart, with stations as in `layout`, in which all have `mac`.
    fn new(layout: Layout, mac: &MacConfig) -> Network {
        let timing = Arc::new(Timing::new(mac, Profile::Standard));
        let place = |node| Position { x_m: 200.0 * f64::from(node), y_m: 0.0 };
        let positions: Vec<Position> = (0..layout.nodes() as u32).map(place).collect();
        let reach = Reach { receive_m: 250.0, sense_m: 550.0 };
        let path_loss = RadioConfig::default().path_loss();
        let neighbours = Neighbours::of_static(&positions, reach, &path_loss);
        let hearers = Hearers::Static(neighbours.of_stations(&layout));
        let count = layout.count();
        let timings = Timings::new(&layout, vec![timing.clone(); layout.kinds()]);
        let radios = Radios::by_threshold(10.0, count);
        let station = |number| {
            let rng = |purpose| Rng::stream(1, purpose, u64::from(number));
            let address = NodeId(number);
            Station {
                timing: timing.clone(),
                mac: mac.access(address, layout.node(address), &timing, None, None),
                queue: InterfaceQueue::new(
                    QueueDiscipline::DropTail,
                    50,
                    &CodelConfig::default(),
                    rng(Purpose::QueueManagement),
                ),
                arp: Arp::default(),
                backoff_rng: rng(Purpose::Backoff),
            }
        };
        let all = (0..count as u32).map(station).collect();
        let layer = Nodes::of(vec![FixedRoutes::default(); layout.nodes()]);
        let medium = Medium::new(hearers, timings, radios, [false, false]);
        Network {
            stations: Stations::new(layout, all, medium),
            layer,
            pending: (0..count).map(|_| Pending::default()).collect(),
            ends: Vec::new(),
            received: Vec::new(),
            given_up: 0,
        }
    }

    fn call(
        &mut self,
        station: NodeId,
        now: Instant,
        call: impl FnOnce(&mut Mac, &mut MacContext),
    ) {
        let mut out = Outbox::default();
        self.stations.medium.catch_up(station, now);
        self.stations.call(station, now, 0, &mut out, call);
        self.given_up += u32::from(out.failed.take().is_some());
        if out.step {
            let wants_packet =
                self.stations.call(station, now, 0, &mut out, |mac, cx| mac.next_step(cx));
            if wants_packet {
                self.stations.call(station, now, 0, &mut out, |mac, cx| mac.end_step(cx));
            }
        }
        let pending = &mut self.pending[station.index()];
        pending.sifs = out.sifs.or(pending.sifs);
        match out.timer {
            Some(TimerChange::Set(at)) => pending.timer = Some(at),
            Some(TimerChange::Cancel) => pending.timer = None,
            None => {}
        }
        if let Some(frame) = out.transmit.take() {
            let airtime = self.stations.airtime(&frame);
            self.ends.extend(self.stations.transmit(now, frame, airtime, &self.layer));
        }
        if let Some(Leaving::One(_, from)) = out.received.take() {
            self.received.push((now, station.0, from.0));
        }
    }

    /// Runs until nothing is left to do.
    fn run(&mut self) {
        // A backoff that was looked at too soon.
        let mut not_before = vec![Instant::ZERO; self.pending.len()];
        loop {
            let all = (0..self.pending.len() as u32).map(NodeId);
            let medium = &mut self.stations.medium;
            let backoff = |at: NodeId| {
                medium.earliest_expiry(at).map(|expiry| expiry.max(not_before[at.index()]))
            };
            let backoffs: Vec<_> = all.map(backoff).collect();
            let first = |times: &[Option<Instant>]| {
                let known = times.iter().enumerate().filter_map(|(i, at)| Some(((*at)?, i)));
                known.min().map(|(at, i)| (at, NodeId(i as u32)))
            };
            let timers: Vec<_> = self.pending.iter().map(|pending| pending.timer).collect();
            let sifs: Vec<_> = self.pending.iter().map(|pending| pending.sifs).collect();
            let (backoff, timer, sifs) = (first(&backoffs), first(&timers), first(&sifs));
            let end = self.ends.iter().copied().min();
            let times = [backoff, timer, sifs].map(|due| due.map(|(at, _)| at));
            let Some(now) = times.into_iter().flatten().chain(end.map(|(at, _)| at)).min() else {
                return;
            };
            if let Some((_, station)) = backoff.filter(|&(at, _)| at == now) {
                match self.stations.wake(station, now) {
                    Wake::Expired => self.call(station, now, |mac, cx| mac.on_turn(cx)),
                    Wake::NotBefore(at) => not_before[station.index()] = at,
                    Wake::Nothing => {}
                }
            } else if let Some((_, number)) = end.filter(|&(at, _)| at == now) {
                self.end(number, now);
            } else if let Some((_, station)) = sifs.filter(|&(at, _)| at == now) {
                self.pending[station.index()].sifs = None;
                self.call(station, now, |mac, cx| mac.on_sifs(cx));
            } else if let Some((_, station)) = timer {
                self.pending[station.index()].timer = None;
                self.call(station, now, |mac, cx| mac.on_timer(cx));
            }
        }
    }

    /// Transmission `number` ends at its next receiver.
    fn end(&mut self, number: u32, now: Instant) {
        self.ends.retain(|&(_, other)| other != number);
        let medium = &mut self.stations.medium;
        let (station, following) = medium.receiver_at_end(number);
        medium.catch_up(station, now);
        let is_received = medium.is_received(station, number, now);
        let frame = medium.copy(number);
        match following {
            Some(at) => self.ends.push((at, number)),
            None => medium.discard(number),
        }
        if is_received {
            self.call(station, now, |mac, cx| mac.on_frame(cx, frame));
            self.stations.medium.release(station, number, now);
        }
    }

    /// Hands a packet of 1020 bytes to the MAC of `from` at 1 s.
    fn send(&mut self, from: u32, to: u32) {
        let datagram = udp::Datagram::zeros(FlowId(0), 0, 1000);
        let packet = Packet {
            size_bytes: 1020,
            ..Packet::new(NodeId(from), NodeId(to), Instant::ZERO, Body::Udp(datagram))
        };
        self.call(NodeId(from), START, |mac, cx| mac.on_packet(cx, NodeId(to), packet));
    }

    fn received_us(&self) -> Vec<(u64, u32, u32)> {
        let since = |at: Instant| (at - START).as_nanos().div_ceil(1000);
        let mut received: Vec<_> =
            self.received.iter().map(|&(at, to, from)| (since(at), to, from)).collect();
        received.sort_unstable();
        received
    }
}

const START: Instant = Instant::from_nanos(1_000_000_000);

/// Two kinds of station on two channels, of which every node has both.
fn two_each(nodes: usize) -> Layout {
    let kinds = [("a".to_owned(), 1, None), ("b".to_owned(), 6, None)];
    Layout::of_kinds(nodes, &kinds).unwrap()
}

/// RTS, CTS and data at 1 and 2 Mbit/s, SIFS between them, and 667 ns on the way for each \[µs\].
const ARRIVED_US: u64 = 352 + 10 + 304 + 10 + 192 + 4192 + 3;

#[test]
fn a_packet_goes_over_an_idle_medium_at_once_and_is_acknowledged() {
    let mut network = Network::new(Layout::alike(2), &MacConfig::default());
    network.send(0, 1);
    network.run();
    assert_eq!(network.received_us(), [(ARRIVED_US, 1, 0)]);
    let counters = network.stations.mac_counters();
    let sent = [counters.rts_sent, counters.cts_sent, counters.data_sent, counters.ack_sent];
    assert_eq!((sent, counters.collisions, network.given_up), ([1; 4], 0, 0));
    let sending = Duration::from_micros(352 + 192 + 4192);
    assert_eq!(network.stations.busiest(|_| true), Some((NodeId(0), sending, 1000)));
}

#[test]
fn nobody_answers_over_another_channel() {
    // Station 2 is the second of node 0, station 3 that of node 1.
    let mut network = Network::new(two_each(2), &MacConfig::default());
    network.send(0, 3);
    network.run();
    assert_eq!((network.received_us(), network.given_up), (vec![], 1));
    assert_eq!(network.stations.mac_counters().rts_sent, 7);
}

#[test]
fn the_stations_of_a_node_send_at_the_same_time_on_two_channels() {
    let mut network = Network::new(two_each(2), &MacConfig::default());
    network.send(0, 1);
    network.send(2, 3);
    network.run();
    assert_eq!(network.received_us(), [(ARRIVED_US, 1, 0), (ARRIVED_US, 3, 2)]);
    assert_eq!(network.stations.mac_counters().collisions, 0);
    // Both count as their node's.
    let sending = Duration::from_micros(2 * (352 + 192 + 4192));
    assert_eq!(network.stations.busiest(|_| true), Some((NodeId(0), sending, 2000)));
    // On one channel they would collide: RTS of two nodes at once, and then one after the other.
    let mut network = Network::new(Layout::alike(3), &MacConfig::default());
    network.send(0, 1);
    network.send(2, 1);
    network.run();
    assert_eq!(network.received.len(), 2);
    let counters = network.stations.mac_counters();
    assert!(counters.collisions >= 2 && counters.rts_sent > 2);
}

#[test]
fn stations_with_slots_never_contend() {
    let mut mac = MacConfig::default();
    let keys = "slot_s = 0.01\nslots = [1, 0]";
    mac.access = crate::mac::config::AccessKind::Tdma;
    mac.tdma = Some(toml::from_str(keys).unwrap());
    let mut network = Network::new(Layout::alike(2), &mac);
    network.send(0, 1);
    network.run();
    // 1 s is the start of a slot of node 1; that of node 0 follows.
    assert_eq!(network.received_us(), [(10_000 + 192 + 4192 + 1, 1, 0)]);
    let counters = network.stations.mac_counters();
    assert_eq!([counters.rts_sent, counters.data_sent, counters.ack_sent], [0, 1, 1]);
}
