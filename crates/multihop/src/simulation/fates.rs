//! What became of frames where no MAC was called for them, for the record of events.

use std::collections::VecDeque;

use crate::capture::{Capture, Detail, Happening, NONE, Note, TRAVEL};
use crate::kernel::{Duration, Instant};
use crate::radio::energy::EnergyMeter;
use crate::radio::{Arrival, CarrierSense, Fate};
use crate::wire::NodeId;

/// The fates of frames. Nodes find out late, when the medium's number of a frame may be another's:
/// so this keeps when each number was whose.
#[derive(Debug, Default)]
pub struct Fates {
    /// By the medium's number: since when it is that of which frame, in the order of transmission.
    numbers: Vec<Vec<(Instant, u32)>>,
    /// Frames sent so far, each of an A-MPDU, and the first that was sent last.
    sent: u32,
    last: u32,
    found: Vec<Note>,
    /// Numbers of frames that no node gets, and when they may be used again.
    spent: VecDeque<(Instant, u32)>,
}

impl Fates {
    /// The next frame is sent at `now` and has this number of the medium's; an A-MPDU is so many
    /// `frames`, of which the first stands for all.
    pub fn on_sent(&mut self, number: u32, now: Instant, frames: u32) {
        let place = number as usize;
        self.numbers.resize_with(self.numbers.len().max(place + 1), Vec::new);
        self.numbers[place].push((now, self.sent));
        self.last = self.sent;
        self.sent += frames;
    }

    /// The next frame is sent by other means than the medium's. Which one it is.
    pub fn on_sent_elsewhere(&mut self) -> u32 {
        self.sent += 1;
        self.sent - 1
    }

    /// The frame that has this number now, in the order of transmission.
    pub fn frame(&self, number: u32) -> u32 {
        self.numbers[number as usize].last().map_or(NONE, |&(_, frame)| frame)
    }

    /// The frame that arrives so, in the order of transmission.
    #[inline]
    pub fn frame_of(&self, arrival: &Arrival) -> u32 {
        let owners = &self.numbers[arrival.frame as usize];
        let owner = owners.iter().rev().find(|&&(since, _)| since <= arrival.start);
        owner.map_or(NONE, |&(_, frame)| frame)
    }

    /// It turns out what became of a frame at `node`.
    #[inline(never)]
    fn on_fate(&mut self, node: NodeId, frame: &Arrival, fate: Fate<'_>) {
        let (happening, detail, by) = match fate {
            Fate::Received => (Happening::Receive, Detail::None, NONE),
            Fate::Collided(other) => (Happening::Miss, Detail::Collided, self.frame_of(other)),
            Fate::Captured(other) => (Happening::Miss, Detail::Captured, self.frame_of(other)),
            Fate::Undetected(other) => (Happening::Miss, Detail::Undetected, self.frame_of(other)),
            Fate::Sending => (Happening::Miss, Detail::Sending, NONE),
            Fate::Weak => (Happening::Miss, Detail::OutOfRange, NONE),
        };
        let note = Note::new(frame.end, happening, node, self.frame_of(frame));
        self.found.push(Note { detail, extent: by, ..note });
    }

    /// The last frame ends at `at`, and is too weak at `addressee` whatever else is on the air.
    #[cold]
    pub fn on_out_of_range(&mut self, addressee: NodeId, at: Instant) {
        let note = Note::new(at, Happening::Miss, addressee, self.last);
        self.found.push(Note { detail: Detail::OutOfRange, ..note });
    }

    /// No node gets the frame that is sent at `now` with this number: two frames of one number are
    /// to be further apart than any travels.
    pub fn on_unreceived(&mut self, number: u32, now: Instant) {
        self.spent.push_back((now + TRAVEL, number));
    }

    /// A number that may be used again by `now`, if there is one.
    pub fn spent(&mut self, now: Instant) -> Option<u32> {
        let is_due = self.spent.front().is_some_and(|&(from, _)| from <= now);
        is_due.then(|| self.spent.pop_front()).flatten().map(|(_, number)| number)
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
    /// Who is told.
    pub sense: S,
    fates: Option<&'a mut Fates>,
    meter: Option<&'a mut EnergyMeter>,
}

impl<'a, S> Noting<'a, S> {
    /// What `sense` is told, with the fates of frames at `node` noted in `fates`, and with how long
    /// its medium is busy in `meter`.
    #[inline]
    pub fn new(
        node: NodeId,
        sense: S,
        fates: Option<&'a mut Fates>,
        meter: Option<&'a mut EnergyMeter>,
    ) -> Noting<'a, S> {
        Noting { node, sense, fates, meter }
    }
}

impl<S: CarrierSense> CarrierSense for Noting<'_, S> {
    #[inline]
    fn on_busy(&mut self, at: Instant) {
        if let Some(meter) = &mut self.meter {
            meter.on_busy(at);
        }
        self.sense.on_busy(at);
    }

    #[inline]
    fn on_idle(&mut self, at: Instant) {
        if let Some(meter) = &mut self.meter {
            meter.on_idle(at);
        }
        self.sense.on_idle(at);
    }

    #[inline]
    fn on_lost(&mut self, at: Instant) {
        self.sense.on_lost(at);
    }

    #[inline]
    fn on_overheard(&mut self, at: Instant, duration: Duration, is_rts: bool) {
        self.sense.on_overheard(at, duration, is_rts);
    }

    #[inline]
    fn on_captured(&mut self, at: Instant, airtime: Duration) {
        self.sense.on_captured(at, airtime);
    }

    #[inline]
    fn on_collision(&mut self) {
        self.sense.on_collision();
    }

    #[inline]
    fn on_fate(&mut self, frame: &Arrival, fate: Fate<'_>) {
        if let Some(fates) = &mut self.fates {
            fates.on_fate(self.node, frame, fate);
        }
    }

    #[inline]
    fn minds_fates(&self) -> bool {
        self.fates.is_some()
    }
}
