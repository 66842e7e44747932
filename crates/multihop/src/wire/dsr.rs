//! The DSR header (RFC 4728 sections 6 and 7) and its size.
//!
//! One header carries whichever of these a packet needs: a source route, a request, a reply, route
//! errors, the flow state header. Packets on an established default flow have no header at all.
//! What COPAS adds (C. de M. Cordeiro, S. R. Das, D. P. Agrawal, "COPAS: Dynamic
//! Contention-Balancing", section III) is here too.
//!
//! Deviation (`ns2` profile; RFC sizes in `standard`):
//! - A reply lists its originator too and is 6 bytes longer.
//! - Errors about an unknown flow are 4 bytes shorter.
//! - A request passed on keeps the bytes of the headers it had before.

use std::sync::Arc;

use super::{Message, NodeId, Packet, Part, Parts};
use crate::profile::Profile;

/// A source route: every node from the first to the last.
pub type Path = Arc<[NodeId]>;

/// The fixed part of the DSR Options header (section 6.1).
const FIXED_BYTES: u32 = 4;
/// Flow state header (section 7.1).
const FLOW_STATE_BYTES: u32 = 4;
/// Timeout option (section 7.2.1).
const TIMEOUT_BYTES: u32 = 4;
/// A direction flag (COPAS).
const DIRECTION_BYTES: u32 = 1;
/// What is gathered from one node.
const GATHERED_BYTES: u32 = 4;
/// The path to replace, in a request (COPAS): its direction and its contention.
const REPLACES_BYTES: u32 = DIRECTION_BYTES + GATHERED_BYTES;

/// A DSR header.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// The same on all links the packet crosses, so that a node that overhears it twice can tell.
    pub id: u64,
    /// The route the packet takes.
    pub route: Option<SourceRoute>,
    /// Route request.
    pub request: Option<Request>,
    /// Route reply: the route found, from the originator of the request to its target.
    pub reply: Option<Path>,
    /// Route errors.
    pub errors: Vec<RouteError>,
    /// The flow the packet belongs to.
    pub flow: Option<FlowState>,
    /// Which packets the route of the reply is for (COPAS).
    pub direction: Option<Direction>,
    /// What a scheme gathered from each node that has passed the packet on; in a reply, from each
    /// node of its route but the first. COPAS: contention; measured links: the metric of the link
    /// before the node.
    pub gathered: Vec<f32>,
}

/// Which packets of two nodes' connections take a path (COPAS).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Data.
    Forward,
    /// TCP acknowledgments.
    Reverse,
    /// All.
    Both,
}

/// The route a packet takes.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceRoute {
    /// From the node that chose the route to the packet's destination.
    pub nodes: Path,
    /// How often a node on the route has replaced it.
    pub salvages: u8,
}

/// Route request (section 6.2).
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Incremented with each request of the originator.
    pub id: u32,
    /// The node sought.
    pub target: NodeId,
    /// From the originator to the transmitter.
    pub path: Vec<NodeId>,
    /// Links that the request may cross after its first.
    pub more_hops: u8,
    /// What a scheme gathered from each node of `path` but the first; empty in plain DSR.
    pub gathered: Vec<f32>,
    /// The path that the target is to replace (COPAS).
    pub replaces: Option<Replaces>,
}

/// A path towards the originator of a request that is to be replaced (COPAS).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Replaces {
    /// Which packets take it.
    pub direction: Direction,
    /// Its contention as the originator sees it \[backoffs per node and interval\]; infinite if the
    /// path is broken.
    pub contention: f32,
}

impl Replaces {
    /// The path that packets of `direction` from the originator took is broken.
    pub fn broken(direction: Direction) -> Replaces {
        Replaces { direction, contention: f32::INFINITY }
    }

    /// Whether the path is broken: then the originator sends the packets, and awaits a reply.
    pub fn is_broken(&self) -> bool {
        self.contention == f32::INFINITY
    }
}

/// Flow state header (section 7.1) with, if the packet establishes the flow, a timeout option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowState {
    /// The flow's number at its source.
    pub id: u16,
    /// Whether the nodes on the route are to remember the flow.
    pub establishes: bool,
}

/// Route error (sections 6.4 and 7.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteError {
    /// The node to be informed.
    pub addressee: NodeId,
    /// What happened.
    pub kind: RouteErrorKind,
}

/// What a route error reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteErrorKind {
    /// `from` could not deliver to `to`.
    NodeUnreachable {
        /// The node before the broken link.
        from: NodeId,
        /// The node after it.
        to: NodeId,
        /// Destination of the packet that failed, if a packet failed just now.
        packet_destination: Option<NodeId>,
    },
    /// A packet of flow `id` to `destination` came, which `reporter` does not know.
    UnknownFlow {
        /// The node that does not know the flow.
        reporter: NodeId,
        /// Destination of the packet.
        destination: NodeId,
        /// The flow.
        id: u16,
    },
    /// A packet without a route came for `destination`, to which `reporter` knows no default flow.
    DefaultFlowUnknown {
        /// The node that does not know the flow.
        reporter: NodeId,
        /// Destination of the packet.
        destination: NodeId,
    },
}

impl Header {
    /// A header with a source route and nothing else.
    pub fn along(id: u64, nodes: Path) -> Header {
        Header { id, route: Some(SourceRoute { nodes, salvages: 0 }), ..Header::default() }
    }

    /// Size \[bytes\], a multiple of 4.
    pub fn size_bytes(&self, profile: Profile) -> u32 {
        let establishes = self.flow.is_some_and(|flow| flow.establishes);
        let options = self.route.as_ref().map_or(0, |route| source_route_bytes(route.nodes.len()))
            + self.request.as_ref().map_or(0, Request::size_bytes)
            + self.reply.as_ref().map_or(0, |path| reply_bytes(path.len(), profile))
            + self.errors.iter().map(|error| error.kind.size_bytes(profile)).sum::<u32>()
            + if establishes { TIMEOUT_BYTES } else { 0 }
            + if self.direction.is_some() { DIRECTION_BYTES } else { 0 }
            + self.gathered_bytes();
        let fixed = if options > 0 { FIXED_BYTES } else { 0 };
        let flow = if self.flow.is_some() { FLOW_STATE_BYTES } else { 0 };
        (fixed + options + flow).next_multiple_of(4)
    }

    /// Size of what was gathered from nodes \[bytes\].
    pub fn gathered_bytes(&self) -> u32 {
        GATHERED_BYTES * self.gathered.len() as u32
    }
}

impl Request {
    /// Size \[bytes\]: option header, identification, target, and all of the path but its first
    /// node, which is the IP source (section 6.2).
    fn size_bytes(&self) -> u32 {
        let replaces = if self.replaces.is_some() { REPLACES_BYTES } else { 0 };
        8 + 4 * (self.path.len() as u32 - 1) + 4 * self.gathered.len() as u32 + replaces
    }
}

/// Source route option (section 6.7) over `nodes` nodes: the first and the last stand in the IP
/// header.
fn source_route_bytes(nodes: usize) -> u32 {
    4 + 4 * (nodes as u32 - 2)
}

/// Route reply option (section 6.3) with a route of `nodes` nodes: all but the first.
fn reply_bytes(nodes: usize, profile: Profile) -> u32 {
    let rfc = 3 + 4 * (nodes as u32 - 1);
    if profile == Profile::Ns2 { rfc + 6 } else { rfc }
}

impl RouteErrorKind {
    /// Size \[bytes\]: option header, source and destination of the error, and what the type adds.
    fn size_bytes(self, profile: Profile) -> u32 {
        let common = 12;
        let ns2_saves = if profile == Profile::Ns2 { 4 } else { 0 };
        match self {
            RouteErrorKind::NodeUnreachable { .. } => common + 4,
            RouteErrorKind::UnknownFlow { .. } => common + 6 - ns2_saves,
            RouteErrorKind::DefaultFlowUnknown { .. } => common + 4 - ns2_saves,
        }
    }
}

/// A packet of a header alone. What is in it travels on in the same packet.
impl Message for Header {
    fn parts(&self, packet: &Packet) -> Parts {
        let part = Part::after(packet.hops);
        let is_request = self.request.is_some();
        Parts {
            request: part.only_if(is_request),
            reply: part.only_if(self.reply.is_some()),
            error: part.only_if(!is_request && !self.errors.is_empty()),
            hello: false,
        }
    }

    fn number(&self) -> Option<u32> {
        self.request.as_ref().map(|request| request.id)
    }

    fn ends(&self) -> Option<(NodeId, NodeId)> {
        match (&self.request, &self.reply) {
            (Some(request), _) => Some((*request.path.first()?, request.target)),
            (None, Some(path)) => Some((*path.first()?, *path.last()?)),
            (None, None) => None,
        }
    }

    /// Captures have it between the headers of IP and of the transport.
    fn write(&self, _: &Packet, _: &mut Vec<u8>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(nodes: u32) -> Path {
        (0..nodes).map(NodeId).collect()
    }

    fn request(nodes: u32) -> Header {
        let path = path(nodes).to_vec();
        let request = Request {
            id: 1,
            target: NodeId(9),
            path,
            more_hops: 0,
            gathered: Vec::new(),
            replaces: None,
        };
        Header { request: Some(request), ..Header::default() }
    }

    fn error(kind: RouteErrorKind) -> Header {
        let error = RouteError { addressee: NodeId(0), kind };
        Header { errors: vec![error], ..Header::default() }
    }

    fn in_both(header: &Header) -> [u32; 2] {
        [Profile::Ns2, Profile::Standard].map(|profile| header.size_bytes(profile))
    }

    const UNREACHABLE: RouteErrorKind = RouteErrorKind::NodeUnreachable {
        from: NodeId(1),
        to: NodeId(2),
        packet_destination: None,
    };

    #[test]
    fn requests_and_source_routes_are_the_rfcs() {
        // Section 6.2: Opt Data Len = 4n + 6 and 2 bytes before it, n addresses without the
        // initiator.
        assert_eq!([1, 2, 5].map(|n| in_both(&request(n))), [[12, 12], [16, 16], [28, 28]]);
        // Section 6.7: Opt Data Len = 4n + 2, n addresses without source and destination.
        let along = |n| in_both(&Header::along(0, path(n)));
        assert_eq!([2, 3, 6].map(along), [[8, 8], [12, 12], [24, 24]]);
    }

    #[test]
    fn replies_are_the_rfcs_or_list_their_originator_too() {
        // Section 6.3: Opt Data Len = 4n + 1, n addresses without the initiator; padded to words.
        let reply = |n| in_both(&Header { reply: Some(path(n)), ..Header::default() });
        assert_eq!(reply(3), [4 + 5 + 4 * 3 + 3, 4 + 3 + 4 * 2 + 1]);
        // On its way over three nodes, behind an IP header, ns-2's has 52 bytes.
        let header = Header { reply: Some(path(3)), ..Header::along(0, path(3)) };
        assert_eq!(20 + header.size_bytes(Profile::Ns2), 52);
    }

    #[test]
    fn errors_are_the_rfcs_or_shorter_about_flows() {
        // Section 6.4: Opt Data Len = 10 plus 4 for NODE_UNREACHABLE.
        assert_eq!(in_both(&error(UNREACHABLE)), [4 + 16, 4 + 16]);
        let header = Header { errors: error(UNREACHABLE).errors, ..Header::along(0, path(6)) };
        assert_eq!(20 + header.size_bytes(Profile::Ns2), 60);
        // Section 7.3: 6 more for UNKNOWN_FLOW, 4 more for DEFAULT_FLOW_UNKNOWN; padded.
        let (reporter, destination) = (NodeId(1), NodeId(2));
        let unknown = RouteErrorKind::UnknownFlow { reporter, destination, id: 1 };
        assert_eq!(in_both(&error(unknown)), [4 + 14 + 2, 4 + 18 + 2]);
        let unknown = RouteErrorKind::DefaultFlowUnknown { reporter, destination };
        assert_eq!(in_both(&error(unknown)), [4 + 12, 4 + 16]);
    }

    #[test]
    fn copas_adds_four_bytes_a_hop_to_requests_and_data_and_a_flag_to_replies() {
        let mut header = request(3);
        let Some(request) = &mut header.request else { unreachable!("a request") };
        request.gathered = vec![1.0, 2.0];
        assert_eq!(in_both(&header), [20 + 8, 20 + 8]);
        let Some(request) = &mut header.request else { unreachable!("a request") };
        request.replaces = Some(Replaces { direction: Direction::Forward, contention: 7.0 });
        // 5 more, padded to words.
        assert_eq!(in_both(&header), [28 + 8, 28 + 8]);
        // Two relays' contention behind a source route over them.
        let data = Header { gathered: vec![1.0, 2.0], ..Header::along(0, path(4)) };
        assert_eq!(in_both(&data), [16 + 8, 16 + 8]);
        let reply = |direction| Header { reply: Some(path(3)), direction, ..Header::default() };
        // Option bytes 9 + 8 or 3 + 8, then one for the flag; 4 fixed; padded.
        assert_eq!(in_both(&reply(None)), [24, 16]);
        assert_eq!(in_both(&reply(Some(Direction::Reverse))), [24, 16]);
    }

    #[test]
    fn flow_state_takes_four_bytes_and_four_more_to_establish() {
        let flow = |establishes| Some(FlowState { id: 1, establishes });
        assert_eq!(in_both(&Header { flow: flow(false), ..Header::default() }), [4, 4]);
        let header = Header { flow: flow(true), ..Header::along(0, path(3)) };
        assert_eq!(in_both(&header), [20, 20]);
        assert_eq!(in_both(&Header::default()), [0, 0]);
    }
}
