//! Messages of routing protocols, as all that counts, records and captures packets sees them.

use super::{NodeId, Packet};

/// A message of a routing protocol. What is counted, recorded and captured of it comes with it.
pub trait Message {
    /// The name by which it is counted; empty if its parts say enough.
    fn name(&self) -> &'static str {
        ""
    }

    /// What `packet` has of it.
    fn parts(&self, packet: &Packet) -> Parts;

    /// The number that tells it from other messages of its originator, if it has one.
    fn number(&self) -> Option<u32> {
        None
    }

    /// Who looks for whom, if it is about that.
    fn ends(&self) -> Option<(NodeId, NodeId)> {
        None
    }

    /// The UDP port on which it travels, if its protocol has one.
    fn port(&self) -> Option<u16> {
        None
    }

    /// The IPv6 group that it goes to if it is for all neighbours; none if it travels over IPv4.
    fn group(&self) -> Option<[u8; 16]> {
        None
    }

    /// What carries it, if it is not a datagram over IP.
    fn carrier(&self) -> Option<Carrier> {
        None
    }

    /// Appends what `packet` has of it in network byte order, as captures show it behind UDP.
    fn write(&self, packet: &Packet, out: &mut Vec<u8>);
}

/// What carries a message that is not a datagram over IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// A data frame of this EtherType.
    EtherType(u16),
    /// An 802.11 management frame of this subtype (IEEE Std 802.11-2012, table 8-1).
    Management(u8),
}

/// The kinds of message in a packet: several where a protocol sends them together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// A route request.
    pub request: Part,
    /// A route reply.
    pub reply: Part,
    /// A route error.
    pub error: Part,
    /// Whether it is a HELLO.
    pub hello: bool,
}

/// Whether a packet has a message of one kind, and what its sender has to do with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// There is none.
    #[default]
    Absent,
    /// The sender originates it.
    Originated,
    /// A relay sends it on in a packet of its own, as AODV's do.
    Renewed,
    /// It travels on in the packet in which it was originated, as DSR's do.
    Forwarded,
}

impl Part {
    /// Whether there is one.
    pub fn is_there(self) -> bool {
        self != Part::Absent
    }

    /// One that is there, in a packet of so many hops.
    pub fn after(hops: u16) -> Part {
        if hops == 0 { Part::Originated } else { Part::Forwarded }
    }

    /// Absent unless `is_there`.
    pub fn only_if(self, is_there: bool) -> Part {
        if is_there { self } else { Part::Absent }
    }
}
