//! What a rule for contention windows says, and what it is told.

use std::fmt::Debug;

use crate::mac::timing::Timing;
use crate::measure::Counts;
use crate::wire::{Frame, NodeId, Notice, Packet};

/// How a station's contention window follows backlogs.
pub trait WindowRule: Debug + Send + Sync {
    /// The name in `mac.access`, by which its counts are reported.
    fn name(&self) -> &'static str;

    /// Whose backlog `packet`, which goes to `next_hop`, is part of: by default that of the next
    /// hop.
    fn key(&self, next_hop: NodeId, _packet: &Packet) -> NodeId {
        next_hop
    }

    /// The windows for data over `link`, which are `usual` in the DCF.
    fn windows(&self, link: Link, usual: Windows) -> Windows;

    /// Packets that leave in one turn over `link`, on the mean.
    fn packets_a_turn(&self, _: Link) -> f64 {
        1.0
    }

    /// The packets of the smallest rank leave the queue first.
    fn rank(&self, _: Link) -> u64 {
        0
    }

    /// What a data frame tells of the backlog that its packet is part of.
    fn tells(&self, _backlog: u32) -> Notice {
        Notice::None
    }

    /// A data frame with `packet` is sent to `next_hop`, for the first time or again.
    fn on_sent(&mut self, _next_hop: NodeId, _packet: &Packet) {}

    /// `frame`, data for another station, was overheard; it brings `packet`.
    fn on_overheard(&mut self, _frame: &Frame, _packet: &Packet) {}

    /// Adds what it has counted.
    fn report(&self, _: &mut Counts) {}
}

/// A link and what waits for it, as its sender knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its receiver.
    pub next_hop: NodeId,
    /// Where the packet in service ends its way.
    pub destination: NodeId,
    /// Data packets with the same [`WindowRule::key`], the one in service included.
    pub backlog: u32,
}

/// Contention windows \[slots\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// Of a first attempt.
    pub least: u32,
    /// Of the last one.
    pub most: u32,
}

impl Windows {
    /// Those of a DCF with this timing.
    pub fn of(timing: &Timing) -> Windows {
        Windows { least: timing.cw_min, most: timing.cw_max }
    }
}

/// What a MAC has to be told, beyond what every MAC is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// What waits in its queue.
    pub backlog: bool,
    /// Data frames between other stations.
    pub overhearing: bool,
    /// Which packet leaves the queue next is theirs to say.
    pub order: bool,
}
