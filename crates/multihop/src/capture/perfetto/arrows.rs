//! Arrows from a frame as it is sent to the same as it is received: each has a number of its own,
//! from 1, as a frame may be received by many.

use crate::capture::row::Happening;
use crate::capture::{Events, NONE};

/// The numbers of arrows.
#[derive(Debug)]
pub struct Arrows {
    /// By frame: how many arrows there are; once it is written, the number of the next of them.
    /// [`NONE`] where the record lacks its transmission.
    frames: Vec<u32>,
    given: u32,
}

impl Arrows {
    /// Those of `events`.
    pub fn new(events: &Events) -> Arrows {
        let mut frames = vec![NONE; events.sent.len()];
        for row in events.rows_of_stations() {
            match row.happening {
                Happening::Transmit => frames[row.frame as usize] = 0,
                Happening::Receive => {
                    let count = &mut frames[row.frame as usize];
                    *count = count.saturating_add(1); // NONE remains
                }
                _ => {}
            }
        }
        Arrows { frames, given: 0 }
    }

    /// The arrows that begin at the transmission of `frame`.
    pub fn begin(&mut self, frame: u32) -> impl Iterator<Item = u64> + use<> {
        let first = self.given + 1;
        self.given += std::mem::replace(&mut self.frames[frame as usize], first);
        (first..=self.given).map(u64::from)
    }

    /// The arrow that ends at the next reception of `frame`.
    pub fn end(&mut self, frame: u32) -> Option<u64> {
        let next = &mut self.frames[frame as usize];
        (*next != NONE).then(|| {
            *next += 1;
            u64::from(*next - 1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::note::{Note, SentFrame, Subject};
    use crate::kernel::Instant;
    use crate::wire::{FrameKind, NodeId};

    #[test]
    fn each_reception_has_an_arrow_of_its_own_if_the_transmission_is_there() {
        let kind = FrameKind::Data;
        let packet = Subject::NOTHING;
        let frame = SentFrame { transmitter: NodeId(0), packet, airtime_ns: 500, kind };
        let note = |happening, frame| Note::new(Instant::ZERO, happening, NodeId(1), frame);
        let prompt = vec![
            note(Happening::Receive, 0),
            note(Happening::Transmit, 1),
            note(Happening::Transmit, 2),
            note(Happening::Receive, 2),
            note(Happening::Receive, 2),
        ];
        let events = Events { sent: vec![frame; 3], prompt, ..Events::default() };
        let mut arrows = Arrows::new(&events);
        assert_eq!(arrows.end(0), None);
        assert_eq!(arrows.begin(2).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(arrows.begin(1).count(), 0);
        assert_eq!([arrows.end(2), arrows.end(2)], [Some(1), Some(2)]);
    }
}
