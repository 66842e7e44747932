//! A queue under CoDel, for all flows together or for each by itself, or under a rule of another crate.
//!
//! Routing and ARP packets keep out of it: a route that is found late, or not at all, costs more than they do. They
//! leave first, in order of arrival, are never dropped for their age, and have room of their own. CoDel, its
//! schedule and other rules are about what transports send.

use std::collections::VecDeque;

use super::CodelConfig;
use super::classes::least;
use super::codel::{ControlLaw, Line, Outcome, Waiting};
use super::fq_codel::Scheduler;
use super::law::Law;
use super::outside::QueueRule;
use crate::kernel::Instant;
use crate::wire::{NodeId, Packet};

/// Packets under a law, behind those of the network itself.
#[derive(Debug)]
pub struct ManagedQueue {
    /// Packets of transports that may wait, and others.
    size: usize,
    control: VecDeque<(NodeId, Packet)>,
    /// One, or with a scheduler those that packets have been in so far.
    lines: Vec<Line>,
    /// Packets in the lines.
    waiting: usize,
    /// FQ-CoDel's.
    scheduler: Option<Scheduler>,
    law: Law,
    outcome: Outcome,
}

impl ManagedQueue {
    /// An empty queue of this size \[packets\] under CoDel, for flows together or each by itself.
    pub fn new(size: usize, is_fair: bool, config: &CodelConfig) -> ManagedQueue {
        let scheduler = is_fair.then(|| Scheduler::new(config));
        ManagedQueue::under(Law::Codel(ControlLaw::new(config)), size, scheduler)
    }

    /// An empty queue of this size \[packets\] under a rule of another crate.
    pub fn ruled(size: usize, rule: Box<dyn QueueRule>) -> ManagedQueue {
        ManagedQueue::under(Law::Outside(rule), size, None)
    }

    fn under(law: Law, size: usize, scheduler: Option<Scheduler>) -> ManagedQueue {
        ManagedQueue {
            size,
            control: VecDeque::new(),
            lines: vec![Line::default()],
            waiting: 0,
            scheduler,
            law,
            outcome: Outcome::default(),
        }
    }

    /// Adds `packet` for `next_hop`. Returns the packet dropped because the queue is full, if any: with FQ-CoDel the
    /// first of the longest line (RFC 8290 section 4.1).
    pub fn push(&mut self, now: Instant, next_hop: NodeId, packet: Packet) -> Option<Packet> {
        if !packet.is_transport() {
            if self.control.len() >= self.size {
                return Some(packet);
            }
            self.control.push_back((next_hop, packet));
            return None;
        }
        let is_full = self.waiting >= self.size;
        if is_full && self.scheduler.is_none() {
            return Some(packet);
        }
        let packet = self.law.admit(now, packet, &self.lines[0], self.size, &mut self.outcome)?;
        self.line_of(&packet).push(Waiting { next_hop, packet, since: now });
        self.waiting += 1;
        if !is_full {
            return None;
        }
        self.waiting -= 1;
        let longest = self.lines.iter_mut().rev().max_by_key(|line| line.bytes());
        longest?.remove(0).map(|waiting| waiting.packet)
    }

    /// Puts a packet that was taken back before all others of its kind or flow. It begins to wait again.
    pub fn put_back(&mut self, now: Instant, next_hop: NodeId, packet: Packet) {
        if packet.is_transport() {
            self.line_of(&packet).put_back(Waiting { next_hop, packet, since: now });
            self.waiting += 1;
        } else {
            self.control.push_front((next_hop, packet));
        }
    }

    /// The line that `packet` is about to join.
    fn line_of(&mut self, packet: &Packet) -> &mut Line {
        let line = match &mut self.scheduler {
            Some(scheduler) => {
                let line = scheduler.line_of(packet);
                scheduler.on_arrival(line);
                line
            }
            None => 0,
        };
        if self.lines.len() <= line {
            self.lines.resize_with(line + 1, Line::default);
        }
        &mut self.lines[line]
    }

    /// Takes the packet to send next.
    pub fn pop(&mut self, now: Instant) -> Option<(NodeId, Packet)> {
        if let Some(first) = self.control.pop_front() {
            return Some(first);
        }
        let (law, size, outcome) = (&mut self.law, self.size, &mut self.outcome);
        let before = outcome.dropped.len();
        let mut dequeue = |line: &mut Line| {
            law.dequeue(now, line, size, outcome, |line| (!line.is_empty()).then_some(0))
        };
        let taken = match &mut self.scheduler {
            Some(scheduler) => scheduler.next(&mut self.lines, dequeue),
            None => dequeue(&mut self.lines[0]),
        };
        self.waiting -= self.outcome.dropped.len() - before + usize::from(taken.is_some());
        taken.map(|waiting| (waiting.next_hop, waiting.packet))
    }

    /// Takes the routing or ARP packet with the lowest rank; if none has one, of the others that with the lowest, of
    /// equal ranks the one that has waited longest. Packets without a rank stay. Lines do not take turns here, but
    /// CoDel drops.
    pub fn pop_least(
        &mut self,
        now: Instant,
        rank: impl Fn(NodeId, &Packet) -> Option<u64>,
    ) -> Option<(NodeId, Packet)> {
        let ranks = self.control.iter().map(|(next_hop, packet)| rank(*next_hop, packet));
        if let Some((_, place)) = least(ranks) {
            return self.control.remove(place);
        }
        let least = |line: &VecDeque<Waiting>| {
            let ranks = line.iter().map(|waiting| rank(waiting.next_hop, &waiting.packet));
            least(ranks).map(|(rank, place)| (rank, line[place].since, place))
        };
        loop {
            let lines = self.lines.iter_mut();
            let firsts = lines.filter_map(|line| Some((least(line.packets())?, line)));
            let (_, line) = firsts.min_by_key(|&(first, _)| first)?;
            let before = self.outcome.dropped.len();
            let place = |line: &VecDeque<Waiting>| least(line).map(|(_, _, place)| place);
            let taken = self.law.dequeue(now, line, self.size, &mut self.outcome, place);
            self.waiting -= self.outcome.dropped.len() - before + usize::from(taken.is_some());
            if let Some(waiting) = taken {
                return Some((waiting.next_hop, waiting.packet));
            }
        }
    }

    /// Takes the routing or ARP packet to send next.
    pub fn pop_control(&mut self) -> Option<(NodeId, Packet)> {
        self.control.pop_front()
    }

    /// Every waiting packet, with its next hop.
    pub fn packets(&self) -> impl Iterator<Item = (NodeId, &Packet)> {
        let control = self.control.iter().map(|(next_hop, packet)| (*next_hop, packet));
        let waiting = self.lines.iter().flat_map(Line::packets);
        control.chain(waiting.map(|waiting| (waiting.next_hop, &waiting.packet)))
    }

    /// How many packets of transports wait.
    pub fn data_packets(&self) -> usize {
        self.waiting
    }

    /// Takes out every packet waiting for `next_hop`, those of a flow in the order they would be sent.
    pub fn take(&mut self, next_hop: NodeId, is_wanted: impl Fn(&Packet) -> bool) -> Vec<Packet> {
        let mut taken = Vec::new();
        for (hop, packet) in std::mem::take(&mut self.control) {
            if hop == next_hop && is_wanted(&packet) {
                taken.push(packet);
            } else {
                self.control.push_back((hop, packet));
            }
        }
        let control = taken.len();
        self.lines.iter_mut().for_each(|line| line.take(next_hop, &is_wanted, &mut taken));
        self.waiting -= taken.len() - control;
        taken
    }

    /// Whether the queue would accept a packet other than a routing packet.
    pub fn has_place(&self) -> bool {
        self.waiting < self.size && self.control.len() < self.size
    }

    /// How many packets wait.
    pub fn len(&self) -> usize {
        self.control.len() + self.waiting
    }

    /// What the law has done.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Whether its law is a rule of another crate.
    pub fn has_rule(&self) -> bool {
        matches!(self.law, Law::Outside(_))
    }

    /// Whether there is something for [`ManagedQueue::take_dropped`].
    pub fn has_dropped(&self) -> bool {
        !self.outcome.dropped.is_empty()
    }

    /// What the law has dropped since the last call.
    pub fn take_dropped(&mut self) -> Vec<Packet> {
        std::mem::take(&mut self.outcome.dropped)
    }
}
