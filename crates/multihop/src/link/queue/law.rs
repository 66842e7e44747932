//! What a managed queue drops or marks: as CoDel has it, or as a rule of another crate.

use std::collections::VecDeque;

use super::codel::{ControlLaw, Line, Outcome, Waiting};
use super::outside::{Backlog, QueueRule, Verdict};
use crate::kernel::Instant;
use crate::wire::{Ecn, Packet};

/// The law of a queue.
#[derive(Debug)]
pub enum Law {
    /// CoDel's.
    Codel(ControlLaw),
    /// A rule of another crate.
    Outside(Box<dyn QueueRule>),
}

impl Law {
    /// What becomes of `packet`, which is to join the `line` in a queue for `most` packets. Returns it if it may.
    pub fn admit(
        &mut self,
        now: Instant,
        mut packet: Packet,
        line: &Line,
        most: usize,
        outcome: &mut Outcome,
    ) -> Option<Packet> {
        let Law::Outside(rule) = self else { return Some(packet) };
        let verdict = rule.on_arrival(now, &packet, backlog(line, most));
        if outcome.passes(&mut packet, verdict) {
            return Some(packet);
        }
        outcome.drop(packet);
        None
    }

    /// Takes the packet to send at `now` from the `line` of a queue for `most` packets: the one at `place`, or what comes to
    /// stand there if it is dropped.
    pub fn dequeue(
        &mut self,
        now: Instant,
        line: &mut Line,
        most: usize,
        outcome: &mut Outcome,
        place: impl Fn(&VecDeque<Waiting>) -> Option<usize>,
    ) -> Option<Waiting> {
        let rule = match self {
            Law::Codel(law) => return line.dequeue(now, law, outcome, place),
            Law::Outside(rule) => rule,
        };
        loop {
            let mut waiting = line.remove(place(line.packets())?)?;
            let waited = now.saturating_since(waiting.since);
            let verdict = rule.on_departure(now, &waiting.packet, waited, backlog(line, most));
            if outcome.passes(&mut waiting.packet, verdict) {
                return Some(waiting);
            }
            outcome.drop(waiting.packet);
        }
    }
}

fn backlog(line: &Line, most_packets: usize) -> Backlog {
    Backlog { packets: line.packets().len(), bytes: line.bytes(), most_packets }
}

impl Outcome {
    /// Whether `packet` goes on by `verdict`, marked if need be.
    fn passes(&mut self, packet: &mut Packet, verdict: Verdict) -> bool {
        let can_mark = packet.ecn != Ecn::NotCapable;
        if verdict == Verdict::Mark && can_mark {
            packet.ecn = Ecn::Marked;
            self.marks += 1;
        }
        match verdict {
            Verdict::Pass => true,
            Verdict::Mark => can_mark,
            Verdict::Drop => false,
        }
    }
}
