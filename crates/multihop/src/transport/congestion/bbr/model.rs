//! The model of the path: its largest rate, its shortest round trip, how acknowledgments bunch, and
//! whether the pipe is full (draft-ietf-ccwg-bbr, sections 5.5.1 to 5.5.9 and 5.3.1.2).

use super::super::filters::{Aggregation, Rounds, WindowedMax};
use super::super::{Ack, Delivery};
use crate::kernel::{Duration, Instant};

/// BBR.MinRTTFilterLen.
const MIN_RTT_HOLDS: Duration = Duration::from_secs(10);
/// BBR.ProbeRTTInterval.
const PROBE_RTT_INTERVAL: Duration = Duration::from_secs(5);
/// BBR.ExtraAckedFilterLen \[rounds\].
const AGGREGATION_ROUNDS: u32 = 10;
/// The same in Startup.
const FIRST_AGGREGATION_ROUNDS: u32 = 1;
/// BBR.MaxBwFilterLen without the cycle under way: the rate's filter has two cycles.
const EARLIER_CYCLES: u32 = 1;
/// The pipe is full once the rate has not grown by this factor in so many rounds.
const GROWTH: f64 = 1.25;
const FULL_ROUNDS: u32 = 3;

/// The path.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Rounds (BBR.round_count, BBR.round_start).
    pub rounds: Rounds,
    bandwidth: WindowedMax,
    /// BBR.cycle_count.
    cycles: u32,
    /// BBR.min_rtt and when it was measured.
    pub min_rtt: Option<Duration>,
    min_rtt_at: Instant,
    /// BBR.probe_rtt_min_delay and when it was measured or probed.
    probe_min_rtt: Option<Duration>,
    probe_min_rtt_at: Instant,
    /// BBR.probe_rtt_expired.
    pub is_min_rtt_due: bool,
    /// BBR.extra_acked.
    pub aggregation: Aggregation,
    /// The search for the rate at which the pipe is full.
    pub full: FullPipe,
}

/// Whether the pipe is full.
#[derive(Clone, Copy, Debug, Default)]
pub struct FullPipe {
    bandwidth: f64,
    rounds: u32,
    /// It is in the search under way (BBR.full_bw_now).
    pub now: bool,
    /// It was once (BBR.full_bw_reached).
    pub reached: bool,
}

impl FullPipe {
    /// ResetFullBW, with this rate to begin with \[segments/s\].
    pub fn restart(&mut self, bandwidth: f64) {
        *self = FullPipe { bandwidth, rounds: 0, now: false, reached: self.reached };
    }
}

impl Model {
    /// OnInit: the SYN is acknowledged.
    pub fn begin(&mut self, ack: &Ack) {
        (self.min_rtt, self.min_rtt_at) = (ack.smoothed_rtt, ack.now);
        (self.probe_min_rtt, self.probe_min_rtt_at) = (ack.smoothed_rtt, ack.now);
    }

    /// BBR.max_bw \[segments/s\].
    pub fn max_bandwidth(&self) -> f64 {
        self.bandwidth.get()
    }

    /// The product of `bandwidth` and the shortest round trip \[segments\], if that is known.
    pub fn bdp(&self, bandwidth: f64) -> Option<f64> {
        self.min_rtt.map(|rtt| bandwidth * rtt.as_secs_f64())
    }

    /// UpdateMaxBw, which counts the rounds (sections 5.5.1, 5.5.5).
    pub fn update_bandwidth(&mut self, delivery: &Delivery) {
        self.rounds.begins = false;
        let Some(sample) = delivery.sample else { return };
        self.rounds.on_sample(sample.prior_delivered, delivery.ack.delivered_total);
        let rate = sample.rate().unwrap_or(0.0);
        if rate > 0.0 && (rate >= self.max_bandwidth() || !sample.is_application_limited) {
            self.bandwidth.update(self.cycles, rate, EARLIER_CYCLES);
        }
    }

    /// AdvanceMaxBwFilter (section 5.5.6).
    pub fn advance_cycle(&mut self) {
        self.cycles += 1;
    }

    /// UpdateACKAggregation (section 5.5.9).
    pub fn update_aggregation(&mut self, delivery: &Delivery, bandwidth: f64, cwnd: f64) {
        let rounds = match self.full.reached {
            true => AGGREGATION_ROUNDS,
            false => FIRST_AGGREGATION_ROUNDS,
        };
        let counted = (delivery.ack.now, delivery.ack.delivered);
        self.aggregation.on_delivery(counted, bandwidth, cwnd, (self.rounds.count, rounds));
    }

    /// CheckFullBWReached (section 5.3.1.2).
    pub fn check_full_pipe(&mut self, delivery: &Delivery) {
        let Some(sample) = delivery.sample else { return };
        let full = &mut self.full;
        if full.now || !self.rounds.begins || sample.is_application_limited {
            return;
        }
        let rate = sample.rate().unwrap_or(0.0);
        if rate >= full.bandwidth * GROWTH {
            full.restart(rate);
            return;
        }
        full.rounds += 1;
        full.now = full.rounds >= FULL_ROUNDS;
        full.reached |= full.now;
    }

    /// UpdateMinRTT (section 5.3.4.3).
    pub fn update_min_rtt(&mut self, ack: &Ack) {
        let now = ack.now;
        self.is_min_rtt_due = now > self.probe_min_rtt_at + PROBE_RTT_INTERVAL;
        if let Some(rtt) = ack.rtt
            && (self.is_min_rtt_due || self.probe_min_rtt.is_none_or(|least| rtt < least))
        {
            (self.probe_min_rtt, self.probe_min_rtt_at) = (Some(rtt), now);
        }
        let has_expired = now > self.min_rtt_at + MIN_RTT_HOLDS;
        let is_less = match (self.probe_min_rtt, self.min_rtt) {
            (Some(rtt), Some(least)) => rtt < least,
            (rtt, None) => rtt.is_some(),
            _ => false,
        };
        if is_less || has_expired {
            (self.min_rtt, self.min_rtt_at) = (self.probe_min_rtt, self.probe_min_rtt_at);
        }
    }

    /// The round trip has been probed: the next probe is due after a whole interval.
    pub fn on_min_rtt_probed(&mut self, now: Instant) {
        self.probe_min_rtt_at = now;
    }
}
