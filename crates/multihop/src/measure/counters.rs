//! Whole-network counters, named as in the JSON result.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::BackoffCounts;
use crate::wire::{Packet, Part, Parts};

/// Counters of the MACs of all nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct MacCounters {
    /// RTS frames sent.
    pub rts_sent: u64,
    /// CTS frames sent.
    pub cts_sent: u64,
    /// Unicast DATA frames sent, each A-MPDU as one.
    pub data_sent: u64,
    /// A-MPDUs among `data_sent`.
    pub aggregates_sent: u64,
    /// DATA frames in A-MPDUs.
    pub aggregated_sent: u64,
    /// Block acknowledgments sent.
    pub block_acks_sent: u64,
    /// ACK frames sent.
    pub ack_sent: u64,
    /// Broadcast DATA frames sent.
    pub broadcast_sent: u64,
    /// Packets given up at the short or long retry limit.
    pub retry_drops: u64,
    /// Frames lost to a collision at a node that they were addressed to (each node, for a
    /// broadcast) although strong enough to be decoded: ns-2's `COL` drops.
    pub collisions: u64,
    /// Backoffs drawn, for any cause.
    pub backoffs: u64,
    /// Backoffs drawn because a frame found the medium busy, physically or by NAV.
    pub backoffs_busy: u64,
    /// Backoffs drawn because a CTS or an ACK was missing.
    pub backoffs_retry: u64,
    /// Backoffs drawn after a frame was delivered or given up.
    pub backoffs_post: u64,
    /// Backoffs drawn although a frame found the medium idle, as in ns-2.35.
    pub backoffs_idle: u64,
    /// Times that a busy medium froze a countdown.
    pub backoff_freezes: u64,
    /// What each access category has done, with `mac.edca`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub categories: BTreeMap<&'static str, CategoryCounters>,
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

/// What the MACs have done in one category, over all stations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CategoryCounters {
    /// Turns: times that it had the medium.
    pub turns: u64,
    /// Unicast DATA frames sent, each A-MPDU as one.
    pub data_sent: u64,
    /// DATA frames in A-MPDUs.
    pub aggregated_sent: u64,
    /// Broadcast DATA frames sent.
    pub broadcast_sent: u64,
    /// Payload of packets that neighbours have acknowledged \[bytes\].
    pub delivered_bytes: u64,
    /// Packets given up at a retry limit.
    pub retry_drops: u64,
    /// Turns that went to a higher category of the same station, and were backed off from as from
    /// a collision.
    pub internal_collisions: u64,
}

impl std::ops::AddAssign<&CategoryCounters> for CategoryCounters {
    fn add_assign(&mut self, other: &CategoryCounters) {
        self.turns += other.turns;
        self.data_sent += other.data_sent;
        self.aggregated_sent += other.aggregated_sent;
        self.broadcast_sent += other.broadcast_sent;
        self.delivered_bytes += other.delivered_bytes;
        self.retry_drops += other.retry_drops;
        self.internal_collisions += other.internal_collisions;
    }
}

/// Counters of the routing protocols of all nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct RoutingCounters {
    /// Routing packets handed to the link, counted at each hop.
    pub packets_sent: u64,
    /// Size of `packets_sent`, IP headers included \[bytes\].
    pub bytes_sent: u64,
    /// Route requests among `packets_sent`.
    pub requests_sent: u64,
    /// What relays added to transport packets, counted on each link \[bytes\]; not among
    /// `bytes_sent`.
    pub piggyback_bytes: u64,
    /// Route requests originated, among `packets_sent`.
    pub requests_originated: u64,
    /// Route replies originated, among `packets_sent`.
    pub replies_originated: u64,
    /// Route errors originated, among `packets_sent`.
    pub errors_originated: u64,
    /// Route discoveries started, at a packet's source or by local repair.
    pub discoveries: u64,
    /// Link failures that the MAC or ARP reported of data packets. Links that broke for want of
    /// HELLOs do not count.
    pub link_failures: u64,
    /// False link failures: reported by the link although the neighbour was in receive range.
    pub false_link_failures: u64,
    /// Data packets waiting in the interface queue for a next hop when the link to it failed,
    /// summed over the failures that the link reported.
    pub stranded_packets: u64,
    /// HELLOs among `packets_sent`.
    pub hello_packets: u64,
    /// Size of `hello_packets`, IP headers included \[bytes\].
    pub hello_bytes: u64,
    /// AODV requests rebroadcast by relays, among `packets_sent`.
    pub requests_rebroadcast: u64,
    /// Messages that their protocol names, among `packets_sent`, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub messages: BTreeMap<&'static str, MessageCount>,
}

impl RoutingCounters {
    /// Counts the bytes that relays have added to a transport packet handed to the link.
    pub fn count_piggyback(&mut self, packet: &Packet) {
        self.piggyback_bytes += u64::from(packet.piggyback_bytes());
    }

    /// Counts a routing packet handed to the link.
    #[inline(never)]
    pub fn count_sent(&mut self, packet: &Packet) {
        let bytes = u64::from(packet.size_bytes);
        self.packets_sent += 1;
        self.bytes_sent += bytes;
        let Some(message) = packet.message() else { return };
        let Parts { request, reply, error, hello } = message.parts(packet);
        let is_originated = |part| u64::from(part == Part::Originated);
        self.requests_sent += u64::from(request.is_there());
        self.requests_rebroadcast += u64::from(request == Part::Renewed);
        self.requests_originated += is_originated(request);
        self.replies_originated += is_originated(reply);
        self.errors_originated += is_originated(error);
        if hello {
            self.hello_packets += 1;
            self.hello_bytes += bytes;
        }
        if !message.name().is_empty() {
            let count = self.messages.entry(message.name()).or_default();
            count.packets += 1;
            count.bytes += bytes;
        }
    }
}

/// Packets with a protocol's messages of one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MessageCount {
    /// Packets handed to the link, counted at each hop.
    pub packets: u64,
    /// Their size, IP headers included \[bytes\].
    pub bytes: u64,
}

/// Counters of the interface queues of all nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct QueueCounters {
    /// Packets dropped because a queue was full.
    pub drops: u64,
    /// Packets of transports dropped because they had waited too long (CoDel), or by the rule of
    /// another crate.
    pub codel_drops: u64,
    /// Packets marked in place of that (ECN).
    pub ecn_marks: u64,
    /// Mean number of waiting packets over nodes and time.
    pub mean_packets: f64,
}

/// Counters of the data packets of all transports, without acknowledgments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct DataCounters {
    /// Packets that reached the interface queue of their source, retransmissions included.
    pub transmitted_packets: u64,
    /// Packets dropped anywhere: at a retry limit, at a queue, or without a route. Of several
    /// copies of one packet, as salvaging makes them, one counts.
    pub dropped_packets: u64,
    /// Those dropped before they reached the interface queue of their source.
    #[serde(skip)]
    pub unsent_packets: u64,
}

impl DataCounters {
    /// Share of dropped packets in those that were transmitted, or dropped before they could be; 0
    /// if there are none.
    pub fn dropping_ratio(&self) -> f64 {
        let offered = self.transmitted_packets + self.unsent_packets;
        self.dropped_packets as f64 / offered.max(1) as f64
    }
}
