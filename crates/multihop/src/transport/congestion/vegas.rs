//! Vegas (Brakmo, Peterson, "TCP Vegas: End to end congestion avoidance on a global Internet", IEEE
//! JSAC 13(8), 1995): a round trip longer than the shortest tells how many segments wait in queues,
//! and the window keeps one to three there.
//!
//! Once a round trip the window is compared with what would be in flight without queues (section
//! III-B). Slow start doubles every other round trip, and ends once a segment waits (III-C). The
//! same in both profiles.
//!
//! Omitted: retransmission by fine-grained timeouts before the third duplicate (III-A).
//! Deviation: losses halve the window, as RFC 5681 has it; the paper says only which losses count.

use super::{Ack, CongestionControl, Loss, Window};
use crate::transport::recovery::Recovery;
use crate::transport::scheme::Scheme;

/// `transport.scheme = "vegas"`.
pub const SCHEME: Scheme = Scheme::windowed(|| Box::new(Vegas::default()), Recovery::NewReno);

/// Segments in queues below which the window grows (alpha, section III-B).
const ALPHA: f64 = 1.0;

/// Segments in queues above which it shrinks (beta).
const BETA: f64 = 3.0;

/// Segments in queues that end slow start (gamma, section III-C).
const GAMMA: f64 = 1.0;

const LEAST_WINDOW: f64 = 2.0;

/// Vegas.
#[derive(Clone, Debug, Default)]
struct Vegas {
    /// The round trip under way.
    round: Option<Round>,
    /// Whether slow start holds the window in this round trip.
    holds: bool,
}

/// A round trip: from when a segment could first be sent to its acknowledgment.
#[derive(Clone, Copy, Debug)]
struct Round {
    /// The round ends when more than these segments are acknowledged.
    end: u32,
    /// Segments in flight as it began.
    in_flight: u32,
}

impl CongestionControl for Vegas {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        if self.round.is_none_or(|round| ack.delivered_total > round.end) {
            self.turn(window, ack);
        }
        if window.is_in_slow_start() && !self.holds {
            window.grow(ack.delivered);
        }
    }

    fn on_loss(&mut self, window: &mut Window, loss: &Loss) {
        window.halve(loss.in_flight);
        *self = Vegas::default();
    }

    fn on_timeout(&mut self, window: &mut Window, loss: &Loss) {
        window.collapse(loss.in_flight);
        *self = Vegas::default();
    }
}

impl Vegas {
    /// A round trip ends with `ack`, and the next begins.
    fn turn(&mut self, window: &mut Window, ack: &Ack) {
        let end = ack.delivered_total + ack.in_flight;
        let round = self.round.replace(Round { end, in_flight: ack.in_flight });
        if let (Some(round), Some(rtt), Some(shortest)) = (round, ack.rtt, ack.min_rtt) {
            // Expected less actual rate, times the shortest round trip.
            let waiting = 1.0 - shortest.as_secs_f64() / rtt.as_secs_f64();
            self.on_round(window, f64::from(round.in_flight) * waiting);
        }
    }

    /// A round trip is over, in which so many segments waited in queues.
    fn on_round(&mut self, window: &mut Window, queued: f64) {
        if window.is_in_slow_start() {
            self.holds = !self.holds;
            if queued > GAMMA {
                window.ssthresh = (window.cwnd as u32).max(LEAST_WINDOW as u32);
            }
        } else if queued < ALPHA {
            window.cwnd += f64::from(u8::from(window.may_grow()));
        } else if queued > BETA {
            window.cwnd = (window.cwnd - 1.0).max(LEAST_WINDOW);
            // Below the threshold it would be slow start again.
            window.ssthresh = window.ssthresh.min(window.cwnd as u32);
        }
    }
}
