//! The forwarding information of one node (IEEE Std 802.11-2012 section 13.10.8.4).

use std::collections::{BTreeMap, BTreeSet};

use super::frames::{Reason, Unreachable};
use crate::kernel::Instant;
use crate::wire::NodeId;
use crate::wire::aodv::SequenceNumber;

/// The metric of a path that is broken.
const BROKEN: u32 = u32::MAX;

/// What a node knows of the way to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The peer that it leads over.
    pub next_hop: NodeId,
    /// The destination's sequence number; none if only the link to it is known.
    pub sequence: Option<SequenceNumber>,
    /// What it costs.
    pub metric: u32,
    /// How many links it has.
    pub hops: u8,
    /// Until when it is active.
    pub until: Instant,
    /// The peers that send frames over it.
    pub precursors: BTreeSet<NodeId>,
}

/// A path that an element tells of.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// Where it leads.
    pub destination: NodeId,
    /// The peer that told it.
    pub next_hop: NodeId,
    /// The destination's sequence number.
    pub sequence: SequenceNumber,
    /// What it costs.
    pub metric: u32,
    /// How many links it has.
    pub hops: u8,
    /// Until when it lasts.
    pub until: Instant,
}

/// The paths of a node. What has been known of a destination is never forgotten: its sequence
/// number keeps old news out.
#[derive(Debug, Default)]
pub struct Paths {
    of: BTreeMap<NodeId, Path>,
    /// Paths that came, changed their next hop, or broke.
    pub changes: u64,
}

impl Paths {
    /// The path to `destination`, if it is active.
    pub fn active(&self, now: Instant, destination: NodeId) -> Option<&Path> {
        self.of.get(&destination).filter(|path| path.is_active(now))
    }

    /// What is known of `destination`, active or not.
    pub fn known(&self, destination: NodeId) -> Option<&Path> {
        self.of.get(&destination)
    }

    /// Takes `offer` if it is newer than what is known, or as new and better (section 13.10.8.4).
    /// What has expired is no reason to take a worse one: its next hop may lead here.
    pub fn take(&mut self, now: Instant, offer: &Offer) -> bool {
        let known = self.of.get(&offer.destination);
        let is_better = known.is_none_or(|path| match path.sequence {
            Some(sequence) if sequence == offer.sequence => offer.metric < path.metric,
            Some(sequence) => offer.sequence.is_newer_than(sequence),
            None => true,
        });
        if is_better {
            let Offer { next_hop, metric, hops, until, .. } = *offer;
            let sequence = Some(offer.sequence);
            let precursors = BTreeSet::new();
            let path = Path { next_hop, sequence, metric, hops, until, precursors };
            self.put(now, offer.destination, path);
        }
        is_better
    }

    /// An element came from peer `neighbour` over a link of this metric: it is the path to it if it
    /// is better than what is known.
    pub fn meet(&mut self, now: Instant, neighbour: NodeId, metric: u32, until: Instant) {
        let known = self.of.get(&neighbour);
        if known.is_none_or(|path| !path.is_active(now) || metric < path.metric) {
            let sequence = known.and_then(|path| path.sequence);
            let precursors = BTreeSet::new();
            let path = Path { next_hop: neighbour, sequence, metric, hops: 1, until, precursors };
            self.put(now, neighbour, path);
        }
    }

    /// Puts `path` in place of what is known; who uses it does so further on.
    fn put(&mut self, now: Instant, destination: NodeId, mut path: Path) {
        let before = self.of.remove(&destination);
        let active = before.as_ref().filter(|before| before.is_active(now));
        self.changes += u64::from(active.is_none_or(|before| before.next_hop != path.next_hop));
        path.until = active.map_or(path.until, |before| before.until.max(path.until));
        path.precursors = before.map(|before| before.precursors).unwrap_or_default();
        self.of.insert(destination, path);
    }

    /// The path to `destination` is in use: it lasts until `until` at least.
    pub fn refresh(&mut self, now: Instant, destination: NodeId, until: Instant) {
        if let Some(path) = self.of.get_mut(&destination).filter(|path| path.is_active(now)) {
            path.until = path.until.max(until);
        }
    }

    /// `precursor` sends frames over the path to `destination`.
    pub fn add_precursor(&mut self, destination: NodeId, precursor: NodeId) {
        if let Some(path) = self.of.get_mut(&destination) {
            path.precursors.insert(precursor);
        }
    }

    /// A path is sought to `destination`, whose last one has expired: what peers know by the number
    /// that it had may lead here.
    pub fn lapse(&mut self, now: Instant, destination: NodeId) {
        if let Some(path) = self.of.get_mut(&destination)
            && !path.is_active(now)
            && path.metric != BROKEN
        {
            path.break_down();
        }
    }

    /// The link to `neighbour` is gone, and with it every path over it. Returns each with its next
    /// sequence number, and the peers that sent frames over them.
    pub fn lose(
        &mut self,
        now: Instant,
        neighbour: NodeId,
    ) -> (Vec<Unreachable>, BTreeSet<NodeId>) {
        let over =
            |(_, path): &(&NodeId, &mut Path)| path.next_hop == neighbour && path.is_active(now);
        self.break_all(over, |_| {})
    }

    /// Peer `from` says that it does not reach `told`. Returns the paths that were over it so.
    pub fn believe(
        &mut self,
        now: Instant,
        from: NodeId,
        told: &[Unreachable],
    ) -> (Vec<Unreachable>, BTreeSet<NodeId>) {
        let of = |node: NodeId| told.iter().find(|one| one.node == node);
        let over = |(node, path): &(&NodeId, &mut Path)| {
            let is_new = |one: &Unreachable| match (one.reason, one.sequence, path.sequence) {
                (Reason::Unreachable, Some(told), Some(known)) => !known.is_newer_than(told),
                _ => true,
            };
            path.next_hop == from && path.is_active(now) && of(**node).is_some_and(is_new)
        };
        self.break_all(over, |one| {
            let told = of(one.node);
            one.reason = told.map_or(one.reason, |told| told.reason);
            let theirs = told.and_then(|told| told.sequence);
            one.sequence = match (theirs, one.sequence) {
                (Some(told), Some(own)) => Some(told.newer(own)),
                (told, own) => told.or(own),
            };
        })
    }

    fn break_all(
        &mut self,
        which: impl Fn(&(&NodeId, &mut Path)) -> bool,
        amend: impl Fn(&mut Unreachable),
    ) -> (Vec<Unreachable>, BTreeSet<NodeId>) {
        let (mut lost, mut precursors) = (Vec::new(), BTreeSet::new());
        for (&node, path) in self.of.iter_mut().filter(|entry| which(entry)) {
            path.break_down();
            let mut one =
                Unreachable { node, sequence: path.sequence, reason: Reason::Unreachable };
            amend(&mut one);
            path.sequence = one.sequence;
            precursors.append(&mut path.precursors);
            lost.push(one);
        }
        self.changes += lost.len() as u64;
        (lost, precursors)
    }
}

impl Path {
    fn is_active(&self, now: Instant) -> bool {
        self.metric != BROKEN && self.until > now
    }

    fn break_down(&mut self) {
        self.metric = BROKEN;
        self.sequence = self.sequence.map(|sequence| sequence.plus(1));
    }
}
