//! Admission hop by hop: congestion control in the frame exchange, between a station and the next.
//!
//! The DCF asks a scheme's [`Admission`] before it contends, when it sends an RTS and when it answers one
//! (`dcf/admission.rs`).

use std::fmt::Debug;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::Instant;
use crate::wire::{Frame, NodeId, Notice};

/// The packet that a node would send first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstPacket {
    /// Where it goes next.
    pub next_hop: NodeId,
    /// Whether it is data, as opposed to routing's and ARP's packets.
    pub is_data: bool,
    /// An RTS or RTSC for it has not been answered and will be repeated.
    pub is_repeating: bool,
}

/// The answer to an RTS or RTSC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// CTS.
    Cts,
    /// CTSC: granted though congested.
    Ctsc,
    /// Refused: the node's own RTS or RTSC for its first packet, in the place of the CTS.
    OwnRts,
    /// None.
    Silence,
}

/// One station's rules of who may send and who is answered. It decides and remembers; it sends nothing
/// and knows no clock.
pub trait Admission: Debug + Send + Sync {
    /// What a result calls the scheme.
    fn name(&self) -> &'static str;

    /// Whether a node with so many data packets is congested (eq. 4).
    fn is_congested(&self, packets: u32) -> bool;

    /// What the RTS for a packet says, with so many data packets in the node.
    fn notice(&self, is_data: bool, packets: u32) -> Notice;

    /// Algorithm 1: whether a data packet for `next_hop` has to be deferred, and at the latest until when
    /// unless a mark is set anew.
    fn defers_until(&self, now: Instant, next_hop: NodeId, packets: u32) -> Option<Instant>;

    /// When a deferral that begins now ends, if it lasts for a time and not for as long as it has a reason.
    fn fixed_deferral(&self, now: Instant) -> Option<Instant>;

    /// A deferral for a time is over: the marks with it.
    fn on_deferral_over(&mut self);

    /// Whether data frames have cleared all marks since they were set.
    fn is_clear(&self) -> bool;

    /// Algorithm 2: the answer to an RTS of `from` with `notice`, on an idle medium.
    fn answer(
        &mut self,
        from: NodeId,
        notice: Notice,
        first: Option<FirstPacket>,
        packets: u32,
    ) -> Answer;

    /// The smallest contention window, if it is not the usual one \[slots\].
    fn urgent_window(&self) -> Option<u32>;

    /// A CTSC was sent to `to`.
    fn on_ctsc_sent(&mut self, to: NodeId);

    /// The data that a grant asked for have come. Returns whether it was a grant by CTSC.
    fn on_granted_data(&mut self) -> bool;

    /// No data followed a CTS or CTSC.
    fn on_grant_unused(&mut self);

    /// `by` has answered with a CTSC.
    fn on_ctsc(&mut self, by: NodeId);

    /// `to` has acknowledged a packet; so many are left.
    fn on_delivered(&mut self, to: NodeId, packets: u32);

    /// So many data packets are in the node.
    fn on_occupancy(&mut self, packets: u32);

    /// `frame` was decoded, whoever it is for. Returns whether it set a mark.
    fn on_heard(&mut self, now: Instant, frame: &Frame) -> bool;

    /// `by` has sent an RTS of its own in the place of the CTS that was asked for, with so many packets here.
    /// Returns whether that counts as a failed attempt.
    fn on_refused(&mut self, now: Instant, by: NodeId, packets: u32) -> bool;
}

/// How full a node may be before its own transports have to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackPressureRules {
    /// What a result calls the scheme.
    pub name: &'static str,
    /// Data packets in the node from which on its transports wait.
    pub threshold: u32,
    /// Routing and ARP packets count as data packets do.
    pub counts_control: bool,
    /// The MACs keep admission, too.
    pub is_admitting: bool,
    /// Packets of a flow that does not ask for room itself which can wait for it at their source; none if
    /// such flows send unasked.
    pub source_buffer_packets: Option<usize>,
}

/// What admission hop by hop did in all nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
