//! Semi-TCP's hop-by-hop congestion control: who may send an RTS and who is granted a CTS.
//!
//! Source: Cai, Jiang, Guan, Yu, "Decoupling congestion control from TCP (semi-TCP) for multi-hop
//! wireless networks", EURASIP JWCN 2013:149, sections 3.1 to 3.4 with Algorithms 1 and 2.
//!
//! [`Admission`] holds state and decides; it sends nothing and has no clock. The DCF asks it in
//! `mac/dcf/admission.rs`: before it contends, when it sends an RTS, and when it answers one.
//!
//! Deviation (see `config.rs` for the keys):
//! - A congested node sends RTSC to a congested next hop. Algorithm 1 forbids this, but the
//!   deadlock rule needs it.
//! - A congested node that waits to repeat its RTS ignores others, but not its next hop: otherwise
//!   two such nodes would never answer each other.
//! - A CTSC that no data followed does not count as a grant.
//! - A CTS carries no transmitter address; the mark is set on the true transmitter all the same.

pub mod config;
mod marks;

pub use config::{NAME, Rules, SemiConfig};

use config::{CongestedNextHop, Deferral, OtherRtsc};
use marks::Marks;

use super::admission::{Answer, FirstPacket};
use crate::kernel::Instant;
use crate::wire::{Frame, NodeId, Notice};

/// One node's congestion control.
#[derive(Clone, Debug)]
pub struct Admission {
    rules: Rules,
    marks: Marks,
    /// Nodes granted by CTSC that have not received a packet from this node since.
    helped: Vec<NodeId>,
    /// Nodes that granted this node by CTSC and have not been repaid.
    owed: Vec<NodeId>,
    /// The node granted by CTSC whose data has not arrived yet.
    open_grant: Option<NodeId>,
    /// The contention window is bounded by MIN_CONGESTION.
    is_urgent: bool,
}

impl Admission {
    /// A node without marks or grants.
    pub fn new(rules: &Rules) -> Admission {
        Admission {
            rules: *rules,
            marks: Marks::new(rules),
            helped: Vec::new(),
            owed: Vec::new(),
            open_grant: None,
            is_urgent: false,
        }
    }

    /// Whether a node with this many data packets is congested (eq. 4).
    pub fn is_congested(&self, packets: u32) -> bool {
        packets >= self.rules.congested_from
    }

    /// The notice in the RTS for a packet, with this many data packets in the node.
    pub fn notice(&self, is_data: bool, packets: u32) -> Notice {
        match is_data {
            false => Notice::Urgent,
            true if self.is_congested(packets) => Notice::Congested,
            true => Notice::None,
        }
    }

    /// Algorithm 1: whether a data packet for `next_hop` has to be deferred, and until when at the
    /// latest, unless a mark is renewed.
    pub fn defers_until(&self, now: Instant, next_hop: NodeId, packets: u32) -> Option<Instant> {
        let literal = self.rules.congested_next_hop == CongestedNextHop::Defer;
        match self.marks.end_of(now, next_hop) {
            Some(end) if literal && self.is_congested(packets) => Some(end),
            _ if self.is_congested(packets) => None,
            _ => self.marks.last_end(now),
        }
    }

    /// The end of a deferral that begins now, if deferrals last a fixed time; none if they last
    /// while a mark requires it.
    pub fn fixed_deferral(&self, now: Instant) -> Option<Instant> {
        (self.rules.deferral == Deferral::Once).then(|| now + self.rules.mark_lifetime)
    }

    /// A deferral of fixed time is over: clears all marks.
    pub fn on_deferral_over(&mut self) {
        self.marks.clear();
    }

    /// Whether data frames have cleared all marks; expired marks are not cleared.
    pub fn is_clear(&self) -> bool {
        self.marks.is_empty()
    }

    /// Algorithm 2: the answer to an RTS of `from` with `notice`, while this node has `packets`
    /// data packets and `first` is next.
    pub fn answer(
        &mut self,
        from: NodeId,
        notice: Notice,
        first: Option<FirstPacket>,
        packets: u32,
    ) -> Answer {
        self.on_occupancy(packets);
        if notice == Notice::Urgent || !self.is_congested(packets) {
            return Answer::Cts;
        }
        let Some(first) = first else {
            return if self.rules.refuse_without_packet { Answer::Silence } else { Answer::Cts };
        };
        let is_for_another = first.next_hop != from;
        if first.is_repeating && is_for_another && !self.rules.answer_while_repeating {
            return Answer::Silence;
        }
        let has_space = self.rules.full_from.is_none_or(|full| packets < full);
        if self.rules.repay && has_space && self.owed.contains(&from) {
            self.owed.retain(|&node| node != from);
            return Answer::Cts;
        }
        if notice == Notice::None {
            return Answer::OwnRts;
        }
        let is_deadlock = first.is_data && !is_for_another;
        if is_deadlock && has_space && !self.helped.contains(&from) {
            return Answer::Ctsc;
        }
        match self.rules.other_rtsc {
            OtherRtsc::Rtsc => Answer::OwnRts,
            OtherRtsc::Silent => {
                self.is_urgent = true;
                Answer::Silence
            }
        }
    }

    /// The minimum contention window, if not that of the MAC \[slots\].
    pub fn urgent_window(&self) -> Option<u32> {
        self.is_urgent.then_some(self.rules.min_congestion_window)
    }

    /// A CTSC was sent to `to`.
    pub fn on_ctsc_sent(&mut self, to: NodeId) {
        self.helped.push(to);
        self.open_grant = Some(to);
    }

    /// The data frame after a CTS or CTSC has arrived.
    pub fn on_granted_data(&mut self) {
        self.open_grant = None;
    }

    /// No data frame followed a CTS or CTSC.
    pub fn on_grant_unused(&mut self) {
        if let Some(node) = self.open_grant.take() {
            self.helped.retain(|&helped| helped != node);
        }
    }

    /// `by` has answered with a CTSC.
    pub fn on_ctsc(&mut self, by: NodeId) {
        self.helped.retain(|&node| node != by);
        if self.rules.repay && !self.owed.contains(&by) {
            self.owed.push(by);
        }
    }

    /// `to` has acknowledged a packet; this many data packets are left.
    pub fn on_delivered(&mut self, to: NodeId, packets: u32) {
        self.helped.retain(|&node| node != to);
        self.is_urgent = false;
        self.on_occupancy(packets);
    }

    /// This many data packets are in the node.
    pub fn on_occupancy(&mut self, packets: u32) {
        if !self.is_congested(packets) {
            self.helped.clear();
        }
    }

    /// `frame`, addressed to any station, was decoded. Returns whether it set a mark.
    pub fn on_heard(&mut self, now: Instant, frame: &Frame) -> bool {
        let marks = match frame.notice {
            Notice::None | Notice::Backlog(_) => false,
            Notice::Congested => true,
            Notice::Urgent => self.rules.urgent_marks,
        };
        if marks {
            self.marks.set(now, frame.transmitter);
        } else if let Some(packet) = frame.packet()
            && (packet.is_transport() || self.rules.count_control)
        {
            self.marks.on_data(frame.transmitter);
        }
        marks
    }

    /// `by` has answered an RTS with an RTS of its own instead of a CTS; `packets` data packets are
    /// in this node. Returns whether that counts as a failed attempt.
    pub fn on_refused(&mut self, now: Instant, by: NodeId, packets: u32) -> bool {
        self.marks.set(now, by);
        self.rules.count_refused_rtsc && self.is_congested(packets)
    }
}

#[cfg(test)]
mod tests;
