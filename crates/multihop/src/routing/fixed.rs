//! Fixed routes: every node knows a shortest path to every flow's ends from the start and never
//! changes it. No routing packets, no repair: what remains is MAC and transport.

use rustc_hash::FxHashMap;

use super::{Context, DropReason};
use crate::kernel::Duration;
use crate::radio::Neighbours;
use crate::wire::{Body, IP_HEADER_BYTES, NodeId, Packet};

/// IP time to live of a packet at its source (RFC 1700).
const TIME_TO_LIVE: u8 = 64;

/// One node's fixed next hops, by destination.
#[derive(Clone, Debug, Default)]
pub struct FixedRoutes {
    next_hops: FxHashMap<NodeId, NodeId>,
}

impl FixedRoutes {
    /// The next hops of all `nodes` towards `destinations` along paths with fewest hops; among those,
    /// the neighbour that is found first from the destination, nearest first.
    pub fn of_network(
        nodes: usize,
        neighbours: &Neighbours,
        destinations: impl IntoIterator<Item = NodeId>,
    ) -> Vec<FixedRoutes> {
        let mut routes = vec![FixedRoutes::default(); nodes];
        for destination in destinations {
            let mut frontier = vec![destination];
            let mut next = Vec::new();
            while !frontier.is_empty() {
                for &reached in &frontier {
                    for neighbour in neighbours.decoding(reached) {
                        let table = &mut routes[neighbour.node.index()].next_hops;
                        if neighbour.node != destination && !table.contains_key(&destination) {
                            table.insert(destination, reached);
                            next.push(neighbour.node);
                        }
                    }
                }
                frontier.clear();
                std::mem::swap(&mut frontier, &mut next);
            }
        }
        routes
    }

    /// This node's transport sends `packet`.
    pub fn on_send(&mut self, cx: &mut Context, mut packet: Packet) {
        if let Body::Udp(_) = packet.body {
            packet.size_bytes += IP_HEADER_BYTES;
        }
        packet.ttl = TIME_TO_LIVE;
        self.forward(cx, packet);
    }

    /// `packet` has come to be forwarded.
    pub fn on_receive(&mut self, cx: &mut Context, mut packet: Packet) {
        packet.ttl -= 1;
        if packet.ttl == 0 {
            cx.drop(packet, DropReason::TimeToLive);
        } else {
            self.forward(cx, packet);
        }
    }

    /// The link could not deliver `packet`.
    pub fn on_link_failure(&mut self, cx: &mut Context, packet: Packet) {
        cx.drop(packet, DropReason::LinkFailure);
    }

    fn forward(&mut self, cx: &mut Context, packet: Packet) {
        match self.next_hops.get(&packet.destination) {
            Some(&next_hop) => cx.send(packet, next_hop, Duration::ZERO),
            None => cx.drop(packet, DropReason::NoRoute),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::radio::{Position, Reach, TwoRayGround};

    #[test]
    fn next_hops_lead_along_a_shortest_path() {
        // 0 - 1 - 2 - 3 in a row, 4 out of reach.
        let positions: Vec<Position> =
            [0.0, 200.0, 400.0, 600.0, 5000.0].map(|x_m| Position { x_m, y_m: 0.0 }).into();
        let reach = Reach { receive_m: 250.0, sense_m: 550.0 };
        let path = TwoRayGround::new(0.281_838_15, 914e6, 1.5);
        let neighbours = Neighbours::of_static(&positions, reach, &path);
        let routes = FixedRoutes::of_network(5, &neighbours, [NodeId(0), NodeId(3)]);
        let hop = |at: usize, to| routes[at].next_hops.get(&NodeId(to)).map(|n| n.0);
        assert_eq!([hop(3, 0), hop(2, 0), hop(1, 0), hop(0, 0)], [Some(2), Some(1), Some(0), None]);
        assert_eq!([hop(0, 3), hop(4, 3), hop(0, 1)], [Some(1), None, None]);
    }
}
