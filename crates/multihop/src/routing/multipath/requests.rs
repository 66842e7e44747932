//! The RREQ table: every copy of every request that arrived at a node, and how replies have used it
//! (Ye, Krishnamurthy and Tripathi, section II).
//!
//! A copy is a possible reverse hop towards the originator. A reply takes one, and the neighbour
//! that a reply comes from is deleted: so no link is on two paths of a discovery.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::kernel::{Duration, Instant};
use crate::wire::aodv::Request;
use crate::wire::{DiscoveryId, NodeId, RouteId};

/// The state of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// A reply can be sent to this neighbour.
    Free,
    /// This reply was sent to it.
    Taken(RouteId),
    /// The neighbour itself sent a reply.
    Deleted,
}

/// One copy of a request.
#[derive(Clone, Copy, Debug)]
struct RequestCopy {
    from: NodeId,
    /// Hops from the originator to here.
    hops: u8,
    used: Use,
}

/// What a node knows of one discovery.
#[derive(Debug)]
pub struct HeardRequest {
    /// When the first copy arrived.
    pub first_at: Instant,
    /// Hops of the first copy.
    pub first_hops: u8,
    /// Hops of the shortest copy.
    pub shortest_hops: u8,
    copies: SmallVec<[RequestCopy; 8]>,
    /// Replies that this node sent or forwarded.
    replies: SmallVec<[RouteId; 3]>,
    /// Of the destination's replies those that came back and found no other way.
    failed: u32,
}

impl HeardRequest {
    /// Number of copies that arrived.
    #[cfg(test)]
    pub fn copies(&self) -> usize {
        self.copies.len()
    }

    /// Number of replies that this node sent or forwarded.
    pub fn replies(&self) -> u32 {
        self.replies.len() as u32
    }

    /// How many replies of this node, the destination, may lead to the source.
    pub fn hopeful_replies(&self) -> u32 {
        self.replies() - self.failed
    }

    /// A reply of this node, the destination, leads nowhere.
    pub fn note_failed_reply(&mut self) {
        self.failed += 1;
    }

    /// Whether the reply `id` was here before.
    pub fn has_passed(&self, id: RouteId) -> bool {
        self.replies.contains(&id)
    }

    /// The reply that `neighbour` was sent, if any.
    pub fn sent_to(&self, neighbour: NodeId) -> Option<RouteId> {
        self.copies.iter().find_map(|copy| match copy.used {
            Use::Taken(id) if copy.from == neighbour => Some(id),
            _ => None,
        })
    }

    /// `neighbour` has sent a reply: other replies cannot be sent to it.
    pub fn delete(&mut self, neighbour: NodeId) {
        let mut copies = self.copies.iter_mut();
        if let Some(copy) = copies.find(|copy| copy.from == neighbour && copy.used == Use::Free) {
            copy.used = Use::Deleted;
        }
    }

    /// Takes the free copy with the fewest hops, the earliest of several, for reply `id`. Returns
    /// the neighbour to send the reply to.
    pub fn take_shortest(&mut self, id: RouteId) -> Option<NodeId> {
        let free = self.copies.iter_mut().filter(|copy| copy.used == Use::Free);
        let copy = free.min_by_key(|copy| copy.hops)?;
        copy.used = Use::Taken(id);
        self.replies.push(id);
        Some(copy.from)
    }

    /// Reply `id` could not go on from `neighbour`, which is no way back any more. Returns whether
    /// this node had sent it there.
    pub fn give_up(&mut self, id: RouteId, neighbour: NodeId) -> bool {
        let sent = |copy: &&mut RequestCopy| copy.from == neighbour && copy.used == Use::Taken(id);
        let copy = self.copies.iter_mut().find(sent);
        copy.is_some_and(|copy| {
            copy.used = Use::Deleted;
            true
        })
    }

    /// Takes another free way back for reply `id`, of `longest` hops at most.
    pub fn take_other(&mut self, id: RouteId, longest: u8) -> Option<NodeId> {
        let is_free = |copy: &&mut RequestCopy| copy.used == Use::Free && copy.hops <= longest;
        let copy = self.copies.iter_mut().filter(is_free).min_by_key(|copy| copy.hops)?;
        copy.used = Use::Taken(id);
        Some(copy.from)
    }

    /// Reply `id` does not go on from here: this node is not on its path.
    pub fn forget_reply(&mut self, id: RouteId) {
        self.replies.retain(|passed| *passed != id);
    }

    /// Takes the last copy for reply `id`.
    pub fn take_last(&mut self, id: RouteId) {
        if let Some(copy) = self.copies.last_mut() {
            copy.used = Use::Taken(id);
            self.replies.push(id);
        }
    }
}

/// The RREQ table of one node.
#[derive(Debug)]
pub struct RequestTable {
    life: Duration,
    heard: FxHashMap<DiscoveryId, HeardRequest>,
}

impl RequestTable {
    /// An empty table that keeps a discovery for `life`.
    pub fn new(life: Duration) -> RequestTable {
        RequestTable { life, heard: FxHashMap::default() }
    }

    /// Records a copy of `request` from neighbour `from`.
    pub fn record(&mut self, now: Instant, request: &Request, from: NodeId) -> &mut HeardRequest {
        let hops = request.hop_count;
        let id = DiscoveryId::of(request);
        if self.heard.get(&id).is_some_and(|heard| now - heard.first_at > self.life) {
            self.heard.remove(&id);
        }
        let heard = self.heard.entry(id).or_insert_with(|| HeardRequest {
            first_at: now,
            first_hops: hops,
            shortest_hops: hops,
            copies: SmallVec::new(),
            replies: SmallVec::new(),
            failed: 0,
        });
        heard.shortest_hops = heard.shortest_hops.min(hops);
        heard.copies.push(RequestCopy { from, hops, used: Use::Free });
        heard
    }

    /// The entry of a discovery, if it is still kept.
    pub fn get_mut(&mut self, now: Instant, id: DiscoveryId) -> Option<&mut HeardRequest> {
        self.heard.get_mut(&id).filter(|heard| now - heard.first_at <= self.life)
    }

    /// Removes expired discoveries.
    pub fn purge(&mut self, now: Instant) {
        self.heard.retain(|_, heard| now - heard.first_at <= self.life);
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::wire::aodv::SequenceNumber;

    /// A copy of request `id` from node 0 to node 9 after `hop_count` hops.
    pub fn copy(id: u32, hop_count: u8) -> Request {
        Request {
            hop_count,
            id,
            destination: NodeId(9),
            destination_sequence: SequenceNumber(0),
            originator: NodeId(0),
            originator_sequence: SequenceNumber(2),
            sent_at: Instant::ZERO,
            metric: 0,
            transmitter_metric: 0,
        }
    }

    fn at(seconds: f64) -> Instant {
        Instant::from_secs_f64(seconds)
    }

    #[test]
    fn replies_take_the_shortest_copies_that_are_left() {
        let mut table = RequestTable::new(Duration::from_secs(10));
        for (from, hops) in [(1, 4), (2, 3), (3, 3), (4, 5), (5, 2)] {
            table.record(at(1.0), &copy(7, hops), NodeId(from));
        }
        let id = |path| RouteId::new(DiscoveryId::of(&copy(7, 1)), path);
        let heard = table.get_mut(at(1.0), id(1).discovery()).unwrap();
        assert_eq!((heard.first_hops, heard.shortest_hops), (4, 2));
        heard.delete(NodeId(5));
        let taken: Vec<_> = (1..=5).map(|path| heard.take_shortest(id(path))).collect();
        let nodes = [Some(2), Some(3), Some(1), Some(4), None].map(|n: Option<u32>| n.map(NodeId));
        assert_eq!(taken, nodes);
        assert_eq!((heard.replies(), heard.sent_to(NodeId(3))), (4, Some(id(2))));
        assert!(heard.has_passed(id(4)) && !heard.has_passed(id(5)));
    }

    #[test]
    fn a_discovery_is_kept_for_its_lifetime() {
        let mut table = RequestTable::new(Duration::from_secs(10));
        let id = DiscoveryId::of(&copy(7, 1));
        table.record(at(1.0), &copy(7, 1), NodeId(1));
        assert!(table.get_mut(at(11.0), id).is_some());
        assert!(table.get_mut(at(11.1), id).is_none());
        table.record(at(12.0), &copy(7, 1), NodeId(2));
        assert_eq!(table.get_mut(at(12.0), id).map(|heard| heard.copies()), Some(1));
        table.purge(at(30.0));
        assert!(table.heard.is_empty());
    }
}
