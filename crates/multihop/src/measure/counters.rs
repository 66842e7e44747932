//! Whole-network counters, named as in the JSON result.

use schemars::JsonSchema;
use serde::Serialize;

use super::BackoffCounts;
use crate::wire::Packet;

/// What the MACs of all nodes did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
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
    /// Backoffs drawn, for whatever cause.
    pub backoffs: u64,
    /// Those drawn because a frame found the medium busy, physically or by NAV.
    pub backoffs_busy: u64,
    /// Those drawn for want of a CTS or an ACK.
    pub backoffs_retry: u64,
    /// Those that follow a frame delivered or given up.
    pub backoffs_post: u64,
    /// Those that ns-2.35 draws for frames that find the medium idle.
    pub backoffs_idle: u64,
    /// Countdowns interrupted by the medium, each time counted.
    pub backoff_freezes: u64,
}

impl MacCounters {
    /// Adds one station's backoffs, by cause.
    pub fn add_backoffs(&mut self, counts: BackoffCounts) {
        let BackoffCounts { idle, busy, retry, post, freezes } = counts;
        self.backoffs_idle += u64::from(idle);
        self.backoffs_busy += u64::from(busy);
        self.backoffs_retry += u64::from(retry);
        self.backoffs_post += u64::from(post);
        self.backoff_freezes += u64::from(freezes);
    }
}

/// What the routing protocols of all nodes did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct RoutingCounters {
    /// Routing packets handed to the link, each hop counted.
    pub packets_sent: u64,
    /// Their bytes, IP headers included.
    pub bytes_sent: u64,
    /// Route requests among them.
    pub requests_sent: u64,
    /// Bytes that relays added to transport packets, each link they crossed counted; not among
    /// `bytes_sent`.
    pub piggyback_bytes: u64,
    /// Route requests that were originated, among the packets sent.
    pub requests_originated: u64,
    /// Route replies that were originated, among the packets sent.
    pub replies_originated: u64,
    /// Route errors that were originated, among the packets sent.
    pub errors_originated: u64,
    /// Route discoveries begun at the packet's source or by a local repair.
    pub discoveries: u64,
    /// Link failures reported by the link or by missing HELLOs.
    pub link_failures: u64,
    /// Failures that the link reported although the neighbour was in reach.
    pub false_link_failures: u64,
    /// Data packets that waited for the next hop in its neighbour's interface queue when its link failed,
    /// added up over the failures that the link reported.
    pub stranded_packets: u64,
    /// HELLOs among the packets sent.
    pub hello_packets: u64,
    /// Their bytes, IP headers included.
    pub hello_bytes: u64,
    /// AODV requests that were passed on, among the packets sent.
    pub requests_rebroadcast: u64,
}

impl RoutingCounters {
    /// Counts what relays have added to a transport packet handed to the link.
    pub fn count_piggyback(&mut self, packet: &Packet) {
        self.piggyback_bytes += u64::from(packet.piggyback_bytes());
    }

    /// Counts a routing packet handed to the link.
    pub fn count_sent(&mut self, packet: &Packet) {
        let bytes = u64::from(packet.size_bytes);
        self.packets_sent += 1;
        self.bytes_sent += bytes;
        self.requests_sent += u64::from(packet.is_request());
        self.requests_rebroadcast += u64::from(packet.is_request_passed_on());
        if packet.is_hello() {
            self.hello_packets += 1;
            self.hello_bytes += bytes;
        }
        let originated = packet.originated();
        self.requests_originated += u64::from(originated.request);
        self.replies_originated += u64::from(originated.reply);
        self.errors_originated += u64::from(originated.error);
    }
}

/// What the interface queues of all nodes did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct QueueCounters {
    /// Packets dropped for lack of room.
    pub drops: u64,
    /// Mean number of waiting packets over nodes and time.
    pub mean_packets: f64,
}

/// What became of the packets of all transports, acknowledgments apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct DataCounters {
    /// Packets that reached their source's interface queue, retransmissions included.
    pub transmitted_packets: u64,
    /// Packets dropped anywhere: at a retry limit, for lack of room, for lack of a route.
    pub dropped_packets: u64,
}

impl DataCounters {
    /// Dropped to transmitted packets; 0 if there were none.
    pub fn dropping_ratio(&self) -> f64 {
        self.dropped_packets as f64 / self.transmitted_packets.max(1) as f64
    }
}
