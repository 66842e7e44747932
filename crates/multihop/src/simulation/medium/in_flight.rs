//! The transmissions on the air. A place that becomes free keeps its list of receptions for the
//! next one.

use crate::kernel::Instant;
use crate::wire::{Frame, NodeId};

/// A frame on the air.
#[derive(Debug)]
pub struct Transmission {
    pub frame: Frame,
    /// The nodes that get it, and when its last bit reaches each; nearest first.
    pub receptions: Vec<(NodeId, Instant)>,
    /// Which of them is next.
    pub next: usize,
}

/// All of them, by numbers that are used again.
#[derive(Debug, Default)]
pub struct InFlight {
    places: Vec<Transmission>,
    /// The numbers not in use: the last is the next one.
    free: Vec<u32>,
    /// Whether numbers are not used again at once.
    takes_turns: bool,
}

/// Numbers that take turns: far more than frames are on the air near one node.
const TURNS: usize = 32;

impl InFlight {
    /// From now on numbers are not used again at once.
    pub fn take_turns(&mut self) {
        self.takes_turns = true;
    }

    /// `frame` is sent. Returns its number.
    // Not inlined, so that the frame stays in one piece on its way.
    #[inline(never)]
    pub fn begin(&mut self, frame: Frame) -> u32 {
        let resting = if self.takes_turns { TURNS } else { 0 };
        let number = if self.free.len() > resting { self.free.pop() } else { None };
        let Some(number) = number else { return self.add(frame) };
        // A place that is free carries nothing that would have to be dropped.
        std::mem::forget(std::mem::replace(&mut self.places[number as usize].frame, frame));
        number
    }

    #[cold]
    #[inline(never)]
    fn add(&mut self, frame: Frame) -> u32 {
        self.places.push(Transmission { frame, receptions: Vec::new(), next: 0 });
        self.places.len() as u32 - 1
    }

    /// Transmission `number`.
    #[inline]
    pub fn get_mut(&mut self, number: u32) -> &mut Transmission {
        debug_assert!(!self.free.contains(&number), "number {number} outlived its transmission");
        &mut self.places[number as usize]
    }

    /// Transmission `number` is over. Returns its frame.
    #[inline]
    pub fn end(&mut self, number: u32) -> Frame {
        let Transmission { frame, receptions, next } = self.get_mut(number);
        receptions.clear();
        *next = 0;
        let payload = frame.payload.take();
        let frame = Frame { payload, ..*frame };
        if self.takes_turns || self.free.len() == self.free.capacity() {
            self.free_with_care(number);
        } else {
            self.free.push(number);
        }
        frame
    }

    /// Frees a number behind others, or the first time.
    #[cold]
    #[inline(never)]
    fn free_with_care(&mut self, number: u32) {
        let place = if self.takes_turns { 0 } else { self.free.len() };
        self.free.insert(place, number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{FrameKind, Notice, Payload, Rate};

    fn frame(payload: Option<Box<Payload>>) -> Frame {
        let (transmitter, receiver) = (NodeId(0), NodeId(1));
        let (kind, rate, notice) = (FrameKind::Data, Rate::default(), Notice::None);
        Frame { kind, rate, transmitter, receiver, duration_us: 7, sequence: 0, notice, payload }
    }

    #[test]
    fn a_number_is_used_again_with_nothing_left_of_the_frame_before() {
        let mut air = InFlight::default();
        let (a, b) =
            (air.begin(frame(Some(Box::new(Payload::Bitmap(5.into()))))), air.begin(frame(None)));
        let transmission = air.get_mut(a);
        transmission.receptions.push((NodeId(1), Instant::ZERO));
        transmission.next = 1;
        assert_eq!(air.end(a).payload.as_deref(), Some(&Payload::Bitmap(5.into())));
        assert_eq!(air.begin(frame(None)), a);
        assert_ne!(a, b);
        let again = air.get_mut(a);
        assert!(again.receptions.is_empty() && again.next == 0 && again.frame.payload.is_none());
    }

    #[test]
    fn numbers_that_take_turns_are_not_used_again_at_once() {
        let mut air = InFlight::default();
        air.take_turns();
        let mut last_use = std::collections::BTreeMap::new();
        for turn in 0..1000 {
            let number = air.begin(frame(None));
            let last = last_use.insert(number, turn);
            assert!(last.is_none_or(|last| turn - last > 30), "{number}: {last:?}, {turn}");
            air.end(number);
        }
        assert!(last_use.len() < 64);
    }
}
