//! The interface queue: packets with a resolved next hop, waiting for the MAC.
//!
//! How they wait is a [`QueueRule`]'s to say (`rule.rs`), of `lines.rs`. `classes.rs` has ns-2's
//! disciplines, which drop what arrives at a full queue; `codel.rs` and `fq_codel.rs` drop or mark
//! packets as they leave, and so may a rule of another crate (`outside.rs`).

mod categories;
mod classes;
mod codel;
mod config;
mod fq_codel;
mod lines;
mod outside;
mod rule;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::Serialize;

pub use classes::{DropTail, PriorityClasses, RoutingFirst};
pub use codel::Codel;
pub use config::CodelConfig;
pub use fq_codel::FqCodel;
pub use lines::Lines;
pub use outside::Outside;
pub use rule::{Backlog, Overflow, Place, QueueRule, Verdict};

use crate::config::outside::{Choice, name_of, one_of};
use crate::kernel::{Instant, Rng};
use crate::mac::{Category, Classes};
use crate::measure::PartCounts;
use crate::wire::{Ecn, NodeId, Packet};
use categories::ByCategory;
use classes::{CLASSES, class_of};
use lines::Waiting;

/// The order of waiting packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = one_of)]
#[non_exhaustive]
pub enum QueueDiscipline {
    /// Routing packets go to the head, so several leave last in, first out; into a full queue they
    /// push out the last packet. All others wait in order of arrival (ns-2's
    /// `Queue/DropTail/PriQueue`, which holds one packet less than its size).
    RoutingFirst,
    /// First in, first out for all packets. Holds one packet less than its size.
    DropTail,
    /// Strict priority: routing packets, then TCP acknowledgments, then all others. Each class has
    /// the full queue size (ns-2's `CMUPriQueue`; its fourth class, audio and video, is never
    /// used).
    PriorityClasses,
    /// Routing and ARP packets first; all others in order of arrival under CoDel (RFC 8289), which
    /// drops or marks when they wait too long. Each of the two has the full queue size.
    Codel,
    /// Routing and ARP packets first; of all others each flow under CoDel by itself, and flows take
    /// turns (RFC 8290). Each of the two has the full queue size.
    FqCodel,
    /// As a rule of another crate has it.
    #[serde(untagged)]
    #[schemars(skip)]
    Outside(Outside),
}

impl QueueDiscipline {
    /// The rule of one node's queue; one of another crate draws from `rng`.
    fn rule(self, codel: &CodelConfig, rng: Rng) -> Box<dyn QueueRule> {
        match self {
            QueueDiscipline::RoutingFirst => Box::new(RoutingFirst),
            QueueDiscipline::DropTail => Box::new(DropTail),
            QueueDiscipline::PriorityClasses => Box::new(PriorityClasses),
            QueueDiscipline::Codel => Box::new(Codel::new(codel)),
            QueueDiscipline::FqCodel => Box::new(FqCodel::new(codel)),
            QueueDiscipline::Outside(outside) => (outside.maker())(rng),
        }
    }
}

/// The queue of one node.
#[derive(Debug)]
pub struct InterfaceQueue {
    discipline: QueueDiscipline,
    rule: Box<dyn QueueRule>,
    lines: Lines,
    /// Packets that the rule has dropped to make others wait less, and that nobody has been told
    /// of.
    dropped: Vec<Packet>,
    /// Packets dropped, and marked, to make packets wait less.
    drops: u64,
    marks: u64,
    /// The queues that it consists of, for a station with access categories.
    categories: Option<Box<ByCategory>>,
}

impl InterfaceQueue {
    /// One that consists of a `queue` for each access category, given its number.
    pub fn by_category(
        classes: Classes,
        mut queue: impl FnMut(usize) -> InterfaceQueue,
    ) -> InterfaceQueue {
        let whole = queue(0);
        InterfaceQueue { categories: Some(Box::new(ByCategory::new(classes, queue))), ..whole }
    }

    /// That of the access category that the MAC asks for; itself where there are none.
    #[inline]
    pub fn of(&mut self, category: Option<Category>) -> &mut InterfaceQueue {
        let Some(category) = category else { return self };
        self.categories.as_mut().expect("such a MAC has a queue for each").of(category)
    }

    /// Itself, or those that it consists of.
    fn each(&self) -> &[InterfaceQueue] {
        match &self.categories {
            None => std::slice::from_ref(self),
            Some(categories) => categories.all(),
        }
    }

    fn each_mut(&mut self) -> &mut [InterfaceQueue] {
        match self.categories.is_some() {
            false => std::slice::from_mut(self),
            true => self.categories.as_mut().expect("there are categories").all_mut(),
        }
    }

    /// An empty queue of this size \[packets\]; a rule of another crate draws from `rng`.
    pub fn new(
        discipline: QueueDiscipline,
        size: usize,
        codel: &CodelConfig,
        rng: Rng,
    ) -> InterfaceQueue {
        InterfaceQueue {
            discipline,
            rule: discipline.rule(codel, rng),
            lines: Lines::new(size),
            dropped: Vec::new(),
            drops: 0,
            marks: 0,
            categories: None,
        }
    }

    /// Adds `packet` for `next_hop`. Returns the packet dropped because the queue is full, if any.
    pub fn push(&mut self, now: Instant, next_hop: NodeId, packet: Packet) -> Option<Packet> {
        let queue = match &mut self.categories {
            None => self,
            Some(categories) => categories.queue_of(&packet),
        };
        queue.push_one(now, next_hop, packet)
    }

    fn push_one(&mut self, now: Instant, next_hop: NodeId, mut packet: Packet) -> Option<Packet> {
        let Place { line, is_first } = self.rule.place(&packet);
        let overflow = match self.rule.has_room(line, &self.lines) {
            true => None,
            false => Some(self.rule.on_full(&packet, line, &self.lines)),
        };
        if overflow == Some(Overflow::Arriving) {
            return Some(packet);
        }
        if packet.is_transport() {
            let verdict = self.rule.on_arrival(now, &packet, backlog(&self.lines, line));
            if verdict != Verdict::Pass && !mark(&mut packet, verdict, &mut self.marks) {
                self.drop(packet);
                return None;
            }
        }
        self.rule.on_join(line);
        self.lines.push(line, is_first, Waiting { next_hop, packet, since: now });
        let (line, place) = match overflow? {
            Overflow::Arriving => return None,
            Overflow::First(line) => (line, 0),
            Overflow::Last(line) => (line, self.lines.packets_in(line).checked_sub(1)?),
        };
        self.lines.remove(line, place).map(|waiting| waiting.packet)
    }

    /// Puts a packet that was taken back before all others of its line. It has its place even in a
    /// queue that is full by now, and begins to wait again.
    pub fn put_back(&mut self, now: Instant, next_hop: NodeId, packet: Packet) {
        let queue = match &mut self.categories {
            None => self,
            Some(categories) => categories.queue_of(&packet),
        };
        let line = queue.rule.place(&packet).line;
        queue.rule.on_join(line);
        queue.lines.push(line, true, Waiting { next_hop, packet, since: now });
    }

    /// Takes the packet to send next. Others may be dropped ([`InterfaceQueue::take_dropped`]).
    pub fn pop(&mut self, now: Instant) -> Option<(NodeId, Packet)> {
        loop {
            let line = self.rule.next(&self.lines)?;
            let first = |line: &VecDeque<Waiting>| (!line.is_empty()).then_some(0);
            if let Some(waiting) = self.dequeue(now, line, first) {
                self.rule.on_sent(line, &waiting.packet);
                return Some((waiting.next_hop, waiting.packet));
            }
        }
    }

    /// Takes the packet with the lowest rank of the first line that has one; of equal ranks, the
    /// first in the line. Of lines of which none precedes the other, the lowest of all goes, of
    /// equal ranks the one that has waited longest. Packets without a rank stay. Others may be
    /// dropped ([`InterfaceQueue::take_dropped`]).
    pub fn pop_least(
        &mut self,
        now: Instant,
        rank: impl Fn(NodeId, &Packet) -> Option<u64>,
    ) -> Option<(NodeId, Packet)> {
        let least = |line: &VecDeque<Waiting>| {
            let ranks = line.iter().map(|waiting| rank(waiting.next_hop, &waiting.packet));
            ranks.enumerate().filter_map(|(place, rank)| Some((rank?, place))).min()
        };
        loop {
            let mut first = None;
            for (number, line) in self.lines.iter().enumerate() {
                if let Some((rank, place)) = least(line.packets()) {
                    let candidate = (rank, line.packets()[place].since, place, number);
                    first = Some(first.map_or(candidate, |first| candidate.min(first)));
                }
                if first.is_some() && self.rule.precedes(number) {
                    break;
                }
            }
            let (.., line) = first?;
            let place = |line: &VecDeque<Waiting>| least(line).map(|(_, place)| place);
            match self.dequeue(now, line, place) {
                Some(waiting) => return Some((waiting.next_hop, waiting.packet)),
                None => self.rule.on_exhausted(line),
            }
        }
    }

    /// Takes a packet of `line`: the one at `place`, or what comes to stand there if it is dropped.
    fn dequeue(
        &mut self,
        now: Instant,
        line: usize,
        place: impl Fn(&VecDeque<Waiting>) -> Option<usize>,
    ) -> Option<Waiting> {
        loop {
            let place = place(self.lines.line(line)?)?;
            let mut behind = backlog(&self.lines, line);
            let waiting = self.lines.get_mut(line, place)?;
            if !waiting.packet.is_transport() {
                return self.lines.remove(line, place);
            }
            behind.packets -= 1;
            behind.bytes -= u64::from(waiting.packet.size_bytes);
            let waited = now.saturating_since(waiting.since);
            let verdict = self.rule.on_departure(now, &waiting.packet, waited, behind);
            if verdict == Verdict::Pass || mark(&mut waiting.packet, verdict, &mut self.marks) {
                return self.lines.remove(line, place);
            }
            let dropped = self.lines.remove(line, place)?.packet;
            self.drop(dropped);
        }
    }

    fn drop(&mut self, packet: Packet) {
        self.drops += 1;
        self.dropped.push(packet);
    }

    /// Whether there is something for [`InterfaceQueue::take_dropped`].
    #[inline]
    pub fn has_dropped(&self) -> bool {
        match &self.categories {
            None => !self.dropped.is_empty(),
            Some(categories) => categories.have_dropped(),
        }
    }

    /// Whether a rule of another crate drops, and marks.
    pub fn has_rule(&self) -> bool {
        matches!(self.discipline, QueueDiscipline::Outside(_))
    }

    /// What has been dropped since the last call to make packets wait less.
    pub fn take_dropped(&mut self) -> Vec<Packet> {
        if self.categories.is_none() {
            return std::mem::take(&mut self.dropped);
        }
        self.each_mut().iter_mut().flat_map(|queue| std::mem::take(&mut queue.dropped)).collect()
    }

    /// Packets that have been dropped, and marked, to make packets wait less.
    pub fn drops_and_marks(&self) -> (u64, u64) {
        let sum =
            |(drops, marks), queue: &InterfaceQueue| (drops + queue.drops, marks + queue.marks);
        self.each().iter().fold((0, 0), sum)
    }

    /// Adds what its rule has counted.
    pub fn report(&self, parts: &mut PartCounts) {
        for queue in self.each() {
            queue.rule.report(parts.of(QueueDiscipline::KEY, name_of(queue.discipline)));
        }
    }

    /// Every waiting packet, with its next hop.
    pub fn packets(&self) -> impl Iterator<Item = (NodeId, &Packet)> {
        let own = self.lines.iter().flat_map(|line| line.packets());
        let waiting = own.chain(self.categories.iter().flat_map(|all| all.waiting()));
        waiting.map(|waiting| (waiting.next_hop, &waiting.packet))
    }

    /// Takes the routing or ARP packet to send next, ahead of any data.
    pub fn pop_control(&mut self) -> Option<(NodeId, Packet)> {
        let places = self
            .lines
            .iter()
            .map(|line| line.packets().iter().position(|waiting| !waiting.packet.is_transport()));
        let (line, place) = places.enumerate().find_map(|(line, place)| Some((line, place?)))?;
        self.lines.remove(line, place).map(|waiting| (waiting.next_hop, waiting.packet))
    }

    /// How many data packets wait.
    pub fn data_packets(&self) -> usize {
        self.each().iter().map(|queue| queue.lines.transports()).sum()
    }

    /// How many data packets wait for `next_hop`, not counting acknowledgments.
    pub fn data_packets_for(&self, next_hop: NodeId) -> usize {
        let is_meant = |(hop, packet): &(NodeId, &Packet)| {
            *hop == next_hop && packet.payload_bytes().is_some()
        };
        self.packets().filter(is_meant).count()
    }

    /// Takes out every packet waiting for `next_hop`, those of a line in their order.
    pub fn take(&mut self, next_hop: NodeId) -> Vec<Packet> {
        let each = self.each_mut().iter_mut();
        each.flat_map(|queue| queue.lines.take(next_hop, |_| true)).collect()
    }

    /// Takes out every packet for `destination` that waits for `next_hop`. All others keep their
    /// places.
    pub fn take_for(&mut self, next_hop: NodeId, destination: NodeId) -> Vec<Packet> {
        let is_meant = |packet: &Packet| packet.destination == destination;
        let each = self.each_mut().iter_mut();
        each.flat_map(|queue| queue.lines.take(next_hop, is_meant)).collect()
    }

    /// The queue, or each of those that it consists of, gets this size \[packets\]; what waits
    /// beyond it stays.
    pub fn set_size(&mut self, size: usize) {
        self.each_mut().iter_mut().for_each(|queue| queue.lines.set_most_packets(size));
    }

    /// Whether the queue would accept a packet other than a routing packet.
    pub fn has_place(&self) -> bool {
        self.each().iter().all(|queue| queue.rule.has_place(&queue.lines))
    }

    /// How many packets wait.
    pub fn len(&self) -> usize {
        match &self.categories {
            None => self.lines.packets(),
            Some(categories) => categories.packets(),
        }
    }

    /// How many routing packets, TCP acknowledgments and others wait, whatever the discipline.
    pub fn len_by_class(&self) -> [u32; CLASSES] {
        let mut waiting = [0; CLASSES];
        for (_, packet) in self.packets() {
            waiting[class_of(packet.kind())] += 1;
        }
        waiting
    }

    /// Whether no packet waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Marks `packet` if `verdict` says so and it is capable of ECN, and counts it. Returns whether.
fn mark(packet: &mut Packet, verdict: Verdict, marks: &mut u64) -> bool {
    let is_marked = verdict == Verdict::Mark && packet.ecn != Ecn::NotCapable;
    if is_marked {
        packet.ecn = Ecn::Marked;
        *marks += 1;
    }
    is_marked
}

/// What waits in `line`.
fn backlog(lines: &Lines, line: usize) -> Backlog {
    Backlog {
        line,
        packets: lines.packets_in(line),
        bytes: lines.bytes_in(line),
        most_packets: lines.most_packets(),
    }
}
