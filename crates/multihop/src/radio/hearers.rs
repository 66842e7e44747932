//! Which nodes hear a transmission, in static and in mobile networks.

use super::Position;
use super::cuts::Cuts;
use super::moving_neighbours::MovingNeighbours;
use super::neighbours::{Neighbour, Neighbours};
use crate::kernel::Instant;
use crate::wire::NodeId;

/// The nodes that hear each transmission. Call [`Hearers::update`] when it starts; as long as it is
/// on the air, the other methods tell which nodes sense or decode it.
#[derive(Debug)]
pub enum Hearers {
    /// A static network: always the sender's neighbours.
    Static(Neighbours),
    /// Moving nodes: those within range when the transmission started.
    Moving(Box<MovingNeighbours>),
}

impl Hearers {
    /// From now on no signal passes `cuts`. `whole` keeps a static network as it is without any.
    pub fn cut(&mut self, cuts: &Cuts, whole: &mut Option<Neighbours>) {
        match self {
            Hearers::Static(neighbours) => {
                let left = whole.as_ref().unwrap_or(neighbours).without(cuts);
                let before = std::mem::replace(neighbours, left);
                whole.get_or_insert(before);
            }
            Hearers::Moving(neighbours) => neighbours.cut(cuts),
        }
    }

    /// `sender` starts transmission `number` at `now`, never earlier than the previous one. A
    /// number can be reused once its transmission is over.
    #[inline]
    pub fn update(&mut self, sender: NodeId, number: u32, now: Instant) {
        if let Hearers::Moving(neighbours) = self {
            neighbours.update(sender, number, now);
        }
    }

    /// The nodes that sense transmission `number` of `sender`, nearest first.
    #[inline]
    pub fn sensing(&self, sender: NodeId, number: u32) -> &[Neighbour] {
        match self {
            Hearers::Static(neighbours) => neighbours.sensing(sender),
            Hearers::Moving(neighbours) => neighbours.sensing(number),
        }
    }

    /// The nodes that can decode transmission `number` of `sender`, and those that only sense it,
    /// each nearest first.
    #[inline]
    pub fn near_and_far(&self, sender: NodeId, number: u32) -> (&[Neighbour], &[Neighbour]) {
        match self {
            Hearers::Static(neighbours) => neighbours.near_and_far(sender),
            Hearers::Moving(neighbours) => neighbours.near_and_far(number),
        }
    }

    /// The nodes that can decode transmission `number` of `sender`: a prefix of
    /// [`Hearers::sensing`].
    #[inline]
    pub fn decoding(&self, sender: NodeId, number: u32) -> &[Neighbour] {
        match self {
            Hearers::Static(neighbours) => neighbours.decoding(sender),
            Hearers::Moving(neighbours) => neighbours.decoding(number),
        }
    }

    /// Whether `node` is close enough to `sender` to decode it at `now`, never earlier than in the
    /// last call of [`Hearers::update`].
    pub fn is_in_reach(&mut self, sender: NodeId, node: NodeId, now: Instant) -> bool {
        match self {
            Hearers::Static(neighbours) => {
                neighbours.decoding(sender).iter().any(|neighbour| neighbour.node == node)
            }
            Hearers::Moving(neighbours) => neighbours.is_in_reach(sender, node, now),
        }
    }

    /// The mean power \[W\] at `node` of what `sender` sends at `now`, never earlier than in the
    /// last call of [`Hearers::update`]; none if it does not count there.
    pub fn power_w(&mut self, sender: NodeId, node: NodeId, now: Instant) -> Option<f64> {
        match self {
            Hearers::Static(neighbours) => {
                let mut heard = neighbours.sensing(sender).iter();
                heard.find(|neighbour| neighbour.node == node).map(|neighbour| neighbour.power_w)
            }
            Hearers::Moving(neighbours) => neighbours.power_w(sender, node, now),
        }
    }

    /// The nodes that would decode a transmission of `node` at `now`, never earlier than in the
    /// last call of this or of [`Hearers::update`].
    pub fn decoding_at(&mut self, node: NodeId, now: Instant) -> Vec<NodeId> {
        match self {
            Hearers::Static(neighbours) => nodes(neighbours.decoding(node)),
            Hearers::Moving(neighbours) => {
                let (mut sensing, decoding) = neighbours.hearers_at(node, now);
                sensing.truncate(decoding);
                sensing
            }
        }
    }

    /// As [`Hearers::decoding_at`], for the nodes that would sense it.
    pub fn sensing_at(&mut self, node: NodeId, now: Instant) -> Vec<NodeId> {
        match self {
            Hearers::Static(neighbours) => nodes(neighbours.sensing(node)),
            Hearers::Moving(neighbours) => neighbours.hearers_at(node, now).0,
        }
    }

    /// The neighbours of every node at `now`, never earlier than in the last call of this
    /// or of [`Hearers::update`].
    pub fn neighbours_at(&mut self, now: Instant) -> &Neighbours {
        match self {
            Hearers::Static(neighbours) => neighbours,
            Hearers::Moving(neighbours) => neighbours.snapshot(now),
        }
    }

    /// Where all nodes are at `now`, never earlier than in the last call of this or of
    /// [`Hearers::update`]; none in a static network.
    pub fn positions_at(&mut self, now: Instant) -> Option<Vec<Position>> {
        match self {
            Hearers::Static(_) => None,
            Hearers::Moving(neighbours) => Some(neighbours.positions_at(now)),
        }
    }
}

fn nodes(neighbours: &[Neighbour]) -> Vec<NodeId> {
    neighbours.iter().map(|neighbour| neighbour.node).collect()
}
