//! UDP datagrams. As in ns-2 a datagram has no UDP header; the routing layer adds the IP header.

use super::FlowId;

/// A UDP datagram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Datagram {
    /// The flow it belongs to.
    pub flow: FlowId,
    /// Its number within the flow, from 0.
    pub number: u32,
    /// Payload \[bytes\].
    pub payload_bytes: u32,
}
