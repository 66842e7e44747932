//! Backoffs of a station by cause: a measure of contention.

/// Why a backoff was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackoffCause {
    /// The medium was idle: ns-2.35 draws a backoff all the same.
    Idle,
    /// The medium was busy, physically or by NAV, or the station was in a neighbour's exchange.
    Busy,
    /// The CTS or the ACK was missing.
    Retry,
    /// A frame was delivered or given up: the backoff that follows each (IEEE Std 802.11-1999 9.2.5.2).
    Post,
}

/// A station's backoffs since the start of the run, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackoffCounts {
    /// Drawn on an idle medium.
    pub idle: u32,
    /// Drawn on a busy medium.
    pub busy: u32,
    /// Drawn after a missing CTS or ACK.
    pub retry: u32,
    /// Drawn after a frame.
    pub post: u32,
    /// Interruptions of running countdowns.
    pub freezes: u32,
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
