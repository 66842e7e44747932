//! A receiver's part: what has come from one neighbour, and in which order it goes up.

use std::collections::VecDeque;

use crate::kernel::{Duration, Instant};
use crate::wire::{MpduSet, Packet};

/// How long packets are held for one that is missing.
pub const HOLD: Duration = Duration::from_millis(100);

/// The packets of one neighbour that wait for earlier ones.
#[derive(Debug)]
pub struct Reorder {
    /// The sequence number that is to come next.
    start: u16,
    /// What has come, from `start` on.
    held: VecDeque<Option<Packet>>,
    /// Since when the next one is missing although later ones have come.
    since: Option<Instant>,
}

impl Reorder {
    /// Nothing has come; the sender's window starts at `start`.
    pub fn new(start: u16) -> Reorder {
        Reorder { start, held: VecDeque::new(), since: None }
    }

    /// The sender's window starts at `start`: what is missing before it will not come. Earlier
    /// packets go up.
    pub fn move_to(&mut self, now: Instant, start: u16, up: &mut Vec<Packet>) {
        let steps = start.wrapping_sub(self.start);
        if steps == 0 || is_behind(steps) {
            return;
        }
        let leaving = usize::from(steps).min(self.held.len());
        up.extend(self.held.drain(..leaving).flatten());
        self.start = start;
        self.release(now, up);
    }

    /// `packet` has come. It goes up, with those that have waited for it, unless it has come before
    /// or has to wait.
    pub fn accept(&mut self, now: Instant, sequence: u16, packet: Packet, up: &mut Vec<Packet>) {
        let place = sequence.wrapping_sub(self.start);
        if is_behind(place) {
            return;
        }
        let place = usize::from(place);
        if self.held.len() <= place {
            self.held.resize(place + 1, None);
        }
        self.held[place].get_or_insert(packet);
        self.release(now, up);
    }

    /// Which of `window` sequence numbers from `start` on have come. Those before the next one that
    /// is expected have.
    pub fn bitmap(&self, start: u16, window: u16) -> MpduSet {
        let has_come = |place: &u32| {
            let sequence = start.wrapping_add(*place as u16).wrapping_sub(self.start);
            is_behind(sequence)
                || self.held.get(usize::from(sequence)).is_some_and(|held| held.is_some())
        };
        (0..window.into()).filter(has_come).collect()
    }

    /// When to call [`Reorder::on_hold_over`]; none if nothing waits.
    pub fn due(&self) -> Option<Instant> {
        self.since.map(|since| since + HOLD)
    }

    /// If what is missing has been waited for long enough, what has waited for it goes up.
    pub fn on_hold_over(&mut self, now: Instant, up: &mut Vec<Packet>) {
        if self.due().is_none_or(|due| due > now) {
            return;
        }
        while let Some(None) = self.held.front() {
            self.held.pop_front();
            self.start = self.start.wrapping_add(1);
        }
        self.since = None;
        self.release(now, up);
    }

    /// Has everything go up that waits for nothing any more.
    fn release(&mut self, now: Instant, up: &mut Vec<Packet>) {
        let before = self.start;
        while let Some(Some(_)) = self.held.front() {
            up.extend(self.held.pop_front().flatten());
            self.start = self.start.wrapping_add(1);
        }
        if self.held.is_empty() {
            self.since = None;
        } else if self.since.is_none() || self.start != before {
            self.since = Some(now);
        }
    }
}

/// Whether a sequence number this far after another one is in truth before it.
fn is_behind(steps: u16) -> bool {
    steps >= 1 << 15
}
