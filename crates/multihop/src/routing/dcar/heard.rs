//! What a node knows from HELLOs of the connections through others.

use std::collections::BTreeMap;

use crate::kernel::{Duration, Instant};
use crate::routing::neighbour_table::NeighbourTable;
use crate::wire::{NodeId, Octets};

/// The load announced in a HELLO.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnnouncedLoad {
    /// TCP connections through the sender.
    pub connections: u32,
    /// The sender's own weight.
    pub metric: u32,
    /// TCP connections through each neighbour of the sender.
    pub neighbours: Vec<(NodeId, u32)>,
}

impl Octets for AnnouncedLoad {
    const KIND: u8 = 131;

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.connections.to_be_bytes());
        out.extend(self.metric.to_be_bytes());
        for (neighbour, connections) in &self.neighbours {
            out.extend(neighbour.address());
            out.extend(connections.to_be_bytes());
        }
    }
}

/// The last HELLO of each neighbour.
#[derive(Debug)]
pub struct Heard {
    node: NodeId,
    life: Duration,
    last: NeighbourTable<AnnouncedLoad>,
}

impl Heard {
    /// The empty state of `node`; a HELLO is forgotten after `life`.
    pub fn new(node: NodeId, life: Duration) -> Heard {
        Heard { node, life, last: NeighbourTable::default() }
    }

    /// A HELLO with `load` has arrived from neighbour `from`.
    pub fn hear(&mut self, now: Instant, from: NodeId, load: &AnnouncedLoad) {
        self.last.expire(now);
        self.last.hear(now, from, now + self.life).clone_from(load);
    }

    /// Each recently heard neighbour with its connections.
    pub fn neighbours(&self, now: Instant) -> impl Iterator<Item = (NodeId, u32)> {
        self.last.current(now).map(|(node, hello)| (node, hello.known.connections))
    }

    /// The connections through every other known node, summed: neighbours by their own HELLO, nodes
    /// two hops away by the latest HELLO that lists them.
    pub fn sum(&self, now: Instant) -> u32 {
        let direct: u32 = self.neighbours(now).map(|(_, connections)| connections).sum();
        let mut behind: BTreeMap<NodeId, (Instant, u32)> = BTreeMap::new();
        for (_, hello) in self.last.current(now) {
            for &(node, connections) in &hello.known.neighbours {
                let latest = behind.entry(node).or_insert((hello.heard, connections));
                if hello.heard > latest.0 {
                    *latest = (hello.heard, connections);
                }
            }
        }
        behind.retain(|&node, _| node != self.node && self.last.get(now, node).is_none());
        direct + behind.values().map(|&(_, connections)| connections).sum::<u32>()
    }
}
