//! Tail loss probe: when acknowledgments stay away for two round trips, one segment is sent that
//! makes the receiver tell what it lacks (RFC 8985 section 7).

use super::report::Report;
use crate::kernel::Duration;

/// Interval before the first round trip is measured (section 7.2).
const FIRST: Duration = Duration::from_millis(1000);
/// What a receiver is allowed for a delayed acknowledgment of a lone segment (TLP.max_ack_delay,
/// section 7.2): Linux's longest.
const MOST_ACK_DELAY: Duration = Duration::from_millis(200);

/// A connection's probes.
#[derive(Clone, Copy, Debug, Default)]
pub struct LossProbe {
    /// SND.NXT after the probe whose answer is awaited.
    end: Option<u32>,
    /// That probe repeated a segment.
    is_retransmission: bool,
    /// A round trip has been measured since the last probe.
    has_sample: bool,
}

impl LossProbe {
    /// A round trip was measured.
    pub fn on_sample(&mut self) {
        self.has_sample = true;
    }

    /// Whether a probe may leave.
    pub fn is_allowed(&self) -> bool {
        self.end.is_none() && self.has_sample
    }

    /// Time to wait for an acknowledgment with `flight_size` segments outstanding (TLP_calc_PTO).
    pub fn interval(smoothed_rtt: Option<Duration>, flight_size: u32) -> Duration {
        match smoothed_rtt {
            Some(rtt) if flight_size == 1 => rtt * 2 + MOST_ACK_DELAY,
            Some(rtt) => rtt * 2,
            None => FIRST,
        }
    }

    /// A probe leaves; segments up to `end` are sent then.
    pub fn on_send(&mut self, end: u32, is_retransmission: bool) {
        *self = LossProbe { end: Some(end), is_retransmission, has_sample: false };
    }

    /// Losses are being repaired: the probe does not matter any more.
    pub fn reset(&mut self) {
        self.end = None;
    }

    /// Whether an acknowledgment shows that a probe has repaired a loss, to which congestion
    /// control is to react (7.4.2).
    pub fn on_ack(&mut self, report: &Report) -> bool {
        let Some(end) = self.end.filter(|&end| report.below >= end) else { return false };
        if !self.is_retransmission || report.duplicate == Some(end - 1) {
            self.end = None;
        } else if report.below > end {
            self.end = None;
            return true;
        } else if !report.advances() && report.is_bare {
            self.end = None;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Instant;

    fn answer(below: u32) -> Report {
        let echo = Instant::ZERO;
        Report { echo, before: 0, below, forward: 0, duplicate: None, is_bare: true }
    }

    #[test]
    fn a_probe_needs_a_round_trip_measured_since_the_last_and_no_other_under_way() {
        // RFC 8985, section 7.3, conditions 1 and 2.
        let mut probe = LossProbe::default();
        assert!(!probe.is_allowed(), "nothing is measured yet");
        probe.on_sample();
        assert!(probe.is_allowed());
        probe.on_send(6, false);
        probe.on_sample();
        assert!(!probe.is_allowed(), "one is under way");
        assert!(!probe.on_ack(&answer(5)));
        assert!(!probe.is_allowed(), "not acknowledged");
        assert!(!probe.on_ack(&answer(6)));
        assert!(probe.is_allowed());
        probe.on_send(7, false);
        assert!(!probe.on_ack(&answer(7)));
        assert!(!probe.is_allowed(), "acknowledged, but nothing is measured since");
    }
}
