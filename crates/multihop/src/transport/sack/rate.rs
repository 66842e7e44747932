//! Delivery rate, a sample with each acknowledgment (draft-ietf-ccwg-bbr, section 4.1; Cheng,
//! Cardwell, Hassas Yeganeh, Jacobson, "Delivery rate estimation",
//! draft-cheng-iccrg-delivery-rate-estimation).

use super::scoreboard::Arrived;
use super::snapshot::Snapshot;
use crate::kernel::{Duration, Instant};
use crate::transport::congestion::RateSample;

/// The estimator of one connection.
#[derive(Clone, Debug, Default)]
pub struct DeliveryRate {
    delivered: u32,
    delivered_at: Instant,
    first_sent: Instant,
    lost: u32,
    /// Until so many segments are delivered, samples are of an application without data.
    limited_until: u32,
}

impl DeliveryRate {
    /// Segments delivered, in order or not.
    pub fn delivered(&self) -> u32 {
        self.delivered
    }

    /// A segment counts as lost. Returns the number of those since the one sent with `snapshot`, it
    /// included.
    pub fn on_lost(&mut self, snapshot: &Snapshot) -> u32 {
        self.lost += 1;
        self.lost - snapshot.lost
    }

    /// A segment leaves, with `in_flight` others in the network; `is_first`: none is outstanding.
    /// (After a timeout all may count as lost, but some are acknowledged later; from now on that
    /// would be too fast.)
    pub fn on_send(&mut self, now: Instant, in_flight: u32, is_first: bool) -> Snapshot {
        if is_first {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        Snapshot {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            is_application_limited: self.limited_until > 0,
            in_flight: in_flight + 1,
            lost: self.lost,
        }
    }

    /// The application has no more data, with `in_flight` segments in the network.
    pub fn on_application_limited(&mut self, in_flight: u32) {
        self.limited_until = (self.delivered + in_flight).max(1);
    }

    /// `arrived` are known to have arrived now. The sample, if there is one; one shorter than
    /// `min_rtt` is not believed.
    pub fn on_arrival(
        &mut self,
        now: Instant,
        arrived: &[Arrived],
        min_rtt: Option<Duration>,
    ) -> Option<RateSample> {
        self.delivered += arrived.len() as u32;
        if !arrived.is_empty() {
            self.delivered_at = now;
        }
        if self.limited_until > 0 && self.delivered > self.limited_until {
            self.limited_until = 0;
        }
        let newest =
            arrived.iter().max_by_key(|a| (a.segment.snapshot.delivered, a.segment.sent))?.segment;
        let snapshot = newest.snapshot;
        let sending = newest.sent.saturating_since(snapshot.first_sent);
        let acknowledging = now.saturating_since(snapshot.delivered_at);
        self.first_sent = newest.sent;
        let interval = sending.max(acknowledging);
        if min_rtt.is_some_and(|rtt| interval < rtt) {
            return None;
        }
        Some(RateSample {
            delivered: self.delivered - snapshot.delivered,
            interval,
            prior_delivered: snapshot.delivered,
            is_application_limited: snapshot.is_application_limited,
            in_flight: snapshot.in_flight,
            lost: self.lost - snapshot.lost,
        })
    }
}
