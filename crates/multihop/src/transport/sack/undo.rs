//! Taking back a reduction of the window once it turns out that nothing had been lost: by the time that an acknowledgment
//! echoes (Eifel, RFC 3522 and 4015), by duplicates that the receiver reports for every retransmission
//! (RFC 2883; Blanton, Allman, RFC 3708), or by what is acknowledged after a timeout (F-RTO, RFC 5682 section 3).

use crate::kernel::Instant;

/// A reduction that may be taken back.
#[derive(Clone, Copy, Debug)]
pub struct Reduced {
    /// Congestion window before \[segments\].
    pub cwnd: f64,
    /// Slow-start threshold before \[segments\].
    pub ssthresh: u32,
    /// When the first retransmission since left.
    first_sent: Option<Instant>,
    /// Retransmissions since whose duplicates have not been reported.
    unreported: u32,
}

impl Reduced {
    /// The window is about to be reduced.
    pub fn new(cwnd: f64, ssthresh: u32) -> Reduced {
        Reduced { cwnd, ssthresh, first_sent: None, unreported: 0 }
    }

    /// The same, beginning with the acknowledgment that ended the recovery from `earlier`, if one did: Linux still takes
    /// only what was sent before the first retransmission of that to refute it.
    pub fn after(self, earlier: Option<Reduced>) -> Reduced {
        Reduced { first_sent: earlier.and_then(|earlier| earlier.first_sent), ..self }
    }

    /// A segment is sent again.
    pub fn on_resend(&mut self, now: Instant) {
        self.first_sent.get_or_insert(now);
        self.unreported += 1;
    }

    /// The receiver reports a duplicate. Returns whether every retransmission has proved needless.
    pub fn on_duplicate_report(&mut self) -> bool {
        let was_open = self.unreported > 0;
        self.unreported = self.unreported.saturating_sub(1);
        was_open && self.unreported == 0
    }

    /// Whether an acknowledgment of new data that echoes a segment sent at `echo` shows that the original had
    /// arrived.
    pub fn is_refuted_by(&self, echo: Instant) -> bool {
        self.first_sent.is_some_and(|first| echo < first)
    }
}

/// What F-RTO waits for after a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForwardStep {
    /// The first acknowledgment (step 2).
    First,
    /// The one that follows new segments (step 3).
    Second,
    /// Nothing: the timeout was right, or can't be told.
    Over,
}

/// What an acknowledgment after a timeout means to F-RTO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The timeout was spurious.
    Spurious,
    /// Send new segments, not lost ones, and wait for the next acknowledgment.
    SendNew,
    /// Repair losses.
    Repair,
}

impl ForwardStep {
    /// An acknowledgment: whether it `advances`, whether that is as far as all that was outstanding at the timeout, and whether
    /// it tells of segments sent before the timeout and not since.
    pub fn on_ack(&mut self, advances: bool, covers_all: bool, of_originals: bool) -> Verdict {
        match *self {
            ForwardStep::Over => Verdict::Repair,
            _ if of_originals => {
                *self = ForwardStep::Over;
                Verdict::Spurious
            }
            ForwardStep::First if advances && !covers_all => {
                *self = ForwardStep::Second;
                Verdict::SendNew
            }
            _ => {
                *self = ForwardStep::Over;
                Verdict::Repair
            }
        }
    }
}
