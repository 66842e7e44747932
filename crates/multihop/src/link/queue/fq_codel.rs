//! FQ-CoDel (RFC 8290 section 4): flows in lines of their own, each under CoDel by itself, take
//! turns of a quantum of bytes, those that have just begun first. Routing and ARP packets go before
//! all of them.
//!
//! Deviation: a flow's line is its number and direction modulo `flows`, not a salted hash of them:
//! as long as there are half as many flows none share a line.
//! Deviation: a full queue drops one packet from its longest line, not half of the line: the RFC
//! saves processing so.
//! Deviation: CoDel looks at the bytes left in the flow's own line, where RFC 8289 section 4.4 has
//! it look at those in all. So a flow with no more than an MTU in its line loses nothing by age,
//! however long others make it wait.

use std::collections::VecDeque;

use super::CodelConfig;
use super::codel::Codel;
use super::lines::Lines;
use super::rule::{Backlog, Overflow, Place, QueueRule, Verdict};
use crate::kernel::{Duration, Instant};
use crate::wire::{Body, Packet};

/// Whose turn it is, and what CoDel remembers of each line.
#[derive(Debug)]
pub struct FqCodel {
    config: CodelConfig,
    /// By line; the first is not of flows.
    standings: Vec<Standing>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
}

#[derive(Clone, Debug)]
struct Standing {
    codel: Codel,
    /// What may be sent in this turn \[bytes\].
    credits: i64,
    /// Whether it is in one of the lists.
    is_active: bool,
}

impl FqCodel {
    /// FQ-CoDel with these parameters, of a queue in which nothing waits.
    pub fn new(config: &CodelConfig) -> FqCodel {
        FqCodel {
            config: config.clone(),
            standings: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
        }
    }

    fn quantum(&self) -> i64 {
        i64::from(self.config.quantum_bytes)
    }
}

impl QueueRule for FqCodel {
    fn place(&self, packet: &Packet) -> Place {
        let (flow, is_reverse) = match &packet.body {
            Body::Tcp(segment) => (segment.flow.index(), segment.is_ack()),
            Body::Udp(datagram) => (datagram.flow.index(), datagram.is_answer()),
            _ => return Place::at_end_of(0),
        };
        let line = (2 * flow + usize::from(is_reverse)) % self.config.flows as usize;
        Place::at_end_of(1 + line)
    }

    /// The first packet of the longest line goes (section 4.1).
    fn on_full(&mut self, packet: &Packet, line: usize, lines: &Lines) -> Overflow {
        if line == 0 {
            return Overflow::Arriving;
        }
        let bytes = |&other: &usize| {
            let arriving = if other == line { u64::from(packet.size_bytes) } else { 0 };
            lines.bytes_in(other) + arriving
        };
        let flows = (1..lines.count().max(line + 1)).rev();
        Overflow::First(flows.max_by_key(bytes).unwrap_or(line))
    }

    fn on_join(&mut self, line: usize) {
        if line == 0 {
            return;
        }
        if self.standings.len() <= line {
            let standing =
                Standing { codel: Codel::new(&self.config), credits: 0, is_active: false };
            self.standings.resize(line + 1, standing);
        }
        let quantum = self.quantum();
        let standing = &mut self.standings[line];
        if !standing.is_active {
            (standing.credits, standing.is_active) = (quantum, true);
            self.new.push_back(line);
        }
    }

    fn next(&mut self, lines: &Lines) -> Option<usize> {
        if lines.packets_in(0) > 0 {
            return Some(0);
        }
        let quantum = self.quantum();
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let line = *list.front()?;
            let standing = &mut self.standings[line];
            if standing.credits <= 0 {
                standing.credits += quantum;
                list.pop_front();
                self.old.push_back(line);
                continue;
            }
            if lines.packets_in(line) > 0 {
                return Some(line);
            }
            standing.codel.on_empty();
            list.pop_front();
            if is_new {
                // It has to wait for all others before it can be new again.
                self.old.push_back(line);
            } else {
                standing.is_active = false;
            }
        }
    }

    fn on_departure(
        &mut self,
        now: Instant,
        packet: &Packet,
        waited: Duration,
        backlog: Backlog,
    ) -> Verdict {
        self.standings[backlog.line].codel.on_departure(now, packet, waited, backlog)
    }

    fn on_sent(&mut self, line: usize, packet: &Packet) {
        if line > 0 {
            self.standings[line].credits -= i64::from(packet.size_bytes);
        }
    }

    /// Where the service of the link says which packet leaves, flows do not take turns, but CoDel
    /// drops.
    fn precedes(&self, line: usize) -> bool {
        line == 0
    }

    fn on_exhausted(&mut self, line: usize) {
        if line > 0 {
            self.standings[line].codel.on_empty();
        }
    }
}
