//! A window that is validated: what its use makes of it.

use std::collections::BTreeSet;

use super::{PERIOD, Repair, Validation, WindowValidation, is_used};
use crate::kernel::{Duration, Instant};
use crate::transport::congestion::limited_by::LimitedBy;
use crate::transport::congestion::window::Window;

impl Window {
    /// The same under `validation`, the initial window being of so many segments.
    pub fn validated(mut self, validation: WindowValidation, initial_window: u32) -> Window {
        self.validation =
            (validation == WindowValidation::Rfc7661).then(|| Validation::new(initial_window));
        self
    }

    /// Whether its use is looked at.
    pub fn is_under_validation(&self) -> bool {
        self.validation.is_some()
    }

    /// Whether an acknowledgment must not grow it (section 4.4).
    pub fn is_held(&self) -> bool {
        self.validation.as_ref().is_some_and(Validation::holds)
    }

    /// Looks at its use when segments from `first` on and below `below` are acknowledged, or with
    /// none when some are to leave after an idle time. While losses are repaired nothing is
    /// measured (section 4.2).
    pub fn validate(
        &mut self,
        now: Instant,
        smoothed_rtt: Option<Duration>,
        first: u32,
        below: u32,
        limited_by: LimitedBy,
    ) {
        let Some(validation) = self.validation.as_mut() else { return };
        let (None, Some(rtt)) = (&validation.repair, smoothed_rtt) else { return };
        validation.limited_by = limited_by;
        validation.measure(now, rtt, first, below);
        let until = validation.expire(now, rtt, self.cwnd);
        let Some(pipe_ack) = validation.pipe_ack() else { return };
        if is_used(pipe_ack, self.cwnd) {
            validation.since = None;
            return;
        }
        let since = *validation.since.get_or_insert(until.unwrap_or(now));
        self.end_period(now, since, pipe_ack);
    }

    /// Lets go of half of it for each period that has passed without use `since` then (section
    /// 4.4.3).
    fn end_period(&mut self, now: Instant, mut since: Instant, pipe_ack: u32) {
        let Some(validation) = self.validation.as_mut() else { return };
        while !is_used(pipe_ack, self.cwnd) && now > since + PERIOD {
            self.ssthresh = self.ssthresh.max((self.cwnd * 3.0 / 4.0) as u32);
            self.cwnd = (self.cwnd / 2.0).max(f64::from(validation.initial_window));
            since += PERIOD;
        }
        validation.since = (!is_used(pipe_ack, self.cwnd)).then_some(since);
    }

    /// Congestion control has reacted to a loss with `in_flight` segments outstanding, which are
    /// repaired now; or, unless it `reacts`, had before. Without validation it is half of what was
    /// in use (section 4.4.1).
    pub fn start_repair(&mut self, in_flight: u32, reacts: bool) {
        if self.validation.as_ref().is_none_or(|validation| validation.repair.is_some()) {
            return;
        }
        let in_use = if reacts { self.reduce_unvalidated(in_flight) } else { None };
        if let Some(validation) = &mut self.validation {
            validation.forget();
            validation.repair = Some(Repair { in_use, resent: BTreeSet::new() });
        }
    }

    /// Segment `number` is sent again.
    pub fn on_resend(&mut self, number: u32) {
        if let Some(repair) = self.validation.as_mut().and_then(|known| known.repair.as_mut()) {
            repair.resent.insert(number);
        }
    }

    /// All is repaired. What was not validated at the loss is half of what was in use and not lost
    /// (section 4.4.1).
    pub fn end_repair(&mut self) {
        let Some(repair) = self.validation.as_mut().and_then(|known| known.repair.take()) else {
            return;
        };
        if let Some(in_use) = repair.in_use {
            let kept = in_use.saturating_sub(repair.resent.len() as u32) / 2;
            self.cwnd = f64::from(kept.min(self.ssthresh).max(1));
            self.ssthresh = kept.min(self.ssthresh).max(2);
        }
        self.forget_use();
    }

    /// Congestion control has reacted to a mark with `in_flight` segments outstanding.
    pub fn on_mark(&mut self, in_flight: u32) {
        if self.reduce_unvalidated(in_flight).is_some() {
            self.forget_use();
        }
    }

    /// Its use has to be measured again: the retransmission timer has expired, or a reduction is
    /// taken back.
    pub fn forget_use(&mut self) {
        if let Some(validation) = &mut self.validation {
            validation.forget();
        }
    }

    /// Reduces it to half of what was in use, which is returned, if it was not validated.
    fn reduce_unvalidated(&mut self, in_flight: u32) -> Option<u32> {
        let validation = self.validation.as_ref()?;
        validation.since?;
        let in_use = validation.pipe_ack()?.max(in_flight);
        self.cwnd = f64::from((in_use / 2).max(1));
        self.ssthresh = (in_use / 2).max(2);
        Some(in_use)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::rules::Rules;

    const RTT: Duration = Duration::from_millis(100);

    fn at(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    /// A window of `cwnd` above a threshold of 10 and an initial one of 10, of which 5 have been
    /// used from 1 s to 1.1 s.
    fn used_by_five(cwnd: f64) -> Window {
        let mut window = Window::new(10, 1000, Rules::Standard);
        window = window.validated(WindowValidation::Rfc7661, 10);
        window.cwnd = cwnd;
        window.validate(at(1000), Some(RTT), 1, 6, LimitedBy::Application);
        window
    }

    fn look(window: &mut Window, ms: u64) -> (f64, u32) {
        window.validate(at(ms), Some(RTT), 6, 6, LimitedBy::Application);
        (window.cwnd, window.ssthresh)
    }

    #[test]
    fn half_a_window_in_use_validates_it_and_nothing_does_before_a_round_trip_is_measured() {
        for (cwnd, held) in [(10.0, false), (10.1, true)] {
            let mut window = used_by_five(cwnd);
            assert!(window.may_grow(), "undefined at first");
            look(&mut window, 1100);
            assert_eq!(window.is_held(), held, "{cwnd}");
            window.validate(at(1100), Some(RTT), 6, 6, LimitedBy::Window);
            assert!(window.may_grow(), "all of it is in use");
        }
    }

    #[test]
    fn the_most_of_a_second_or_three_round_trips_counts() {
        let mut window = used_by_five(10.0);
        // Two in the next round trip: five are the most until they are a second old.
        window.validate(at(1100), Some(RTT), 6, 8, LimitedBy::Application);
        for (ms, held) in [(1200, false), (2100, false), (2101, true)] {
            look(&mut window, ms);
            assert_eq!(window.is_held(), held, "{ms} ms");
        }
        let mut window = used_by_five(10.0);
        window.validate(at(3990), Some(RTT * 10), 6, 6, LimitedBy::Application);
        assert!(!window.is_held(), "three round trips of a second");
    }

    #[test]
    fn five_minutes_without_use_cost_half_the_window_and_raise_the_threshold() {
        let mut window = used_by_five(40.0);
        assert_eq!(look(&mut window, 1100), (40.0, 10));
        assert_eq!(look(&mut window, 301_100), (40.0, 10));
        assert_eq!(look(&mut window, 301_101), (20.0, 30));
        assert_eq!(look(&mut window, 601_101), (10.0, 30), "3/4 of 20 is less");
        assert_eq!(look(&mut window, 3_000_000), (10.0, 30), "the initial window is left");
    }

    #[test]
    fn the_period_runs_from_when_the_last_use_was_too_old() {
        // Used up to 1.1 s, and so up to 2.1 s.
        assert_eq!(look(&mut used_by_five(10.0), 302_100).1, 10);
        let mut window = used_by_five(10.0);
        window.ssthresh = 2;
        assert_eq!(look(&mut window, 302_101), (10.0, 7));
    }

    #[test]
    fn without_validation_nothing_is_held_or_reduced() {
        let mut window = Window::new(10, 1000, Rules::Standard);
        window = window.validated(WindowValidation::None, 10);
        window.cwnd = 40.0;
        window.validate(at(1000), Some(RTT), 1, 2, LimitedBy::Application);
        window.validate(at(900_000), Some(RTT), 2, 2, LimitedBy::Application);
        window.start_repair(2, true);
        window.end_repair();
        window.on_mark(1);
        assert_eq!((window.cwnd, window.ssthresh, window.may_grow()), (40.0, 10, true));
    }
}
