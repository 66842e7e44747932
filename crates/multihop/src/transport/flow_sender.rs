//! What a flow asks of its sender, whatever that is made of.

use std::fmt::Debug;

use super::actions::{Acknowledgment, SenderActions};
use super::link_failure::LinkFailureCounters;
use crate::kernel::{Duration, Instant};
use crate::measure::Counts;
use crate::wire::tcp::{SackBlocks, SegmentKind};
use crate::wire::{Ecn, EcnFlags};

/// What a sender has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounters {
    /// Segments sent, SYN and retransmissions included.
    pub sent_segments: u64,
    /// Retransmissions among them.
    pub retransmits: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Losses detected by duplicate acknowledgments.
    pub fast_retransmits: u64,
    /// Reductions of the window for marks of congested nodes.
    pub ecn_reductions: u64,
}

/// What a sender does just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Its window is below the threshold.
    SlowStart,
    /// Its window has reached the threshold.
    CongestionAvoidance,
    /// It repairs losses that duplicate acknowledgments have shown.
    Recovery,
    /// It waits for a route.
    Suspended,
}

/// A sender's state, for records.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Glance {
    /// What it does.
    pub stage: Stage,
    /// Congestion window \[segments\].
    pub cwnd: f64,
    /// Slow-start threshold \[segments\].
    pub ssthresh: u32,
    /// Retransmission timeout, backoff included.
    pub rto: Duration,
    /// Smoothed round-trip time, once measured.
    pub smoothed_rtt: Option<Duration>,
    /// Shortest round-trip time, once measured.
    pub least_rtt: Option<Duration>,
}

/// What an agent outside the protocol sets at a sender. It holds from the next segment or
/// acknowledgment on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Setting {
    /// No more segments than these are unacknowledged, whatever the congestion window.
    WindowLimit(u32),
    /// The congestion window \[segments\] from which congestion control goes on. It is above slow
    /// start.
    CongestionWindow(u32),
    /// The time between segments.
    PacingInterval(Duration),
}

/// What a flow asks of its sender.
pub trait FlowSender: Debug + Send + Sync {
    /// The other end opens the connection, instead of `on_start`: there is no SYN of this
    /// direction's own.
    fn on_accept(&mut self);

    /// The application starts: the SYN may leave.
    fn on_start(&mut self, now: Instant, out: &mut SenderActions);

    /// The application stops: nothing new is sent any more.
    fn on_stop(&mut self, now: Instant);

    /// The application, which has started, gives a message of `bytes`. Returns the number of its
    /// last segment.
    fn on_supply(&mut self, now: Instant, bytes: u64, out: &mut SenderActions) -> u32;

    /// A cumulative acknowledgment has arrived.
    fn on_ack(&mut self, now: Instant, ack: Acknowledgment, out: &mut SenderActions);

    /// An acknowledgment of segment `number` alone has arrived.
    fn on_selective_ack(&mut self, _now: Instant, _number: u32, _out: &mut SenderActions) {}

    /// A cumulative acknowledgment has arrived, and with it that of `blocks` beyond.
    fn on_sack(
        &mut self,
        now: Instant,
        ack: Acknowledgment,
        _blocks: SackBlocks,
        out: &mut SenderActions,
    ) {
        self.on_ack(now, ack, out);
    }

    /// Codepoint and flags of `segment`, which leaves now: asked once for each, in their order.
    fn ecn(&mut self, _segment: &SegmentKind) -> (Ecn, EcnFlags) {
        (Ecn::NotCapable, EcnFlags::NONE)
    }

    /// The retransmission timer has expired, or a probe is due.
    fn on_timeout(&mut self, now: Instant, out: &mut SenderActions);

    /// The pacing timer has expired.
    fn on_pacing_tick(&mut self, _now: Instant, _out: &mut SenderActions) {}

    /// The node has room for a packet of its own.
    fn on_room(&mut self, _now: Instant, _out: &mut SenderActions) {}

    /// Routing reports that the route has broken.
    fn on_route_error(&mut self, _now: Instant, _out: &mut SenderActions) {}

    /// Congestion window \[segments\]; 0 without one.
    fn cwnd(&self) -> f64 {
        0.0
    }

    /// Its state; none for a sender that has no window.
    fn glance(&self) -> Option<Glance> {
        None
    }

    /// Applies `setting`. Returns whether it can.
    fn apply(&mut self, _setting: Setting) -> bool {
        false
    }

    /// Highest segment acknowledged with all before it, if any is.
    fn highest_ack(&self) -> Option<u32>;

    /// What the sender has done so far.
    fn counters(&self) -> SenderCounters;

    /// What broken routes have done to the sender, up to `now`.
    fn link_failure_counters(&self, _now: Instant) -> LinkFailureCounters {
        LinkFailureCounters::default()
    }

    /// Mean of all round-trip times measured \[s\].
    fn mean_rtt_s(&self) -> Option<f64>;

    /// Adds what its parts have counted of their own.
    fn report(&self, _counts: &mut SenderCounts) {}
}

/// What the parts of a sender have counted of their own.
#[derive(Clone, Debug, Default)]
pub struct SenderCounts {
    /// Its congestion control.
    pub control: Counts,
    /// Its loss detection.
    pub detection: Counts,
    /// Its pacing.
    pub pacing: Counts,
    /// Its reaction to broken routes.
    pub reaction: Counts,
}
