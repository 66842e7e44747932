//! The copies of a request that its target collects (section III-A).

use super::selection::Candidate;
use crate::wire::NodeId;
use crate::wire::dsr::{Replaces, Request};

/// The copies of one request.
#[derive(Debug)]
pub struct Collection {
    /// The originator of the request.
    pub originator: NodeId,
    /// The number of the request.
    pub id: u32,
    /// The path that the originator wants to replace; none if it wants a pair of paths.
    pub replaces: Option<Replaces>,
    /// The paths of the copies, in order of arrival.
    pub candidates: Vec<Candidate>,
}

impl Collection {
    /// Starts with the first copy.
    pub fn new(first: &Request) -> Collection {
        let Request { id, replaces, .. } = *first;
        let mut collection =
            Collection { originator: first.path[0], id, replaces, candidates: Vec::new() };
        collection.add(first);
        collection
    }

    /// Adds a copy, if it is the first from its previous node.
    pub fn add(&mut self, copy: &Request) {
        let previous = |path: &[NodeId]| path.last().copied();
        let is_known = |known: &Candidate| previous(&known.asked) == previous(&copy.path);
        if !self.candidates.iter().any(is_known) {
            let candidate =
                Candidate { asked: copy.path[..].into(), contention: copy.gathered.clone() };
            self.candidates.push(candidate);
        }
    }
}
