//! A reaction to broken routes.

use std::fmt::Debug;

use crate::kernel::Duration;
use crate::measure::Counts;
use crate::transport::actions::Acknowledgment;

/// A way to react to a broken route.
///
/// ```
/// use multihop::api::kernel::Duration;
/// use multihop::api::transport::link_failure::LinkFailureReaction;
/// use multihop::api::transport::{Acknowledgment, LinkFailureCounters};
///
/// /// Probes every second until anything is acknowledged, then goes on where it stopped.
/// #[derive(Debug)]
/// struct EverySecond;
///
/// impl LinkFailureReaction for EverySecond {
///     fn probe_interval(&self, _: Duration) -> Duration {
///         Duration::from_secs(1)
///     }
///
///     fn marks_probes(&self) -> bool {
///         false
///     }
///
///     fn ends_with(&self, _: &Acknowledgment) -> bool {
///         true
///     }
///
///     fn count(&self, counters: &mut LinkFailureCounters) {
///         counters.standbys += 1;
///     }
///
///     fn timer_afterwards(&self, left: Duration, _: Duration) -> Duration {
///         left
///     }
/// }
///
/// assert!(EverySecond.ends_with(&Acknowledgment::default()));
/// ```
pub trait LinkFailureReaction: Debug + Send + Sync {
    /// Time from one probe to the next, given the retransmission timeout at the route error.
    fn probe_interval(&self, rto: Duration) -> Duration;

    /// Whether probes carry a mark, which their acknowledgments echo.
    fn marks_probes(&self) -> bool;

    /// Whether `ack` ends the suspension.
    fn ends_with(&self, ack: &Acknowledgment) -> bool;

    /// Counts a suspension.
    fn count(&self, counters: &mut LinkFailureCounters);

    /// What the retransmission timer is set to after a suspension, given the time `left` when it
    /// was stopped.
    fn timer_afterwards(&self, left: Duration, rto: Duration) -> Duration;

    /// Adds what it has counted of its own to the result, where it stands under the name that
    /// scenarios have for it.
    fn report(&self, _counts: &mut Counts) {}
}

/// The effect of broken routes on a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkFailureCounters {
    /// Route errors received.
    pub route_errors: u64,
    /// Those of them received while suspended.
    pub route_errors_suspended: u64,
    /// Times that the sender froze.
    pub freezes: u64,
    /// Times that the sender went into standby.
    pub standbys: u64,
    /// Probes sent.
    pub probes: u64,
    /// Time suspended.
    pub suspended: Duration,
}
