//! A record of events as a timeline that the Perfetto viewer opens.
//!
//! Every node and every flow has a group of tracks. Frames, and the states of MACs and senders, are
//! slices; an arrow leads from a frame as it is sent to the frame as it is received. Queues and
//! windows are counters, and what takes no time is an instant. A slice is written when it begins,
//! though the record has the end of a frame alone: `order.rs` puts that right.
//!
//! The format is Perfetto's protobuf for traces (`TracePacket`, with `TrackDescriptor` and
//! `TrackEvent`).

mod arrows;
mod format;
mod frames;
mod instants;
mod lanes;
mod levels;
mod names;
mod order;
mod packets;
mod tracks;

use std::io::{self, Write};

use super::Events;
use super::row::Happening;
use frames::Frames;
use levels::Levels;
use order::{Moment, Order};
use packets::Packets;
use tracks::Tracks;

impl Events {
    /// Writes them as a timeline.
    ///
    /// # Errors
    /// If `file` can't be written.
    pub fn write_perfetto(&self, file: impl Write) -> io::Result<()> {
        let mut timeline = Timeline {
            packets: Packets::new(file, &self.messages),
            tracks: Tracks::new(&self.flows, &self.called),
            frames: Frames::new(self),
            levels: Levels::new(self),
        };
        let mut order = Order::new(self);
        let mut end = 0;
        for row in self.rows_of_stations() {
            order.add(row);
            while let Some((time_ns, moment)) = order.next(row.time_ns) {
                timeline.write(time_ns, moment, &mut order)?;
                end = time_ns;
            }
        }
        while let Some((time_ns, moment)) = order.next(u64::MAX) {
            timeline.write(time_ns, moment, &mut order)?;
            end = time_ns;
        }
        timeline.levels.close(end, &mut timeline.packets)?;
        timeline.packets.finish()
    }
}

/// What of the timeline is there so far.
#[derive(Debug)]
struct Timeline<'a, W> {
    packets: Packets<'a, W>,
    tracks: Tracks<'a>,
    frames: Frames<'a>,
    levels: Levels<'a>,
}

impl<W: Write> Timeline<'_, W> {
    fn write(&mut self, time_ns: u64, moment: Moment, order: &mut Order) -> io::Result<()> {
        let Timeline { packets, tracks, frames, levels } = self;
        let row = match moment {
            Moment::End(track) => return packets.end(time_ns, track),
            Moment::Begin(row) => row,
        };
        match row.happening {
            Happening::Transmit | Happening::Receive | Happening::Miss => {
                let (track, end) = frames.begin(time_ns, &row, packets, tracks)?;
                order.end(end, track);
                Ok(())
            }
            Happening::Mac => levels.mac(&row, packets, tracks),
            Happening::Enqueue | Happening::Serve | Happening::Queue => {
                levels.queue(&row, packets, tracks)
            }
            Happening::Tcp => {
                levels.sender(&row, packets, tracks)?;
                instants::of_sender(&row, packets, tracks)
            }
            Happening::Route | Happening::Send => Ok(()),
            _ => instants::of_packet(&row, packets, tracks),
        }
    }
}

#[cfg(test)]
mod tests;
