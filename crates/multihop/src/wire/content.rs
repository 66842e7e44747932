//! What a packet is, and what tells it from others, for records of what happened.

use super::tcp::SegmentKind;
use super::words::words;
use super::{Body, FlowId, NodeId, Packet, Parts, arp};

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
            Body::Aodv(_) | Body::Dsr | Body::Routing(_) => Content::of_message(packet),
            Body::Arp(arp::Message::Request { .. }) => Content::ArpRequest,
            Body::Arp(arp::Message::Reply) => Content::ArpReply,
        }
    }

    fn of_message(packet: &Packet) -> Content {
        match packet.message().map(|message| message.parts(packet)) {
            Some(parts) if parts.request.is_there() => Content::Request,
            Some(parts) if parts.reply.is_there() => Content::Reply,
            Some(parts) if parts.error.is_there() => Content::Error,
            Some(Parts { hello: true, .. }) => Content::Hello,
            _ => Content::Routing,
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
            _ => self.message()?.number(),
        }
    }

    /// Where it comes from and goes to; of a route request or reply, who looks for whom.
    pub fn ends(&self) -> (NodeId, NodeId) {
        if let Body::Arp(arp::Message::Request { target }) = self.body {
            return (self.source, target);
        }
        let ends = self.message().and_then(|message| message.ends());
        ends.unwrap_or((self.source, self.destination))
    }
}
