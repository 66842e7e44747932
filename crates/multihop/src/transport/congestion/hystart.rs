//! HyStart: slow start ends before losses, once a round's acknowledgments span half the shortest
//! round trip or its round trips have grown (Ha, Rhee, "Taming the elephants: New TCP slow start",
//! Computer Networks 55(9), 2011, section 4).

use super::{Ack, Window};
use crate::kernel::{Duration, Instant};

/// Below this window \[segments\] slow start goes on (the paper's low_window).
const LEAST_WINDOW: f64 = 16.0;
/// Acknowledgments at most so far apart make a train.
const TRAIN_GAP: Duration = Duration::from_millis(2);
/// What a train may be late by: with the shortest round trip, half of it makes a train long
/// (measured of Linux; the paper has half the round trip alone).
const TRAIN_DELAY: Duration = Duration::from_millis(1);
/// Round trips that a round's shortest is taken of.
const SAMPLES: u32 = 8;
/// The growth of the round trip that ends slow start is an eighth of the shortest; this at least,
const LEAST_GROWTH: Duration = Duration::from_millis(4);
/// and this at most.
const MOST_GROWTH: Duration = Duration::from_millis(16);

/// A connection's slow start.
#[derive(Clone, Debug, Default)]
pub struct HyStart {
    /// The shortest round trip of data, which takes longer than a SYN's.
    least: Option<Duration>,
    round: Option<Round>,
}

/// A round trip.
#[derive(Clone, Debug)]
struct Round {
    /// It ends once more segments than this are delivered.
    end: u32,
    start: Instant,
    /// The last acknowledgment of its train.
    train: Instant,
    /// Its shortest round trip so far, and how many were measured.
    shortest: Duration,
    samples: u32,
}

impl HyStart {
    /// The shortest round trip of data so far.
    pub fn least(&self) -> Option<Duration> {
        self.least
    }

    /// An acknowledgment has measured a round trip, if any.
    pub fn measure(&mut self, rtt: Option<Duration>) {
        self.least = self.least.into_iter().chain(rtt).min();
    }

    /// A timeout: slow start begins again.
    pub fn restart(&mut self) {
        self.round = None;
    }

    /// An acknowledgment in slow start. Whether that is over.
    pub fn on_ack(&mut self, window: &Window, ack: &Ack) -> bool {
        let Some((rtt, least)) = ack.rtt.zip(self.least) else { return false };
        self.round = self.round.take().filter(|round| ack.delivered_total <= round.end);
        let round = self.round.get_or_insert_with(|| Round {
            end: ack.delivered_total + ack.in_flight,
            start: ack.now,
            train: ack.now,
            shortest: rtt,
            samples: 0,
        });
        if window.cwnd < LEAST_WINDOW {
            return false;
        }
        round.has_long_train(ack.now, least) || round.has_longer_round_trips(rtt, least)
    }
}

impl Round {
    fn has_long_train(&mut self, now: Instant, least: Duration) -> bool {
        if now.saturating_since(self.train) > TRAIN_GAP {
            return false;
        }
        self.train = now;
        now.saturating_since(self.start) > (least + TRAIN_DELAY) / 2
    }

    fn has_longer_round_trips(&mut self, rtt: Duration, least: Duration) -> bool {
        self.shortest = self.shortest.min(rtt);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        self.shortest > least + (least / 8).clamp(LEAST_GROWTH, MOST_GROWTH)
    }
}
