//! The congestion window and its arithmetic, in segments.

use super::validation::Validation;
use crate::transport::rules::Rules;

/// Segments that an acknowledgment counts for in slow start at most: L of RFC 3465 (sections 2.2
/// and 2.3).
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
    /// The most segments in flight in the last round trip; all there can be before any is sent.
    most_in_flight: u32,
    /// That round trip ends once the segments below this are acknowledged.
    round_end: u32,
    /// What is known of its use, if that is validated.
    pub(super) validation: Option<Validation>,
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
            most_in_flight: u32::MAX,
            round_end: 0,
            validation: None,
        }
    }

    /// The same, growing by the segments that an acknowledgment covers (RFC 3465); Linux has no
    /// limit in slow start.
    pub fn counting_segments(self) -> Window {
        Window { counts_segments: true, ..self }
    }

    /// Segments that may be outstanding.
    pub fn usable(&self) -> u32 {
        (self.cwnd as u32).saturating_add(self.inflation).min(self.limit)
    }

    /// It is of so many segments, and grows from there by congestion avoidance.
    pub fn set(&mut self, segments: u32) {
        (self.cwnd, self.ssthresh, self.credit) = (f64::from(segments), segments, 0);
    }

    /// Whether the window is below the slow-start threshold.
    pub fn is_in_slow_start(&self) -> bool {
        self.cwnd < f64::from(self.ssthresh)
    }

    /// A segment has left: now so many are `in_flight`, of those from `first` on and below `end`.
    pub fn on_send(&mut self, in_flight: u32, first: u32, end: u32) {
        if first >= self.round_end || in_flight >= self.most_in_flight {
            (self.most_in_flight, self.round_end) = (in_flight, end);
        }
    }

    /// Whether enough of the window has been used of late for it to grow. In Linux slow start grows
    /// it to twice what was in flight, and congestion avoidance only if all of it was; elsewhere it
    /// may unless validation holds it.
    pub fn may_grow(&self) -> bool {
        let cwnd = self.cwnd as u32;
        match (self.rules, self.is_in_slow_start()) {
            (Rules::Ns2 | Rules::Standard, _) => !self.is_held(),
            (Rules::Linux, true) => cwnd < self.most_in_flight.saturating_mul(2),
            (Rules::Linux, false) => cwnd <= self.most_in_flight,
        }
    }

    /// One new acknowledgment of `segments`, in slow start or in congestion avoidance (RFC 5681
    /// section 3.1), if the window [may grow](Window::may_grow).
    pub fn grow(&mut self, segments: u32) {
        if !self.may_grow() {
            return;
        }
        let left = self.grow_in_slow_start(segments);
        if left > 0 {
            self.gain(left, self.cwnd);
        }
    }

    /// Grows to `ssthresh` at most, if the window is below it. Returns the segments that are left
    /// for congestion avoidance.
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

    /// Grows by a segment for `per` segments acknowledged, of which `segments` are now. Linux keeps
    /// windows whole, and counts what is acknowledged until the next.
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

    /// A loss that duplicates showed, with `in_flight` segments outstanding: half of what was in
    /// use (RFC 5681 section 3.2).
    pub fn halve(&mut self, in_flight: u32) {
        let in_use = self.in_use(in_flight);
        self.ssthresh = ((in_use / 2.0) as u32).max(2);
        self.cwnd = match self.rules {
            Rules::Ns2 => in_use / 2.0,
            Rules::Standard | Rules::Linux => f64::from(self.ssthresh),
        };
    }

    /// What a decrease other than by half starts from: the outstanding segments, in Linux the
    /// window.
    pub fn in_use_or(&self, in_flight: u32) -> f64 {
        if self.rules == Rules::Linux { self.cwnd } else { f64::from(in_flight) }
    }

    /// A timeout with `in_flight` segments outstanding: slow start from one segment (RFC 5681
    /// section 3.1).
    pub fn collapse(&mut self, in_flight: u32) {
        self.ssthresh = ((self.in_use(in_flight) / 2.0) as u32).max(2);
        self.cwnd = 1.0;
    }

    /// What halving starts from: the outstanding segments, or in ns-2 what might be outstanding,
    /// and in Linux the window.
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
    fn linux_grows_a_window_to_twice_what_is_in_flight_and_later_only_a_full_one() {
        let grown = |ssthresh, cwnd, in_flight, rules| {
            let mut window = Window::new(ssthresh, 1000, rules).counting_segments();
            window.cwnd = cwnd;
            window.on_send(in_flight, 1, 1 + in_flight);
            (0..100).for_each(|_| window.grow(1));
            window.cwnd
        };
        // Recorded: bursts of 8 segments that the application writes open the window to 16, those
        // of one leave it.
        assert_eq!(grown(1000, 10.0, 8, Rules::Linux), 16.0);
        assert_eq!(grown(1000, 10.0, 1, Rules::Linux), 10.0);
        assert_eq!(grown(5, 35.0, 20, Rules::Linux), 35.0);
        assert_eq!(grown(5, 35.0, 35, Rules::Linux), 36.0);
        assert_eq!(grown(1000, 10.0, 1, Rules::Standard), 110.0);
        // The most of a round trip counts, and not that of the one before.
        let mut window = Window::new(1000, 1000, Rules::Linux);
        window.cwnd = 10.0;
        for (in_flight, first, end, may) in
            [(9, 1, 10, true), (3, 8, 11, true), (3, 10, 13, false), (6, 12, 18, true)]
        {
            window.on_send(in_flight, first, end);
            assert_eq!(window.may_grow(), may, "{in_flight} of {first} to {end}");
        }
    }

    #[test]
    fn the_receiver_limits_what_is_usable_but_not_cwnd() {
        let mut window = Window::new(20, 8, Profile::Ns2);
        (0..12).for_each(|_| window.grow(1));
        assert_eq!((window.cwnd, window.usable()), (13.0, 8));
    }
}
