//! The packets that a station holds, and what it knows of the neighbours that they go to.

use std::collections::VecDeque;

use crate::kernel::{Duration, Instant};
use crate::wire::{NodeId, Packet};

/// Packets that a station holds at most; more wait in the interface queue.
const MOST: usize = 64;
/// Frames of a neighbour that are remembered, so that none goes up twice.
const REMEMBERED: usize = 32;
/// A neighbour that grants nothing is kept for so long after it was heard last, and much longer if
/// it is heard.
const KEPT: Duration = Duration::from_secs(2);
const KEPT_IF_HEARD: Duration = Duration::from_secs(20);

/// A packet that the station is to deliver.
#[derive(Debug)]
pub struct Held {
    pub packet: Packet,
    pub next_hop: NodeId,
    pub sequence: u16,
    /// Times sent without an acknowledgment.
    pub attempts: u32,
    /// Sent in this slot, and not yet acknowledged.
    pub is_sent: bool,
    /// When it came.
    since: Instant,
}

/// What waits for a neighbour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backlog {
    pub next_hop: NodeId,
    pub packets: u32,
    pub waited: Duration,
}

/// What a station knows of a neighbour.
#[derive(Debug)]
struct Neighbour {
    station: NodeId,
    /// Requests in a row that were not granted, and when the first of them was made.
    unanswered: u32,
    since: Instant,
    /// When it was heard last.
    heard: Instant,
    /// Its last frames, by their sequences.
    recent: VecDeque<u16>,
}

/// The packets that a station holds, and its neighbours.
#[derive(Debug, Default)]
pub struct Store {
    held: Vec<Held>,
    neighbours: Vec<Neighbour>,
    next_sequence: u16,
}

impl Store {
    /// Whether another packet may join.
    pub fn has_room(&self) -> bool {
        self.held.len() < MOST
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// The packets.
    pub fn packets(&self) -> impl Iterator<Item = &Held> {
        self.held.iter()
    }

    /// Whether there is one for all.
    pub fn has_broadcast(&self) -> bool {
        self.held.iter().any(|held| held.next_hop.is_broadcast())
    }

    /// Removes the first packet for all, if it `fits`.
    pub fn take_broadcast(&mut self, fits: impl Fn(&Held) -> bool) -> Option<Held> {
        let place = self.held.iter().position(|held| held.next_hop.is_broadcast())?;
        fits(&self.held[place]).then(|| self.held.remove(place))
    }

    /// Takes `packet` for `next_hop`; one that fits in no slot will have failed.
    pub fn add(&mut self, now: Instant, packet: Packet, next_hop: NodeId, fits: bool) {
        let attempts = if fits { 0 } else { u32::MAX };
        let sequence = self.next_sequence;
        self.next_sequence = sequence.wrapping_add(1);
        self.held.push(Held { packet, next_hop, sequence, attempts, is_sent: false, since: now });
    }

    /// The neighbours that packets wait for, each with their number, and how long the first of
    /// them has waited.
    pub fn backlogs(&self, now: Instant) -> Vec<Backlog> {
        let mut found: Vec<Backlog> = Vec::new();
        for held in self.held.iter().filter(|held| !held.next_hop.is_broadcast()) {
            match found.iter_mut().find(|backlog| backlog.next_hop == held.next_hop) {
                Some(backlog) => backlog.packets += 1,
                None => found.push(Backlog {
                    next_hop: held.next_hop,
                    packets: 1,
                    waited: now.saturating_since(held.since),
                }),
            }
        }
        found
    }

    /// The first packet for `next_hop` that was not sent in this slot and whose acknowledgment
    /// could be told from the others', if it `fits`.
    pub fn next(&mut self, next_hop: NodeId, fits: impl Fn(&Held) -> bool) -> Option<&mut Held> {
        let taken = self.held.iter().filter(|held| held.is_sent);
        let taken = taken.fold(0_u16, |taken, held| taken | bit(held.sequence));
        self.held.iter_mut().find(|held| {
            let is_free = !held.is_sent && taken & bit(held.sequence) == 0;
            held.next_hop == next_hop && is_free && fits(held)
        })
    }

    /// Removes those sent to `next_hop` that `bitmap` says have come.
    pub fn remove_acknowledged(&mut self, next_hop: NodeId, bitmap: u16) -> Vec<Held> {
        let is_one = |held: &mut Held| {
            held.is_sent && held.next_hop == next_hop && bitmap & bit(held.sequence) != 0
        };
        self.held.extract_if(.., is_one).collect()
    }

    /// The slot is over: what was sent counts as an attempt.
    pub fn end_slot(&mut self) {
        for held in self.held.iter_mut().filter(|held| held.is_sent) {
            (held.is_sent, held.attempts) = (false, held.attempts + 1);
        }
    }

    /// Takes a packet that has failed: sent `limit` times, or to a neighbour that is gone.
    pub fn take_failed(&mut self, now: Instant, limit: Option<u32>) -> Option<Held> {
        let limit = limit?;
        let place = self
            .held
            .iter()
            .position(|held| held.attempts >= limit || self.is_gone(now, held.next_hop, limit));
        place.map(|place| self.held.remove(place))
    }

    fn is_gone(&self, now: Instant, station: NodeId, limit: u32) -> bool {
        self.neighbours.iter().any(|one| {
            let is_silent = now.saturating_since(one.since.max(one.heard)) > KEPT;
            let is_deaf = now.saturating_since(one.since) > KEPT_IF_HEARD;
            one.station == station && one.unanswered >= limit && (is_silent || is_deaf)
        })
    }

    fn of(&mut self, station: NodeId) -> &mut Neighbour {
        let place = self.neighbours.iter().position(|one| one.station == station);
        let place = place.unwrap_or_else(|| {
            self.neighbours.push(Neighbour {
                station,
                unanswered: 0,
                since: Instant::ZERO,
                heard: Instant::ZERO,
                recent: VecDeque::new(),
            });
            self.neighbours.len() - 1
        });
        &mut self.neighbours[place]
    }

    /// A frame of `station` was received or overheard.
    pub fn on_heard(&mut self, now: Instant, station: NodeId) {
        self.of(station).heard = now;
    }

    /// `station` has granted a request.
    pub fn on_granted(&mut self, station: NodeId) {
        self.of(station).unanswered = 0;
    }

    /// `station` has not granted a request made at `now`.
    pub fn on_unanswered(&mut self, now: Instant, station: NodeId) {
        let neighbour = self.of(station);
        if neighbour.unanswered == 0 {
            neighbour.since = now;
        }
        neighbour.unanswered += 1;
    }

    /// `station` is given up: it is asked anew by whatever comes next.
    pub fn forget(&mut self, station: NodeId) {
        if !self.held.iter().any(|held| held.next_hop == station) {
            self.of(station).unanswered = 0;
        }
    }

    /// Whether data frame `sequence` of `station` has come before.
    pub fn is_repeat(&mut self, station: NodeId, sequence: u16) -> bool {
        let recent = &mut self.of(station).recent;
        let is_known = recent.contains(&sequence);
        if !is_known {
            if recent.len() == REMEMBERED {
                recent.pop_front();
            }
            recent.push_back(sequence);
        }
        is_known
    }
}

/// What stands for a frame in a bitmap of acknowledgments.
pub fn bit(sequence: u16) -> u16 {
    1 << (sequence % 16)
}
