//! DSR headers (RFC 4728 sections 6 and 7), with options for what COPAS adds.
//!
//! | type | octets | what |
//! |---:|---:|---|
//! | 16 | 1 | which packets take the route of the reply: 1 data, 2 acknowledgments, 3 all |
//! | 17 | 4 n | contention of the nodes that have passed the packet on, IEEE 754 |
//! | 18 | 4 n | the same of the nodes in a request |
//! | 19 | 5 | the path to replace: which packets take it, as above, and its contention |
//!
//! Nodes that do not know an option of these types ignore it (section 6.1). Wireshark does not skip
//! what it does not know, but reads on behind the option's type and length. So every octet of these
//! options has a [`FILLER`] before it: each pair then reads as another unknown option.

use super::protocol;
use crate::wire::dsr::{
    Direction, FlowState, Header, Replaces, Request, RouteError, RouteErrorKind, SourceRoute,
};
use crate::wire::put::Put;
use crate::wire::{NodeId, Packet};

const REQUEST: u8 = 1;
const REPLY: u8 = 2;
const ERROR: u8 = 3;
const SOURCE_ROUTE: u8 = 96;
const TIMEOUT: u8 = 128;
const PAD_1: u8 = 224;
const PAD_N: u8 = 0;
const DIRECTION: u8 = 16;
const CONTENTION: u8 = 17;
const GATHERED: u8 = 18;
const REPLACES: u8 = 19;
/// Before every octet of an option of our own: a type that no option has.
const FILLER: u8 = 31;
/// Addresses that fit into an option.
const MOST_NODES: usize = (255 - 6) / 4;
/// Values of contention that fit into an option.
const MOST_VALUES: usize = 255 / 8;

/// The bit that tells a flow state header from a header with options.
const IS_FLOW_STATE: u8 = 0x80;

/// Whether `header` takes no bytes.
pub fn is_empty(header: &Header) -> bool {
    header.flow.is_none() && !has_options(header)
}

fn has_options(header: &Header) -> bool {
    header.route.is_some()
        || header.request.is_some()
        || header.reply.is_some()
        || !header.errors.is_empty()
        || header.flow.is_some_and(|flow| flow.establishes)
        || header.direction.is_some()
        || !header.gathered.is_empty()
}

/// Appends `header` of `packet`, as `transmitter` sends it, before a header of protocol `next`.
pub fn put_header(
    out: &mut Vec<u8>,
    header: &Header,
    next: u8,
    packet: &Packet,
    transmitter: NodeId,
) {
    let has_options = has_options(header);
    if let Some(FlowState { id, .. }) = header.flow {
        let next = if has_options { protocol::DSR } else { next };
        out.extend([next, IS_FLOW_STATE | packet.hops.min(0x7f) as u8]);
        out.put16(id);
    }
    if !has_options {
        return;
    }
    let start = out.len();
    out.extend([next, 0, 0, 0]);
    put_options(out, header, packet.source, transmitter);
    match (out.len() - start) % 4 {
        0 => {}
        3 => out.push(PAD_1),
        over => {
            let zeros = 4 - over - 2;
            out.extend([PAD_N, zeros as u8]);
            out.resize(out.len() + zeros, 0);
        }
    }
    out.put16_at(start + 2, (out.len() - start - 4) as u16);
}

fn put_options(out: &mut Vec<u8>, header: &Header, source: NodeId, transmitter: NodeId) {
    if header.flow.is_some_and(|flow| flow.establishes) {
        // The model's flows live as long as the configuration says; packets do not carry it.
        out.extend([TIMEOUT, 2, 0, 0]);
    }
    if let Some(request) = &header.request {
        put_request(out, request);
    }
    if let Some(reply) = &header.reply {
        let nodes = fitting(reply.get(1..).unwrap_or_default());
        out.extend([REPLY, 1 + 4 * nodes.len() as u8, 0]);
        nodes.iter().for_each(|node| out.put_node(*node));
    }
    header.errors.iter().for_each(|error| put_error(out, error));
    if let Some(direction) = header.direction {
        put_own(out, DIRECTION, &[flag(direction)]);
    }
    put_contention(out, CONTENTION, &header.gathered);
    if let Some(route) = &header.route {
        put_route(out, route, source, transmitter);
    }
}

fn put_request(out: &mut Vec<u8>, request: &Request) {
    // The first node is in the IP header.
    let nodes = fitting(request.path.get(1..).unwrap_or_default());
    out.extend([REQUEST, 6 + 4 * nodes.len() as u8]);
    out.put16(request.id as u16);
    out.put_node(request.target);
    nodes.iter().for_each(|node| out.put_node(*node));
    put_contention(out, GATHERED, &request.gathered);
    if let Some(Replaces { direction, contention }) = request.replaces {
        let [a, b, c, d] = contention.to_be_bytes();
        put_own(out, REPLACES, &[flag(direction), a, b, c, d]);
    }
}

fn put_error(out: &mut Vec<u8>, error: &RouteError) {
    let mut put = |kind: u8, length: u8, reporter: NodeId, about: NodeId| {
        // The model's errors do not say how often the packet had been salvaged.
        out.extend([ERROR, length, kind, 0]);
        out.put_node(reporter);
        out.put_node(error.addressee);
        out.put_node(about);
    };
    match error.kind {
        RouteErrorKind::NodeUnreachable { from, to, .. } => put(1, 14, from, to),
        RouteErrorKind::UnknownFlow { reporter, destination, id } => {
            put(129, 16, reporter, destination);
            out.put16(id);
        }
        RouteErrorKind::DefaultFlowUnknown { reporter, destination } => {
            put(130, 14, reporter, destination);
        }
    }
}

fn put_route(out: &mut Vec<u8>, route: &SourceRoute, source: NodeId, transmitter: NodeId) {
    let nodes = &route.nodes[..];
    let [first, between @ .., _] = nodes else { return };
    // A node that salvages a packet stands before the route that it gives it (section 8.3.6).
    let listed = if *first == source { between } else { &nodes[..nodes.len() - 1] };
    let listed = fitting(listed);
    let here = nodes.iter().position(|node| *node == transmitter).unwrap_or(0);
    let left = between.len().saturating_sub(here);
    out.extend([SOURCE_ROUTE, 2 + 4 * listed.len() as u8]);
    out.put16(u16::from(route.salvages.min(15)) << 6 | left.min(63) as u16);
    listed.iter().for_each(|node| out.put_node(*node));
}

/// The first of `nodes`, no more than an option can list.
fn fitting(nodes: &[NodeId]) -> &[NodeId] {
    &nodes[..nodes.len().min(MOST_NODES)]
}

fn put_contention(out: &mut Vec<u8>, option: u8, values: &[f32]) {
    if !values.is_empty() {
        let values = &values[..values.len().min(MOST_VALUES)];
        let octets: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
        put_own(out, option, &octets);
    }
}

fn put_own(out: &mut Vec<u8>, option: u8, octets: &[u8]) {
    out.extend([option, 2 * octets.len() as u8]);
    out.extend(octets.iter().flat_map(|octet| [FILLER, *octet]));
}

fn flag(direction: Direction) -> u8 {
    match direction {
        Direction::Forward => 1,
        Direction::Reverse => 2,
        Direction::Both => 3,
    }
}
