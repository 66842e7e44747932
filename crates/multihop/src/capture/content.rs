//! What a packet is, for the record.

use super::row::{NONE, words};
use crate::wire::aodv::Message;
use crate::wire::tcp::SegmentKind;
use crate::wire::{Body, NodeId, Packet, arp};

words! {
    /// What a packet is.
    Content {
        /// No packet.
        None = "",
        /// TCP data.
        TcpData = "tcp-data",
        /// A TCP acknowledgment.
        TcpAck = "tcp-ack",
        /// A UDP datagram.
        Udp = "udp",
        /// A route request.
        Request = "rreq",
        /// A route reply.
        Reply = "rrep",
        /// A route error.
        Error = "rerr",
        /// A HELLO.
        Hello = "hello",
        /// A message of a routing scheme's own.
        Routing = "routing",
        /// An ARP request.
        ArpRequest = "arp-request",
        /// An ARP reply.
        ArpReply = "arp-reply",
    }
}

impl Content {
    /// What `packet` is. Transport data with a routing header are transport data.
    pub fn of(packet: &Packet) -> Content {
        match &packet.body {
            Body::Tcp(segment) if segment.is_ack() => Content::TcpAck,
            Body::Tcp(_) => Content::TcpData,
            Body::Udp(_) => Content::Udp,
            Body::Aodv(Message::Request(_)) => Content::Request,
            Body::Aodv(Message::Reply(_) | Message::Returned(_)) => Content::Reply,
            Body::Aodv(Message::Error(_)) => Content::Error,
            Body::Aodv(Message::Hello { .. }) => Content::Hello,
            Body::Dsr => match &packet.dsr {
                Some(header) if header.request.is_some() => Content::Request,
                Some(header) if header.reply.is_some() => Content::Reply,
                Some(header) if !header.errors.is_empty() => Content::Error,
                _ => Content::Routing,
            },
            Body::Routing(_) => Content::Routing,
            Body::Arp(arp::Message::Request { .. }) => Content::ArpRequest,
            Body::Arp(arp::Message::Reply) => Content::ArpReply,
        }
    }
}

/// What tells a packet from all others, and does not change on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    created_ns: u64,
    source: u32,
    content: Content,
    flow: u32,
    number: u32,
    target: u32,
}

impl Identity {
    /// That of `packet`.
    pub fn of(packet: &Packet) -> Identity {
        Identity {
            created_ns: packet.created.as_nanos(),
            source: packet.source.0,
            content: Content::of(packet),
            flow: flow_of(packet).map_or(NONE, |(flow, _)| flow),
            number: number_of(packet),
            target: message_ends(packet).1.0,
        }
    }
}

/// The flow of a transport's packet, and whether it goes back to the flow's source.
pub(super) fn flow_of(packet: &Packet) -> Option<(u32, bool)> {
    match &packet.body {
        Body::Tcp(segment) => Some((segment.flow.0, segment.is_ack())),
        Body::Udp(datagram) => Some((datagram.flow.0, false)),
        _ => None,
    }
}

/// Number of the segment, datagram or route request.
pub(super) fn number_of(packet: &Packet) -> u32 {
    match &packet.body {
        Body::Tcp(segment) => match segment.kind {
            SegmentKind::Data { number, .. }
            | SegmentKind::Ack { number, .. }
            | SegmentKind::SelectiveAck { number }
            | SegmentKind::Sack { number, .. } => number,
        },
        Body::Udp(datagram) => datagram.number,
        Body::Aodv(Message::Request(request)) => request.id,
        Body::Dsr => {
            let request = packet.dsr.as_ref().and_then(|header| header.request.as_ref());
            request.map_or(NONE, |request| request.id)
        }
        _ => NONE,
    }
}

/// Where the packet comes from and goes to; of a route request or reply, who looks for whom.
pub(super) fn message_ends(packet: &Packet) -> (NodeId, NodeId) {
    match &packet.body {
        Body::Aodv(Message::Request(request)) => (request.originator, request.destination),
        Body::Aodv(Message::Reply(reply) | Message::Returned(reply)) => {
            (reply.originator, reply.destination)
        }
        Body::Dsr => {
            let header = packet.dsr.as_ref();
            let asked = header.and_then(|header| header.request.as_ref());
            let found = header.and_then(|header| header.reply.as_ref());
            match (asked, found) {
                (Some(request), _) => {
                    (request.path.first().copied().unwrap_or(packet.source), request.target)
                }
                (None, Some(path)) => match (path.first(), path.last()) {
                    (Some(&first), Some(&last)) => (first, last),
                    _ => (packet.source, packet.destination),
                },
                (None, None) => (packet.source, packet.destination),
            }
        }
        Body::Arp(arp::Message::Request { target }) => (packet.source, *target),
        _ => (packet.source, packet.destination),
    }
}
