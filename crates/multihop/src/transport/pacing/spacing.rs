//! How far apart segments leave.

use std::fmt::Debug;

use crate::kernel::Duration;
use crate::measure::Counts;
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::window::Window;

/// How far apart segments leave.
pub trait Spacing: Debug + Send + Sync {
    /// An acknowledgment travelled `hops` hops; its segment was sent a round trip ago.
    fn on_ack(&mut self, _rtt: Duration, _hops: u32) {}

    /// Time from one segment to the next; none sends them at once.
    fn interval(
        &self,
        control: &dyn CongestionControl,
        window: &Window,
        smoothed_rtt: Option<Duration>,
    ) -> Option<Duration>;

    /// Whether the clock ticks on while nothing may leave, so that the next segment waits for a
    /// tick. Otherwise it leaves at once.
    fn ticks_on(&self) -> bool;

    /// Adds what it has counted of its own to the result, where it stands under the name that
    /// scenarios have for it.
    fn report(&self, _counts: &mut Counts) {}
}
