//! Frames as slices, at their transmitters and at those who receive or lose them.

use std::io::{self, Write};

use super::arrows::Arrows;
use super::format::Type;
use super::format::Uuid;
use super::lanes::Lanes;
use super::names::{FrameName, Name};
use super::packets::Packets;
use super::tracks::{NodeTrack, Track, Tracks};
use crate::capture::Events;
use crate::capture::note::SentFrame;
use crate::capture::row::{Happening, Row};

/// Writes frames.
#[derive(Debug)]
pub struct Frames<'a> {
    sent: &'a [SentFrame],
    arrows: Arrows,
    lanes: Lanes<(u32, NodeTrack)>,
}

impl Frames<'_> {
    /// Writes those of `events`.
    pub fn new(events: &Events) -> Frames<'_> {
        Frames { sent: &events.sent, arrows: Arrows::new(events), lanes: Lanes::default() }
    }

    /// Begins the slice of a frame that is sent, received or lost from `time_ns` on; its track, and
    /// when it ends.
    pub fn begin(
        &mut self,
        time_ns: u64,
        row: &Row,
        packets: &mut Packets<impl Write>,
        tracks: &mut Tracks<'_>,
    ) -> io::Result<(Uuid, u64)> {
        let frame = &self.sent[row.frame as usize];
        let end_ns = time_ns + u64::from(frame.airtime_ns);
        let called = |frame: &SentFrame| {
            FrameName::of(frame, packets.content(frame.packet.content, frame.packet.named))
        };
        let is_lost = row.happening == Happening::Miss;
        let (track, name) = match is_lost {
            true => {
                let by = self.sent.get(row.extent as usize).map(called);
                (NodeTrack::Lost, Name::Lost(called(frame), row.detail, by))
            }
            false => (NodeTrack::Frames, Name::Frame(called(frame))),
        };
        // A node that sends does not receive, and receives one frame at a time; it may lose several
        // at once.
        let lane = self.lanes.take((row.node, track), time_ns, end_ns);
        let uuid = tracks.uuid(Track::OfNode(row.node, track, lane), packets)?;
        let event = packets.event(Type::SliceBegin, uuid, name).packet_of(row);
        if is_lost {
            event.number("by_frame", row.extent);
        } else if row.happening == Happening::Transmit {
            event.begin_arrows(self.arrows.begin(row.frame));
        } else {
            event.end_arrow(self.arrows.end(row.frame));
        }
        event.write(time_ns)?;
        Ok((uuid, end_ns))
    }
}
