//! Simulated time: integer nanoseconds, so that sums are exact and ties are ties on every machine.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// A point in simulated time, nanoseconds since the start of the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(u64);

/// A length of simulated time in nanoseconds, never negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Duration(u64);

impl Instant {
    /// The start of every run.
    pub const ZERO: Instant = Instant(0);
    /// Later than anything that happens: the deadline of a timer that is off.
    pub const FAR: Instant = Instant(u64::MAX);

    /// The instant `nanos` nanoseconds after the start.
    pub const fn from_nanos(nanos: u64) -> Instant {
        Instant(nanos)
    }

    /// The instant nearest to `seconds` after the start. Negative and not-a-number give zero.
    pub fn from_secs_f64(seconds: f64) -> Instant {
        Instant(nearest(seconds * 1e9))
    }

    /// Nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The time from `earlier` to `self`, zero if `earlier` is in fact later.
    pub const fn saturating_since(self, earlier: Instant) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);

    /// A duration of `nanos` nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Duration {
        Duration(nanos)
    }

    /// A duration of `micros` microseconds.
    pub const fn from_micros(micros: u64) -> Duration {
        Duration(micros * 1_000)
    }

    /// A duration of `millis` milliseconds.
    pub const fn from_millis(millis: u64) -> Duration {
        Duration(millis * 1_000_000)
    }

    /// A duration of whole `seconds`.
    pub const fn from_secs(seconds: u64) -> Duration {
        Duration(seconds * 1_000_000_000)
    }

    /// The duration nearest to `seconds`. Negative and not-a-number give zero.
    pub fn from_secs_f64(seconds: f64) -> Duration {
        Duration(nearest(seconds * 1e9))
    }

    /// Nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Whole microseconds, rounded to the nearest.
    pub const fn as_micros_rounded(self) -> u64 {
        (self.0 + 500) / 1_000
    }

    /// The difference, zero if `other` is longer.
    pub const fn saturating_sub(self, other: Duration) -> Duration {
        Duration(self.0.saturating_sub(other.0))
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;
    fn add(self, duration: Duration) -> Instant {
        Instant(self.0 + duration.0)
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, duration: Duration) {
        self.0 += duration.0;
    }
}

impl Sub<Instant> for Instant {
    type Output = Duration;
    fn sub(self, earlier: Instant) -> Duration {
        debug_assert!(earlier.0 <= self.0, "negative duration");
        Duration(self.0 - earlier.0)
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;
    fn sub(self, duration: Duration) -> Instant {
        Instant(self.0 - duration.0)
    }
}

impl Add for Duration {
    type Output = Duration;
    fn add(self, other: Duration) -> Duration {
        Duration(self.0 + other.0)
    }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, other: Duration) {
        self.0 += other.0;
    }
}

impl Sub for Duration {
    type Output = Duration;
    fn sub(self, other: Duration) -> Duration {
        Duration(self.0 - other.0)
    }
}

impl Mul<u64> for Duration {
    type Output = Duration;
    fn mul(self, factor: u64) -> Duration {
        Duration(self.0 * factor)
    }
}

impl Div<u64> for Duration {
    type Output = Duration;
    fn div(self, divisor: u64) -> Duration {
        Duration(self.0 / divisor)
    }
}

impl Div for Duration {
    type Output = u64;
    /// How many whole times `other` fits.
    fn div(self, other: Duration) -> u64 {
        self.0 / other.0
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.9}s", self.as_secs_f64())
    }
}

impl fmt::Debug for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}ns", self.0)
    }
}

/// [`Duration::from_secs_f64`], by a short name for keys in seconds.
pub fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// `value` rounded as by [`f64::round`], which calls the maths library; 0 if negative or not a
/// number.
#[inline]
fn nearest(value: f64) -> u64 {
    let whole = value as u64;
    whole.saturating_add(u64::from(value - whole as f64 >= 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_round_to_the_nearest_nanosecond() {
        assert_eq!(Instant::from_secs_f64(0.1 + 0.2).as_nanos(), 300_000_000);
        assert_eq!(Duration::from_secs_f64(1.5e-9).as_nanos(), 2);
        assert_eq!(Duration::from_secs_f64(-1.0), Duration::ZERO);
        for value in [0.0, 0.499_999_999_999_999_94, 0.5, 1.5, 2.5, 4.5e15, 1e19, 3e19, -0.7] {
            assert_eq!(nearest(value), value.round() as u64, "{value}");
        }
        assert_eq!((nearest(f64::INFINITY), nearest(f64::NAN)), (u64::MAX, 0));
    }

    #[test]
    fn since_a_later_instant_is_zero() {
        let early = Instant::from_nanos(5);
        let late = Instant::from_nanos(9);
        assert_eq!(late.saturating_since(early), Duration::from_nanos(4));
        assert_eq!(early.saturating_since(late), Duration::ZERO);
    }

    #[test]
    fn microseconds_round_half_up() {
        assert_eq!(Duration::from_nanos(1_499).as_micros_rounded(), 1);
        assert_eq!(Duration::from_nanos(1_500).as_micros_rounded(), 2);
    }
}
