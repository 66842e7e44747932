//! Who hears a transmission, whether nodes stand or move.

use super::Position;
use super::moving_neighbours::MovingNeighbours;
use super::neighbours::{Neighbour, Neighbours};
use crate::kernel::Instant;
use crate::wire::NodeId;

/// Who hears each transmission: call [`Hearers::update`] when it starts, then ask for those who sense or
/// decode it as long as it is on the air.
#[derive(Debug)]
pub enum Hearers {
    /// Nodes stand: always the sender's neighbours.
    Standing(Neighbours),
    /// Nodes move: those within range when it started.
    Moving(Box<MovingNeighbours>),
}

impl Hearers {
    /// `sender` starts transmission `number` at `now`, never earlier than the one before. A number can
    /// be used again when its transmission is over.
    #[inline]
    pub fn update(&mut self, sender: NodeId, number: u32, now: Instant) {
        if let Hearers::Moving(neighbours) = self {
            neighbours.update(sender, number, now);
        }
    }

    /// Everyone who senses transmission `number` of `sender`, nearest first.
    #[inline]
    pub fn sensing(&self, sender: NodeId, number: u32) -> &[Neighbour] {
        match self {
            Hearers::Standing(neighbours) => neighbours.sensing(sender),
            Hearers::Moving(neighbours) => neighbours.sensing(number),
        }
    }

    /// Everyone who can decode transmission `number` of `sender`: the first of [`Hearers::sensing`].
    #[inline]
    pub fn decoding(&self, sender: NodeId, number: u32) -> &[Neighbour] {
        match self {
            Hearers::Standing(neighbours) => neighbours.decoding(sender),
            Hearers::Moving(neighbours) => neighbours.decoding(number),
        }
    }

    /// Whether `node` is close enough to `sender` to decode it at `now`, never earlier than in the last
    /// call of [`Hearers::update`].
    pub fn is_in_reach(&mut self, sender: NodeId, node: NodeId, now: Instant) -> bool {
        match self {
            Hearers::Standing(neighbours) => {
                neighbours.decoding(sender).iter().any(|neighbour| neighbour.node == node)
            }
            Hearers::Moving(neighbours) => neighbours.is_in_reach(sender, node, now),
        }
    }

    /// Who would decode a transmission of `node` at `now`, never earlier than in the last call of this
    /// or of [`Hearers::update`].
    pub fn decoding_at(&mut self, node: NodeId, now: Instant) -> Vec<NodeId> {
        match self {
            Hearers::Standing(neighbours) => nodes(neighbours.decoding(node)),
            Hearers::Moving(neighbours) => {
                let (mut sensing, decoding) = neighbours.hearers_at(node, now);
                sensing.truncate(decoding);
                sensing
            }
        }
    }

    /// As [`Hearers::decoding_at`], but who would sense it.
    pub fn sensing_at(&mut self, node: NodeId, now: Instant) -> Vec<NodeId> {
        match self {
            Hearers::Standing(neighbours) => nodes(neighbours.sensing(node)),
            Hearers::Moving(neighbours) => neighbours.hearers_at(node, now).0,
        }
    }

    /// Who would hear a transmission of each node at `now`, never earlier than in the last call of this
    /// or of [`Hearers::update`].
    pub fn neighbours_at(&mut self, now: Instant) -> &Neighbours {
        match self {
            Hearers::Standing(neighbours) => neighbours,
            Hearers::Moving(neighbours) => neighbours.snapshot(now),
        }
    }

    /// Where all nodes are at `now`, never earlier than in the last call of this or of
    /// [`Hearers::update`]; none if they stand where they started.
    pub fn positions_at(&mut self, now: Instant) -> Option<Vec<Position>> {
        match self {
            Hearers::Standing(_) => None,
            Hearers::Moving(neighbours) => Some(neighbours.positions_at(now)),
        }
    }
}

fn nodes(neighbours: &[Neighbour]) -> Vec<NodeId> {
    neighbours.iter().map(|neighbour| neighbour.node).collect()
}
