//! The clock of a run: the events to come, timers, and the ends of backoffs.
//!
//! [`Clock::next`] says what is due. Of a backoff and an event at the same instant the backoff
//! comes first; events at the same instant come in the order in which they were scheduled, timers
//! in that in which they were set.

use super::event::{Event, FlowTimer, Timer};
use crate::kernel::{Deadlines, EventQueue, Instant, Timers};
use crate::wire::NodeId;

/// What is due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Due {
    /// The backoff of a station may end.
    Backoff(NodeId),
    /// A timer has expired.
    Timer(Timer),
    /// Any other event.
    Event(Event),
    /// What was looked at has been put off or called off meanwhile.
    Nothing,
}

/// Time, and what is to come.
#[derive(Debug)]
pub struct Clock {
    queue: EventQueue<Event>,
    timers: Timers,
    /// The earliest instant at which each station's backoff can end.
    backoffs: Deadlines,
    /// What is later waits.
    horizon: Instant,
    stations: usize,
}

impl Clock {
    /// At time 0, for so many stations and flows that have timers. What is later than `horizon`,
    /// which is before [`Instant::FAR`], waits.
    pub fn new(stations: usize, flows: usize, horizon: Instant) -> Clock {
        Clock {
            queue: EventQueue::default(),
            timers: Timers::new(Timer::PER_STATION * stations + FlowTimer::PER_FLOW * flows),
            backoffs: Deadlines::new(stations),
            horizon,
            stations,
        }
    }

    /// The current time.
    #[inline]
    pub fn now(&self) -> Instant {
        self.queue.now()
    }

    /// When something happens next, [`Instant::FAR`] if nothing does.
    #[inline]
    pub fn next_at(&mut self) -> Instant {
        self.queue.next_key().at.min(self.backoffs.earliest())
    }

    /// What is later than `horizon` waits from now on.
    pub fn set_horizon(&mut self, horizon: Instant) {
        self.horizon = horizon;
    }

    /// Time passes up to the horizon, as all before has been done.
    pub fn reach_horizon(&mut self) {
        if self.horizon > self.now() {
            self.queue.advance_to(self.horizon);
        }
    }

    /// Time passes up to `at`, if nothing else comes before or then. Returns whether it does.
    #[inline]
    pub fn skip_to(&mut self, at: Instant) -> bool {
        let is_next = at < self.next_at() && at <= self.horizon;
        if is_next {
            self.queue.advance_to(at);
        }
        is_next
    }

    /// Takes what is due next, to whose time it advances; none if all is later than the horizon.
    /// Who is told of a backoff calls [`Clock::postpone_backoff`] or [`Clock::end_backoff`] for it
    /// before anything else.
    // What is due is looked at once, by who asks.
    #[inline(always)]
    pub fn next(&mut self) -> Option<Due> {
        let backoff_at = self.backoffs.earliest();
        if backoff_at <= self.queue.next_key().at {
            if backoff_at > self.horizon {
                return None;
            }
            self.queue.advance_to(backoff_at);
            let station = self.backoffs.due();
            return Some(station.map_or(Due::Nothing, |station| Due::Backoff(NodeId(station))));
        }
        let (key, event) = self.queue.peek_until(self.horizon)?;
        let Event::Timer(timer) = event else {
            self.queue.pop();
            return Some(Due::Event(event));
        };
        let slot = self.slot(timer);
        let is_due = self.timers.on_event(&mut self.queue, slot, key);
        Some(if is_due { Due::Timer(timer) } else { Due::Nothing })
    }

    /// `event` is to happen at `at`, which must not be in the past.
    #[inline]
    pub fn schedule(&mut self, at: Instant, event: Event) {
        self.queue.schedule(at, event);
    }

    /// Sets `timer` to expire at `at`, whatever it was set to before.
    #[inline]
    pub fn set(&mut self, timer: Timer, at: Instant) {
        let slot = self.slot(timer);
        self.timers.set(&mut self.queue, slot, at, Event::Timer(timer));
    }

    /// Has `timer` expire at `at`, or not at all. One that does already keeps its place among what
    /// comes at the same instant.
    #[inline]
    pub fn keep(&mut self, timer: Timer, at: Option<Instant>) {
        match at {
            Some(at) if self.deadline(timer) == at => {}
            Some(at) => self.set(timer, at),
            None => self.cancel(timer),
        }
    }

    /// Switches `timer` off.
    #[inline]
    pub fn cancel(&mut self, timer: Timer) {
        self.timers.cancel(self.slot(timer));
    }

    /// When `timer` expires, [`Instant::FAR`] if it is off.
    #[inline]
    pub fn deadline(&self, timer: Timer) -> Instant {
        self.timers.deadline(self.slot(timer))
    }

    /// The backoff of `station` ends at `at` at the earliest, or now if that is over.
    #[inline]
    pub fn set_backoff(&mut self, station: NodeId, at: Instant) {
        if at != self.backoffs.at(station.0) {
            self.backoffs.set(station.0, at.max(self.queue.now()));
        }
    }

    /// The backoff of `station`, which was due, ends at `at` at the earliest.
    #[inline]
    pub fn postpone_backoff(&mut self, station: NodeId, at: Instant) {
        self.backoffs.postpone_due(station.0, at);
    }

    /// The backoff of `station`, which was due, has ended.
    #[inline]
    pub fn end_backoff(&mut self, station: NodeId) {
        self.backoffs.cancel_due(station.0);
    }

    /// Where a timer is in the table of all: the stations' first.
    #[inline]
    fn slot(&self, timer: Timer) -> usize {
        match timer {
            Timer::Response(station) => station.index(),
            Timer::Deferral(station) => self.stations + station.index(),
            Timer::Release(station) => 2 * self.stations + station.index(),
            Timer::Flow(flow, timer) => {
                let before = Timer::PER_STATION * self.stations;
                before + FlowTimer::PER_FLOW * flow.index() + timer as usize
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::FlowId;

    fn at(micros: u64) -> Instant {
        Instant::from_nanos(1000 * micros)
    }

    /// All that is due up to the horizon, with its time in microseconds; no backoff comes again.
    fn run(clock: &mut Clock) -> Vec<(u64, Due)> {
        let mut all = Vec::new();
        while let Some(due) = clock.next() {
            if let Due::Backoff(station) = due {
                clock.end_backoff(station);
            }
            if due != Due::Nothing {
                all.push((clock.now().as_nanos() / 1000, due));
            }
        }
        all
    }

    #[test]
    fn a_backoff_comes_before_events_of_its_instant_and_these_in_their_order() {
        let mut clock = Clock::new(2, 0, at(100));
        clock.schedule(at(5), Event::Sample);
        clock.schedule(at(5), Event::FrameEnd(7));
        clock.set_backoff(NodeId(1), at(5));
        clock.set_backoff(NodeId(0), at(6));
        let expected = [
            (5, Due::Backoff(NodeId(1))),
            (5, Due::Event(Event::Sample)),
            (5, Due::Event(Event::FrameEnd(7))),
            (6, Due::Backoff(NodeId(0))),
        ];
        assert_eq!(run(&mut clock), expected);
    }

    #[test]
    fn no_timer_is_anothers() {
        let timers: Vec<Timer> = (0..3)
            .flat_map(|n| {
                let (node, flow) = (NodeId(n), FlowId(n));
                let of_flow = FlowTimer::ALL.map(|timer| Timer::Flow(flow, timer));
                let of_station = [Timer::Response, Timer::Deferral, Timer::Release];
                of_station.map(|timer| timer(node)).into_iter().chain(of_flow)
            })
            .collect();
        let mut clock = Clock::new(3, 3, at(100));
        for (place, &timer) in (1..).zip(&timers) {
            clock.set(timer, at(place));
        }
        let expected: Vec<(u64, Due)> =
            (1..).zip(&timers).map(|(place, &timer)| (place, Due::Timer(timer))).collect();
        assert_eq!(run(&mut clock), expected);
    }

    #[test]
    fn a_timer_set_again_expires_once_and_one_kept_keeps_its_turn() {
        let response = Timer::Response(NodeId(0));
        let mut clock = Clock::new(1, 0, at(100));
        clock.set(response, at(10));
        clock.schedule(at(20), Event::Sample);
        clock.set(response, at(20));
        assert_eq!(clock.deadline(response), at(20));
        let expired = (20, Due::Timer(response));
        assert_eq!(run(&mut clock), [(20, Due::Event(Event::Sample)), expired]);

        clock.set(response, at(30));
        clock.schedule(at(30), Event::Sample);
        clock.keep(response, Some(at(30)));
        let expired = (30, Due::Timer(response));
        assert_eq!(run(&mut clock), [expired, (30, Due::Event(Event::Sample))]);

        clock.set(response, at(40));
        clock.keep(response, None);
        assert_eq!((clock.deadline(response), run(&mut clock)), (Instant::FAR, vec![]));
    }

    #[test]
    fn nothing_beyond_the_horizon_happens_before_the_horizon_moves() {
        let mut clock = Clock::new(1, 0, at(10));
        clock.schedule(at(11), Event::Sample);
        clock.set_backoff(NodeId(0), at(12));
        assert_eq!(run(&mut clock), []);
        clock.reach_horizon();
        assert_eq!((clock.now(), clock.next_at()), (at(10), at(11)));
        clock.set_horizon(at(11));
        assert_eq!(run(&mut clock), [(11, Due::Event(Event::Sample))]);
        clock.set_horizon(at(12));
        assert_eq!(run(&mut clock), [(12, Due::Backoff(NodeId(0)))]);
        assert_eq!(clock.next_at(), Instant::FAR);
    }

    #[test]
    fn time_skips_to_an_instant_only_if_all_else_is_later() {
        let mut clock = Clock::new(1, 0, at(50));
        clock.schedule(at(20), Event::Sample);
        clock.set_backoff(NodeId(0), at(10));
        assert!(clock.skip_to(at(9)));
        assert!(!clock.skip_to(at(10)), "the backoff is due then");
        assert_eq!(clock.next(), Some(Due::Backoff(NodeId(0))));
        clock.postpone_backoff(NodeId(0), at(60));
        assert!(!clock.skip_to(at(20)), "the sample is due then");
        assert_eq!(run(&mut clock), [(20, Due::Event(Event::Sample))]);
        assert!(!clock.skip_to(at(51)), "beyond the horizon");
        assert_eq!(clock.now(), at(20));
    }

    #[test]
    fn events_are_as_small_as_a_number_and_what_it_is_of() {
        assert_eq!(size_of::<Event>(), 8);
    }
}
