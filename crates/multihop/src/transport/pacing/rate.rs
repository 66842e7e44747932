//! `pacing.scheme = "rate"`: segments leave at the congestion control's rate, by default the window
//! over the smoothed round trip. Before the first round trip is measured they are not paced.

use super::spacing::Spacing;
use crate::kernel::Duration;
use crate::transport::congestion::{CongestionControl, Window};

/// Spacing by the congestion control's rate.
#[derive(Clone, Copy, Debug)]
struct Rate;

/// The spacing.
pub(super) fn spacing() -> Box<dyn Spacing> {
    Box::new(Rate)
}

impl Spacing for Rate {
    fn interval(
        &self,
        control: &dyn CongestionControl,
        window: &Window,
        smoothed_rtt: Option<Duration>,
    ) -> Option<Duration> {
        control.pacing_interval(window, smoothed_rtt)
    }

    fn ticks_on(&self) -> bool {
        false
    }
}
