//! Hop-by-hop admission: congestion control in the frame exchange between two stations.
//!
//! The DCF asks [`Admission`](super::Admission) before it contends, when it sends an RTS and when
//! it answers one (`dcf/admission.rs`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::wire::NodeId;

/// The packet that a node will send next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstPacket {
    /// Where it goes next.
    pub next_hop: NodeId,
    /// Whether it is data, not a routing or ARP packet.
    pub is_data: bool,
    /// An RTS or RTSC for it was not answered and will be repeated.
    pub is_repeating: bool,
}

/// The answer to an RTS or RTSC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// CTS.
    Cts,
    /// CTSC: granted although congested.
    Ctsc,
    /// Refused: the node's own RTS or RTSC for its first packet instead of a CTS.
    OwnRts,
    /// No answer.
    Silence,
}

/// How full a node may be before its own transports have to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackPressureRules {
    /// The scheme's name in results.
    pub name: &'static str,
    /// With this many data packets in the node, its transports wait.
    pub threshold: u32,
    /// Routing and ARP packets count as data packets.
    pub counts_control: bool,
    /// The MACs use hop-by-hop admission, too.
    pub is_admitting: bool,
    /// Packets that can wait at their source, for each flow that sends unasked; none if such flows
    /// are not held back.
    pub source_buffer_packets: Option<usize>,
}

/// Counters of hop-by-hop admission over all nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AdmissionCounters {
    /// RTSC frames sent (also among `rts_sent`).
    pub rtsc_sent: u64,
    /// CTSC frames sent to resolve a deadlock (also among `cts_sent`).
    pub ctsc_sent: u64,
    /// RTS frames for routing and ARP packets.
    pub urgent_rts_sent: u64,
    /// Marks of congested neighbours set or renewed.
    pub marks_set: u64,
    /// Packets deferred because of a mark or a refusal.
    pub deferrals: u64,
    /// Total time of these deferrals \[s\].
    pub deferred_s: f64,
    /// Refusals: frames of its own that a congested node sent instead of a CTS.
    pub refusals_sent: u64,
    /// Refusals received by the node that sent the RTS.
    pub refusals_heard: u64,
    /// RTS and RTSC frames that a congested node left unanswered.
    pub requests_ignored: u64,
    /// Maximum number of data packets in one node. At a source those that wait for an address may
    /// come on top of the scheme's bound.
    pub max_packets: u32,
    /// Longest service time of a data packet, from its handover to the MAC until it was
    /// acknowledged or given up \[s\].
    pub longest_service_s: f64,
    /// How often a node became congested.
    pub congestions: u64,
    /// Total time that nodes were congested, over the periods that ended \[s\].
    pub congested_s: f64,
    /// Packets of a node's own transport that waited because of the node's occupancy.
    pub source_waits: u64,
    /// Packets dropped because too many waited there.
    pub source_drops: u64,
    /// Data packets in the nodes at the end of the run.
    pub packets_left: u32,
}
