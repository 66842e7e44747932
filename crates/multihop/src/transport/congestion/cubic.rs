//! CUBIC (RFC 9438).
//!
//! Congestion avoidance follows W(t) = C (t - K)^3 + W_max (section 4.2), or Reno's estimated
//! window where that is larger (4.3); a loss leaves 0.7 of the segments in flight (4.6), with fast
//! convergence (4.7); after a timeout and after the first slow start the curve begins at its
//! plateau, K = 0 (4.8, 4.10). Slow start is that of RFC 5681. A reduction that the sender finds
//! spurious is undone (4.9). Windows in segments, times in seconds. The same with the rules of ns-2
//! and of the RFCs; for Linux's see [`Cubic::on_ack_in_linux`].
//!
//! Omitted: HyStart++ (4.10).
//! Not in the RFC: time that a broken route suspends the sender does not count, as if it were
//! application-limited.
//! Deviation: `ssthresh` is rounded down to whole segments, and at `cwnd` = `ssthresh` congestion
//! avoidance has begun.
//! Deviation: in the Reno-friendly region a window above the estimate stays (4.3 would set it to
//! the estimate).
//! Deviation: the acknowledgment that begins congestion avoidance does not grow the window: what it
//! covers was sent in slow start or recovery.

use super::hystart::HyStart;
use super::{Ack, CongestionControl, Loss, Window};
use crate::kernel::{Duration, Instant};
use crate::transport::recovery::Recovery;
use crate::transport::rules::Rules;
use crate::transport::scheme::Scheme;

/// `transport.scheme = "cubic"`.
pub const SCHEME: Scheme = Scheme::windowed(|| Box::new(Cubic::default()), Recovery::NewReno);

/// C \[segments/s^3\] (section 5.1).
const C: f64 = 0.4;

/// Multiplicative decrease factor (section 4.6).
const BETA: f64 = 0.7;

/// Segments that the estimate of Reno's window gains in a round trip: 3 (1 - beta) / (1 + beta)
/// (section 4.3).
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);

/// Linux: windows to be acknowledged for a segment of growth while the target is not above the
/// window (algorithm 1 of the paper of 2008).
const NEVER: f64 = 100.0;
/// Linux: segments to be acknowledged for one of growth, at most, before the first loss.
const FIRST_PER: f64 = 20.0;
/// Linux: the same, at least, at any time.
const LEAST_PER: f64 = 2.0;
/// Linux: how long a look at the curve holds (measured): 7 ticks of 4 ms.
const RENEWAL: Duration = Duration::from_millis(28);

/// Bound of the target: this many windows (section 4.2).
const TARGET_WINDOWS: f64 = 1.5;

/// CUBIC.
#[derive(Clone, Debug, Default)]
struct Cubic {
    /// W_max \[segments\]; none before the first loss and after a timeout.
    w_max: Option<f64>,
    /// `cwnd` before the last reduction, or at the end of the first slow start \[segments\].
    cwnd_prior: Option<f64>,
    /// The congestion avoidance stage under way.
    stage: Option<Stage>,
    slow_start: HyStart,
    /// What the last reduction found, to be undone.
    before: Option<Box<Cubic>>,
}

/// A congestion avoidance stage.
#[derive(Clone, Debug)]
struct Stage {
    /// t_epoch, put off by the time that the sender was application-limited or suspended.
    start: Instant,
    /// The last acknowledgment.
    last: Instant,
    /// W_max \[segments\].
    w_max: f64,
    /// K \[s\].
    k_s: f64,
    /// W_est \[segments\].
    w_est: f64,
    /// Segments acknowledged that W_est has not grown for yet, in Linux.
    acknowledged: f64,
    /// What the last look at the curve gave there: when, at which window, and the segments to be
    /// acknowledged for one of growth.
    looked: Option<(Instant, f64, f64)>,
}

impl CongestionControl for Cubic {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        if window.rules == Rules::Linux {
            return self.on_ack_in_linux(window, ack);
        }
        let is_limited = ack.limited_by.is_application_limited() || !window.may_grow();
        if window.is_in_slow_start() {
            self.stage = None;
            if !is_limited {
                window.grow_in_slow_start(ack.delivered);
            }
            return;
        }
        let cwnd_prior = *self.cwnd_prior.get_or_insert(window.cwnd);
        let Some(stage) = &mut self.stage else {
            let w_max = *self.w_max.get_or_insert(window.cwnd);
            self.stage = Some(Stage::new(ack.now, w_max, window.cwnd));
            return;
        };
        let since_last = ack.now.saturating_since(stage.last);
        stage.last = ack.now;
        if is_limited {
            stage.start += since_last;
        } else {
            window.cwnd = stage.grown(window, cwnd_prior, ack);
        }
    }

    fn on_resume(&mut self, suspended: Duration) {
        if let Some(stage) = &mut self.stage {
            stage.start += suspended;
            stage.last += suspended;
        }
    }

    fn on_loss(&mut self, window: &mut Window, loss: &Loss) {
        let cwnd = window.cwnd;
        self.remember();
        self.w_max = Some(match self.w_max {
            Some(w_max) if cwnd < w_max => cwnd * (1.0 + BETA) / 2.0,
            _ => cwnd,
        });
        if window.rules == Rules::Linux {
            self.w_max = self.w_max.map(f64::floor);
        }
        self.cwnd_prior = Some(cwnd);
        self.stage = None;
        let reduced = window.in_use_or(loss.in_flight) * BETA;
        window.cwnd = reduced.max(2.0);
        window.ssthresh = (reduced as u32).max(2);
    }

    fn on_timeout(&mut self, window: &mut Window, loss: &Loss) {
        // A repeated timeout finds a window of one and keeps what the first one noted.
        if window.cwnd > 1.0 {
            self.remember();
            self.cwnd_prior = Some(window.cwnd);
        }
        self.slow_start.restart();
        self.w_max = None;
        self.stage = None;
        window.ssthresh = ((window.in_use_or(loss.in_flight) * BETA) as u32).max(2);
        window.cwnd = 1.0;
    }

    fn on_undo(&mut self, _window: &mut Window) {
        if let Some(before) = self.before.take() {
            *self = *before;
        }
    }
}

impl Cubic {
    fn remember(&mut self) {
        self.before = None;
        self.before = Some(Box::new(self.clone()));
    }

    /// As Linux has it: HyStart, and growth as in the first paper (Ha, Rhee, Xu, "CUBIC: a new
    /// TCP-friendly high-speed TCP variant", ACM SIGOPS Operating Systems Review 42(5), 2008,
    /// algorithm 1).
    fn on_ack_in_linux(&mut self, window: &mut Window, ack: &Ack) {
        self.slow_start.measure(ack.rtt);
        if window.is_in_slow_start() && self.slow_start.on_ack(window, ack) {
            window.ssthresh = window.cwnd as u32;
        }
        if !window.may_grow() {
            return;
        }
        let left = window.grow_in_slow_start(ack.delivered);
        if left == 0 {
            return;
        }
        let cwnd = window.cwnd;
        let stage = self
            .stage
            .get_or_insert_with(|| Stage::new(ack.now, self.w_max.unwrap_or(cwnd).max(cwnd), cwnd));
        let ahead = self.slow_start.least().unwrap_or(Duration::ZERO);
        let until = ack.now + ahead;
        let per = stage.looked_up(cwnd, left, ack.now, until, self.w_max.is_some());
        window.gain(left, per);
    }
}

impl Stage {
    /// The same as [`Stage::acknowledged_per_segment`], which is looked at again when the window
    /// has changed, or after [`RENEWAL`].
    fn looked_up(
        &mut self,
        cwnd: f64,
        segments: u32,
        now: Instant,
        until: Instant,
        has_lost: bool,
    ) -> f64 {
        self.acknowledged += f64::from(segments);
        match self.looked {
            Some((at, of, per)) if of == cwnd && now < at + RENEWAL => per,
            _ => {
                let per = self.acknowledged_per_segment(cwnd, until, has_lost);
                self.looked = Some((now, cwnd, per));
                per
            }
        }
    }

    /// Segments to be acknowledged for one that the window grows by (`cnt`); `has_lost`: the
    /// connection has; the target is that at `until`, a round trip ahead.
    fn acknowledged_per_segment(&mut self, cwnd: f64, until: Instant, has_lost: bool) -> f64 {
        let target = self.whole_w_cubic(until.saturating_since(self.start).as_secs_f64());
        let mut per = if target > cwnd { (cwnd / (target - cwnd)).floor() } else { NEVER * cwnd };
        if !has_lost {
            per = per.min(FIRST_PER);
        }
        let each = (cwnd / ALPHA).floor();
        while self.acknowledged > each {
            self.acknowledged -= each;
            self.w_est += 1.0;
        }
        if self.w_est > cwnd {
            per = per.min((cwnd / (self.w_est - cwnd)).floor());
        }
        per.max(LEAST_PER)
    }

    /// A stage that begins at `now` with this window.
    fn new(now: Instant, w_max: f64, cwnd: f64) -> Stage {
        let k_s = cube_root((w_max - cwnd) / C);
        Stage { start: now, last: now, w_max, k_s, w_est: cwnd, acknowledged: 0.0, looked: None }
    }

    /// W_cubic(t) \[segments\], `t_s` seconds into the stage.
    fn w_cubic(&self, t_s: f64) -> f64 {
        let x = t_s - self.k_s;
        C * x * x * x + self.w_max
    }

    /// The same in whole segments, as Linux has it: what is missing to W_max, or added to it, is
    /// rounded down.
    fn whole_w_cubic(&self, t_s: f64) -> f64 {
        self.w_max + (self.w_cubic(t_s) - self.w_max).trunc()
    }

    /// The window after `ack`.
    fn grown(&mut self, window: &Window, cwnd_prior: f64, ack: &Ack) -> f64 {
        let cwnd = window.cwnd;
        let alpha = if self.w_est >= cwnd_prior { 1.0 } else { ALPHA };
        self.w_est += alpha * f64::from(ack.delivered) / cwnd;
        let t_s = ack.now.saturating_since(self.start).as_secs_f64();
        if self.w_cubic(t_s) < self.w_est {
            return cwnd.max(self.w_est);
        }
        let rtt = ack.smoothed_rtt.or(ack.rtt).unwrap_or(Duration::ZERO);
        let target = self.w_cubic(t_s + rtt.as_secs_f64());
        cwnd + window.counted(ack.delivered) * (target.clamp(cwnd, TARGET_WINDOWS * cwnd) - cwnd)
            / cwnd
    }
}

/// The cube root, by Newton's method: unlike the platform's, to the same bit on every machine.
fn cube_root(x: f64) -> f64 {
    if x == 0.0 {
        return 0.0;
    }
    let size = x.abs();
    // A fourth root is near enough to begin with; each step then about squares the relative error.
    let mut root = size.sqrt().sqrt();
    for _ in 0..16 {
        root = (2.0 * root + size / (root * root)) / 3.0;
    }
    root.copysign(x)
}
