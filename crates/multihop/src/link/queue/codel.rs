//! CoDel (RFC 8289 section 5): when the shortest wait of an interval was above the target, the
//! first packet is dropped or marked, and others at ever shorter times until a wait is below the
//! target again.

use super::CodelConfig;
use super::lines::Lines;
use super::rule::{Backlog, QueueRule, Verdict};
use crate::kernel::{Duration, Instant};
use crate::wire::{Ecn, Packet};

/// With no more than this waiting behind it a packet is not dropped: the interface's MTU (section
/// 5.3).
const MTU_BYTES: u64 = 1500;

/// A line that built up again within so many intervals goes on where it was (section 5.5).
const MEMORY: u64 = 16;

/// The parameters of the control law.
#[derive(Clone, Copy, Debug)]
struct ControlLaw {
    target: Duration,
    interval: Duration,
    marks: bool,
}

impl ControlLaw {
    /// The time of the drop after one at `last`, the `count`-th of its kind.
    fn next(&self, last: Instant, count: u32) -> Instant {
        last + Duration::from_secs_f64(self.interval.as_secs_f64() / f64::from(count).sqrt())
    }
}

/// What the packet before this one was dropped for, in the same search for one that may leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Before {
    /// It was not.
    #[default]
    Left,
    /// Its drop began a state of dropping: the next goes, whatever its wait.
    Began,
    /// Dropping goes on.
    WentOn,
}

/// What CoDel remembers of a line.
#[derive(Clone, Debug)]
pub struct Codel {
    law: ControlLaw,
    /// When waits will have been above the target for an interval; none while they are not
    /// (first_above_time).
    above_at: Option<Instant>,
    is_dropping: bool,
    /// When the next packet is dropped.
    next: Instant,
    /// Packets dropped in this state of dropping.
    count: u32,
    /// `count` when this state began.
    initial: u32,
    before: Before,
}

impl Codel {
    /// CoDel with these parameters, of a line in which nothing waits.
    pub fn new(config: &CodelConfig) -> Codel {
        Codel {
            law: ControlLaw {
                target: Duration::from_secs_f64(config.target_s),
                interval: Duration::from_secs_f64(config.interval_s),
                marks: config.ecn,
            },
            above_at: None,
            is_dropping: false,
            next: Instant::ZERO,
            count: 0,
            initial: 0,
            before: Before::Left,
        }
    }

    /// Nothing waits that may leave.
    pub(super) fn on_empty(&mut self) {
        self.above_at = None;
        if std::mem::take(&mut self.before) != Before::Began {
            self.is_dropping = false;
        }
    }

    /// Whether waits have been above the target for an interval, now that a packet is about to
    /// leave that has `waited` and leaves so many `bytes` behind (dodequeue).
    fn is_late(&mut self, now: Instant, waited: Duration, bytes: u64) -> bool {
        if waited < self.law.target || bytes <= MTU_BYTES {
            self.above_at = None;
            return false;
        }
        now >= *self.above_at.get_or_insert(now + self.law.interval)
    }

    /// The first packet of a state of dropping is dropped or marked.
    fn begin_dropping(&mut self, now: Instant) {
        self.is_dropping = true;
        let last_time = self.count - self.initial;
        let is_recent = now.saturating_since(self.next) < self.law.interval * MEMORY;
        self.count = if last_time > 1 && is_recent { last_time } else { 1 };
        self.initial = self.count;
        self.next = self.law.next(now, self.count);
    }
}

impl QueueRule for Codel {
    fn next(&mut self, lines: &Lines) -> Option<usize> {
        let next = (0..lines.count()).find(|&line| lines.packets_in(line) > 0);
        if next.is_none() {
            self.on_empty();
        }
        next
    }

    fn on_departure(
        &mut self,
        now: Instant,
        packet: &Packet,
        waited: Duration,
        backlog: Backlog,
    ) -> Verdict {
        let is_late = self.is_late(now, waited, backlog.bytes);
        let before = std::mem::take(&mut self.before);
        let can_mark = self.law.marks && packet.ecn != Ecn::NotCapable;
        if before == Before::Began {
            return Verdict::Pass;
        }
        if !self.is_dropping {
            if !is_late {
                return Verdict::Pass;
            }
            self.begin_dropping(now);
            self.before = if can_mark { Before::Left } else { Before::Began };
            return if can_mark { Verdict::Mark } else { Verdict::Drop };
        }
        self.is_dropping = is_late;
        if is_late && before == Before::WentOn {
            self.next = self.law.next(self.next, self.count);
        }
        if !is_late || now < self.next {
            return Verdict::Pass;
        }
        self.count += 1;
        if can_mark {
            self.next = self.law.next(self.next, self.count);
            return Verdict::Mark;
        }
        self.before = Before::WentOn;
        Verdict::Drop
    }

    fn on_exhausted(&mut self, _: usize) {
        self.on_empty();
    }
}
