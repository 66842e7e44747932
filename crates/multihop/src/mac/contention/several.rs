//! The backoffs of a station with access categories.

use std::sync::Arc;

use super::backoff::Backoff;
use crate::mac::categories::CATEGORIES;
use crate::mac::timing::Timing;

/// One backoff a category.
#[derive(Clone, Debug)]
pub(super) struct Several {
    pub backoffs: [Backoff; CATEGORIES],
    pub timings: Arc<[Timing; CATEGORIES]>,
    /// The category that the MAC speaks of.
    pub selected: usize,
    /// Which have expired since they were last asked for.
    pub expired: [bool; CATEGORIES],
}

impl Several {
    pub fn is_backing_off(&self) -> bool {
        self.backoffs[self.selected] != Backoff::Off
    }

    pub fn own(&mut self) -> &mut Backoff {
        &mut self.backoffs[self.selected]
    }

    /// Slots of the backoff that has fewest left.
    pub fn slots_left(&self, timing: &Timing) -> u32 {
        let left = self.backoffs.iter().filter_map(|&backoff| match backoff {
            Backoff::Frozen(left) | Backoff::Counting(left, _) => Some(left / timing.slot),
            Backoff::Off | Backoff::Watching | Backoff::Several => None,
        });
        left.min().unwrap_or(0) as u32
    }
}
