//! Congestion control: one small trait, a hook for each cause.
//!
//! The sender calls, in this order: on a new acknowledgment `on_new_ack` (or, in recovery,
//! `on_partial_ack`); on the duplicate that counts as a loss `on_loss`, on each one after it
//! `on_duplicate_ack`; on an expiry `on_timeout`. The arithmetic common to all is [`Window`]'s.

mod newreno;
mod reno;

use std::fmt::Debug;

pub use newreno::NewReno;
pub use reno::Reno;

use super::config::Flavour;
use crate::profile::Profile;

/// A congestion control algorithm.
pub trait CongestionControl: Debug + Send + Sync {
    /// New data were acknowledged outside recovery, or all that recovery was about.
    fn on_new_ack(&mut self, window: &mut Window) {
        window.inflation = 0;
        window.grow();
    }

    /// Recovery goes on: an acknowledgment covers `segments`, but not all that was outstanding when
    /// the loss was noticed. Only if [`CongestionControl::stays_in_recovery`].
    fn on_partial_ack(&mut self, _window: &mut Window, _segments: u32) {}

    /// Duplicate acknowledgments count as a loss: fast retransmit and recovery begin.
    fn on_loss(&mut self, window: &mut Window, duplicates: u32) {
        window.halve();
        window.inflation = duplicates;
    }

    /// Another duplicate acknowledgment in recovery: a segment has left the network.
    fn on_duplicate_ack(&mut self, window: &mut Window) {
        window.inflation += 1;
    }

    /// The retransmission timer has expired with segments outstanding.
    fn on_timeout(&mut self, window: &mut Window) {
        window.inflation = 0;
        window.collapse();
    }

    /// Whether recovery lasts until all that was outstanding is acknowledged.
    fn stays_in_recovery(&self) -> bool;

    /// Segments that one duplicate acknowledgment may release at most.
    fn burst(&self) -> u32 {
        u32::MAX
    }
}

/// The algorithm of a flavour.
pub fn of(flavour: Flavour, profile: Profile) -> Box<dyn CongestionControl> {
    match flavour {
        Flavour::Reno => Box::new(Reno),
        // Semi-TCP's sender has no window and never asks.
        Flavour::NewReno | Flavour::TcpAp | Flavour::SemiTcp => Box::new(NewReno::new(profile)),
    }
}

/// The congestion window and its arithmetic, in segments.
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
    /// Segments outstanding, kept by the sender.
    pub outstanding: u32,
    profile: Profile,
}

impl Window {
    /// A window of one segment.
    pub fn new(ssthresh: u32, limit: u32, profile: Profile) -> Window {
        Window { cwnd: 1.0, ssthresh, inflation: 0, limit, outstanding: 0, profile }
    }

    /// Segments that may be outstanding.
    pub fn usable(&self) -> u32 {
        (self.cwnd as u32).saturating_add(self.inflation).min(self.limit)
    }

    /// One new acknowledgment: slow start below the threshold, congestion avoidance from it on.
    pub fn grow(&mut self) {
        if self.cwnd < f64::from(self.ssthresh) {
            self.cwnd += 1.0;
        } else {
            self.cwnd += 1.0 / self.cwnd;
        }
    }

    /// After a loss noticed early: half of what was in use (RFC 5681 section 3.2).
    pub fn halve(&mut self) {
        let in_use = self.in_use();
        self.ssthresh = ((in_use / 2.0) as u32).max(2);
        self.cwnd = match self.profile {
            Profile::Ns2 => in_use / 2.0,
            Profile::Standard => f64::from(self.ssthresh),
        };
    }

    /// After a timeout: slow start from one segment (RFC 5681 section 3.1).
    pub fn collapse(&mut self) {
        self.ssthresh = ((self.in_use() / 2.0) as u32).max(2);
        self.cwnd = 1.0;
    }

    /// What halving starts from: the outstanding segments, or in ns-2 what might be outstanding.
    fn in_use(&self) -> f64 {
        match self.profile {
            Profile::Ns2 => (self.cwnd + f64::from(self.inflation)).min(f64::from(self.limit)),
            Profile::Standard => f64::from(self.outstanding),
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
            (window.cwnd, window.outstanding) = (13.0, 5);
            window.halve();
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
