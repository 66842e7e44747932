//! What a listener gets of a call: which packets are played in time, and how it sounds.

use schemars::JsonSchema;
use serde::Serialize;

use super::arrived::{Arrived, Gaps};
use super::emodel::{Impairment, opinion, rating};
use crate::kernel::{Duration, Instant};

/// The listener's end of a call, with a playout buffer that plays every packet at the same time
/// after it was sent.
#[derive(Clone, Debug)]
pub struct Listener {
    codec: Impairment,
    /// From speech to the packet that carries it.
    packetization: Duration,
    playout: Duration,
    /// The packets that came in time.
    in_time: Arrived,
    late: u64,
    last_delay: Option<Duration>,
    /// The estimator of RFC 3550, section 6.4.1, and the sum of its values \[s\].
    jitter_s: f64,
    jitter_sum_s: f64,
    arrived: u64,
}

/// How a call was.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct VoiceReport {
    /// Packets that were to be played before the end.
    pub packets: u64,
    /// Those of them that arrived too late to be played.
    pub late_packets: u64,
    /// Share of them that were not played: lost or late.
    pub loss: f64,
    /// Mean length of runs of packets not played, over that of as many losses independent of each
    /// other; at least 1.
    pub burst_ratio: f64,
    /// From mouth to ear: to gather a packet's speech, and until it is played \[s\].
    pub delay_s: f64,
    /// Mean of the interarrival jitter (RFC 3550, section 6.4.1) at the packets that arrived \[s\].
    pub jitter_s: f64,
    /// Rating by the E-model (ITU-T G.107), 0 to 100.
    pub r_factor: f64,
    /// Mean opinion score by the E-model, 1 to 4.5.
    pub mos: f64,
}

impl Listener {
    /// A listener who plays each packet `playout` after it was sent.
    pub fn new(codec: Impairment, packetization: Duration, playout: Duration) -> Listener {
        Listener {
            codec,
            packetization,
            playout,
            in_time: Arrived::default(),
            late: 0,
            last_delay: None,
            jitter_s: 0.0,
            jitter_sum_s: 0.0,
            arrived: 0,
        }
    }

    /// Packet `number`, sent at `sent`, arrives.
    pub fn on_packet(&mut self, now: Instant, number: u32, sent: Instant) {
        let delay = now - sent;
        if delay <= self.playout {
            self.in_time.note(number);
        } else {
            self.late += 1;
        }
        if let Some(last) = self.last_delay.replace(delay) {
            let difference_s = (delay.as_secs_f64() - last.as_secs_f64()).abs();
            self.jitter_s += (difference_s - self.jitter_s) / 16.0;
        }
        self.arrived += 1;
        self.jitter_sum_s += self.jitter_s;
    }

    /// How the call was, of which `due` packets were to be played; none if none was.
    pub fn report(&self, due: u64) -> Option<VoiceReport> {
        if due == 0 {
            return None;
        }
        let Gaps { missing, runs, .. } = self.in_time.gaps(due);
        let loss = missing as f64 / due as f64;
        let burst_ratio = match runs {
            0 => 1.0,
            // Independent losses come in runs of 1 / (1 - loss) in the mean.
            runs => (missing as f64 / runs as f64 * (1.0 - loss)).max(1.0),
        };
        let delay_s = (self.packetization + self.playout).as_secs_f64();
        let r_factor = rating(1000.0 * delay_s, self.codec, loss, burst_ratio);
        Some(VoiceReport {
            packets: due,
            late_packets: self.late,
            loss,
            burst_ratio,
            delay_s,
            jitter_s: if self.arrived > 0 { self.jitter_sum_s / self.arrived as f64 } else { 0.0 },
            r_factor: r_factor.clamp(0.0, 100.0),
            mos: opinion(r_factor),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const G711: Impairment = Impairment { equipment: 0.0, robustness: 25.1 };

    fn listener() -> Listener {
        Listener::new(G711, Duration::from_millis(20), Duration::from_millis(80))
    }

    fn arrive(listener: &mut Listener, number: u32, delay_ms: u64) {
        let sent = Instant::ZERO + Duration::from_millis(20 * u64::from(number));
        listener.on_packet(sent + Duration::from_millis(delay_ms), number, sent);
    }

    #[test]
    fn late_packets_count_as_lost_and_losses_in_a_row_as_a_burst() {
        let mut listener = listener();
        for number in (0..20).filter(|number| ![4, 5, 6, 19].contains(number)) {
            arrive(&mut listener, number, if number == 7 { 81 } else { 80 });
        }
        let report = listener.report(20).unwrap();
        assert_eq!((report.packets, report.late_packets, report.loss), (20, 1, 0.25));
        // Runs of 4 and 1, by chance 1 / 0.75.
        assert!((report.burst_ratio - 2.5 * 0.75).abs() < 1e-12);
        assert!((report.delay_s - 0.1).abs() < 1e-12);
        assert!(report.mos < 2.5, "a quarter is lost: {}", report.mos);
    }

    #[test]
    fn equal_delays_have_no_jitter_and_alternating_ones_theirs() {
        let mut steady = listener();
        (0..1000).for_each(|number| arrive(&mut steady, number, 30));
        let report = steady.report(1000).unwrap();
        assert_eq!((report.jitter_s, report.loss), (0.0, 0.0));
        assert!((report.mos - 4.36).abs() < 0.05, "G.711 at 100 ms: {}", report.mos);
        let mut uneven = listener();
        (0..10_000).for_each(|number| arrive(&mut uneven, number, 30 + 8 * u64::from(number % 2)));
        assert!((uneven.report(10_000).unwrap().jitter_s - 0.008).abs() < 0.0001);
    }

    #[test]
    fn a_call_of_which_nothing_arrives_is_as_bad_as_can_be() {
        let report = listener().report(100).unwrap();
        assert!(report.loss == 1.0 && report.mos < 1.2, "{report:?}");
        assert_eq!(listener().report(0), None);
    }
}
