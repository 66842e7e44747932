//! Hop-by-hop admission: congestion control in the frame exchange between two stations.
//!
//! The DCF asks a scheme's [`Admission`] before it contends, when it sends an RTS and when it
//! answers one (`dcf/admission.rs`).

use std::fmt::Debug;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::Instant;
use crate::wire::{Frame, NodeId, Notice};

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

/// One station's rules for sending and answering an RTS. It holds state and decides; it sends
/// nothing and has no clock.
pub trait Admission: Debug + Send + Sync {
    /// The scheme's name in results.
    fn name(&self) -> &'static str;

    /// Whether a node with this many data packets is congested (eq. 4).
    fn is_congested(&self, packets: u32) -> bool;

    /// The notice in the RTS for a packet, with this many data packets in the node.
    fn notice(&self, is_data: bool, packets: u32) -> Notice;

    /// Algorithm 1: whether a data packet for `next_hop` has to be deferred, and until when at the
    /// latest, unless a mark is renewed.
    fn defers_until(&self, now: Instant, next_hop: NodeId, packets: u32) -> Option<Instant>;

    /// The end of a deferral that begins now, if deferrals last a fixed time; none if they last
    /// while a mark requires it.
    fn fixed_deferral(&self, now: Instant) -> Option<Instant>;

    /// A deferral of fixed time is over: clears all marks.
    fn on_deferral_over(&mut self);

    /// Whether data frames have cleared all marks; expired marks are not cleared.
    fn is_clear(&self) -> bool;

    /// Algorithm 2: the answer to an RTS of `from` with `notice`, while this node has `packets`
    /// data packets and `first` is next.
    fn answer(
        &mut self,
        from: NodeId,
        notice: Notice,
        first: Option<FirstPacket>,
        packets: u32,
    ) -> Answer;

    /// The minimum contention window, if not that of the MAC \[slots\].
    fn urgent_window(&self) -> Option<u32>;

    /// A CTSC was sent to `to`.
    fn on_ctsc_sent(&mut self, to: NodeId);

    /// The data frame after a CTS or CTSC has arrived.
    fn on_granted_data(&mut self);

    /// No data frame followed a CTS or CTSC.
    fn on_grant_unused(&mut self);

    /// `by` has answered with a CTSC.
    fn on_ctsc(&mut self, by: NodeId);

    /// `to` has acknowledged a packet; this many data packets are left.
    fn on_delivered(&mut self, to: NodeId, packets: u32);

    /// This many data packets are in the node.
    fn on_occupancy(&mut self, packets: u32);

    /// `frame`, addressed to any station, was decoded. Returns whether it set a mark.
    fn on_heard(&mut self, now: Instant, frame: &Frame) -> bool;

    /// `by` has answered an RTS with an RTS of its own instead of a CTS; `packets` data packets are
    /// in this node. Returns whether that counts as a failed attempt.
    fn on_refused(&mut self, now: Instant, by: NodeId, packets: u32) -> bool;
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
    /// Maximum number of data packets in one node.
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
