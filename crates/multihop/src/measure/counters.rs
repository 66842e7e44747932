//! Whole-network counters, named as in the JSON result.

use serde::Serialize;

use crate::mac::BackoffCounts;
use crate::wire::aodv::Message;
use crate::wire::{Body, Packet};

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
    /// What semi-TCP's admission did, with `mac.scheme = "semi-tcp"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admission: Option<AdmissionCounters>,
}

impl MacCounters {
    /// Adds one station's backoffs, by cause.
    pub fn add_backoffs(&mut self, counts: BackoffCounts) {
        let BackoffCounts { idle, busy, retry, after, freezes } = counts;
        self.backoffs_idle += u64::from(idle);
        self.backoffs_busy += u64::from(busy);
        self.backoffs_retry += u64::from(retry);
        self.backoffs_post += u64::from(after);
        self.backoff_freezes += u64::from(freezes);
    }
}

/// What semi-TCP's admission hop by hop did in all nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AdmissionCounters {
    /// RTSC frames sent (also among `rts_sent`).
    pub rtsc_sent: u64,
    /// CTSC frames sent, grants that resolve a deadlock (also among `cts_sent`).
    pub ctsc_sent: u64,
    /// RTS frames for routing and ARP packets.
    pub urgent_rts_sent: u64,
    /// Marks of congested neighbours set or set anew.
    pub marks_set: u64,
    /// Packets put aside because of such marks or of a refusal.
    pub deferrals: u64,
    /// Time that packets were put aside, added up \[s\].
    pub deferred_s: f64,
    /// Frames of its own that a congested node sent in the place of a CTS.
    pub refusals_sent: u64,
    /// Refusals that the node that had asked understood.
    pub refusals_heard: u64,
    /// RTS and RTSC that a congested node left unanswered.
    pub requests_ignored: u64,
    /// Most data packets that ever were in one node.
    pub max_packets: u32,
    /// Longest time that a data packet was first in its node, from its handing over to the MAC to its
    /// acknowledgment or its being given up \[s\].
    pub longest_service_s: f64,
    /// How often a node became congested.
    pub congestions: u64,
    /// How long nodes were congested, added up over those spells that ended \[s\].
    pub congested_s: f64,
    /// Packets of a node's own transport that waited for room in the node.
    pub source_waits: u64,
    /// Packets dropped because too many waited so.
    pub source_drops: u64,
    /// Data packets that are in the nodes at the end.
    pub packets_left: u32,
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
    /// Bytes that relays added to transport packets (COPAS), each link they crossed counted; not among
    /// `bytes_sent`.
    pub piggyback_bytes: u64,
    /// DSR requests that were originated, among the packets sent.
    pub requests_originated: u64,
    /// DSR replies that were originated, among the packets sent.
    pub replies_originated: u64,
    /// DSR route errors that were originated, among the packets sent.
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
    /// Copies of requests that came to a node after it had chosen a worse one.
    pub late_requests: u64,
    /// Weights that nodes gave to requests, one a node and discovery.
    pub weights_used: u64,
    /// Sum over these of the connections by which they differ from what the nodes counted at the time.
    pub weights_stale_connections: u64,
}

impl RoutingCounters {
    /// Counts what relays have added to a transport packet handed to the link.
    pub fn count_piggyback(&mut self, packet: &Packet) {
        if let Some(header) = &packet.dsr {
            self.piggyback_bytes += u64::from(header.contention_bytes());
        }
    }

    /// Counts a routing packet handed to the link.
    pub fn count_sent(&mut self, packet: &Packet) {
        let bytes = u64::from(packet.size_bytes);
        self.packets_sent += 1;
        self.bytes_sent += bytes;
        self.requests_sent += u64::from(packet.is_request());
        match &packet.body {
            Body::Aodv(Message::Hello { .. }) => {
                self.hello_packets += 1;
                self.hello_bytes += bytes;
            }
            Body::Aodv(Message::Request(request)) if request.originator != packet.source => {
                self.requests_rebroadcast += 1;
            }
            Body::Dsr if packet.hops == 0 => {
                let Some(header) = &packet.dsr else { return };
                self.requests_originated += u64::from(header.request.is_some());
                self.replies_originated += u64::from(header.reply.is_some());
                let is_error = header.request.is_none() && !header.errors.is_empty();
                self.errors_originated += u64::from(is_error);
            }
            _ => {}
        }
    }
}

/// What the interface queues of all nodes did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct QueueCounters {
    /// Packets dropped for lack of room.
    pub drops: u64,
    /// Mean number of waiting packets over nodes and time.
    pub mean_packets: f64,
}

/// What became of the packets of all transports, acknowledgments apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
