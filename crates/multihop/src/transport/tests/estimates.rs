//! Vegas and Westwood+ against the pipe that they estimate: a bottleneck of known rate and delay,
//! by hand.

use proptest::prelude::*;

use super::*;
use crate::transport::congestion::{Ack, CongestionControl, LimitedBy, Loss, Window};

/// A control whose segments go through one queue, a round trip at a time.
struct Pipe {
    control: Box<dyn CongestionControl>,
    window: Window,
    now: Instant,
    delivered: u32,
    /// Segments a second that the bottleneck serves.
    rate: f64,
    /// Round trip without queues.
    base: Duration,
}

impl Pipe {
    fn new(scheme: Flavour, rate: f64, base_ms: u64) -> Pipe {
        let window = Window::new(1_000_000, 1_000_000, Profile::Standard);
        let base = Duration::from_millis(base_ms);
        let control = windowed(scheme).0;
        Pipe { control, window, now: Instant::from_nanos(1), delivered: 1, rate, base }
    }

    /// The same past slow start, with a window of `cwnd` segments.
    fn avoiding(scheme: Flavour, rate: f64, base_ms: u64, cwnd: f64) -> Pipe {
        let mut pipe = Pipe::new(scheme, rate, base_ms);
        pipe.window.ssthresh = 2;
        pipe.window.cwnd = cwnd;
        pipe
    }

    /// Segments that fill the pipe without a queue.
    fn capacity(&self) -> f64 {
        self.rate * self.base.as_secs_f64()
    }

    /// Every segment of a window is acknowledged, in the time that the bottleneck takes for them.
    fn round(&mut self) {
        let segments = self.window.cwnd as u32;
        let rtt = self.base.max(Duration::from_secs_f64(f64::from(segments) / self.rate));
        for _ in 0..segments {
            self.now += Duration::from_secs_f64(rtt.as_secs_f64() / f64::from(segments));
            self.delivered += 1;
            let in_flight = segments.max(self.window.cwnd as u32) - 1;
            self.ack(rtt, in_flight);
        }
    }

    fn ack(&mut self, rtt: Duration, in_flight: u32) {
        let ack = Ack {
            now: self.now,
            rtt: Some(rtt),
            smoothed_rtt: Some(rtt),
            min_rtt: Some(self.base),
            delivered: 1,
            delivered_total: self.delivered,
            in_flight,
            duplicates: 0,
            limited_by: LimitedBy::Window,
        };
        self.control.on_ack(&mut self.window, &ack);
    }

    fn rounds(&mut self, count: usize) -> Vec<f64> {
        (0..count)
            .map(|_| {
                self.round();
                self.window.cwnd
            })
            .collect()
    }

    fn lose(&mut self) {
        let loss = Loss { now: self.now, in_flight: self.window.cwnd as u32, duplicates: 3 };
        self.control.on_loss(&mut self.window, &loss);
    }

    fn expire(&mut self) {
        let loss = Loss { now: self.now, in_flight: self.window.cwnd as u32, duplicates: 0 };
        self.control.on_timeout(&mut self.window, &loss);
    }
}

proptest! {
    #[test]
    fn vegas_keeps_few_segments_in_the_queue(
        rate in 50.0..500.0f64,
        base_ms in 20u64..100,
    ) {
        let mut pipe = Pipe::new(Flavour::Vegas, rate, base_ms);
        pipe.rounds(200 + 2 * pipe.capacity() as usize);
        for cwnd in pipe.rounds(20) {
            let queued = cwnd - pipe.capacity();
            prop_assert!((0.0..=4.5).contains(&queued), "{queued} segments wait");
        }
    }

    #[test]
    fn westwood_keeps_what_fills_the_pipe_after_a_loss(
        rate in 100.0..500.0f64,
        base_ms in 20u64..100,
    ) {
        let mut pipe = Pipe::avoiding(Flavour::Westwood, rate, base_ms, 2.0);
        prop_assume!(pipe.capacity() > 4.0);
        pipe.window.cwnd = 2.0 * pipe.capacity();
        pipe.rounds(60);
        pipe.lose();
        let share = f64::from(pipe.window.ssthresh) / pipe.capacity();
        prop_assert!((0.7..=1.05).contains(&share), "{share} of the pipe");
        prop_assert_eq!(pipe.window.cwnd, f64::from(pipe.window.ssthresh));
    }
}

#[test]
fn vegas_doubles_every_other_round_trip_until_a_segment_waits() {
    let mut pipe = Pipe::new(Flavour::Vegas, 1000.0, 100);
    pipe.window.cwnd = 2.0;
    let windows = pipe.rounds(16);
    assert!(windows.windows(3).take(8).all(|three| three[2] <= 2.0 * three[0] + 2.0));
    assert!(windows.windows(2).any(|two| two[0] == two[1]), "it is held every other round");
    let most = windows.iter().copied().fold(0.0, f64::max);
    assert!(most < 2.0 * pipe.capacity(), "Reno would go on: {most}");
    assert!(!pipe.window.is_in_slow_start());
}

#[test]
fn vegas_shrinks_by_a_segment_a_round_trip_where_too_many_wait() {
    let mut pipe = Pipe::avoiding(Flavour::Vegas, 100.0, 100, 40.0);
    let windows = pipe.rounds(10);
    assert!(windows.windows(2).skip(2).all(|two| two[0] - two[1] <= 1.0 && two[1] <= two[0]));
    assert!(windows[9] <= 33.0);
}

#[test]
fn westwood_starts_anew_after_a_timeout_with_the_pipe_as_threshold() {
    let mut pipe = Pipe::avoiding(Flavour::Westwood, 500.0, 100, 60.0);
    pipe.rounds(60);
    pipe.expire();
    assert_eq!(pipe.window.cwnd, 1.0);
    assert!((40..=51).contains(&pipe.window.ssthresh), "{}", pipe.window.ssthresh);
}

#[test]
fn westwood_that_has_measured_nothing_halves() {
    let mut pipe = Pipe::new(Flavour::Westwood, 500.0, 100);
    pipe.window.cwnd = 10.0;
    pipe.lose();
    assert_eq!((pipe.window.cwnd, pipe.window.ssthresh), (5.0, 5));
}

#[test]
fn a_suspension_is_no_time_in_which_little_was_delivered() {
    let after = |suspended_s: f64| {
        let mut pipe = Pipe::avoiding(Flavour::Westwood, 500.0, 100, 50.0);
        pipe.rounds(30);
        let suspended = Duration::from_secs_f64(suspended_s);
        pipe.now += suspended;
        pipe.control.on_resume(suspended);
        pipe.rounds(1);
        pipe.lose();
        pipe.window.ssthresh
    };
    assert_eq!(after(20.0), after(0.0));
}
