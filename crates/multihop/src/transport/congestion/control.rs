//! The hooks of a congestion control and what they are told.

use std::fmt::Debug;

use super::limited_by::LimitedBy;
use super::window::Window;
use crate::kernel::{Duration, Instant};
use crate::measure::Counts;

/// A congestion control. It owns [`Window::cwnd`] and [`Window::ssthresh`]; loss recovery owns the
/// rest.
///
/// Order of the calls: `on_send` for each segment that leaves. Then, for each acknowledgment, at
/// most one of `on_ack`, `on_partial_ack` and `on_duplicate_ack`, before the segments that it
/// releases leave. The duplicate that counts as a loss calls `on_loss` instead; earlier duplicates
/// call nothing. The acknowledgment of the SYN calls nothing either: it opens the initial window.
///
/// ```
/// use multihop::api::transport::Rules;
/// use multihop::api::transport::congestion::{Ack, CongestionControl, Loss, Window};
///
/// /// One segment in flight, whatever happens.
/// #[derive(Debug)]
/// struct StopAndWait;
///
/// impl CongestionControl for StopAndWait {
///     fn on_ack(&mut self, window: &mut Window, _: &Ack) {
///         window.cwnd = 1.0;
///     }
///
///     fn on_loss(&mut self, window: &mut Window, _: &Loss) {
///         window.cwnd = 1.0;
///     }
///
///     fn on_timeout(&mut self, window: &mut Window, _: &Loss) {
///         window.cwnd = 1.0;
///     }
/// }
///
/// let mut window = Window::new(64, 64, Rules::Standard);
/// window.cwnd = 8.0;
/// let loss = Loss { now: Default::default(), in_flight: 8, duplicates: 3 };
/// StopAndWait.on_loss(&mut window, &loss);
/// assert_eq!(window.cwnd, 1.0);
/// ```
pub trait CongestionControl: Debug + Send + Sync {
    /// New data were acknowledged outside recovery, or all that recovery waited for.
    fn on_ack(&mut self, window: &mut Window, ack: &Ack);

    /// Recovery goes on: new data were acknowledged, but not all that was outstanding at the loss.
    fn on_partial_ack(&mut self, _window: &mut Window, _ack: &Ack) {}

    /// Another duplicate acknowledgment in recovery: a segment has left the network.
    fn on_duplicate_ack(&mut self, _window: &mut Window, _ack: &Ack) {}

    /// Duplicate acknowledgments count as a loss; fast retransmit follows.
    fn on_loss(&mut self, window: &mut Window, loss: &Loss);

    /// A node has marked a packet in place of dropping it (ECN); nothing is retransmitted. Default:
    /// as a loss (RFC 3168 section 6.1.2). If the acknowledgment that tells of it brings new data,
    /// `on_ack` follows, and does not grow the window.
    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        self.on_loss(window, loss);
    }

    /// The retransmission timer has expired with segments outstanding.
    fn on_timeout(&mut self, window: &mut Window, loss: &Loss);

    /// The sender goes on after a broken route has suspended it for `suspended`: all that it knows
    /// stands as it did before. The acknowledgment that ends this follows in a call of its own.
    fn on_resume(&mut self, _suspended: Duration) {}

    /// A segment counts as lost; before the `on_loss` or `on_timeout` that it may cause. Only a
    /// sender with a scoreboard (`sack`) tells.
    fn on_segment_lost(&mut self, _window: &mut Window, _lost: &LostSegment) {}

    /// What an acknowledgment has delivered, lost or both, whatever the sender is about; after all
    /// other calls for it. Only a sender with a scoreboard (`sack`) tells.
    fn on_delivery(&mut self, _window: &mut Window, _delivery: &Delivery) {}

    /// Whether it rules the window in recovery too; otherwise that falls in proportion to what
    /// arrives (RFC 6937), or at once.
    fn rules_recovery(&self) -> bool {
        false
    }

    /// Whether it has less in flight than the path takes, to measure the round trip: what is
    /// delivered then tells no rate.
    fn holds_back(&self) -> bool {
        false
    }

    /// The last reduction was needless; [`Window::cwnd`] and [`Window::ssthresh`] are as they were
    /// before it.
    fn on_undo(&mut self, _window: &mut Window) {}

    /// All that was outstanding when losses were noticed has been acknowledged.
    fn on_recovered(&mut self, _window: &mut Window) {}

    /// A segment leaves.
    fn on_send(&mut self, _sent: &SentSegment) {}

    /// Time between segments when `pacing.scheme` is `rate`, or none to send them at once. Default:
    /// the window spread over the smoothed round trip (Aggarwal, Savage, Anderson, "Understanding
    /// the performance of TCP pacing", INFOCOM 2000, section 2).
    fn pacing_interval(&self, window: &Window, smoothed_rtt: Option<Duration>) -> Option<Duration> {
        spread(window, smoothed_rtt)
    }

    /// Adds what it has counted of its own to the result, where it stands under the name that
    /// scenarios have for it.
    fn report(&self, _counts: &mut Counts) {}
}

/// The time between segments that spreads the window over the round trip.
pub fn spread(window: &Window, smoothed_rtt: Option<Duration>) -> Option<Duration> {
    let segments = window.cwnd.min(f64::from(window.limit)).max(1.0);
    smoothed_rtt.map(|rtt| Duration::from_secs_f64(rtt.as_secs_f64() / segments))
}

/// An acknowledgment, as a congestion control sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ack {
    /// When it arrived.
    pub now: Instant,
    /// Round trip of the segment that it answers; none for a duplicate, or if a retransmission
    /// makes it ambiguous (Karn's rule, RFC 6298 section 3).
    pub rtt: Option<Duration>,
    /// Smoothed round trip, this acknowledgment included, as the retransmission timer uses it.
    pub smoothed_rtt: Option<Duration>,
    /// Shortest `rtt` of the connection so far.
    pub min_rtt: Option<Duration>,
    /// Segments newly acknowledged.
    pub delivered: u32,
    /// Segments acknowledged since the connection began, the SYN and those acknowledged while the
    /// sender was suspended included.
    pub delivered_total: u32,
    /// Segments still in flight, without those that a timeout has given up as lost.
    pub in_flight: u32,
    /// Duplicates counted, this one included.
    pub duplicates: u32,
    /// What kept the sender from having more in flight when this arrived.
    pub limited_by: LimitedBy,
}

/// What an acknowledgment has delivered, as a sender with a scoreboard tells it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delivery {
    /// The acknowledgment.
    pub ack: Ack,
    /// The delivery rate, if it gives a sample.
    pub sample: Option<RateSample>,
    /// Segments that it shows to be lost.
    pub lost: u32,
    /// Segments in flight now.
    pub in_flight: u32,
    /// Segments in flight before it arrived.
    pub prior_in_flight: u32,
    /// When the pacing clock lets the next segment leave, or it arrived.
    pub next_departure: Instant,
    /// Losses are being repaired.
    pub in_recovery: bool,
}

/// Segments delivered over a time (draft-cheng-iccrg-delivery-rate-estimation).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// Segments delivered from when a segment was sent until it was acknowledged.
    pub delivered: u32,
    /// The longer of the times in which they were sent and acknowledged.
    pub interval: Duration,
    /// Segments delivered when the segment was sent.
    pub prior_delivered: u32,
    /// The application had nothing more to send when it was sent.
    pub is_application_limited: bool,
    /// Segments in flight when it was sent, it included.
    pub in_flight: u32,
    /// Segments lost since it was sent.
    pub lost: u32,
}

impl RateSample {
    /// Segments a second; none if the time is too short to tell.
    pub fn rate(&self) -> Option<f64> {
        let seconds = self.interval.as_secs_f64();
        (seconds > 0.0).then(|| f64::from(self.delivered) / seconds)
    }
}

/// A loss, as a congestion control sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// When it was noticed.
    pub now: Instant,
    /// Segments sent and not acknowledged: FlightSize (RFC 5681 section 2).
    pub in_flight: u32,
    /// Duplicate acknowledgments that showed it; 0 at a timeout, or for a mark.
    pub duplicates: u32,
}

/// A segment that counts as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostSegment {
    /// When that was noticed.
    pub now: Instant,
    /// Its number.
    pub number: u32,
    /// Segments in flight when it was sent, it included.
    pub in_flight: u32,
    /// Segments lost since it was sent, it included.
    pub lost: u32,
    /// The application had nothing more to send when it was sent.
    pub is_application_limited: bool,
    /// Segments delivered since the connection began, the SYN included.
    pub delivered_total: u32,
}

/// A segment that leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentSegment {
    /// When it leaves.
    pub now: Instant,
    /// Its number.
    pub number: u32,
    /// Whether it was sent before.
    pub retransmission: bool,
    /// Segments in flight before it.
    pub in_flight: u32,
}
