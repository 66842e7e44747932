//! The TLVs of section 4.6, as the protocol sees them: an update has its router-id and next hop,
//! wherever in the packet they stood.

use super::address::{Address, Prefix, RouterId};
use super::diversity::Channels;
use super::seqno::{INFINITY, Seqno};

/// Types of TLVs (section 4.6).
pub mod kind {
    /// Pad1.
    pub const PAD1: u8 = 0;
    /// Acknowledgment Request.
    pub const ACK_REQUEST: u8 = 2;
    /// Acknowledgment.
    pub const ACK: u8 = 3;
    /// Hello.
    pub const HELLO: u8 = 4;
    /// IHU.
    pub const IHU: u8 = 5;
    /// Router-Id.
    pub const ROUTER_ID: u8 = 6;
    /// Next Hop.
    pub const NEXT_HOP: u8 = 7;
    /// Update.
    pub const UPDATE: u8 = 8;
    /// Route Request.
    pub const ROUTE_REQUEST: u8 = 9;
    /// Seqno Request.
    pub const SEQNO_REQUEST: u8 = 10;
}

/// Address encodings (section 4.1.4).
pub mod encoding {
    /// Any address.
    pub const WILDCARD: u8 = 0;
    /// IPv4.
    pub const IPV4: u8 = 1;
    /// IPv6.
    pub const IPV6: u8 = 2;
    /// Link-local IPv6: the last 8 octets.
    pub const LINK_LOCAL: u8 = 3;
}

/// Flags.
pub mod flag {
    /// Of a Hello: it is a Unicast Hello.
    pub const UNICAST: u16 = 0x8000;
    /// Of an Update: its prefix is the default of later ones.
    pub const PREFIX: u8 = 0x80;
    /// Of an Update: its prefix has the router-id.
    pub const ROUTER_ID: u8 = 0x40;
}

/// Sub-TLVs of an Update.
pub mod sub {
    /// Diversity (section 5): an octet a channel.
    pub const CHANNELS: u8 = 2;
    /// An octet a channel and two for the cost of its links; of those for experiments (section 5).
    pub const CHANNEL_COSTS: u8 = 126;
}

/// Magic and version of a packet (section 4.2).
pub const MAGIC: [u8; 2] = [42, 2];
/// Octets of a packet's header.
pub const HEADER_BYTES: usize = 4;

/// Hundredths of a second (section 4.1.2).
pub type Centiseconds = u16;

/// A TLV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tlv {
    /// Acknowledgment Request (section 4.6.3).
    AckRequest {
        /// What the acknowledgment repeats.
        opaque: u16,
        /// The time for it.
        interval: Centiseconds,
    },
    /// Acknowledgment (section 4.6.4).
    Ack {
        /// That of the request.
        opaque: u16,
    },
    /// Hello (section 4.6.5).
    Hello(Hello),
    /// IHU (section 4.6.6).
    Ihu {
        /// Who was heard; none is who gets the packet.
        address: Option<Address>,
        /// The cost of hearing it.
        rxcost: u16,
        /// The time to the next.
        interval: Centiseconds,
    },
    /// Update (section 4.6.9).
    Update(Update),
    /// Route Request (section 4.6.10).
    RouteRequest {
        /// The prefix; none for all.
        prefix: Option<Prefix>,
    },
    /// Seqno Request (section 4.6.11).
    SeqnoRequest(SeqnoRequest),
}

/// A Hello.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    /// It is a Unicast Hello.
    pub is_unicast: bool,
    /// Its number.
    pub seqno: Seqno,
    /// The time to the next; 0 promises none.
    pub interval: Centiseconds,
}

/// An update of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// The prefix; none retracts all routes.
    pub prefix: Option<Prefix>,
    /// Who originates it; of a retraction it may be missing.
    pub router_id: Option<RouterId>,
    /// Where data go; of a retraction it may be missing, and until a station sends the update.
    pub next_hop: Option<Address>,
    /// The time to the next.
    pub interval: Centiseconds,
    /// The originator's sequence number.
    pub seqno: Seqno,
    /// The metric of who sends it.
    pub metric: u16,
    /// The channels of its route, where metrics ask for them.
    pub channels: Channels,
}

impl Update {
    /// Whether it retracts the route.
    pub fn is_retraction(&self) -> bool {
        self.metric == INFINITY
    }
}

/// A request for a newer sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeqnoRequest {
    /// The prefix.
    pub prefix: Prefix,
    /// The router that is asked.
    pub router_id: RouterId,
    /// The sequence number that is asked for.
    pub seqno: Seqno,
    /// How often it may be forwarded, plus 1.
    pub hop_count: u8,
}
