//! The draft's pseudo-code, driven acknowledgment by acknowledgment.

use super::*;
use crate::transport::Rules;
use crate::transport::congestion::{LimitedBy, RateSample};

mod bounds;
mod model;
mod states;
mod wire;

/// What an acknowledgment tells.
#[derive(Clone, Copy)]
struct Told {
    after_ms: u64,
    segments: u32,
    /// Delivery rate \[segments/s\], and what was delivered in its time.
    rate: f64,
    volume: u32,
    rtt_ms: u64,
    in_flight: u32,
    /// In flight when the segment was sent, and lost since.
    sent_in_flight: u32,
    lost: u32,
    /// The segment was sent after the last acknowledgment.
    begins_round: bool,
    is_limited: bool,
    in_recovery: bool,
}

/// A round at 1000 segments a second, and 100 ms: the product is 100 segments.
const ROUND: Told = Told {
    after_ms: 100,
    segments: 1,
    rate: 1000.0,
    volume: 100,
    rtt_ms: 100,
    in_flight: 150,
    sent_in_flight: 150,
    lost: 0,
    begins_round: true,
    is_limited: false,
    in_recovery: false,
};

struct Driven {
    bbr: Bbr,
    window: Window,
    now: Instant,
    delivered: u32,
    /// Round trips fall by a trifle, so that none has to be probed.
    falls: bool,
    acks: u64,
}

impl Driven {
    fn new() -> Driven {
        let mut window = Window::new(u32::MAX, 10_000, Rules::Standard);
        window.cwnd = 10.0;
        let now = Instant::ZERO + Duration::from_millis(100);
        let mut driven =
            Driven { bbr: Bbr::default(), window, now, delivered: 0, falls: true, acks: 0 };
        driven.told(Told { after_ms: 0, ..ROUND });
        driven
    }

    fn told(&mut self, told: Told) {
        self.now += Duration::from_millis(told.after_ms);
        let prior_delivered = if told.begins_round { self.delivered } else { 0 };
        self.delivered += told.segments;
        self.acks += 1;
        let fall = Duration::from_nanos(if self.falls { self.acks } else { 0 });
        let rtt = Some(Duration::from_millis(told.rtt_ms) - fall);
        let ack = Ack {
            now: self.now,
            rtt,
            smoothed_rtt: rtt,
            min_rtt: rtt,
            delivered: told.segments,
            delivered_total: self.delivered,
            in_flight: told.in_flight,
            duplicates: 0,
            limited_by: LimitedBy::Window,
        };
        let sample = RateSample {
            delivered: told.volume,
            interval: Duration::from_secs_f64(f64::from(told.volume) / told.rate),
            prior_delivered,
            is_application_limited: told.is_limited,
            in_flight: told.sent_in_flight,
            lost: told.lost,
        };
        let delivery = Delivery {
            ack,
            sample: Some(sample),
            lost: 0,
            in_flight: told.in_flight,
            prior_in_flight: told.in_flight,
            next_departure: self.now,
            in_recovery: told.in_recovery,
        };
        self.bbr.on_delivery(&mut self.window, &delivery);
    }

    fn rounds(&mut self, number: usize, told: Told) {
        (0..number).for_each(|_| self.told(told));
    }

    /// Segment `number` is lost, of `in_flight` when it was sent, and `lost` since.
    fn lose(&mut self, number: u32, in_flight: u32, lost: u32) {
        let lost = LostSegment {
            now: self.now,
            number,
            in_flight,
            lost,
            is_application_limited: false,
            delivered_total: self.delivered,
        };
        self.bbr.on_segment_lost(&mut self.window, &lost);
    }

    fn loss(&self) -> Loss {
        Loss { now: self.now, in_flight: 150, duplicates: 0 }
    }

    /// Acknowledgments like `told` until `state` is reached. Returns how many.
    fn until(&mut self, state: State, told: Told) -> usize {
        for acks in 0..1000 {
            if self.bbr.state == state {
                return acks;
            }
            self.told(told);
        }
        panic!("{state:?} is not reached from {:?}", self.bbr.state);
    }

    /// In Cruise, with a full window.
    fn cruising() -> Driven {
        let mut driven = Driven::new();
        driven.until(State::Drain, Told { segments: 40, ..ROUND });
        driven.until(State::Cruise, Told { after_ms: 10, in_flight: 80, ..ROUND });
        let steady = Told { after_ms: 40, segments: 40, begins_round: false, ..ROUND };
        driven.rounds(10, steady);
        driven
    }

    /// In Up, the window being `used` in full or not.
    fn probing(used: bool) -> Driven {
        let mut driven = Driven::cruising();
        driven.up(used);
        driven
    }

    fn up(&mut self, used: bool) {
        self.until(State::Up, ROUND);
        if used {
            self.use_window();
        }
    }

    fn use_window(&mut self) {
        let in_flight = self.window.cwnd as u32;
        self.bbr.on_send(&SentSegment {
            now: self.now,
            number: 0,
            retransmission: false,
            in_flight,
        });
    }

    fn gains(&self) -> (f64, f64) {
        (self.bbr.state.pacing_gain(), self.bbr.state.cwnd_gain())
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-4 * b.abs().max(1.0)
}
