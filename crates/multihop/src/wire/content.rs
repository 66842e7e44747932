//! What a packet is, and what tells it from others, for records of what happened.

use super::aodv::Message;
use super::tcp::SegmentKind;
use super::words::words;
use super::{Body, FlowId, NodeId, Packet, arp};

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
    source: NodeId,
    content: Content,
    /// The largest number stands for none.
    flow: FlowId,
    number: u32,
    target: NodeId,
}

impl Packet {
    /// What tells it from all others.
    pub fn identity(&self) -> Identity {
        Identity {
            created_ns: self.created.as_nanos(),
            source: self.source,
            content: Content::of(self),
            flow: self.flow().unwrap_or(FlowId(u32::MAX)),
            number: self.number().unwrap_or(u32::MAX),
            target: self.ends().1,
        }
    }

    /// The flow that it belongs to, if a transport sent it.
    pub fn flow(&self) -> Option<FlowId> {
        match &self.body {
            Body::Tcp(segment) => Some(segment.flow),
            Body::Udp(datagram) => Some(datagram.flow),
            _ => None,
        }
    }

    /// Number of the segment, datagram or route request.
    pub fn number(&self) -> Option<u32> {
        match &self.body {
            Body::Tcp(segment) => Some(match segment.kind {
                SegmentKind::Data { number, .. }
                | SegmentKind::Ack { number, .. }
                | SegmentKind::SelectiveAck { number }
                | SegmentKind::Sack { number, .. } => number,
            }),
            Body::Udp(datagram) => Some(datagram.number),
            Body::Aodv(Message::Request(request)) => Some(request.id),
            Body::Dsr => Some(self.dsr.as_ref()?.request.as_ref()?.id),
            _ => None,
        }
    }

    /// Where it comes from and goes to; of a route request or reply, who looks for whom.
    pub fn ends(&self) -> (NodeId, NodeId) {
        match &self.body {
            Body::Aodv(Message::Request(request)) => (request.originator, request.destination),
            Body::Aodv(Message::Reply(reply) | Message::Returned(reply)) => {
                (reply.originator, reply.destination)
            }
            Body::Dsr => self.ends_of_header().unwrap_or((self.source, self.destination)),
            Body::Arp(arp::Message::Request { target }) => (self.source, *target),
            _ => (self.source, self.destination),
        }
    }

    fn ends_of_header(&self) -> Option<(NodeId, NodeId)> {
        let header = self.dsr.as_ref()?;
        match (&header.request, &header.reply) {
            (Some(request), _) => {
                Some((request.path.first().copied().unwrap_or(self.source), request.target))
            }
            (None, Some(path)) => Some((*path.first()?, *path.last()?)),
            (None, None) => None,
        }
    }
}
