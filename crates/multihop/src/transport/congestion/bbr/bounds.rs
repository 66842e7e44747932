//! What losses have shown: bounds of rate and volume for a cycle (short-term) and until the next
//! probe (long-term) (draft-ietf-ccwg-bbr, sections 5.5.10 and 5.5.11).

use super::super::{Delivery, LostSegment};

/// BBR.LossThresh.
const LOSS_THRESHOLD: f64 = 0.02;
/// BBR.Beta.
pub const BETA: f64 = 0.7;
/// BBR.Headroom.
const HEADROOM: f64 = 0.15;
/// BBR.MinPipeCwnd \[segments\].
pub const LEAST_WINDOW: f64 = 4.0;
/// BBRStartupFullLossCnt.
const FULL_LOSS_RANGES: u32 = 6;

/// Bounds; infinite while there is none. Rates in segments/s, volumes in segments.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// BBR.bw_shortterm.
    pub short_bandwidth: f64,
    /// BBR.inflight_shortterm.
    pub short_volume: f64,
    /// BBR.inflight_longterm.
    pub long_volume: f64,
    /// What the three were before the losses that are being repaired.
    saved: [f64; 3],
    /// BBR.bw_latest and BBR.inflight_latest.
    latest_bandwidth: f64,
    latest_volume: f64,
    loss_round_delivered: u32,
    /// A round of `latest_bandwidth` ends with this acknowledgment (BBR.loss_round_start).
    pub round_ends: bool,
    is_loss_in_round: bool,
    /// Ranges of segments lost in the round, and the last segment of the last.
    lost_ranges: u32,
    last_lost: Option<u32>,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            short_bandwidth: f64::INFINITY,
            short_volume: f64::INFINITY,
            long_volume: f64::INFINITY,
            saved: [f64::INFINITY; 3],
            latest_bandwidth: 0.0,
            latest_volume: 0.0,
            loss_round_delivered: 0,
            round_ends: false,
            is_loss_in_round: false,
            lost_ranges: 0,
            last_lost: None,
        }
    }
}

/// Whether so much was `lost` of what was `in_flight` that it was too much (IsInflightTooHigh).
pub fn is_too_much(lost: u32, in_flight: u32) -> bool {
    f64::from(lost) > f64::from(in_flight) * LOSS_THRESHOLD
}

/// The volume at which losses became too many, `lost` being the last of them (InflightAtLoss).
pub fn volume_at_loss(lost: &LostSegment) -> f64 {
    let before = f64::from(lost.in_flight) - 1.0;
    let lost_before = f64::from(lost.lost) - 1.0;
    before + (LOSS_THRESHOLD * before - lost_before) / (1.0 - LOSS_THRESHOLD)
}

impl Bounds {
    /// UpdateLatestDeliverySignals.
    pub fn measure(&mut self, delivery: &Delivery) {
        self.round_ends = false;
        let Some(sample) = delivery.sample else { return };
        self.latest_bandwidth = self.latest_bandwidth.max(sample.rate().unwrap_or(0.0));
        self.latest_volume = self.latest_volume.max(f64::from(sample.delivered));
        if sample.prior_delivered >= self.loss_round_delivered {
            self.loss_round_delivered = delivery.ack.delivered_total;
            self.round_ends = true;
        }
    }

    /// AdvanceLatestDeliverySignals.
    pub fn advance(&mut self, delivery: &Delivery) {
        if let Some(sample) = delivery.sample.filter(|_| self.round_ends) {
            self.latest_bandwidth = sample.rate().unwrap_or(0.0);
            self.latest_volume = f64::from(sample.delivered);
            (self.lost_ranges, self.last_lost) = (0, None);
        }
    }

    /// UpdateCongestionSignals and AdaptLowerBoundsFromCongestion: once a round, unless the sender
    /// probes for bandwidth.
    pub fn adapt(&mut self, probes: bool, max_bandwidth: f64, cwnd: f64) {
        if !self.round_ends {
            return;
        }
        if self.is_loss_in_round && !probes {
            let or = |bound: f64, first: f64| if bound.is_infinite() { first } else { bound };
            let bandwidth = BETA * or(self.short_bandwidth, max_bandwidth);
            let volume = BETA * or(self.short_volume, cwnd);
            self.short_bandwidth = self.latest_bandwidth.max(bandwidth);
            self.short_volume = self.latest_volume.max(volume);
        }
        self.is_loss_in_round = false;
    }

    /// NoteLoss, but that the window is saved. Returns whether it is the first of the round.
    pub fn on_lost(&mut self, lost: &LostSegment) -> bool {
        let is_first = !self.is_loss_in_round;
        if is_first {
            self.loss_round_delivered = lost.delivered_total;
            self.save();
        }
        self.is_loss_in_round = true;
        let continues = self.last_lost.is_some_and(|last| last + 1 == lost.number);
        self.lost_ranges += u32::from(!continues);
        self.last_lost = Some(lost.number);
        is_first
    }

    /// Whether a round of Startup has lost too much (section 5.3.1.3).
    pub fn is_startup_loss_high(&self, delivery: &Delivery) -> bool {
        let is_too_much = delivery.sample.is_some_and(|s| is_too_much(s.lost, s.in_flight));
        self.round_ends
            && delivery.in_recovery
            && is_too_much
            && self.lost_ranges >= FULL_LOSS_RANGES
    }

    /// BBR.inflight_latest.
    pub fn latest_volume(&self) -> f64 {
        self.latest_volume
    }

    /// ResetCongestionSignals.
    pub fn reset_signals(&mut self) {
        self.is_loss_in_round = false;
        (self.latest_bandwidth, self.latest_volume) = (0.0, 0.0);
    }

    /// ResetShortTermModel.
    pub fn reset_short_term(&mut self) {
        (self.short_bandwidth, self.short_volume) = (f64::INFINITY, f64::INFINITY);
    }

    /// InflightWithHeadroom.
    pub fn volume_with_headroom(&self) -> f64 {
        if self.long_volume.is_infinite() {
            return f64::INFINITY;
        }
        let headroom = (HEADROOM * self.long_volume).max(1.0);
        (self.long_volume - headroom).max(LEAST_WINDOW)
    }

    /// The bounds' part of SaveStateUponLoss.
    pub fn save(&mut self) {
        self.saved = [self.short_bandwidth, self.short_volume, self.long_volume];
    }

    /// The bounds' part of HandleSpuriousLossDetection.
    pub fn restore(&mut self) {
        self.is_loss_in_round = false;
        let [bandwidth, short_volume, long_volume] = self.saved;
        self.short_bandwidth = self.short_bandwidth.max(bandwidth);
        self.short_volume = self.short_volume.max(short_volume);
        self.long_volume = self.long_volume.max(long_volume);
    }
}
