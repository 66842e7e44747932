//! TCP Veno (Fu, Liew, "TCP Veno: TCP enhancement for transmission over wireless access networks",
//! IEEE JSAC 21(2), 2003): Reno that takes a loss for chance, not congestion, while few segments
//! wait in queues.
//!
//! How many wait is Vegas's estimate, from the window and the round trips (section II). With fewer
//! than three of them the connection is not congested: a loss leaves four fifths of the window
//! (II-C). With more the window grows by a segment every other round trip (II-B). Slow start and
//! timeouts are Reno's.
//!
//! Deviation: the window of a sender that the receiver limits counts as the receiver's.

use multihop::api::config::Named;
use multihop::api::schemes::Schemes;
use multihop::api::transport::congestion::{Ack, CongestionControl, Loss, Outside, Window};

/// Every scheme of the package, and this one.
fn schemes() -> Schemes {
    Schemes::standard()
        .with_congestion_control(Outside::new("veno", || Box::new(Veno::default())))
        .with_named(&[Named::new(
            "veno",
            "TCP Veno: losses without queues are chance",
            &[("transport.scheme", "\"veno\"")],
        )])
}

#[cfg(not(test))]
multihop_python::engine!(schemes);

/// Segments in queues from which on the connection is congested (beta).
const CONGESTED: f64 = 3.0;
/// Of the window, what a loss by chance leaves.
const KEPT: f64 = 0.8;

/// The control of one flow.
#[derive(Debug, Default)]
pub struct Veno {
    /// Segments in queues, as the last acknowledgment tells; 0 before the first.
    queued: f64,
    /// Whether the next acknowledgment counts in a congested connection: every other does.
    counts: bool,
}

/// Segments that may be in the network.
fn in_use(window: &Window) -> f64 {
    window.cwnd.min(f64::from(window.limit))
}

impl CongestionControl for Veno {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        if let (Some(smoothed), Some(shortest)) = (ack.smoothed_rtt, ack.min_rtt) {
            let ratio = shortest.as_secs_f64() / smoothed.as_secs_f64();
            self.queued = in_use(window) * (1.0 - ratio).max(0.0);
        }
        let is_held = !window.is_in_slow_start() && self.queued >= CONGESTED;
        self.counts = !is_held || !self.counts;
        if self.counts {
            window.grow(ack.delivered);
        }
    }

    fn on_loss(&mut self, window: &mut Window, loss: &Loss) {
        if self.queued >= CONGESTED {
            window.halve(loss.in_flight);
        } else {
            window.ssthresh = ((KEPT * in_use(window)) as u32).max(2);
            window.cwnd = f64::from(window.ssthresh);
        }
    }

    fn on_timeout(&mut self, window: &mut Window, loss: &Loss) {
        window.collapse(loss.in_flight);
    }
}

#[cfg(test)]
mod tests;
