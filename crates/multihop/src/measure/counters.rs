//! Whole-network counters, named as in the JSON result.

use serde::Serialize;

/// What the MACs of all nodes did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MacCounters {
    /// RTS frames sent.
    pub rts_sent: u64,
    /// CTS frames sent.
    pub cts_sent: u64,
    /// Unicast DATA frames sent.
    pub data_sent: u64,
    /// ACK frames sent.
    pub ack_sent: u64,
    /// Broadcast DATA frames sent.
    pub broadcast_sent: u64,
    /// Packets given up at the short or long retry limit.
    pub retry_drops: u64,
    /// Frames lost to a collision at a node that they were for (each node for a broadcast) and
    /// strong enough to be decoded: ns-2's `COL` drops.
    pub collisions: u64,
    /// Backoffs drawn.
    pub backoffs: u64,
}

/// What the routing protocols of all nodes did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RoutingCounters {
    /// Routing packets handed to the link, each hop counted.
    pub packets_sent: u64,
    /// Their bytes, IP headers included.
    pub bytes_sent: u64,
    /// Route requests among them.
    pub requests_sent: u64,
    /// Route discoveries begun at the packet's source or by a local repair.
    pub discoveries: u64,
    /// Link failures reported by the link or by missing HELLOs.
    pub link_failures: u64,
    /// Failures that the link reported although the neighbour was in reach.
    pub false_link_failures: u64,
}

/// What the interface queues of all nodes did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct QueueCounters {
    /// Packets dropped for lack of room.
    pub drops: u64,
    /// Mean number of waiting packets over nodes and time.
    pub mean_packets: f64,
}
