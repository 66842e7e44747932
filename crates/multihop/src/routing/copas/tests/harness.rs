//! Networks of COPAS nodes with scripted backoffs.

use crate::kernel::Instant;
use crate::profile::Profile;
use crate::routing::Protocol;
use crate::routing::copas::{Copas, CopasConfig, CopasTable};
use crate::routing::dsr::Dsr;
use crate::routing::dsr::tests::harness::numbers;
use crate::routing::harness::{Network, packet};
use crate::wire::dsr::Direction;
use crate::wire::{Body, FlowId, NodeId, tcp};

pub type Nodes = Network<Dsr<Copas>>;

/// Node 0 is S, 9 is D, 1 to 8 are B, E, H (route i), C, J (route j), G, I, F (route k) of Fig. 2.
pub const FIG_2: [(u32, u32); 11] =
    [(0, 1), (1, 2), (2, 3), (3, 9), (0, 4), (4, 5), (5, 9), (0, 6), (6, 7), (7, 8), (8, 9)];
pub const ROUTE_I: [u32; 5] = [0, 1, 2, 3, 9];
pub const ROUTE_J: [u32; 4] = [0, 4, 5, 9];
pub const ROUTE_K: [u32; 5] = [0, 6, 7, 8, 9];

/// Backoffs per interval of each node of Fig. 2 such that j is the most contended and k the least.
pub const FIG_2_BACKOFFS: [u32; 10] = [0, 1, 2, 1, 5, 5, 1, 1, 1, 0];

pub fn table(copas: CopasConfig) -> CopasTable {
    CopasTable { copas, ..CopasTable::default() }
}

/// Fig. 2 at 5 s, when the averages have settled.
pub fn fig_2(copas: CopasConfig) -> Nodes {
    let mut net = Nodes::copas(10, &FIG_2, &table(copas));
    net.back_off(&FIG_2_BACKOFFS, 5);
    net
}

impl Nodes {
    pub(crate) fn copas(nodes: u32, links: &[(u32, u32)], table: &CopasTable) -> Nodes {
        let node = |i| Dsr::contention_based(NodeId(i), table, Profile::Ns2);
        Network::of((0..nodes).map(node).collect(), links)
    }

    /// Lets each node draw this many backoffs per interval until `second`.
    pub fn back_off(&mut self, backoffs: &[u32], second: u32) {
        let now = self.now.as_secs_f64().floor() as u32;
        for next in now + 1..=second {
            for (counts, more) in self.backoffs.iter_mut().zip(backoffs) {
                counts.busy += more;
            }
            self.run_to(f64::from(next));
        }
    }

    /// `from` acknowledges a segment of `to`, at `seconds`.
    pub fn ack(&mut self, seconds: f64, from: u32, to: u32) {
        self.run_to(seconds);
        let kind =
            tcp::SegmentKind::Ack { number: 1, probe: false, sent: Instant::ZERO, window: 0 };
        let body = Body::Tcp(tcp::Segment::new(FlowId(0), kind));
        let packet = packet(from, to, self.now, body, 40);
        self.call(from, |node, cx| node.on_send(cx, packet));
    }

    /// A segment from `source` to `destination` at `seconds` and an acknowledgment 0.1 s later;
    /// waits until both arrive.
    pub fn exchange(&mut self, seconds: f64, source: u32, destination: u32) {
        self.send(seconds, source, destination, 0);
        self.ack(seconds + 0.1, destination, source);
        self.run_to(seconds + 0.2);
    }

    /// The path of packets of `direction` from `node` to `destination`.
    pub fn path(&self, node: u32, destination: u32, direction: Direction) -> Option<Vec<u32>> {
        let copas = self.nodes[node as usize].policy();
        copas.path(NodeId(destination), direction).map(|path| numbers(path))
    }

    /// The paths that the data of `source`, or its acknowledgments, have taken since `seconds`.
    pub fn paths_taken(&self, source: u32, seconds: f64) -> Vec<Vec<u32>> {
        let since = Instant::from_secs_f64(seconds);
        let sent = self.all_sent().into_iter();
        let own = sent.filter(|sent| sent.is_data && sent.node == source && sent.at >= since);
        own.filter_map(|sent| Some(numbers(&sent.header.route?.nodes))).collect()
    }

    /// Originated requests for replacements: node and direction.
    pub fn replacement_requests(&self) -> Vec<(u32, Direction)> {
        let sent = self.all_sent().into_iter();
        let begun = sent.filter_map(|sent| {
            let request = sent.header.request?;
            (request.path == [NodeId(sent.node)]).then_some((sent.node, request.replaces?))
        });
        begun.map(|(node, replaces)| (node, replaces.direction)).collect()
    }

    /// Originated replies: node, time, direction, and the route.
    pub fn replies(&self) -> Vec<(u32, Instant, Option<Direction>, Vec<u32>)> {
        let sent = self.all_sent().into_iter();
        let begun = sent.filter_map(|sent| {
            let route = sent.header.route.as_ref()?;
            let found = sent.header.reply.as_ref()?;
            (route.nodes[0] == NodeId(sent.node))
                .then(|| (sent.node, sent.at, sent.header.direction, numbers(found)))
        });
        begun.collect()
    }
}
