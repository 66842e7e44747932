//! The congestion window and its arithmetic, in segments.

use crate::profile::Profile;

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
    pub profile: Profile,
}

impl Window {
    /// A window of one segment.
    pub fn new(ssthresh: u32, limit: u32, profile: Profile) -> Window {
        Window { cwnd: 1.0, ssthresh, inflation: 0, limit, profile }
    }

    /// Segments that may be outstanding.
    pub fn usable(&self) -> u32 {
        (self.cwnd as u32).saturating_add(self.inflation).min(self.limit)
    }

    /// Whether the window is below the slow-start threshold.
    pub fn is_in_slow_start(&self) -> bool {
        self.cwnd < f64::from(self.ssthresh)
    }

    /// One new acknowledgment in slow start, or one in congestion avoidance (RFC 5681 section 3.1).
    pub fn grow(&mut self) {
        if self.is_in_slow_start() {
            self.cwnd += 1.0;
        } else {
            self.cwnd += 1.0 / self.cwnd;
        }
    }

    /// A loss that duplicates showed, with `in_flight` segments outstanding: half of what was in use
    /// (RFC 5681 section 3.2).
    pub fn halve(&mut self, in_flight: u32) {
        let in_use = self.in_use(in_flight);
        self.ssthresh = ((in_use / 2.0) as u32).max(2);
        self.cwnd = match self.profile {
            Profile::Ns2 => in_use / 2.0,
            Profile::Standard => f64::from(self.ssthresh),
        };
    }

    /// A timeout with `in_flight` segments outstanding: slow start from one segment (RFC 5681 section 3.1).
    pub fn collapse(&mut self, in_flight: u32) {
        self.ssthresh = ((self.in_use(in_flight) / 2.0) as u32).max(2);
        self.cwnd = 1.0;
    }

    /// What halving starts from: the outstanding segments, or in ns-2 what might be outstanding.
    fn in_use(&self, in_flight: u32) -> f64 {
        match self.profile {
            Profile::Ns2 => (self.cwnd + f64::from(self.inflation)).min(f64::from(self.limit)),
            Profile::Standard => f64::from(in_flight),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_turns_at_the_threshold() {
        let mut window = Window::new(3, 100, Profile::Ns2);
        let sizes: Vec<f64> = (0..4)
            .map(|_| {
                window.grow();
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
        (0..12).for_each(|_| window.grow());
        assert_eq!((window.cwnd, window.usable()), (13.0, 8));
    }
}
