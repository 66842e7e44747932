//! How often a station has backed off, by cause: what a measure of contention reads from the MAC.

/// Why a backoff was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackoffCause {
    /// A frame found the medium idle; ns-2.35 draws a backoff all the same.
    Idle,
    /// A frame found the medium busy, physically or by NAV, or its station in an exchange with a
    /// neighbour.
    Busy,
    /// The CTS or the ACK was missing.
    Retry,
    /// A frame was delivered or given up: the backoff that follows each (IEEE Std 802.11-1999
    /// 9.2.5.2).
    Post,
}

/// A station's backoffs since the start of the run, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackoffCounts {
    /// Drawn although the medium was idle.
    pub idle: u32,
    /// Drawn on a busy medium.
    pub busy: u32,
    /// Drawn because a CTS or an ACK was missing.
    pub retry: u32,
    /// Drawn after a frame.
    pub post: u32,
    /// Times that a countdown was frozen.
    pub freezes: u32,
}

impl std::ops::AddAssign for BackoffCounts {
    /// Adds what another station, or another category of it, has counted; sums wrap around.
    fn add_assign(&mut self, other: BackoffCounts) {
        let BackoffCounts { idle, busy, retry, post, freezes } = other;
        self.idle = self.idle.wrapping_add(idle);
        self.busy = self.busy.wrapping_add(busy);
        self.retry = self.retry.wrapping_add(retry);
        self.post = self.post.wrapping_add(post);
        self.freezes = self.freezes.wrapping_add(freezes);
    }
}

impl BackoffCounts {
    /// Counts a backoff drawn for this cause.
    pub fn count(&mut self, cause: BackoffCause) {
        match cause {
            BackoffCause::Idle => self.idle += 1,
            BackoffCause::Busy => self.busy += 1,
            BackoffCause::Retry => self.retry += 1,
            BackoffCause::Post => self.post += 1,
        }
    }
}
