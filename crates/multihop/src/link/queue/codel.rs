//! Packets in line under CoDel (RFC 8289 section 5): when the shortest wait of an interval was above the target, the
//! first packet is dropped or marked, and others at ever shorter times until a wait is below the target again.

use std::collections::VecDeque;

use super::CodelConfig;
use crate::kernel::{Duration, Instant};
use crate::wire::{Ecn, NodeId, Packet};

/// With no more than this waiting behind it a packet is not dropped: the interface's MTU (section 5.3).
const MTU_BYTES: u64 = 1500;

/// A line that built up again within so many intervals goes on where it was (section 5.5).
const MEMORY: u64 = 16;

/// A packet that waits.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// Where it goes.
    pub next_hop: NodeId,
    /// The packet.
    pub packet: Packet,
    /// Since when it waits.
    pub since: Instant,
}

/// The parameters of the control law.
#[derive(Clone, Copy, Debug)]
pub struct ControlLaw {
    target: Duration,
    interval: Duration,
    marks: bool,
}

impl ControlLaw {
    /// Those of `config`.
    pub fn new(config: &CodelConfig) -> ControlLaw {
        ControlLaw {
            target: Duration::from_secs_f64(config.target_s),
            interval: Duration::from_secs_f64(config.interval_s),
            marks: config.ecn,
        }
    }

    /// The time of the drop after one at `last`, the `count`-th of its kind.
    fn next(&self, last: Instant, count: u32) -> Instant {
        last + Duration::from_secs_f64(self.interval.as_secs_f64() / f64::from(count).sqrt())
    }

    /// Marks `packet` if that may be.
    fn mark(&self, packet: &mut Packet) -> bool {
        let can = self.marks && packet.ecn != Ecn::NotCapable;
        if can {
            packet.ecn = Ecn::Marked;
        }
        can
    }
}

/// What the law of a queue has done.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Packets dropped that nobody has been told of.
    pub dropped: Vec<Packet>,
    /// Packets dropped.
    pub drops: u64,
    /// Packets marked.
    pub marks: u64,
}

impl Outcome {
    /// `packet` is dropped.
    pub fn drop(&mut self, packet: Packet) {
        self.drops += 1;
        self.dropped.push(packet);
    }
}

/// Packets in order of arrival, and what CoDel remembers of them.
#[derive(Debug, Default)]
pub struct Line {
    packets: VecDeque<Waiting>,
    bytes: u64,
    /// When waits will have been above the target for an interval; none while they are not (first_above_time).
    above_at: Option<Instant>,
    is_dropping: bool,
    /// When the next packet is dropped.
    next: Instant,
    /// Packets dropped in this state of dropping.
    count: u32,
    /// `count` when this state began.
    initial: u32,
}

impl Line {
    /// The packets that wait.
    pub fn packets(&self) -> &VecDeque<Waiting> {
        &self.packets
    }

    /// Their size \[bytes\].
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds a packet at the end.
    pub fn push(&mut self, waiting: Waiting) {
        self.bytes += u64::from(waiting.packet.size_bytes);
        self.packets.push_back(waiting);
    }

    /// Adds a packet before all others.
    pub fn put_back(&mut self, waiting: Waiting) {
        self.bytes += u64::from(waiting.packet.size_bytes);
        self.packets.push_front(waiting);
    }

    /// Takes the packet at `place`, whatever CoDel makes of it.
    pub fn remove(&mut self, place: usize) -> Option<Waiting> {
        let waiting = self.packets.remove(place)?;
        self.bytes -= u64::from(waiting.packet.size_bytes);
        Some(waiting)
    }

    /// Takes out every packet for `next_hop`.
    pub fn take(
        &mut self,
        next_hop: NodeId,
        is_wanted: impl Fn(&Packet) -> bool,
        taken: &mut Vec<Packet>,
    ) {
        for waiting in std::mem::take(&mut self.packets) {
            if waiting.next_hop == next_hop && is_wanted(&waiting.packet) {
                self.bytes -= u64::from(waiting.packet.size_bytes);
                taken.push(waiting.packet);
            } else {
                self.packets.push_back(waiting);
            }
        }
    }

    /// Takes the packet to send at `now`: the one at `place`, or what comes to stand there if it is dropped.
    pub fn dequeue(
        &mut self,
        now: Instant,
        law: &ControlLaw,
        outcome: &mut Outcome,
        place: impl Fn(&VecDeque<Waiting>) -> Option<usize>,
    ) -> Option<Waiting> {
        let (mut taken, mut is_late) = self.measured(now, law, &place);
        if self.is_dropping {
            self.is_dropping = is_late;
            while self.is_dropping && now >= self.next {
                let Some(mut waiting) = taken.take() else { break };
                self.count += 1;
                if law.mark(&mut waiting.packet) {
                    outcome.marks += 1;
                    self.next = law.next(self.next, self.count);
                    return Some(waiting);
                }
                outcome.drop(waiting.packet);
                (taken, is_late) = self.measured(now, law, &place);
                self.is_dropping = is_late;
                if is_late {
                    self.next = law.next(self.next, self.count);
                }
            }
        } else if is_late && let Some(mut waiting) = taken.take() {
            if law.mark(&mut waiting.packet) {
                outcome.marks += 1;
                taken = Some(waiting);
            } else {
                outcome.drop(waiting.packet);
                (taken, _) = self.measured(now, law, &place);
            }
            self.begin_dropping(now, law);
        }
        taken
    }

    /// Takes a packet. Returns with it whether waits have been above the target for an interval (dodequeue).
    fn measured(
        &mut self,
        now: Instant,
        law: &ControlLaw,
        place: impl Fn(&VecDeque<Waiting>) -> Option<usize>,
    ) -> (Option<Waiting>, bool) {
        let taken = place(&self.packets).and_then(|place| self.remove(place));
        let waited = taken.as_ref().map(|waiting| now.saturating_since(waiting.since));
        if waited.is_none_or(|waited| waited < law.target) || self.bytes <= MTU_BYTES {
            self.above_at = None;
            return (taken, false);
        }
        let above_at = *self.above_at.get_or_insert(now + law.interval);
        (taken, now >= above_at)
    }

    /// The first packet of a state of dropping has been dropped or marked.
    fn begin_dropping(&mut self, now: Instant, law: &ControlLaw) {
        self.is_dropping = true;
        let last_time = self.count - self.initial;
        let is_recent = now.saturating_since(self.next) < law.interval * MEMORY;
        self.count = if last_time > 1 && is_recent { last_time } else { 1 };
        self.initial = self.count;
        self.next = law.next(now, self.count);
    }
}
