//! The ends of flows: TCP senders and receivers, CBR sources and sinks, and their reports.

use rustc_hash::FxHashSet;

use super::event::Event;
use super::result::{BottleneckReport, DataReport, FlowReport, RunResult, pairs};
use super::room::Store;
use super::{EngineReport, LINK_DELAY, Simulation};
use crate::kernel::{Instant, Purpose, Rng};
use crate::mac::BackoffCounts;
use crate::measure::{QueueCounters, Steadiness};
use crate::profile::Profile;
use crate::scenario::{self, FlowKind};
use crate::traffic::Cbr;
use crate::transport::{
    Acknowledgment, Flavour, LinkFailure, LinkFailureCounters, Receiver, SemiTcpConfig,
    SenderActions, TcpSender, TimerChange,
};
use crate::wire::tcp::{Segment, SegmentKind};
use crate::wire::udp::Datagram;
use crate::wire::{Body, FlowId, NodeId, Packet};

/// A flow and both its ends.
#[derive(Debug)]
pub struct Flow {
    pub id: FlowId,
    pub source: NodeId,
    pub destination: NodeId,
    pub start: Instant,
    pub stop: Instant,
    pub ends: Ends,
    shortest_hops: Option<u32>,
    least_hops: Option<u32>,
    /// What the sender does about broken routes.
    reaction: LinkFailure,
    /// Acknowledgments cross no network.
    has_free_acks: bool,
    /// Semi-TCP's keys, if the flow uses it.
    pub semi: Option<SemiTcpConfig>,
    /// Packets that wait for room at the source, and at the destination.
    stores: [Store; 2],
    /// Acknowledgments that the receiver made.
    acks_sent: u64,
    /// Route discoveries of either end for the other.
    discoveries: u64,
    /// Data packets that arrived, their delays and hops added up.
    arrivals: Arrivals,
    /// How steadily data are delivered.
    steadiness: Steadiness,
    /// What was reported when the flow stopped.
    at_stop: Option<Tally>,
}

/// What carries a flow.
#[derive(Debug)]
pub enum Ends {
    /// TCP with data that never ends.
    Ftp { sender: TcpSender, receiver: Receiver, actions: SenderActions },
    /// Constant bit rate over UDP.
    Cbr { source: Cbr, received: u64 },
}

#[derive(Clone, Copy, Debug, Default)]
struct Arrivals {
    packets: u64,
    delay_s: f64,
    mac_delay_s: f64,
    hops: u64,
}

/// Counts at one moment.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    delivered_bytes: u64,
    delivered_segments: u64,
    unique_segments: u64,
    unique_bytes: u64,
    acks_sent: u64,
    acked_segments: u64,
    sent_segments: u64,
    retransmits: u64,
    timeouts: u64,
    fast_retransmits: u64,
    link_failure: LinkFailureCounters,
    mean_rtt_s: Option<f64>,
}

impl Flow {
    /// The flow `id` as the scenario has it, not started.
    pub fn new(id: u32, spec: &scenario::Flow, profile: Profile, seed: u64) -> Flow {
        let mut reaction = LinkFailure::default();
        let mut has_free_acks = false;
        let mut semi = None;
        let ends = match &spec.kind {
            FlowKind::Ftp { tcp } => {
                let mut rng = Rng::stream(seed, Purpose::Transport, u64::from(id));
                reaction = tcp.link_failure;
                has_free_acks = tcp.free_acks;
                semi = (tcp.scheme == Flavour::SemiTcp).then(|| tcp.semi.clone());
                Ends::Ftp {
                    sender: TcpSender::new(tcp, profile, FlowId(id), &mut rng),
                    receiver: Receiver::default(),
                    actions: SenderActions::default(),
                }
            }
            FlowKind::Cbr { packet_bytes, rate_bps } => {
                Ends::Cbr { source: Cbr::new(*packet_bytes, *rate_bps, spec.start), received: 0 }
            }
        };
        Flow {
            id: FlowId(id),
            source: spec.source,
            destination: spec.destination,
            start: spec.start,
            stop: spec.stop,
            ends,
            shortest_hops: spec.shortest_hops,
            least_hops: spec.least_hops,
            reaction,
            has_free_acks,
            semi,
            stores: Default::default(),
            acks_sent: 0,
            discoveries: 0,
            arrivals: Arrivals::default(),
            steadiness: Steadiness::new(spec.start, spec.stop),
            at_stop: None,
        }
    }

    /// The packets that wait for room at `node`, one of the flow's ends.
    pub fn store(&mut self, node: NodeId) -> &mut Store {
        &mut self.stores[usize::from(node != self.source)]
    }

    /// Segments sent so far.
    pub fn sent_segments(&self) -> u64 {
        match &self.ends {
            Ends::Ftp { sender, .. } => sender.counters().sent_segments,
            Ends::Cbr { source, .. } => u64::from(source.sent()),
        }
    }

    /// Segment `number` has arrived in `packet`. Returns the answer.
    fn on_segment(
        &mut self,
        number: u32,
        payload_bytes: u32,
        probe: bool,
        packet: &Packet,
    ) -> Option<SegmentKind> {
        let Ends::Ftp { receiver, .. } = &mut self.ends else { return None };
        let received = receiver.on_segment(number, payload_bytes);
        let cumulative = receiver.cumulative();
        let rule = self.semi.as_ref().map(|semi| semi.out_of_order_acks);
        let answer = match rule {
            Some(rule) => rule.answer(received, number, cumulative)?,
            None => (cumulative, false),
        };
        self.acks_sent += 1;
        Some(match answer {
            (number, true) => SegmentKind::SelectiveAck { number },
            (number, false) => SegmentKind::Ack { number, probe, sent: packet.created },
        })
    }

    /// Progress for the time series: highest in-order segment or packets received, payload bytes, cwnd.
    pub fn progress(&self) -> (u64, u64, f64) {
        match &self.ends {
            Ends::Ftp { sender, receiver, .. } => {
                (receiver.delivered_segments(), receiver.delivered_bytes(), sender.cwnd())
            }
            Ends::Cbr { source, received } => {
                (*received, received * u64::from(source.packet_bytes), 0.0)
            }
        }
    }

    fn tally(&self, now: Instant) -> Tally {
        match &self.ends {
            Ends::Ftp { sender, receiver, .. } => {
                let counters = sender.counters();
                Tally {
                    delivered_bytes: receiver.delivered_bytes(),
                    delivered_segments: receiver.delivered_segments(),
                    unique_segments: receiver.unique_segments(),
                    unique_bytes: receiver.unique_bytes(),
                    acks_sent: self.acks_sent,
                    acked_segments: u64::from(sender.highest_ack().unwrap_or(0)),
                    sent_segments: counters.sent_segments,
                    retransmits: counters.retransmits,
                    timeouts: counters.timeouts,
                    fast_retransmits: counters.fast_retransmits,
                    link_failure: sender.link_failure_counters(now),
                    mean_rtt_s: sender.mean_rtt_s(),
                }
            }
            Ends::Cbr { source, received } => Tally {
                delivered_bytes: received * u64::from(source.packet_bytes),
                delivered_segments: *received,
                unique_segments: *received,
                unique_bytes: received * u64::from(source.packet_bytes),
                sent_segments: u64::from(source.sent()),
                ..Tally::default()
            },
        }
    }

    fn report(&self, now: Instant) -> FlowReport {
        let is_ftp = matches!(self.ends, Ends::Ftp { .. });
        let tally = match self.at_stop {
            Some(at_stop) if is_ftp => at_stop,
            _ => self.tally(now),
        };
        let link_failure = tally.link_failure;
        let suspensions = |reaction| match self.reaction == reaction {
            true => link_failure.suspensions,
            false => 0,
        };
        let (packet_bytes, rate_bps) = match &self.ends {
            Ends::Ftp { .. } => (None, None),
            Ends::Cbr { source, .. } => (Some(source.packet_bytes), Some(source.rate_bps)),
        };
        let arrived = self.arrivals.packets as f64;
        let mean = |sum: f64| (arrived > 0.0).then(|| sum / arrived);
        // A flow lives no longer than the run.
        let life_s = (self.stop.min(now).max(self.start) - self.start).as_secs_f64();
        let per_second = |bytes: u64| if life_s > 0.0 { bytes as f64 * 8.0 / life_s } else { 0.0 };
        let steadiness = self.steadiness.report(now);
        FlowReport {
            id: self.id.0,
            kind: if is_ftp { "ftp" } else { "cbr" },
            source: self.source.0,
            destination: self.destination.0,
            start_s: self.start.as_secs_f64(),
            stop_s: self.stop.as_secs_f64(),
            shortest_hops: self.shortest_hops,
            least_hops: self.least_hops,
            goodput_bps: per_second(tally.delivered_bytes),
            delivered_bytes: tally.delivered_bytes,
            delivered_segments: tally.delivered_segments,
            acked_segments: is_ftp.then_some(tally.acked_segments),
            packet_bytes,
            rate_bps,
            received_packets: (!is_ftp).then_some(tally.delivered_segments),
            unique_segments: tally.unique_segments,
            unique_bps: per_second(tally.unique_bytes),
            acks_sent: is_ftp.then_some(tally.acks_sent),
            sent_segments: tally.sent_segments,
            retransmits: tally.retransmits,
            timeouts: tally.timeouts,
            fast_retransmits: tally.fast_retransmits,
            route_errors: link_failure.route_errors,
            route_errors_suspended: link_failure.route_errors_suspended,
            freezes: suspensions(LinkFailure::Elfn),
            standbys: suspensions(LinkFailure::Standby),
            probes: link_failure.probes,
            suspended_s: link_failure.suspended.as_secs_f64(),
            arrived_segments: self.arrivals.packets,
            out_of_order_segments: match &self.ends {
                Ends::Ftp { receiver, .. } => receiver.out_of_order(),
                Ends::Cbr { .. } => 0,
            },
            discoveries: self.discoveries,
            paths: None,
            mean_rtt_s: tally.mean_rtt_s,
            mean_delay_s: mean(self.arrivals.delay_s),
            mean_mac_delay_s: mean(self.arrivals.mac_delay_s),
            mean_hops: mean(self.arrivals.hops as f64),
            goodput_variation: steadiness.variation,
            silent_share: steadiness.silent_share,
            longest_silence_s: steadiness.longest_silence_s,
            mean_cwnd_segments: None,
        }
    }

    fn packet(&self, now: Instant, from_source: bool, size_bytes: u32, body: Body) -> Packet {
        let (source, destination) = match from_source {
            true => (self.source, self.destination),
            false => (self.destination, self.source),
        };
        Packet {
            source,
            destination,
            size_bytes,
            ttl: 0,
            hops: 0,
            created: now,
            queued: Instant::FAR,
            dsr: None,
            route_id: None,
            body,
        }
    }
}

impl Simulation {
    pub(super) fn on_flow_start(&mut self, id: FlowId) {
        match self.flows[id.index()].ends {
            Ends::Ftp { .. } => {
                self.with_sender(id, |sender, now, out| sender.on_start(now, out));
                self.on_demand(self.flows[id.index()].source);
            }
            Ends::Cbr { .. } => self.on_cbr_tick(id),
        }
    }

    pub(super) fn on_flow_stop(&mut self, id: FlowId) {
        let now = self.queue.now();
        let flow = &mut self.flows[id.index()];
        flow.at_stop = Some(flow.tally(now));
        if let Ends::Ftp { sender, .. } = &mut flow.ends {
            sender.on_stop(now);
        }
    }

    pub(super) fn on_cbr_tick(&mut self, id: FlowId) {
        let now = self.queue.now();
        let flow = &mut self.flows[id.index()];
        let Ends::Cbr { source, .. } = &mut flow.ends else { return };
        if now >= flow.stop {
            return;
        }
        let (number, next) = source.send();
        let payload_bytes = source.packet_bytes;
        let datagram = Datagram { flow: id, number, payload_bytes };
        let packet = flow.packet(now, true, payload_bytes, Body::Udp(datagram));
        self.queue.schedule(next, Event::CbrTick(id));
        self.send_when_room(id, packet);
    }

    pub(super) fn on_retransmission(&mut self, id: FlowId) {
        self.with_sender(id, |sender, now, out| sender.on_timeout(now, out));
        self.on_demand(self.flows[id.index()].source);
    }

    pub(super) fn on_pacing_tick(&mut self, id: FlowId) {
        self.with_sender(id, |sender, now, out| sender.on_pacing_tick(now, out));
    }

    /// Routing at `node` has lost its route to `destination`.
    pub(super) fn on_route_error(&mut self, node: NodeId, destination: NodeId) {
        let first = self.flows_by_source.partition_point(|&(source, _)| source < node);
        for i in first..self.flows.len() {
            let (source, id) = self.flows_by_source[i];
            if source != node {
                break;
            }
            let flow = &self.flows[id.index()];
            let lives = flow.start <= self.queue.now() && flow.at_stop.is_none();
            if lives && flow.destination == destination {
                self.with_sender(id, |sender, now, out| sender.on_route_error(now, out));
            }
        }
    }

    /// Routing at `node` looks for a route to `destination`.
    pub(super) fn on_discovery(&mut self, node: NodeId, destination: NodeId) {
        for flow in &mut self.flows {
            let ends = (flow.source, flow.destination);
            flow.discoveries +=
                u64::from(ends == (node, destination) || ends == (destination, node));
        }
    }

    /// A packet for transport has arrived at its destination.
    pub(super) fn on_arrival(&mut self, packet: Packet) {
        let now = self.queue.now();
        self.fingerprint.add(now.as_nanos());
        match packet.body {
            Body::Tcp(Segment { flow, kind: SegmentKind::Ack { number, probe, sent } }) => {
                self.fingerprint.add(u64::from(flow.0) << 32 | u64::from(number));
                let hops = u32::from(packet.hops);
                let ack = Acknowledgment { number, probe, sent, hops };
                self.with_sender(flow, |sender, now, out| sender.on_ack(now, ack, out));
            }
            Body::Tcp(Segment { flow, kind: SegmentKind::SelectiveAck { number } }) => {
                self.fingerprint.add(u64::from(flow.0) << 32 | u64::from(number));
                self.with_sender(flow, |sender, now, out| {
                    sender.on_selective_ack(now, number, out)
                });
            }
            Body::Tcp(Segment {
                flow,
                kind: SegmentKind::Data { number, payload_bytes, probe, .. },
            }) => {
                self.fingerprint.add(u64::from(flow.0) << 32 | u64::from(number));
                let this = &mut self.flows[flow.index()];
                this.arrivals.count(now, &packet);
                let answer = this.on_segment(number, payload_bytes, probe, &packet);
                this.steadiness.note(now, this.progress().1);
                let is_free = this.has_free_acks;
                if let Some(kind) = answer {
                    let ack = Segment { flow, kind };
                    let mut packet = this.packet(now, false, ack.size_bytes(), Body::Tcp(ack));
                    if is_free {
                        packet.queued = now;
                        return self.on_arrival(packet);
                    }
                    self.send_when_room(flow, packet);
                }
            }
            Body::Udp(datagram) => {
                self.fingerprint.add(u64::from(datagram.number));
                let this = &mut self.flows[datagram.flow.index()];
                this.arrivals.count(now, &packet);
                if let Ends::Cbr { received, .. } = &mut this.ends {
                    *received += 1;
                }
                this.steadiness.note(now, this.progress().1);
            }
            Body::Aodv(_) | Body::Dsr | Body::Arp(_) => {}
        }
    }

    pub(super) fn retransmission_slot(&self, id: FlowId) -> usize {
        2 * self.nodes.len() + id.index()
    }

    pub(super) fn pacing_slot(&self, id: FlowId) -> usize {
        self.retransmission_slot(id) + self.flows.len()
    }

    /// Calls the sender of flow `id` and carries out what it asks for.
    pub(super) fn with_sender(
        &mut self,
        id: FlowId,
        call: impl FnOnce(&mut TcpSender, Instant, &mut SenderActions),
    ) {
        let now = self.queue.now();
        let timers = (self.retransmission_slot(id), self.pacing_slot(id));
        let flow = &mut self.flows[id.index()];
        let Ends::Ftp { sender, actions, .. } = &mut flow.ends else { return };
        let mut actions = std::mem::take(actions);
        call(sender, now, &mut actions);
        self.change_timer(actions.timer.take(), timers.0, Event::Retransmission(id));
        self.change_timer(actions.pacing.take(), timers.1, Event::Pacing(id));
        for kind in actions.send.drain(..) {
            let segment = Segment { flow: id, kind };
            let flow = &self.flows[id.index()];
            let packet = flow.packet(now, true, segment.size_bytes(), Body::Tcp(segment));
            self.send_when_room(id, packet);
        }
        if let Ends::Ftp { actions: home, .. } = &mut self.flows[id.index()].ends {
            *home = actions;
        }
    }

    fn change_timer(&mut self, change: Option<TimerChange>, slot: usize, event: Event) {
        match change {
            Some(TimerChange::Set(at)) => self.timers.set(&mut self.queue, slot, at, event),
            Some(TimerChange::Cancel) => self.timers.cancel(slot),
            None => {}
        }
    }

    /// The relay that has sent for the longest time.
    fn bottleneck(&self) -> Option<BottleneckReport> {
        let ends: FxHashSet<NodeId> =
            self.flows.iter().flat_map(|flow| [flow.source, flow.destination]).collect();
        let nodes = (0..self.nodes.len() as u32).map(NodeId);
        let relays = nodes.filter(|node| !ends.contains(node));
        let busiest = relays.max_by_key(|node| self.medium.stations[node.index()].sending)?;
        let start = self.flows.iter().map(|flow| flow.start).min()?;
        let time_s = self.end.saturating_since(start).as_secs_f64();
        let node = &self.nodes[busiest.index()];
        (time_s > 0.0).then(|| BottleneckReport {
            node: busiest.0,
            sending_share: self.medium.stations[busiest.index()].sending.as_secs_f64() / time_s,
            effective_throughput_bps: node.mac.delivered_payload_bytes() as f64 * 8.0 / time_s,
        })
    }

    /// The result so far; at the end of the run, the result.
    pub fn result(&self) -> RunResult {
        let mut mac = self.mac.clone();
        mac.collisions = self.medium.collisions;
        if let Some(admission) = &mut mac.admission {
            admission.packets_left = self.packets_left();
        }
        for (node, station) in self.nodes.iter().zip(&self.medium.stations) {
            let freezes = station.contention.freezes();
            mac.add_backoffs(BackoffCounts { freezes, ..node.mac.backoffs() });
        }
        let copas = self.nodes.iter().filter_map(|node| node.routing.copas_counters(self.end));
        let mut copas = copas.reduce(|mut all, one| {
            all.merge(&one);
            all
        });
        if let Some(copas) = &mut copas {
            copas.choices.sort_by(|one, other| one.time_s.total_cmp(&other.time_s));
        }
        let fullest_relay = self.fullest_relay();
        let (links, series) = self.recorder.finish(fullest_relay);
        let report = |flow: &Flow| FlowReport {
            mean_cwnd_segments: self.recorder.mean_cwnd(flow.id),
            ..flow.report(self.end)
        };
        let mut flows: Vec<FlowReport> = self.flows.iter().map(report).collect();
        let log = self.path_log();
        let multipath = self.finds_several_paths().then(|| {
            for (report, flow) in flows.iter_mut().zip(&self.flows) {
                report.paths = Some(log.totals(flow.source, flow.destination));
            }
            log.all_totals()
        });
        RunResult {
            scenario: self.origin.scenario.clone(),
            seed: self.origin.seed,
            version: env!("CARGO_PKG_VERSION"),
            warnings: self.origin.warnings.clone(),
            engine: EngineReport {
                events: self.events,
                transmissions: self.medium.transmissions,
                build_s: self.build_s,
                wall_s: self.wall_s,
                fingerprint: self.fingerprint.hex(),
            },
            positions_m: pairs(&self.origin.positions),
            movement: self.origin.trails.clone(),
            flows,
            mac,
            routing: self.routing.clone(),
            centre: self.shared.centre_report(),
            multipath,
            copas,
            data: DataReport {
                dropping_ratio: self.data.dropping_ratio(),
                counters: self.data.clone(),
            },
            bottleneck: self.bottleneck(),
            queue: QueueCounters {
                drops: self.queue_drops,
                mean_packets: self.queue_meter.mean(self.end, self.nodes.len()),
            },
            pacing: self.pacing_counters(),
            queues: self.queue_reports(),
            fullest_relay,
            links,
            routes: self.recorder.routes(),
            paths: log.into_paths(),
            frames: self.recorder.frames(),
            series,
        }
    }
}

impl Arrivals {
    fn count(&mut self, now: Instant, packet: &Packet) {
        self.packets += 1;
        self.delay_s += (now - packet.created).as_secs_f64();
        self.mac_delay_s += now.saturating_since(packet.queued + LINK_DELAY).as_secs_f64();
        self.hops += u64::from(packet.hops);
    }
}
