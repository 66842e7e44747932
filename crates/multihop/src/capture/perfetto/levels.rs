//! What lasts until it changes: states as slices, numbers as counters.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use super::format::Type;
use super::format::Uuid;
use super::names::Name;
use super::packets::Packets;
use super::tracks::{FlowTrack, NodeTrack, Track, Tracks};
use crate::capture::Events;
use crate::capture::row::{Row, SenderState, State};

/// The states and numbers of nodes and flows.
#[derive(Debug)]
pub struct Levels<'a> {
    senders: &'a [SenderState],
    states: FxHashMap<Uuid, State>,
    numbers: FxHashMap<Uuid, u32>,
}

impl Levels<'_> {
    /// Those of `events`, before the first.
    pub fn new(events: &Events) -> Levels<'_> {
        Levels {
            senders: &events.senders,
            states: FxHashMap::default(),
            numbers: FxHashMap::default(),
        }
    }

    /// The MAC of a node comes into another state. An idle one is left blank.
    pub fn mac(
        &mut self,
        row: &Row,
        packets: &mut Packets<impl Write>,
        tracks: &mut Tracks<'_>,
    ) -> io::Result<()> {
        let uuid = tracks.uuid(Track::OfNode(row.node, NodeTrack::Mac, 0), packets)?;
        let state = if row.state == State::Idle { State::None } else { row.state };
        if self.is_new_state(row.time_ns, uuid, state, packets)? {
            let slice = packets.event(Type::SliceBegin, uuid, Name::Word(state.word()));
            slice.number("retries", row.number).number("cw_slots", row.extent);
            slice.write(row.time_ns)?;
        }
        let window = Track::OfNode(row.node, NodeTrack::ContentionWindow, 0);
        self.count(row.time_ns, row.extent, window, packets, tracks)?;
        let backoff = Track::OfNode(row.node, NodeTrack::Backoff, 0);
        self.count(row.time_ns, row.backoff, backoff, packets, tracks)
    }

    /// The queue of a node has another length.
    pub fn queue(
        &mut self,
        row: &Row,
        packets: &mut Packets<impl Write>,
        tracks: &mut Tracks<'_>,
    ) -> io::Result<()> {
        let track = Track::OfNode(row.node, NodeTrack::Queue, 0);
        self.count(row.time_ns, row.extent, track, packets, tracks)
    }

    /// A sender has been called.
    pub fn sender(
        &mut self,
        row: &Row,
        packets: &mut Packets<impl Write>,
        tracks: &mut Tracks<'_>,
    ) -> io::Result<()> {
        let uuid = tracks.uuid(Track::OfFlow(row.flow, FlowTrack::Sender), packets)?;
        if self.is_new_state(row.time_ns, uuid, row.state, packets)? {
            let slice = packets.event(Type::SliceBegin, uuid, Name::Word(row.state.word()));
            slice.word("cause", row.detail.word()).write(row.time_ns)?;
        }
        let sender = &self.senders[row.extent as usize];
        let values = [
            (FlowTrack::Cwnd, sender.cwnd),
            (FlowTrack::Ssthresh, sender.ssthresh),
            (FlowTrack::SmoothedRtt, sender.srtt_s),
            (FlowTrack::Rto, sender.rto_s),
        ];
        for (track, value) in values {
            if !value.is_finite() {
                continue;
            }
            let uuid = tracks.uuid(Track::OfFlow(row.flow, track), packets)?;
            if self.numbers.insert(uuid, value.to_bits()) != Some(value.to_bits()) {
                packets.measure(row.time_ns, uuid, value)?;
            }
        }
        Ok(())
    }

    /// Ends the slices that are open.
    pub fn close(&self, end_ns: u64, packets: &mut Packets<impl Write>) -> io::Result<()> {
        let states = self.states.iter().filter(|&(_, state)| *state != State::None);
        let mut open: Vec<Uuid> = states.map(|(uuid, _)| *uuid).collect();
        open.sort_unstable();
        open.into_iter().try_for_each(|uuid| packets.end(end_ns, uuid))
    }

    /// Ends the slice of the last state, if the state is another; whether a slice begins.
    fn is_new_state(
        &mut self,
        time_ns: u64,
        uuid: Uuid,
        state: State,
        packets: &mut Packets<impl Write>,
    ) -> io::Result<bool> {
        let last = self.states.insert(uuid, state).unwrap_or(State::None);
        if last == state {
            return Ok(false);
        }
        if last != State::None {
            packets.end(time_ns, uuid)?;
        }
        Ok(state != State::None)
    }

    /// A whole number has this value.
    fn count(
        &mut self,
        time_ns: u64,
        value: u32,
        track: Track,
        packets: &mut Packets<impl Write>,
        tracks: &mut Tracks<'_>,
    ) -> io::Result<()> {
        let uuid = tracks.uuid(track, packets)?;
        match self.numbers.insert(uuid, value) != Some(value) {
            true => packets.count(time_ns, uuid, value),
            false => Ok(()),
        }
    }
}
