//! What a DCF is in its station.

use std::fmt::Debug;

use crate::kernel::Duration;
use crate::mac::categories::Category;
use crate::mac::timing::Timing;
use crate::wire::Frame;

/// What a DCF is in its station. Nearly all are [`Sole`], called by none but the engine: compiled
/// by themselves, they are inlined there.
pub trait Role: Debug + Default + Send + Sync {
    /// `frame` is sent, whose response is given up after `timeout`.
    fn on_send(&mut self, _: &Timing, _frame: &Frame, _timeout: Duration) {}

    /// How long a missing response is overdue when its timeout expires.
    fn overdue(&self, timing: &Timing) -> Duration {
        timing.response_margin()
    }

    /// The category of the frame that is being received; always the same where there are none.
    fn category(&self) -> Category {
        Category::default()
    }
}

/// The only access to the medium, with the windows of its PHY.
#[derive(Debug, Default)]
pub struct Sole;

impl Role for Sole {}
