//! The sender's one timer and what it is set for (RFC 8985 section 8).

use crate::kernel::Instant;

/// When something is due; each none while it is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timers {
    /// The retransmission timer expires.
    pub timeout: Option<Instant>,
    /// A tail loss probe leaves.
    pub probe: Option<Instant>,
    /// Segments thought to be reordered count as lost.
    pub reordering: Option<Instant>,
}

/// What the timer was set for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// The retransmission timer.
    Timeout,
    /// A tail loss probe.
    Probe,
    /// A look at reordered segments.
    Reordering,
}

impl Timers {
    /// What is armed, and when it is due: reordering before a probe, and a probe before the
    /// timeout.
    pub fn next(&self) -> Option<(Instant, Due)> {
        let reordering = self.reordering.map(|at| (at, Due::Reordering));
        let probe = self.probe.map(|at| (at, Due::Probe));
        reordering.or(probe).or(self.timeout.map(|at| (at, Due::Timeout)))
    }

    /// Nothing is due.
    pub fn stop(&mut self) {
        *self = Timers::default();
    }
}
