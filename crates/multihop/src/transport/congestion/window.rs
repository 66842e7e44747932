//! The congestion window and its arithmetic, in segments.

use crate::transport::config::Rules;

/// Segments that an acknowledgment counts for in slow start at most: L of RFC 3465 (sections 2.2 and 2.3).
const AT_ONCE: u32 = 2;

/// The congestion window.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// Congestion window, without inflation.
    pub cwnd: f64,
    /// Slow-start threshold.
    pub ssthresh: u32,
    /// Segments known to have left the network during recovery.
    pub inflation: u32,
    /// The receiver's window.
    pub limit: u32,
    /// Whose rules hold.
    pub rules: Rules,
    /// Growth is by the segments that an acknowledgment covers, not by acknowledgments.
    counts_segments: bool,
    /// Segments acknowledged since the window last grew, where it is kept whole.
    credit: u32,
}

impl Window {
    /// A window of one segment.
    pub fn new(ssthresh: u32, limit: u32, rules: impl Into<Rules>) -> Window {
        let rules = rules.into();
        Window {
            cwnd: 1.0,
            ssthresh,
            inflation: 0,
            limit,
            rules,
            counts_segments: false,
            credit: 0,
        }
    }

    /// The same, growing by the segments that an acknowledgment covers (RFC 3465); Linux has no limit in slow start.
    pub fn counting_segments(self) -> Window {
        Window { counts_segments: true, ..self }
    }

    /// Segments that may be outstanding.
    pub fn usable(&self) -> u32 {
        (self.cwnd as u32).saturating_add(self.inflation).min(self.limit)
    }

    /// Whether the window is below the slow-start threshold.
    pub fn is_in_slow_start(&self) -> bool {
        self.cwnd < f64::from(self.ssthresh)
    }

    /// One new acknowledgment of `segments`, in slow start or in congestion avoidance (RFC 5681 section 3.1).
    pub fn grow(&mut self, segments: u32) {
        let left = self.grow_in_slow_start(segments);
        if left > 0 {
            self.gain(left, self.cwnd);
        }
    }

    /// Grows to `ssthresh` at most, if the window is below it. Returns the segments that are left for congestion
    /// avoidance.
    pub fn grow_in_slow_start(&mut self, segments: u32) -> u32 {
        let segments = if self.counts_segments { segments } else { 1 };
        if !self.is_in_slow_start() {
            return segments;
        }
        let segments = if self.rules == Rules::Linux { segments } else { segments.min(AT_ONCE) };
        let room = self.ssthresh.saturating_sub(self.cwnd as u32).max(1);
        let gained = segments.min(room);
        self.cwnd += f64::from(gained);
        segments - gained
    }

    /// Grows by a segment for `per` segments acknowledged, of which `segments` are now. Linux keeps windows whole,
    /// and counts what is acknowledged until the next.
    pub fn gain(&mut self, segments: u32, per: f64) {
        if self.rules != Rules::Linux {
            self.cwnd += f64::from(segments) / per;
            return;
        }
        let per = (per as u32).max(1);
        if self.credit >= per {
            (self.credit, self.cwnd) = (0, self.cwnd + 1.0);
        }
        self.credit += segments;
        self.cwnd += f64::from(self.credit / per);
        self.credit %= per;
    }

    /// What was acknowledged counts for no growth any more.
    pub fn discount(&mut self) {
        self.credit = 0;
    }

    /// Segments that an acknowledgment of `segments` counts for.
    pub fn counted(&self, segments: u32) -> f64 {
        if self.counts_segments { f64::from(segments) } else { 1.0 }
    }

    /// A loss that duplicates showed, with `in_flight` segments outstanding: half of what was in use
    /// (RFC 5681 section 3.2).
    pub fn halve(&mut self, in_flight: u32) {
        let in_use = self.in_use(in_flight);
        self.ssthresh = ((in_use / 2.0) as u32).max(2);
        self.cwnd = match self.rules {
            Rules::Ns2 => in_use / 2.0,
            Rules::Standard | Rules::Linux => f64::from(self.ssthresh),
        };
    }

    /// What a decrease other than by half starts from: the outstanding segments, in Linux the window.
    pub fn in_use_or(&self, in_flight: u32) -> f64 {
        if self.rules == Rules::Linux { self.cwnd } else { f64::from(in_flight) }
    }

    /// A timeout with `in_flight` segments outstanding: slow start from one segment (RFC 5681 section 3.1).
    pub fn collapse(&mut self, in_flight: u32) {
        self.ssthresh = ((self.in_use(in_flight) / 2.0) as u32).max(2);
        self.cwnd = 1.0;
    }

    /// What halving starts from: the outstanding segments, or in ns-2 what might be outstanding, and in Linux the
    /// window.
    fn in_use(&self, in_flight: u32) -> f64 {
        match self.rules {
            Rules::Ns2 => (self.cwnd + f64::from(self.inflation)).min(f64::from(self.limit)),
            Rules::Standard => f64::from(in_flight),
            Rules::Linux => self.cwnd,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;

    #[test]
    fn growth_turns_at_the_threshold() {
        let mut window = Window::new(3, 100, Profile::Ns2);
        let sizes: Vec<f64> = (0..4)
            .map(|_| {
                window.grow(1);
                window.cwnd
            })
            .collect();
        assert_eq!(sizes, [2.0, 3.0, 3.0 + 1.0 / 3.0, 3.0 + 1.0 / 3.0 + 1.0 / (3.0 + 1.0 / 3.0)]);
    }

    #[test]
    fn ns2_halves_the_window_and_the_standard_the_outstanding_segments() {
        let halved = |profile| {
            let mut window = Window::new(20, 8, profile);
            window.cwnd = 13.0;
            window.halve(5);
            (window.cwnd, window.ssthresh)
        };
        assert_eq!(halved(Profile::Ns2), (4.0, 4));
        assert_eq!(halved(Profile::Standard), (2.0, 2));
    }

    #[test]
    fn the_receiver_limits_what_is_usable_but_not_cwnd() {
        let mut window = Window::new(20, 8, Profile::Ns2);
        (0..12).for_each(|_| window.grow(1));
        assert_eq!((window.cwnd, window.usable()), (13.0, 8));
    }
}
