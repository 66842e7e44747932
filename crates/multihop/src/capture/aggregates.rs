//! A-MPDUs in the record: each of their frames is sent, received and lost by itself, one after the
//! other.
//!
//! The first of them takes the preamble's time and the last that of the padding, so that together
//! they take as long as the A-MPDU.

use super::note::{Note, SentFrame};
use super::pcap::Place;
use super::row::{Detail, Happening};
use super::{Capture, TRAVEL};
use crate::kernel::{Duration, Instant};
use crate::wire::{Aggregate, Frame, FrameKind, Mpdu, MpduSet, NodeId, Payload};

impl Capture {
    /// `frame` with `aggregate` in it is sent at `now` for `airtime`.
    #[cold]
    pub(super) fn on_aggregate(
        &mut self,
        now: Instant,
        frame: &Frame,
        aggregate: &Aggregate,
        airtime: Duration,
    ) {
        let first = self.sent.len() as u32;
        let is_in_time = now < self.to && now + airtime + TRAVEL >= self.from;
        let last = aggregate.mpdus.len() - 1;
        let mut ends = Vec::new();
        let mut begin = Duration::ZERO;
        for (place, Mpdu { sequence, attempts, end, packet }) in aggregate.mpdus.iter().enumerate()
        {
            let end = if place == last { airtime } else { *end };
            let subject = self.subject(packet);
            let mpdu = Frame {
                kind: FrameKind::Data,
                sequence: *sequence,
                payload: Some(Box::new(Payload::Packet(packet.clone()))),
                ..*frame
            };
            let note = self.note_sent(now + begin, &mpdu, subject, end - begin);
            // What is sent in the meantime is noted before.
            self.late.extend(note);
            let is_chosen = is_in_time && self.is_of(subject.flow);
            if let Some(encoder) = &mut self.encoder {
                let place = Place { first, is_first: place == 0, is_last: place == last };
                match is_chosen {
                    true => encoder.add_part(&mpdu, end - begin, subject.packet, *attempts, place),
                    false => encoder.skip(&mpdu),
                }
            }
            ends.push(end);
            begin = end;
        }
        self.aggregates.insert(first, ends);
    }

    /// `node` has received of the A-MPDU that begins with frame `first` what is marked in
    /// `aggregate`. It lost the rest to frame `by`, or where `by` has no bit to noise.
    #[cold]
    pub fn on_aggregate_reception(
        &mut self,
        now: Instant,
        node: NodeId,
        (first, by): (u32, Option<(u32, MpduSet)>),
        aggregate: &Aggregate,
    ) {
        for (frame, at) in self.parts(first, now) {
            let place = frame - first;
            let miss = Note::new(at, Happening::Miss, node, frame);
            let note = match by.filter(|(_, lost)| lost.has(place)) {
                _ if aggregate.has(place) => Note::new(at, Happening::Receive, node, frame),
                None => Note { detail: Detail::OutOfRange, ..miss },
                Some((by, _)) => Note { detail: Detail::Collided, extent: by, ..miss },
            };
            let SentFrame { packet, .. } = self.sent[frame as usize];
            if self.is_wanted(at, node, packet.flow, note.happening) {
                self.late.push(note);
            }
        }
    }

    /// The same notes, where those about an A-MPDU are about each of its frames.
    pub(super) fn one_by_one(&self, notes: Vec<Note>) -> Vec<Note> {
        if self.aggregates.is_empty() {
            return notes;
        }
        let each = |note: Note| {
            let parts = self.parts(note.subject, note.at);
            parts.into_iter().map(move |(subject, at)| Note { subject, at, ..note })
        };
        notes.into_iter().flat_map(each).collect()
    }

    /// The frames of the A-MPDU that begins with `first` and has arrived at `now`, and when each
    /// did; a frame by itself alone.
    fn parts(&self, first: u32, now: Instant) -> Vec<(u32, Instant)> {
        let Some(ends) = self.aggregates.get(&first) else { return vec![(first, now)] };
        let airtime = ends.last().copied().unwrap_or_default();
        (first..).zip(ends).map(|(frame, &end)| (frame, now - (airtime - end))).collect()
    }
}
