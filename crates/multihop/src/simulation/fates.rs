//! What became of frames where no MAC was called for them, for the record of events.

use std::collections::VecDeque;

use crate::capture::{Capture, Detail, Happening, Late, NONE};
use crate::kernel::{Duration, Instant};
use crate::radio::{Arrival, CarrierSense, Fate};
use crate::wire::NodeId;

/// The fates of frames. Nodes find out late, when the medium's number of a frame may be another's: so this
/// keeps when each number was whose.
#[derive(Debug, Default)]
pub struct Fates {
    /// By the medium's number: since when it is that of which frame, in the order of transmission.
    numbers: Vec<Vec<(Instant, u32)>>,
    sent: u32,
    found: Vec<Late>,
    /// Numbers of frames that no node gets, and when they may be used again.
    spent: VecDeque<(Instant, u32)>,
}

/// Longer than any frame's first bit travels: two frames of one number are further apart.
const TRAVEL: Duration = Duration::from_millis(1);

impl Fates {
    /// The next frame is sent at `now` and has this number of the medium's.
    pub fn on_sent(&mut self, number: u32, now: Instant) {
        let place = number as usize;
        self.numbers.resize_with(self.numbers.len().max(place + 1), Vec::new);
        self.numbers[place].push((now, self.sent));
        self.sent += 1;
    }

    /// The frame that has this number now, in the order of transmission.
    pub fn frame(&self, number: u32) -> u32 {
        self.numbers[number as usize].last().map_or(NONE, |&(_, frame)| frame)
    }

    fn frame_of(&self, arrival: &Arrival) -> u32 {
        let owners = &self.numbers[arrival.frame as usize];
        let owner = owners.iter().rev().find(|&&(since, _)| since <= arrival.start);
        owner.map_or(NONE, |&(_, frame)| frame)
    }

    /// The last frame ends at `at`, and `addressee` is too far away to get it.
    #[cold]
    pub fn on_out_of_range(&mut self, addressee: NodeId, at: Instant) {
        let (happening, detail) = (Happening::Miss, Detail::OutOfRange);
        let frame = self.sent - 1;
        self.found.push(Late { at, node: addressee, frame, happening, detail, by: NONE });
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
        self.found.drain(..).for_each(|late| capture.on_late(late));
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
        let number = self.fates.frame_of(frame);
        let at = frame.end;
        self.fates.found.push(Late { at, node: self.node, frame: number, happening, detail, by });
    }
}
