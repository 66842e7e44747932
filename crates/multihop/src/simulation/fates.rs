//! What became of frames where no MAC was called for them, for the record of events.

use std::collections::VecDeque;

use crate::capture::{Capture, Detail, Happening, NONE, Note};
use crate::kernel::{Duration, Instant};
use crate::radio::{Arrival, CarrierSense, Fate};
use crate::wire::NodeId;

/// The fates of frames. Nodes find out late, when the medium's number of a frame may be another's: so this
/// keeps when each number was whose.
#[derive(Debug, Default)]
pub struct Fates {
    /// By the medium's number: which frame it is now, in the order of transmission.
    numbers: Vec<u32>,
    /// By frame: since when it is on the air, and which one had its number before.
    sent: Vec<(Instant, u32)>,
    found: Vec<Note>,
    /// Numbers of frames that no node gets, and when they may be used again.
    spent: VecDeque<(Instant, u32)>,
}

/// Longer than any frame's first bit travels: two frames of one number are further apart.
const TRAVEL: Duration = Duration::from_millis(1);

impl Fates {
    /// The next frame is sent at `now` and has this number of the medium's.
    pub fn on_sent(&mut self, number: u32, now: Instant) {
        let place = number as usize;
        self.numbers.resize(self.numbers.len().max(place + 1), NONE);
        let former = std::mem::replace(&mut self.numbers[place], self.sent.len() as u32);
        self.sent.push((now, former));
    }

    /// The frame that has this number now, in the order of transmission.
    pub fn frame(&self, number: u32) -> u32 {
        self.numbers[number as usize]
    }

    #[inline]
    fn frame_of(&self, arrival: &Arrival) -> u32 {
        let mut frame = self.numbers[arrival.frame as usize];
        while let Some(&(since, former)) = self.sent.get(frame as usize)
            && since > arrival.start
        {
            frame = former;
        }
        frame
    }

    /// The last frame ends at `at`, and `addressee` is too far away to get it.
    #[cold]
    pub fn on_out_of_range(&mut self, addressee: NodeId, at: Instant) {
        let last = self.sent.len() as u32 - 1;
        let note = Note::new(at, Happening::Miss, addressee, last);
        self.found.push(Note { detail: Detail::OutOfRange, ..note });
    }

    /// No node gets the frame that is sent at `now` with this number.
    pub fn on_unreceived(&mut self, number: u32, now: Instant) {
        self.spent.push_back((now + TRAVEL, number));
    }

    /// A number that may be used again by `now`, if there is one.
    pub fn spent(&mut self, now: Instant) -> Option<u32> {
        let is_due = self.spent.front().is_some_and(|&(from, _)| from <= now);
        is_due.then(|| self.spent.pop_front()).flatten().map(|(_, number)| number)
    }

    /// What `sense` is told, with the fates of frames at `node` noted here.
    pub fn noting<'a, S: CarrierSense>(
        &'a mut self,
        node: NodeId,
        sense: &'a mut S,
    ) -> Noting<'a, S> {
        Noting { node, sense, fates: self }
    }

    /// Passes on what was found.
    pub fn tell(&mut self, capture: &mut Capture) {
        capture.on_late(std::mem::take(&mut self.found));
    }
}

/// Notes what becomes of frames and passes everything on.
#[derive(Debug)]
pub struct Noting<'a, S> {
    node: NodeId,
    sense: &'a mut S,
    fates: &'a mut Fates,
}

impl<S: CarrierSense> CarrierSense for Noting<'_, S> {
    fn on_busy(&mut self, at: Instant) {
        self.sense.on_busy(at);
    }

    fn on_idle(&mut self, at: Instant) {
        self.sense.on_idle(at);
    }

    fn on_lost(&mut self, at: Instant) {
        self.sense.on_lost(at);
    }

    fn on_overheard(&mut self, at: Instant, duration: Duration, is_rts: bool) {
        self.sense.on_overheard(at, duration, is_rts);
    }

    fn on_captured(&mut self, at: Instant, airtime: Duration) {
        self.sense.on_captured(at, airtime);
    }

    fn on_collision(&mut self) {
        self.sense.on_collision();
    }

    fn on_fate(&mut self, frame: &Arrival, fate: Fate) {
        let (happening, detail, by) = match fate {
            Fate::Received => (Happening::Receive, Detail::None, NONE),
            Fate::Collided(other) => {
                (Happening::Miss, Detail::Collided, self.fates.frame_of(&other))
            }
            Fate::Captured(other) => {
                (Happening::Miss, Detail::Captured, self.fates.frame_of(&other))
            }
            Fate::Sending => (Happening::Miss, Detail::Sending, NONE),
        };
        let note = Note::new(frame.end, happening, self.node, self.fates.frame_of(frame));
        self.fates.found.push(Note { detail, extent: by, ..note });
    }
}
