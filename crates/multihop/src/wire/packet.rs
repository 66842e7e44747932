//! The network-layer packet, as every layer hands it on.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::tcp::{Segment, SegmentKind};
use super::{Ecn, Extension, Message, RouteId, aodv, arp, dsr, tcp, udp};
use crate::kernel::Instant;

/// A node and its network address, or the link address of a station: the first station of a node
/// has the number of the node. Nodes are numbered from 0.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The broadcast address.
    pub const BROADCAST: NodeId = NodeId(u32::MAX);

    /// The node's index in per-node tables.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its IPv4 address in packet captures: 10.1.0.0 and its number; 255.255.255.255 for all.
    pub const fn address(self) -> [u8; 4] {
        let first = u32::from_be_bytes([10, 1, 0, 0]);
        if self.is_broadcast() { [0xff; 4] } else { first.wrapping_add(self.0).to_be_bytes() }
    }

    /// Whether this is the broadcast address.
    pub const fn is_broadcast(self) -> bool {
        self.0 == u32::MAX
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_broadcast() { f.write_str("N*") } else { write!(f, "N{}", self.0) }
    }
}

/// One of a node's stations, by the number of its kind: the first of `[[interfaces]]` is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interface(pub u8);

/// A flow, numbered in the order of the scenario's `[[flows]]`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

impl FlowId {
    /// The flow's index in per-flow tables.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for FlowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "F{}", self.0)
    }
}

/// A packet at the network layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Packet {
    /// The node that created it.
    pub source: NodeId,
    /// The node it is for, or [`NodeId::BROADCAST`].
    pub destination: NodeId,
    /// Size \[bytes\] at the network layer, IP header included once routing has added it.
    pub size_bytes: u32,
    /// IP time to live, set and decremented by the routing protocol.
    pub ttl: u8,
    /// Links crossed so far: the MAC adds one at each reception.
    pub hops: u16,
    /// When the layer that created it handed it down.
    pub created: Instant,
    /// When it entered its first interface queue; `Instant::FAR` before.
    pub queued: Instant,
    /// The DSR header, if it has one. Shared by the copies of a packet.
    pub dsr: Option<Arc<dsr::Header>>,
    /// The path it takes or reports, where a discovery finds several.
    pub route_id: Option<RouteId>,
    /// Its ECN codepoint.
    pub ecn: Ecn,
    /// What it carries.
    pub body: Body,
}

/// What a packet carries.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Body {
    /// A TCP segment, data or acknowledgment.
    Tcp(tcp::Segment),
    /// A UDP datagram.
    Udp(udp::Datagram),
    /// An AODV message.
    Aodv(aodv::Message),
    /// Only its DSR header.
    Dsr,
    /// A message of a routing scheme's own.
    Routing(Extension),
    /// An ARP request or reply.
    Arp(arp::Message),
}

/// Coarse kind of a packet, for queues' priorities, counters and traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PacketKind {
    /// TCP data.
    TcpData,
    /// TCP acknowledgment.
    TcpAck,
    /// UDP.
    Udp,
    /// Routing protocol.
    Routing,
    /// ARP.
    Arp,
}

impl Packet {
    /// A packet that has crossed no link and has no size \[bytes\] and time to live yet.
    #[inline]
    pub fn new(source: NodeId, destination: NodeId, created: Instant, body: Body) -> Packet {
        Packet {
            source,
            destination,
            size_bytes: 0,
            ttl: 0,
            hops: 0,
            created,
            queued: Instant::FAR,
            dsr: None,
            route_id: None,
            ecn: Ecn::NotCapable,
            body,
        }
    }

    /// The coarse kind of this packet.
    pub fn kind(&self) -> PacketKind {
        match &self.body {
            Body::Tcp(segment) if segment.is_ack() => PacketKind::TcpAck,
            Body::Tcp(_) => PacketKind::TcpData,
            Body::Udp(_) => PacketKind::Udp,
            Body::Aodv(_) | Body::Dsr | Body::Routing(_) => PacketKind::Routing,
            Body::Arp(_) => PacketKind::Arp,
        }
    }

    /// The message of a routing protocol that it is, if it is one.
    pub fn message(&self) -> Option<&dyn Message> {
        match &self.body {
            Body::Aodv(message) => Some(message),
            Body::Dsr => Some(&**self.dsr.as_ref()?),
            Body::Routing(extension) => Some(extension.message()),
            Body::Tcp(_) | Body::Udp(_) | Body::Arp(_) => None,
        }
    }

    /// Bytes that relays have added to it on its way.
    pub fn piggyback_bytes(&self) -> u32 {
        self.dsr.as_ref().map_or(0, |header| header.gathered_bytes())
    }

    /// Payload of a TCP data segment or a UDP datagram with data \[bytes\]; none for all others.
    pub fn payload_bytes(&self) -> Option<u32> {
        match &self.body {
            Body::Tcp(Segment { kind: SegmentKind::Data { payload_bytes, .. }, .. }) => {
                Some(*payload_bytes)
            }
            Body::Udp(datagram) if !datagram.is_answer() => Some(datagram.payload_bytes),
            _ => None,
        }
    }

    /// The flow and number of the data of a transport, if it carries any; a retransmission has the
    /// same, and another time of creation.
    pub fn data_number(&self) -> Option<(FlowId, u32)> {
        self.payload_bytes()?;
        match &self.body {
            Body::Tcp(Segment { flow, kind: SegmentKind::Data { number, .. }, .. }) => {
                Some((*flow, *number))
            }
            Body::Udp(datagram) => Some((datagram.flow, datagram.number)),
            _ => None,
        }
    }

    /// Whether it carries transport data, as opposed to the network's own messages.
    pub fn is_transport(&self) -> bool {
        matches!(self.body, Body::Tcp(_) | Body::Udp(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets are handed from layer to layer by value.
    #[test]
    fn packets_and_segments_stay_small() {
        assert_eq!((size_of::<Segment>(), size_of::<Packet>()), (48, 104));
    }
}
