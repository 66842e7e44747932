//! Westwood+ (Grieco, Mascolo, "Performance evaluation and comparison of Westwood+, New Reno, and
//! Vegas TCP congestion control", ACM CCR 34(2), 2004, section 2): NewReno, but that a loss leaves
//! a window of what the connection got of the path's bandwidth in its shortest round trip.
//!
//! Once a round trip the rate of acknowledgment is a sample, of which a tenth enters the estimate.
//! The same in both profiles.
//!
//! Deviation: duplicates do not count as delivered when they arrive, but when what they stand for
//! is acknowledged.
//! Not in the paper: time that a broken route suspends the sender does not count.

use super::{Ack, CongestionControl, Loss, Window};
use crate::kernel::{Duration, Instant};
use crate::transport::recovery::Recovery;
use crate::transport::scheme::Scheme;

/// `transport.scheme = "westwood"`.
pub const SCHEME: Scheme = Scheme::windowed(|| Box::new(Westwood::default()), Recovery::NewReno);

/// Weight of the estimate so far when a sample enters it.
const MEMORY: f64 = 0.9;

const LEAST_WINDOW: u32 = 2;

/// Westwood+.
#[derive(Clone, Debug, Default)]
struct Westwood {
    /// When the sample under way began, and how many segments were acknowledged then.
    since: Option<(Instant, u32)>,
    /// The estimate \[segments/s\].
    rate: Option<f64>,
    min_rtt: Option<Duration>,
}

impl CongestionControl for Westwood {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        window.grow(ack.delivered);
        self.measure(ack);
    }

    fn on_partial_ack(&mut self, _window: &mut Window, ack: &Ack) {
        self.measure(ack);
    }

    fn on_loss(&mut self, window: &mut Window, loss: &Loss) {
        match self.share() {
            Some(segments) => {
                window.ssthresh = segments;
                window.cwnd = f64::from(segments);
            }
            None => window.halve(loss.in_flight),
        }
    }

    fn on_timeout(&mut self, window: &mut Window, loss: &Loss) {
        window.collapse(loss.in_flight);
        window.ssthresh = self.share().unwrap_or(window.ssthresh);
    }

    fn on_resume(&mut self, suspended: Duration) {
        if let Some((start, _)) = &mut self.since {
            *start += suspended;
        }
    }
}

impl Westwood {
    fn measure(&mut self, ack: &Ack) {
        self.min_rtt = ack.min_rtt;
        let Some((start, before)) = self.since else {
            self.since = Some((ack.now, ack.delivered_total));
            return;
        };
        let taken = ack.now.saturating_since(start);
        if ack.smoothed_rtt.is_none_or(|rtt| taken < rtt) {
            return;
        }
        let sample = f64::from(ack.delivered_total - before) / taken.as_secs_f64();
        self.rate = Some(match self.rate {
            Some(rate) => MEMORY * rate + (1.0 - MEMORY) * sample,
            None => sample,
        });
        self.since = Some((ack.now, ack.delivered_total));
    }

    /// Segments that the estimated rate delivers in the shortest round trip; none before both are
    /// known.
    fn share(&self) -> Option<u32> {
        let segments = self.rate? * self.min_rtt?.as_secs_f64();
        Some((segments as u32).max(LEAST_WINDOW))
    }
}
