//! The scheduler of FQ-CoDel (RFC 8290 section 4): flows in lines of their own take turns of a quantum of bytes, those
//! that have just begun first.
//!
//! Deviation: a flow's line is its number and direction modulo `flows`, not a salted hash of them: as long as there are
//! half as many flows none share a line.
//! Deviation: a full queue drops one packet from its longest line, not half of the line: the RFC saves processing so.
//! Deviation: CoDel looks at the bytes left in the flow's own line, where RFC 8289 section 4.4 has it look at those in all.
//! So a flow with no more than an MTU in its line loses nothing by age, however long others make it wait.

use std::collections::VecDeque;

use super::CodelConfig;
use super::codel::{Line, Waiting};
use crate::wire::{Body, Packet};

/// Whose turn it is.
#[derive(Debug)]
pub struct Scheduler {
    quantum: i64,
    lines: usize,
    /// By line.
    standings: Vec<Standing>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
}

#[derive(Clone, Debug, Default)]
struct Standing {
    /// What may be sent in this turn \[bytes\].
    credits: i64,
    /// Whether it is in one of the lists.
    is_active: bool,
}

impl Scheduler {
    /// One without flows.
    pub fn new(config: &CodelConfig) -> Scheduler {
        Scheduler {
            quantum: i64::from(config.quantum_bytes),
            lines: config.flows as usize,
            standings: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
        }
    }

    /// The line of `packet`.
    pub fn line_of(&self, packet: &Packet) -> usize {
        let (flow, is_reverse) = match &packet.body {
            Body::Tcp(segment) => (segment.flow.index(), segment.is_ack()),
            Body::Udp(datagram) => (datagram.flow.index(), datagram.is_answer()),
            _ => (0, false),
        };
        (2 * flow + usize::from(is_reverse)) % self.lines
    }

    /// A packet has joined `line`.
    pub fn on_arrival(&mut self, line: usize) {
        if self.standings.len() <= line {
            self.standings.resize(line + 1, Standing::default());
        }
        let standing = &mut self.standings[line];
        if !standing.is_active {
            *standing = Standing { credits: self.quantum, is_active: true };
            self.new.push_back(line);
        }
    }

    /// The next packet, which `dequeue` takes from a line.
    pub fn next(
        &mut self,
        lines: &mut [Line],
        mut dequeue: impl FnMut(&mut Line) -> Option<Waiting>,
    ) -> Option<Waiting> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let line = *list.front()?;
            let standing = &mut self.standings[line];
            if standing.credits <= 0 {
                standing.credits += self.quantum;
                list.pop_front();
                self.old.push_back(line);
                continue;
            }
            if let Some(waiting) = dequeue(&mut lines[line]) {
                standing.credits -= i64::from(waiting.packet.size_bytes);
                return Some(waiting);
            }
            list.pop_front();
            if is_new {
                // It has to wait for all others before it can be new again.
                self.old.push_back(line);
            } else {
                standing.is_active = false;
            }
        }
    }
}
