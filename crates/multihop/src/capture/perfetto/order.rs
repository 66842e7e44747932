//! What happens in the order of time: a frame's slice begins before its end, which is what the
//! record has.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::format::Uuid;
use crate::capture::Events;
use crate::capture::note::SentFrame;
use crate::capture::row::{Happening, Row};

/// Something to write.
#[derive(Clone, Copy, Debug)]
pub enum Moment {
    /// The slice on this track ends.
    End(Uuid),
    /// The event of this row, or the slice of its frame, begins.
    Begin(Row),
}

/// Rows by when they begin, and the ends of frames. Of one time, ends come first, then rows as they
/// are in the record.
#[derive(Debug)]
pub struct Order<'a> {
    sent: &'a [SentFrame],
    /// No row begins longer than this before its time.
    longest_ns: u64,
    waiting: BinaryHeap<Reverse<Waiting>>,
    added: u64,
}

impl Order<'_> {
    /// Nothing of `events` yet.
    pub fn new(events: &Events) -> Order<'_> {
        let longest = events.sent.iter().map(|sent| sent.airtime_ns).max();
        Order {
            sent: &events.sent,
            longest_ns: longest.map_or(0, u64::from),
            waiting: BinaryHeap::new(),
            added: 0,
        }
    }

    /// Adds the next row of the record.
    pub fn add(&mut self, row: Row) {
        let length_ns = match row.happening {
            Happening::Receive | Happening::Miss => self.sent[row.frame as usize].airtime_ns,
            _ => 0,
        };
        let time_ns = row.time_ns.saturating_sub(u64::from(length_ns));
        self.added += 1;
        self.push((time_ns, self.added), Moment::Begin(row));
    }

    /// Adds that the slice on `track` ends.
    pub fn end(&mut self, time_ns: u64, track: Uuid) {
        self.push((time_ns, 0), Moment::End(track));
    }

    fn push(&mut self, key: (u64, u64), moment: Moment) {
        self.waiting.push(Reverse(Waiting { key, moment }));
    }

    /// The next moment and its time \[ns\], if none before it can follow from rows not before
    /// `now_ns`.
    pub fn next(&mut self, now_ns: u64) -> Option<(u64, Moment)> {
        let Reverse(Waiting { key: (time_ns, _), .. }) = self.waiting.peek()?;
        match time_ns.saturating_add(self.longest_ns) < now_ns || now_ns == u64::MAX {
            true => self.waiting.pop().map(|Reverse(first)| (first.key.0, first.moment)),
            false => None,
        }
    }
}

/// A moment and when it is: its time, and its place among those of that time.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    key: (u64, u64),
    moment: Moment,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Waiting) -> bool {
        self.key == other.key
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Waiting) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::note::{Note, Subject};
    use crate::kernel::Instant;
    use crate::wire::{FrameKind, NodeId};

    #[test]
    fn a_frame_begins_before_what_happens_meanwhile_and_ends_before_what_happens_then() {
        let kind = FrameKind::Rts;
        let packet = Subject::NOTHING;
        let frame = SentFrame { transmitter: NodeId(0), packet, airtime_ns: 500, kind };
        let events = Events { sent: vec![frame], ..Events::default() };
        let mut order = Order::new(&events);
        let rows = [
            (100, Happening::Mac),
            (900, Happening::Mac),
            (1000, Happening::Mac),
            (1000, Happening::Receive),
        ];
        for (ns, happening) in rows {
            let note = Note::new(Instant::from_nanos(ns), happening, NodeId(1), 0);
            order.add(frame.row(&note));
        }
        assert!(order.next(600).is_none(), "a frame could still begin before");
        let mut moments = Vec::new();
        while let Some((ns, moment)) = order.next(u64::MAX) {
            let begun = match moment {
                Moment::Begin(row) => Some(row.happening),
                Moment::End(_) => None,
            };
            moments.push((ns, begun));
            if begun == Some(Happening::Receive) {
                order.end(ns + 500, Uuid(1));
            }
        }
        let mac = Some(Happening::Mac);
        let receive = Some(Happening::Receive);
        assert_eq!(moments, [(100, mac), (500, receive), (900, mac), (1000, None), (1000, mac)]);
    }
}
