//! The copies of a request that a node collects before it processes the best one.

use rustc_hash::FxHashMap;

use crate::kernel::{Duration, Instant};
use crate::routing::aodv::policy::Copy;
use crate::wire::NodeId;
use crate::wire::aodv::Request;

/// A request's originator and number.
pub type RequestId = (NodeId, u32);

/// The number of `request`.
pub fn id_of(request: &Request) -> RequestId {
    (request.originator, request.id)
}

/// The copies of one request at one node.
#[derive(Debug)]
pub struct Collection {
    /// This node's weight in this discovery: its weight at the first copy.
    pub weight: u32,
    /// The lightest copy; the earliest of equal ones.
    pub best: Copy,
    /// Whether the best copy has been processed.
    pub closed: bool,
    /// Later copies processed.
    pub improvements: u32,
    started: Instant,
}

/// The collections of one node.
#[derive(Debug, Default)]
pub struct Collections {
    of: FxHashMap<RequestId, Collection>,
}

impl Collections {
    /// The collection of request `id`, if a copy arrived recently.
    pub fn get_mut(&mut self, id: RequestId) -> Option<&mut Collection> {
        self.of.get_mut(&id)
    }

    /// Starts a collection with the `first` copy, at a node of this `weight`; forgets collections
    /// older than `life`.
    pub fn start(&mut self, now: Instant, life: Duration, weight: u32, first: Copy) {
        self.of.retain(|_, collection| collection.started + life > now);
        let collection =
            Collection { weight, best: first, closed: false, improvements: 0, started: now };
        self.of.insert(id_of(&first.request), collection);
    }
}

impl Collection {
    /// The best copy, as this node forwards it.
    pub fn stamped(&self) -> Copy {
        let mut copy = self.best;
        copy.request.transmitter_metric = self.weight;
        copy
    }
}
