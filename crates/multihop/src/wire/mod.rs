//! Packets and frames: fields and sizes, no behaviour.

pub mod aodv;
pub mod arp;
pub(crate) mod checksum;
mod content;
pub mod dsr;
mod ecn;
pub mod ethernet;
mod extension;
mod frame;
pub mod ipv6;
pub mod management;
pub(crate) mod manet;
mod message;
mod packet;
pub mod payload;
pub(crate) mod put;
mod route_id;
pub mod tcp;
pub mod udp;
pub(crate) mod words;

pub use content::{Content, Identity};
pub use ecn::{Ecn, EcnFlags};
pub use extension::{Extension, Octets};
pub use frame::{Format, Frame, FrameKind, HighThroughput, Modulation, Notice, Rate};
pub use message::{Carrier, Message, Part, Parts};
pub use packet::{Body, FlowId, Interface, NodeId, Packet, PacketKind};
pub use payload::{Aggregate, Mpdu, MpduSet, Payload};
pub use route_id::{DiscoveryId, RouteId};

/// Bytes of an IPv4 header without options (RFC 791).
pub const IP_HEADER_BYTES: u32 = 20;
