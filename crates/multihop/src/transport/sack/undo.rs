//! Taking back a reduction of the window once it turns out that nothing had been lost: by the time
//! that an acknowledgment echoes (Eifel, RFC 3522 and 4015), by duplicates that the receiver
//! reports for every retransmission (RFC 2883; Blanton, Allman, RFC 3708), or by what is
//! acknowledged after a timeout (F-RTO, RFC 5682 section 3).

use crate::kernel::Instant;

/// A reduction that may be taken back.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// Congestion window before \[segments\].
    pub cwnd: f64,
    /// Slow-start threshold before \[segments\].
    pub ssthresh: u32,
    /// Segments outstanding at the timeout; none if acknowledgments showed a loss.
    pub at_timeout: Option<u32>,
    /// When the first retransmission since left.
    first_sent: Option<Instant>,
    /// New data have been acknowledged since.
    is_answered: bool,
    /// Segments sent again since whose duplicates have not been reported.
    unreported: Vec<u32>,
}

impl Reduced {
    /// The window is about to be reduced; `at_timeout` by a timeout with so many segments
    /// outstanding.
    pub fn new(cwnd: f64, ssthresh: u32, at_timeout: Option<u32>) -> Reduced {
        Reduced {
            cwnd,
            ssthresh,
            at_timeout,
            first_sent: None,
            is_answered: false,
            unreported: Vec::new(),
        }
    }

    /// When the first retransmission since left.
    pub fn first_sent(&self) -> Option<Instant> {
        self.first_sent
    }

    /// The same, refuted only by what was sent before `first_sent`, when a recovery's first
    /// retransmission left that this one joins.
    pub fn since(self, first_sent: Option<Instant>) -> Reduced {
        Reduced { first_sent, ..self }
    }

    /// Segment `number` is sent again.
    pub fn on_resend(&mut self, now: Instant, number: u32) {
        self.first_sent.get_or_insert(now);
        self.unreported.push(number);
    }

    /// The receiver reports a duplicate of segment `number`. Returns whether every retransmission
    /// has proved needless. One that was not sent again is a copy that the network has made (RFC
    /// 2883 section 5.1).
    pub fn on_duplicate_report(&mut self, number: u32) -> bool {
        let Some(place) = self.unreported.iter().position(|&sent| sent == number) else {
            return false;
        };
        self.unreported.swap_remove(place);
        self.unreported.is_empty()
    }

    /// Whether an acknowledgment of new data that echoes a segment sent at `echo` shows that the
    /// original had arrived. Unless `asks_every`, only the first after the retransmission can (RFC
    /// 3522 section 3.2, steps 3 and 4).
    pub fn is_refuted_by(&mut self, echo: Instant, asks_every: bool) -> bool {
        let Some(first) = self.first_sent else { return false };
        let is_first = !self.is_answered;
        self.is_answered = true;
        (is_first || asks_every) && echo < first
    }
}

/// What F-RTO waits for after a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForwardStep {
    /// The first acknowledgment of new data (step 2).
    First,
    /// The one that follows new segments (step 3).
    Second,
    /// Nothing: the timeout was right, or can't be told.
    Over,
}

/// What an acknowledgment after a timeout tells.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    /// It acknowledges new data with all before them.
    pub advances: bool,
    /// All that has been sent is acknowledged (RecoveryPoint).
    pub covers_all: bool,
    /// It tells of segments sent before the timeout and not since.
    pub of_originals: bool,
    /// Segments sent since have arrived.
    pub of_new: bool,
}

/// What an acknowledgment after a timeout means to F-RTO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The timeout was spurious.
    Spurious,
    /// Send new segments, not lost ones, and wait for the next acknowledgment.
    SendNew,
    /// Something was lost: the window is so many segments at most.
    Lost(u32),
    /// Nothing: go on repairing.
    Open,
}

impl ForwardStep {
    /// An acknowledgment. If it `trusts_originals` the timeout was spurious as soon as one arrives.
    pub fn on_ack(&mut self, told: Told, trusts_originals: bool) -> Verdict {
        let (next, verdict) = match *self {
            ForwardStep::Over => return Verdict::Open,
            _ if trusts_originals && told.of_originals => (ForwardStep::Over, Verdict::Spurious),
            ForwardStep::First if !told.advances => return Verdict::Open,
            ForwardStep::First if told.covers_all => (ForwardStep::Over, Verdict::Lost(2)),
            ForwardStep::First => (ForwardStep::Second, Verdict::SendNew),
            ForwardStep::Second if told.of_originals && !told.of_new => {
                (ForwardStep::Over, Verdict::Spurious)
            }
            ForwardStep::Second => (ForwardStep::Over, Verdict::Lost(3)),
        };
        *self = next;
        verdict
    }
}
