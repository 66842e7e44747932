//! What the sender knows of every segment that is sent and not yet acknowledged with all before it
//! (RFC 6675 section 3; RFC 8985 section 5.2).

use std::collections::VecDeque;

use super::snapshot::Snapshot;
use crate::kernel::Instant;
use crate::wire::tcp::SackBlocks;

/// A segment that has been sent and not acknowledged with all before it.
#[derive(Clone, Copy, Debug)]
pub struct Outstanding {
    /// When it was last sent.
    pub sent: Instant,
    /// The connection's state of delivery then.
    pub snapshot: Snapshot,
    /// It has been sent more than once.
    pub retransmitted: bool,
    /// It has arrived.
    pub sacked: bool,
    /// Its first transmission, and any before the last, counts as lost.
    pub lost: bool,
    /// A retransmission of it is in the network.
    pub resent: bool,
}

/// A segment of which an acknowledgment has just told that it has arrived.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    /// Its number.
    pub number: u32,
    /// What was known of it.
    pub segment: Outstanding,
}

/// The segments from the lowest that is not acknowledged to the highest sent.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    /// Number of the first.
    first: u32,
    segments: VecDeque<Outstanding>,
    sacked: u32,
    lost: u32,
    resent: u32,
    /// One above the highest segment that has arrived.
    forward: u32,
    /// No segment below this one is lost and not sent again.
    repaired: u32,
    /// What [`Scoreboard::take_lost`] tells next.
    newly_lost: Vec<(u32, Snapshot)>,
}

impl Scoreboard {
    /// The other end has opened the connection: there is no SYN to send.
    pub fn accept(&mut self) {
        self.first = 1;
    }

    /// The lowest segment that is not acknowledged (SND.UNA).
    pub fn first(&self) -> u32 {
        self.first
    }

    /// The lowest segment never sent (SND.NXT).
    pub fn end(&self) -> u32 {
        self.first + self.segments.len() as u32
    }

    /// Segments sent and not acknowledged (FlightSize).
    pub fn flight_size(&self) -> u32 {
        self.segments.len() as u32
    }

    /// Segments thought to be in the network (`pipe` of RFC 6675).
    pub fn in_flight(&self) -> u32 {
        self.flight_size() - self.sacked - self.lost + self.resent
    }

    /// Segments that have arrived behind missing ones.
    pub fn sacked(&self) -> u32 {
        self.sacked
    }

    /// Segments that count as lost, sent again or not.
    pub fn lost(&self) -> u32 {
        self.lost
    }

    /// One above the highest segment that has arrived (RACK.fack).
    pub fn forward(&self) -> u32 {
        self.forward.max(self.first)
    }

    /// The first outstanding segment, if any is.
    pub fn head(&self) -> Option<&Outstanding> {
        self.segments.front()
    }

    /// Segment `number`, if it is outstanding.
    pub fn get(&self, number: u32) -> Option<&Outstanding> {
        self.segments.get(number.checked_sub(self.first)? as usize)
    }

    /// The outstanding segments and their numbers, the lowest first.
    pub fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = (u32, &Outstanding)> + ExactSizeIterator + Clone {
        let first = self.first;
        self.segments
            .iter()
            .enumerate()
            .map(move |(place, segment)| (first + place as u32, segment))
    }

    /// The next new segment leaves.
    pub fn send_new(&mut self, now: Instant, snapshot: Snapshot) {
        self.segments.push_back(Outstanding {
            sent: now,
            snapshot,
            retransmitted: false,
            sacked: false,
            lost: false,
            resent: false,
        });
    }

    /// Segment `number`, which is outstanding, leaves again.
    pub fn resend(&mut self, number: u32, now: Instant, snapshot: Snapshot) {
        let segment = &mut self.segments[(number - self.first) as usize];
        self.resent += u32::from(!segment.resent);
        *segment =
            Outstanding { sent: now, snapshot, retransmitted: true, resent: true, ..*segment };
    }

    /// Every segment below `below` has arrived, and those of `blocks`. Puts those of which that is
    /// news into `arrived`, in the order of their numbers.
    pub fn acknowledge(&mut self, below: u32, blocks: &SackBlocks, arrived: &mut Vec<Arrived>) {
        arrived.clear();
        while self.first < below
            && let Some(segment) = self.segments.pop_front()
        {
            self.sacked -= u32::from(segment.sacked);
            self.lost -= u32::from(segment.lost);
            self.resent -= u32::from(segment.resent);
            if !segment.sacked {
                arrived.push(Arrived { number: self.first, segment });
            }
            self.first += 1;
        }
        let reported = arrived.len();
        for (from, to) in blocks.iter() {
            for number in from.max(self.first)..to.min(self.end()) {
                let segment = &mut self.segments[(number - self.first) as usize];
                if segment.sacked {
                    continue;
                }
                arrived.push(Arrived { number, segment: *segment });
                self.sacked += 1;
                self.lost -= u32::from(segment.lost);
                self.resent -= u32::from(segment.resent);
                (segment.sacked, segment.lost, segment.resent) = (true, false, false);
                self.forward = self.forward.max(number + 1);
            }
        }
        arrived[reported..].sort_unstable_by_key(|arrived| arrived.number);
        self.forward = self.forward.max(self.first);
    }

    /// Segment `number` counts as lost, or its retransmission as well. Returns whether that is
    /// news.
    pub fn lose(&mut self, number: u32) -> bool {
        let segment = &mut self.segments[(number - self.first) as usize];
        let is_news = !segment.sacked && (!segment.lost || segment.resent);
        if is_news {
            self.lost += u32::from(!segment.lost);
            self.resent -= u32::from(segment.resent);
            (segment.lost, segment.resent) = (true, false);
            self.repaired = self.repaired.min(number);
            self.newly_lost.push((number, segment.snapshot));
        }
        is_news
    }

    /// All transmissions but the last of segment `number`, which has been sent again, count as
    /// lost.
    pub fn lose_original(&mut self, number: u32) {
        let segment = &mut self.segments[(number - self.first) as usize];
        if !segment.sacked {
            self.lost += u32::from(!segment.lost);
            segment.lost = true;
        }
    }

    /// The segments that have come to count as lost since the last call, and the state of delivery
    /// when they were sent.
    pub fn take_lost(&mut self) -> impl Iterator<Item = (u32, Snapshot)> {
        self.newly_lost.drain(..)
    }

    /// Nothing counts as lost any more.
    pub fn lose_nothing(&mut self) {
        for segment in &mut self.segments {
            segment.lost = false;
        }
        self.lost = 0;
    }

    /// The lowest segment that counts as lost and has not been sent again.
    pub fn next_lost(&mut self) -> Option<u32> {
        if self.lost == 0 {
            return None;
        }
        let from = self.repaired.max(self.first);
        let waits = |number: &u32| self.get(*number).is_some_and(|s| s.lost && !s.resent);
        let found = (from..self.end()).find(waits);
        self.repaired = found.unwrap_or(self.end());
        found
    }
}
