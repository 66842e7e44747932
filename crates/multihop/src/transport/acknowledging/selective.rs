//! Selective and delayed acknowledgments.

use std::collections::VecDeque;

use super::arriving::Arriving;
use super::config::AcksConfig;
use crate::kernel::{Duration, Instant};
use crate::transport::receiver::{Received, Receiver};
use crate::transport::rules::Rules;
use crate::wire::tcp::{SackBlocks, SegmentKind};

/// Full segments of which the last is answered at once (RFC 5681 section 4.2).
const EVERY: u32 = 2;

/// What a receiver has to answer.
#[derive(Clone, Debug)]
pub struct Selective {
    /// Blocks that an acknowledgment has room for; none to a sender without a scoreboard.
    room: usize,
    /// None answers every segment.
    delay: Option<Duration>,
    /// Data segments still answered at once.
    quick: u32,
    /// In-order segments not answered.
    unanswered: u32,
    due: Option<Instant>,
    /// When the earliest unanswered in-order segment was sent, or the last answered (TS.Recent of
    /// RFC 7323, which never falls).
    echo: Instant,
    /// A segment was missing when the last one had arrived.
    has_holes: bool,
    /// Segments that arrived behind missing ones, the newest first, one or more of each block.
    recent: VecDeque<u32>,
}

impl Selective {
    /// Nothing has arrived yet; an acknowledgment has room for so many blocks.
    pub fn new(config: &AcksConfig, room: usize, rules: Rules) -> Selective {
        let delay = Duration::from_secs_f64(config.delay_s(rules));
        Selective {
            room,
            delay: config.delayed(rules).then_some(delay),
            quick: config.quick_segments(rules),
            unanswered: 0,
            due: None,
            echo: Instant::ZERO,
            has_holes: false,
            recent: VecDeque::new(),
        }
    }

    /// When the delayed acknowledgment is due, if one is.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// A segment has arrived and is among those that `receiver` holds; if it `asks` for it, it is
    /// answered at once.
    pub fn on_segment(
        &mut self,
        receiver: &Receiver,
        received: Received,
        segment: Arriving,
        asks: bool,
    ) -> Option<SegmentKind> {
        let had_holes = std::mem::replace(&mut self.has_holes, receiver.has_holes());
        let next = receiver.cumulative() + 1;
        self.recent.retain(|&number| number >= next);
        match received {
            Received::OutOfOrder => {
                self.recent.push_front(segment.number);
                self.forget_repeated(receiver);
            }
            Received::InOrder => {
                if self.unanswered == 0 && segment.sent >= self.echo {
                    self.echo = segment.sent;
                }
                self.unanswered += 1;
            }
            // The block that it is in, if in one, is told before the others (RFC 2883 section 4,
            // guideline 4).
            Received::Duplicate if receiver.run_around(segment.number).is_some() => {
                self.recent.push_front(segment.number);
                self.forget_repeated(receiver);
            }
            Received::Duplicate => {}
        }
        let is_quick = asks || self.quick > 0;
        self.quick = self.quick.saturating_sub(u32::from(segment.number > 0 && !asks));
        let may_wait = received == Received::InOrder
            && !had_holes
            && !is_quick
            && !segment.probe
            && segment.number > 0
            && self.unanswered < EVERY;
        if let Some(delay) = self.delay.filter(|_| may_wait) {
            self.due = self.due.or(Some(segment.now + delay));
            return None;
        }
        let duplicate = (received == Received::Duplicate).then_some(segment.number);
        Some(self.answer(receiver, segment.probe, duplicate))
    }

    /// The delay is over.
    pub fn on_timer(&mut self, receiver: &Receiver) -> Option<SegmentKind> {
        self.due = None;
        (self.unanswered > 0).then(|| self.answer(receiver, false, None))
    }

    /// Data leave that can carry what waits. When the segment was sent that is acknowledged so;
    /// none if nothing waits, or a segment is missing.
    pub fn on_departure(&mut self, receiver: &Receiver) -> Option<Instant> {
        if self.unanswered == 0 || receiver.has_holes() {
            return None;
        }
        (self.unanswered, self.due) = (0, None);
        Some(self.echo)
    }

    fn answer(&mut self, receiver: &Receiver, probe: bool, duplicate: Option<u32>) -> SegmentKind {
        (self.unanswered, self.due) = (0, None);
        let (number, sent) = (receiver.cumulative(), self.echo);
        let twice = duplicate.map(|number| (number, number + 1)).into_iter();
        let runs = self.recent.iter().filter_map(|&number| receiver.run_around(number));
        let blocks: SackBlocks = twice.chain(runs).take(self.room).collect();
        match blocks.is_empty() {
            true => SegmentKind::Ack { number, probe, sent, window: 0 },
            false => SegmentKind::Sack { number, probe, sent, window: 0, blocks },
        }
    }

    /// Keeps one segment of each block, the newest, and no more blocks than an acknowledgment has
    /// room for.
    fn forget_repeated(&mut self, receiver: &Receiver) {
        let mut runs = Vec::with_capacity(self.room);
        self.recent.retain(|&number| {
            let run = receiver.run_around(number);
            let is_new = !runs.contains(&run);
            runs.push(run);
            is_new
        });
        self.recent.truncate(self.room);
    }
}
