//! What the record of events is told, where that takes more than a line.

use super::Simulation;
use super::event::{FlowTimer, Timer};
use super::flows::{Ends, Flow};
use crate::capture::pcap::{Encoder, Form};
use crate::capture::{
    Called, Capture, Detail, Events, Happening, MacState, NONE, Passage, SenderState, State, Watch,
};
use crate::kernel::Instant;
use crate::routing::actions::DropReason;
use crate::scenario::Error;
use crate::transport::{Account, Stage, TcpSender};
use crate::wire::{FlowId, NodeId, Packet};

impl Simulation {
    /// Records the events of `watch`.
    ///
    /// # Errors
    /// If it names a node or flow that there is not, or no time.
    pub(super) fn watch(&mut self, watch: &Watch) -> Result<(), Error> {
        watch.check(self.layout.nodes(), self.flows.len())?;
        let mut capture = Capture::new(watch, self.layout.nodes());
        if let Some(snap) = watch.snap_bytes {
            let forms = self.flows.iter().map(|flow| self.form(flow)).collect();
            let modulations = self.stations[0].timing.modulations();
            let encoder = Encoder::new(snap, self.layout.nodes(), modulations, forms);
            capture.keep_frames(encoder);
        }
        self.monitor.capture = Some(Box::new(capture));
        self.medium.note_fates();
        Ok(())
    }

    /// How the segments of `flow` look in a capture of packets: as those of one connection where
    /// they carry acknowledgments of the other direction.
    fn form(&self, flow: &Flow) -> Form {
        let other = self.other_direction(flow.id).filter(|_| flow.carries_acks);
        Form {
            windows: flow.window,
            other,
            is_opened_by_other: flow.answers.is_some() && other.is_some(),
        }
    }

    /// What nodes and flows are called.
    fn called(&self) -> Called {
        let nodes = (0..self.layout.nodes() as u32).map(NodeId);
        let names = &self.origin.names;
        let nodes = if names.is_empty() {
            Vec::new()
        } else {
            nodes.map(|node| names.told(node)).collect()
        };
        Called::new(nodes, self.flows.iter().map(|flow| flow.name.clone()).collect())
    }

    /// Tells the record of events, if there is one.
    #[inline]
    pub(super) fn note(&mut self, tell: impl FnOnce(&mut Capture, Instant)) {
        if let Some(capture) = &mut self.monitor.capture {
            tell(capture, self.clock.now());
        }
    }

    /// `node` has received transmission `number`.
    #[inline]
    pub(super) fn note_reception(&mut self, node: NodeId, number: u32) {
        if let Some(capture) = &mut self.monitor.capture {
            let now = self.clock.now();
            let sent = self.medium.number_sent(number);
            let lost_to = self.medium.parts_lost_to(node);
            let frame = self.medium.frame(number);
            match frame.aggregate() {
                Some(aggregate) => {
                    capture.on_aggregate_reception(now, node, (sent, lost_to), aggregate);
                }
                None => capture.on_reception(now, node, sent),
            }
        }
    }

    /// The MAC of `node` has tried in vain to deliver `packet` to `next_hop`.
    pub(super) fn note_given_up(&mut self, node: NodeId, next_hop: NodeId, packet: &Packet) {
        let ends = (node, Some(next_hop));
        self.note(|capture, now| {
            capture.on_packet(now, Happening::GiveUp, Detail::None, ends, packet, NONE);
        });
    }

    /// The MAC of `node` may be in another state.
    #[cold]
    pub(super) fn note_mac(&mut self, node: NodeId) {
        let (state, retries, cw) = self.stations[node.index()].mac.state();
        let contention = self.medium.contention(node);
        let backoff = contention.slots_left(&self.stations[node.index()].timing);
        let mac = MacState { state, retries, cw, backoff };
        self.note(|capture, now| capture.on_mac(now, node, mac));
    }

    /// The link from `node` to `next_hop` is taken for broken, because of `packet`.
    pub(super) fn note_link_failure(&mut self, node: NodeId, next_hop: NodeId, packet: &Packet) {
        if self.monitor.capture.is_none() {
            return;
        }
        let detail = match self.medium.is_in_reach(node, next_hop, self.clock.now()) {
            true => Detail::InRange,
            false => Detail::OutOfRange,
        };
        let ends = (node, Some(next_hop));
        self.note(|capture, now| {
            capture.on_packet(now, Happening::LinkFailure, detail, ends, packet, NONE);
        });
    }

    /// `packet` is dropped at `node`.
    pub(super) fn drop_at(&mut self, node: NodeId, packet: &Packet, why: Detail) {
        self.monitor.on_drop(packet);
        self.note(|capture, now| {
            capture.on_packet(now, Happening::Drop, why, (node, None), packet, NONE);
        });
    }

    /// The length of the queue of `node` has changed because of routing.
    pub(super) fn note_queue(&mut self, node: NodeId, before: usize) {
        let waiting = self.stations[node.index()].queue.len();
        if waiting != before {
            self.note(|capture, now| {
                capture.on_node(now, Happening::Queue, node, None, waiting as u32);
            });
        }
    }

    /// The MAC of `node` takes `packet` for `next_hop`.
    #[inline]
    pub(super) fn note_serve(&mut self, node: NodeId, next_hop: NodeId, packet: &Packet) {
        if let Some(capture) = &mut self.monitor.capture {
            let (now, ends) = (self.clock.now(), (node, Some(next_hop)));
            let waiting = self.stations[node.index()].queue.len() as u32;
            capture.on_packet(now, Happening::Serve, Detail::None, ends, packet, waiting);
        }
    }

    /// Packet `number` was to join the queue of `node`, which has dropped `dropped`.
    #[cold]
    pub(super) fn note_enqueue(&mut self, node: NodeId, number: u32, dropped: Option<&Packet>) {
        let Some(capture) = &mut self.monitor.capture else { return };
        let now = self.clock.now();
        let queue = &self.stations[node.index()].queue;
        let waiting = queue.len() as u32;
        let mut waits = queue.packets();
        if let Some((next_hop, packet)) = waits.find(|(_, p)| capture.number(p) == number) {
            let ends = (node, Some(next_hop));
            capture.on_packet(now, Happening::Enqueue, Detail::None, ends, packet, waiting);
        }
        if let Some(packet) = dropped {
            let ends = (node, None);
            capture.on_packet(now, Happening::Drop, Detail::QueueFull, ends, packet, NONE);
        }
    }

    /// A packet waits at `node` for the address of `neighbour`.
    #[cold]
    pub(super) fn note_arp_wait(&mut self, node: NodeId, neighbour: NodeId) {
        let Some(capture) = &mut self.monitor.capture else { return };
        if let Some(packet) = self.stations[node.index()].arp.held_for(neighbour) {
            let (now, ends) = (self.clock.now(), (node, Some(neighbour)));
            capture.on_packet(now, Happening::ArpWait, Detail::None, ends, packet, NONE);
        }
    }

    /// `cause` has had the sender of flow `id` do something.
    #[cold]
    pub(super) fn note_sender(&mut self, id: FlowId, cause: Detail) {
        let timer = self.clock.deadline(Timer::Flow(id, FlowTimer::Retransmission));
        let flow = &self.flows[id.index()];
        let Some(capture) = &mut self.monitor.capture else { return };
        let at = (id, flow.source);
        match &flow.ends {
            Ends::Tcp { sender, .. } => {
                capture.note_sender(self.clock.now(), at, cause, sender, timer);
            }
            Ends::Connected { account, .. } => {
                capture.note_account(self.clock.now(), at, cause, account, timer);
            }
            Ends::Udp { .. } => {}
        }
    }

    /// What was recorded since the last look, if anything is; what nodes hear until now is brought
    /// up to date for it.
    pub fn look(&mut self) -> Option<Passage> {
        let now = self.clock.now();
        self.medium.catch_up_all(now);
        let capture = self.monitor.capture.as_mut()?;
        self.medium.tell_fates(capture);
        Some(capture.look(now))
    }

    /// Everything recorded so far; nothing is recorded any more.
    pub fn take_events(&mut self) -> Option<Events> {
        let mut capture = self.monitor.capture.take()?;
        self.medium.tell_fates(&mut capture);
        let ends = |flow: &Flow| (flow.source, flow.destination);
        Some(capture.finish(self.flows.iter().map(ends).collect(), self.called()))
    }
}

impl Capture {
    /// `cause` has had `sender`, of `flow` at `node`, do something; its timer expires at `timer`.
    pub(super) fn note_sender(
        &mut self,
        now: Instant,
        (flow, node): (FlowId, NodeId),
        cause: Detail,
        sender: &TcpSender,
        timer: Instant,
    ) {
        let number = sender.highest_ack().unwrap_or(NONE);
        let timer_s = until(now, timer);
        let (stage, state) = match sender.glance() {
            Some(glance) => (
                match glance.stage {
                    Stage::SlowStart => State::SlowStart,
                    Stage::CongestionAvoidance => State::CongestionAvoidance,
                    Stage::Recovery => State::Recovery,
                    Stage::Suspended => State::Suspended,
                },
                SenderState {
                    number,
                    cwnd: glance.cwnd as f32,
                    ssthresh: glance.ssthresh as f32,
                    rto_s: glance.rto.as_secs_f64() as f32,
                    srtt_s: glance.smoothed_rtt.map_or(f32::NAN, |rtt| rtt.as_secs_f64() as f32),
                    timer_s,
                },
            ),
            None => {
                let none = f32::NAN;
                let [cwnd, ssthresh, rto_s, srtt_s] = [none; 4];
                (State::None, SenderState { number, cwnd, ssthresh, rto_s, srtt_s, timer_s })
            }
        };
        self.on_sender(now, (flow, node), cause, stage, state);
    }

    /// The same of a connection's end, which has no numbers of segments and tells no timeout.
    fn note_account(
        &mut self,
        now: Instant,
        at: (FlowId, NodeId),
        cause: Detail,
        account: &Account,
        timer: Instant,
    ) {
        let stage = match account.cwnd < account.ssthresh {
            true => State::SlowStart,
            false => State::CongestionAvoidance,
        };
        let state = SenderState {
            number: NONE,
            cwnd: account.cwnd as f32,
            ssthresh: account.ssthresh as f32,
            rto_s: f32::NAN,
            srtt_s: account.smoothed_rtt.map_or(f32::NAN, |rtt| rtt.as_secs_f64() as f32),
            timer_s: until(now, timer),
        };
        self.on_sender(now, at, cause, stage, state);
    }
}

/// The time from `now` to the expiry of a timer \[s\].
fn until(now: Instant, timer: Instant) -> f32 {
    match timer {
        Instant::FAR => f32::NAN,
        at => at.saturating_since(now).as_secs_f64() as f32,
    }
}

impl From<DropReason> for Detail {
    fn from(reason: DropReason) -> Detail {
        match reason {
            DropReason::LinkFailure => Detail::LinkFailure,
            DropReason::NoRoute => Detail::NoRoute,
            DropReason::Loop => Detail::Loop,
            DropReason::TimeToLive => Detail::TimeToLive,
            DropReason::BufferFull => Detail::BufferFull,
            DropReason::BufferTimeout => Detail::BufferTimeout,
        }
    }
}
