//! The endpoints of flows: TCP senders and receivers, sources and sinks over UDP. `applications.rs`
//! drives what feeds them.

use std::collections::VecDeque;

use super::LINK_DELAY;
use super::datagrams::Datagrams;
use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::link::back_pressure::Asking;
use crate::measure::{Delays, Listener, Steadiness, Transfers};
use crate::profile::Profile;
use crate::scenario::{self, FlowLoad};
use crate::traffic::Application;
use crate::transport::{
    Account, Acknowledger, Arriving, Connection, LinkFailureCounters, Pull, Receiver,
    SenderActions, Supply, TcpSender,
};
use crate::wire::tcp::{Riding, SegmentKind, WindowFields};
use crate::wire::{Body, Ecn, EcnFlags, FlowId, NodeId, Packet};

/// A flow and both its ends.
#[derive(Debug)]
pub struct Flow {
    pub id: FlowId,
    pub source: NodeId,
    pub destination: NodeId,
    pub start: Instant,
    pub stop: Instant,
    pub ends: Ends,
    /// The kind and the name of its table.
    pub(super) kind: &'static str,
    pub(super) name: Option<String>,
    /// Its place in its table's Poisson process.
    pub(super) arrival: Option<u32>,
    /// The flow that opened the connection, if this one carries what goes back over it.
    pub(super) answers: Option<FlowId>,
    /// What it carries; the application has the state of it, if there is any.
    pub(super) load: FlowLoad,
    pub(super) application: Option<Box<dyn Application>>,
    /// The last segments of the messages that have not arrived whole.
    pub(super) messages: VecDeque<u32>,
    pub(super) transfers: Transfers,
    /// The listener of a call.
    pub(super) listener: Option<Box<Listener>>,
    pub(super) shortest_hops: Option<u32>,
    pub(super) least_hops: Option<u32>,
    /// Acknowledgments reach the sender without crossing the network.
    pub(super) has_free_acks: bool,
    /// It uses ECN.
    pub(super) has_ecn: bool,
    /// Its segments have the timestamps option.
    pub(super) has_timestamps: bool,
    /// Its segments carry acknowledgments of the other direction.
    pub(super) carries_acks: bool,
    /// Its windows as they are in headers.
    pub(super) window: WindowFields,
    /// How its transport lets its node ask for segments, if it does.
    pull: Option<Pull>,
    /// Acknowledgments that the receiver has sent.
    acks_sent: u64,
    pub(super) acknowledger: Acknowledger,
    /// Route discoveries of either end for the other.
    pub(super) discoveries: u64,
    /// Data packets that arrived, their delays and hops added up.
    pub(super) arrivals: Arrivals,
    /// How steadily data are delivered.
    pub(super) steadiness: Steadiness,
    /// What the flow had achieved when it stopped.
    pub(super) at_stop: Option<Tally>,
}

/// A flow's endpoints.
#[derive(Debug)]
pub enum Ends {
    /// TCP.
    Tcp { sender: TcpSender, receiver: Receiver, actions: SenderActions },
    /// UDP: how many datagrams were sent, and those received.
    Udp { sent: u32, received: Datagrams },
    /// A transport whose connections have state machines of their own.
    Connected {
        /// Both ends of the connection at the flow that opens it, unless they are at work or it is
        /// over.
        connection: Option<Box<Connection>>,
        /// What this direction has achieved.
        account: Account,
        /// Datagrams that both ends have sent, counted at the flow that opens the connection.
        sent: u32,
        /// Those with data that its destination has.
        received: Datagrams,
    },
}

#[derive(Clone, Debug, Default)]
pub struct Arrivals {
    pub packets: u64,
    pub delays: Delays,
    pub mac_delay_s: f64,
    pub hops: u64,
    /// Fewest hops of any of them.
    pub least_hops: Option<u32>,
}

/// Counts at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub delivered_bytes: u64,
    pub delivered_segments: u64,
    pub unique_segments: u64,
    pub unique_bytes: u64,
    pub acks_sent: u64,
    pub acked_segments: u64,
    pub sent_segments: u64,
    pub retransmits: u64,
    pub timeouts: u64,
    pub fast_retransmits: u64,
    pub ecn_reductions: u64,
    pub link_failure: LinkFailureCounters,
    pub mean_rtt_s: Option<f64>,
}

impl Flow {
    /// The flow `id` as the scenario has it, not started.
    pub fn new(id: u32, spec: &scenario::Flow, profile: Profile, seed: u64) -> Flow {
        let mut has_free_acks = false;
        let mut has_timestamps = false;
        let mut has_ecn = false;
        let mut pull = None;
        let mut window = WindowFields::default();
        let mut acknowledger = Acknowledger::default();
        let answers = (spec.load == FlowLoad::Answers).then(|| FlowId(id - 1));
        let ends = match &spec.tcp {
            Some(config) if config.has_connection() => {
                has_ecn = config.ecn;
                let mut rng = Rng::stream(seed, Purpose::Transport, u64::from(id));
                let connection = || Box::new(Connection::new(config, spec.is_two_way, &mut rng));
                Ends::Connected {
                    connection: answers.is_none().then(connection),
                    account: Account::default(),
                    sent: 0,
                    received: Datagrams::default(),
                }
            }
            Some(tcp) => {
                let mut rng = Rng::stream(seed, Purpose::Transport, u64::from(id));
                has_free_acks = tcp.free_acks;
                has_timestamps = tcp.timestamps(profile);
                has_ecn = tcp.ecn;
                pull = tcp.pull();
                window = tcp.window_fields(tcp.rules(profile));
                acknowledger = Acknowledger::new(tcp, profile);
                let supply = match spec.load {
                    FlowLoad::Endless => Supply::endless(tcp.segment_bytes),
                    _ => Supply::empty(tcp.segment_bytes),
                };
                let mut sender = TcpSender::new(tcp, supply, profile, FlowId(id), &mut rng);
                let receiver = match answers {
                    None => Receiver::default(),
                    Some(_) => {
                        sender.on_accept();
                        Receiver::accepted()
                    }
                };
                Ends::Tcp { sender, receiver, actions: SenderActions::default() }
            }
            None => Ends::Udp { sent: 0, received: Datagrams::default() },
        };
        let carries_acks = spec.is_two_way && acknowledger.may_delay() && !has_free_acks;
        let listener = match &spec.load {
            FlowLoad::Voice(voice) => {
                let playout = Duration::from_secs_f64(voice.playout_s);
                let codec = voice.codec;
                Some(Box::new(Listener::new(codec.impairment(), codec.delay(), playout)))
            }
            _ => None,
        };
        let rng = Rng::stream(seed, Purpose::Traffic, u64::from(id));
        Flow {
            id: FlowId(id),
            source: spec.source,
            destination: spec.destination,
            start: spec.start,
            stop: spec.stop,
            ends,
            kind: spec.kind,
            name: spec.name.clone(),
            arrival: spec.arrival,
            answers,
            application: spec.load.application(rng),
            load: spec.load.clone(),
            messages: VecDeque::new(),
            transfers: Transfers::default(),
            listener,
            shortest_hops: spec.shortest_hops,
            least_hops: spec.least_hops,
            has_free_acks,
            has_timestamps,
            has_ecn,
            carries_acks,
            window,
            pull,
            acks_sent: 0,
            acknowledger,
            discoveries: 0,
            arrivals: Arrivals::default(),
            steadiness: Steadiness::new(spec.start, spec.stop),
            at_stop: None,
        }
    }

    /// How its sender asks its node for room, if it does.
    pub fn asking(&self) -> Option<Asking> {
        let asking = |pull: Pull| Asking {
            wants_empty_node: pull.wants_empty_node,
            stored_acks: pull.stored_acks,
        };
        self.pull.map(asking)
    }

    /// Segments sent so far.
    pub fn sent_segments(&self) -> u64 {
        match &self.ends {
            Ends::Tcp { sender, .. } => sender.counters().sent_segments,
            Ends::Udp { sent, .. } => u64::from(*sent),
            Ends::Connected { account, .. } => account.sent,
        }
    }

    /// A segment has arrived. Returns the acknowledgment, if any.
    pub(super) fn on_segment(&mut self, segment: Arriving) -> Option<SegmentKind> {
        let Ends::Tcp { receiver, .. } = &mut self.ends else { return None };
        let answer = self.acknowledger.on_segment(receiver, segment);
        self.acks_sent += u64::from(answer.is_some());
        answer
    }

    /// The delay of an acknowledgment is over. Returns it.
    pub(super) fn on_ack_due(&mut self) -> Option<SegmentKind> {
        let Ends::Tcp { receiver, .. } = &self.ends else { return None };
        let answer = self.acknowledger.on_timer(receiver)?;
        self.acks_sent += 1;
        Some(answer)
    }

    /// Data leave its destination for its source. The acknowledgment that they carry.
    pub(super) fn on_departure(&mut self) -> Option<Riding> {
        let Ends::Tcp { receiver, .. } = &self.ends else { return None };
        self.acknowledger.on_departure(receiver)
    }

    /// A segment with `flags` has arrived in a packet with codepoint `ecn`.
    pub(super) fn on_ecn(&mut self, ecn: Ecn, flags: EcnFlags) {
        if let Ends::Tcp { receiver, .. } = &mut self.ends {
            receiver.on_ecn(ecn, flags);
        }
    }

    /// The flags of the acknowledgment that leaves. It answers a segment with `flags`, or one that
    /// came before.
    pub(super) fn ack_flags(&mut self, flags: EcnFlags) -> EcnFlags {
        match &mut self.ends {
            Ends::Tcp { receiver, .. } if self.has_ecn => receiver.ack_flags(flags),
            _ => EcnFlags::NONE,
        }
    }

    /// Codepoint and flags of `segment`, which leaves its source.
    pub(super) fn ecn(&mut self, segment: &SegmentKind) -> (Ecn, EcnFlags) {
        match &mut self.ends {
            Ends::Tcp { sender, .. } => sender.ecn(segment),
            Ends::Udp { .. } | Ends::Connected { .. } => Default::default(),
        }
    }

    fn is_tcp(&self) -> bool {
        matches!(self.ends, Ends::Tcp { .. })
    }

    /// A packet of its end at `node` waits there for room: an acknowledgment has not been sent yet.
    pub fn on_held(&mut self, node: NodeId) {
        self.acks_sent -= u64::from(node == self.destination && self.is_tcp());
    }

    /// A packet that waited at `node` leaves.
    pub fn on_released(&mut self, node: NodeId) {
        self.acks_sent += u64::from(node == self.destination && self.is_tcp());
    }

    /// Progress for the time series: highest in-order segment or packets received, payload bytes,
    /// cwnd.
    pub fn progress(&self) -> (u64, u64, f64) {
        match &self.ends {
            Ends::Tcp { sender, receiver, .. } => {
                (receiver.delivered_segments(), receiver.delivered_bytes(), sender.cwnd())
            }
            Ends::Udp { received, .. } => (received.packets(), received.bytes(), 0.0),
            Ends::Connected { account, .. } => {
                (self.arrivals.packets, account.delivered_bytes, account.cwnd)
            }
        }
    }

    /// What the flow has achieved up to `now`.
    pub fn tally(&self, now: Instant) -> Tally {
        match &self.ends {
            Ends::Tcp { sender, receiver, .. } => {
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
                    ecn_reductions: counters.ecn_reductions,
                    link_failure: sender.link_failure_counters(now),
                    mean_rtt_s: sender.mean_rtt_s(),
                }
            }
            Ends::Udp { sent, received } => Tally {
                delivered_bytes: received.bytes(),
                delivered_segments: received.packets(),
                unique_segments: received.packets(),
                unique_bytes: received.bytes(),
                sent_segments: u64::from(*sent),
                ..Tally::default()
            },
            Ends::Connected { account, .. } => Tally {
                delivered_bytes: account.delivered_bytes,
                delivered_segments: self.arrivals.packets,
                unique_segments: self.arrivals.packets,
                unique_bytes: account.delivered_bytes,
                acks_sent: account.answers_sent,
                sent_segments: account.sent,
                retransmits: account.lost,
                timeouts: account.probe_timeouts,
                fast_retransmits: account.reductions,
                ecn_reductions: account.ecn_reductions,
                mean_rtt_s: account.mean_rtt_s,
                ..Tally::default()
            },
        }
    }

    pub(super) fn packet(
        &self,
        now: Instant,
        from_source: bool,
        size_bytes: u32,
        body: Body,
    ) -> Packet {
        let (source, destination) = match from_source {
            true => (self.source, self.destination),
            false => (self.destination, self.source),
        };
        Packet { size_bytes, ..Packet::new(source, destination, now, body) }
    }
}

impl Arrivals {
    pub(super) fn count(&mut self, now: Instant, packet: &Packet) {
        self.packets += 1;
        self.delays.note(now - packet.created);
        self.mac_delay_s += now.saturating_since(packet.queued + LINK_DELAY).as_secs_f64();
        self.hops += u64::from(packet.hops);
        let least = self.least_hops.unwrap_or(u32::MAX);
        self.least_hops = Some(least.min(u32::from(packet.hops)));
    }
}
