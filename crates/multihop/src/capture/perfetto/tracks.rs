//! Tracks and their groups, each written when it is first used.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use super::format::{CHILDREN_BY_RANK, CounterDescriptor, TrackDescriptor, Uuid};
use super::packets::Packets;
use crate::capture::Called;
use crate::wire::NodeId;

/// A track, or a group of tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Track {
    /// The group of all flows.
    Flows,
    /// The group of all nodes.
    Nodes,
    /// The group of a flow.
    Flow(u32),
    /// The group of a node.
    Node(u32),
    /// Of a flow.
    OfFlow(u32, FlowTrack),
    /// Of a node; the lane tells tracks apart that look like one.
    OfNode(u32, NodeTrack, u32),
}

/// A flow's tracks, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlowTrack {
    Sender,
    Events,
    Cwnd,
    Ssthresh,
    SmoothedRtt,
    Rto,
    Deliveries,
}

/// A node's tracks, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeTrack {
    Frames,
    Lost,
    Mac,
    ContentionWindow,
    Backoff,
    Queue,
    Events,
}

/// The tracks so far.
#[derive(Debug)]
pub struct Tracks<'a> {
    /// Source and destination of each flow.
    flows: &'a [(NodeId, NodeId)],
    called: &'a Called,
    known: FxHashMap<Track, Uuid>,
}

impl<'a> Tracks<'a> {
    /// None yet; `flows` are their sources and destinations.
    pub fn new(flows: &'a [(NodeId, NodeId)], called: &'a Called) -> Tracks<'a> {
        Tracks { flows, called, known: FxHashMap::default() }
    }

    /// The track, which is written if it is new.
    #[inline]
    pub fn uuid(&mut self, track: Track, packets: &mut Packets<impl Write>) -> io::Result<Uuid> {
        match self.known.get(&track) {
            Some(&uuid) => Ok(uuid),
            None => self.add(track, packets),
        }
    }

    #[cold]
    fn add(&mut self, track: Track, packets: &mut Packets<impl Write>) -> io::Result<Uuid> {
        let (group, name, unit) = self.description(track);
        let parent = match group {
            Some((group, rank)) => Some((self.uuid(group, packets)?, rank)),
            None => None,
        };
        let uuid = Uuid(self.known.len() as u64 + 1);
        let is_group = !matches!(track, Track::OfFlow(..) | Track::OfNode(..));
        packets.track(TrackDescriptor {
            uuid: uuid.0,
            name,
            parent_uuid: parent.map(|(parent, _)| parent.0),
            counter: unit.map(|unit| CounterDescriptor { unit_name: unit.to_owned() }),
            child_ordering: is_group.then_some(CHILDREN_BY_RANK),
            sibling_order_rank: parent.map(|(_, rank)| rank as i32),
        })?;
        self.known.insert(track, uuid);
        Ok(uuid)
    }

    /// Its group and its place in it, its name, and its unit if it is a counter.
    fn description(&self, track: Track) -> (Option<(Track, u32)>, String, Option<&'static str>) {
        match track {
            Track::Flows => (None, "flows".to_owned(), None),
            Track::Nodes => (None, "nodes".to_owned(), None),
            Track::Flow(flow) => {
                let mut name = self.called.flow(flow);
                if let Some(&(source, destination)) = self.flows.get(flow as usize) {
                    let ends = [source, destination].map(|end| self.called.node(end));
                    name += &format!(": {}", ends.join(" → "));
                }
                (Some((Track::Flows, flow)), name, None)
            }
            Track::Node(node) => (
                Some((Track::Nodes, node)),
                format!("node {}", self.called.station(NodeId(node))),
                None,
            ),
            Track::OfFlow(flow, track) => {
                let (name, unit) = match track {
                    FlowTrack::Sender => ("sender", None),
                    FlowTrack::Events => ("events", None),
                    FlowTrack::Cwnd => ("cwnd", Some("segments")),
                    FlowTrack::Ssthresh => ("ssthresh", Some("segments")),
                    FlowTrack::SmoothedRtt => ("smoothed RTT", Some("s")),
                    FlowTrack::Rto => ("RTO", Some("s")),
                    FlowTrack::Deliveries => ("deliveries", None),
                };
                (Some((Track::Flow(flow), track as u32)), name.to_owned(), unit)
            }
            Track::OfNode(node, track, _) => {
                let (name, unit) = match track {
                    NodeTrack::Frames => ("frames", None),
                    NodeTrack::Lost => ("lost frames", None),
                    NodeTrack::Mac => ("MAC", None),
                    NodeTrack::ContentionWindow => ("contention window", Some("slots")),
                    NodeTrack::Backoff => ("backoff", Some("slots")),
                    NodeTrack::Queue => ("queue", Some("packets")),
                    NodeTrack::Events => ("events", None),
                };
                (Some((Track::Node(node), track as u32)), name.to_owned(), unit)
            }
        }
    }
}
