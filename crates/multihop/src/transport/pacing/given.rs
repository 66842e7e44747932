//! A spacing that an agent outside the sender sets.

use super::spacing::Spacing;
use crate::kernel::Duration;
use crate::transport::congestion::{CongestionControl, Window};

/// Spacing by one interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given(pub Duration);

impl Spacing for Given {
    fn interval(
        &self,
        _control: &dyn CongestionControl,
        _window: &Window,
        _smoothed_rtt: Option<Duration>,
    ) -> Option<Duration> {
        Some(self.0)
    }

    fn ticks_on(&self) -> bool {
        false
    }
}
