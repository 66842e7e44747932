//! One node's receiver: which frame it is locked on, and which frames are lost.
//!
//! Nothing here is an event. When a transmission starts, its arrival is recorded at every node in
//! sensing range with its exact first and last instant. [`Reception::catch_up`] works out a node's
//! state on demand, from the arrivals in order, and reports to the MAC through [`CarrierSense`]
//! what it must know (busy, idle, lost and overheard frames), with exact instants.
//!
//! The model is ns-2.35's: the receiver follows one frame at a time. An earlier frame survives a
//! later one that is weaker by the capture ratio; otherwise both are lost, and the one that ends
//! later keeps the receiver busy. Signals below the sensing threshold have no effect; interference
//! does not add up.
//!
//! Ties: a frame's end comes before another's start, and a start at instant t comes after
//! everything that nodes do at t (they decided on it before the signal could reach them).

use super::arrival::{Arrival, Traits};
use super::carrier_sense::{CarrierSense, Fate};
use super::old_arrivals::OldArrivals;
use super::reception::{Followed, Reception};
use crate::kernel::Instant;

/// Ordered so that one comparison finds the states that end with the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Idle,
    /// Locked on a wanted frame that may still be decoded: [`Reception::finish`] will be called for
    /// it.
    Awaiting,
    Receiving,
    Collided,
}

/// A radio's receiving side.
#[derive(Clone, Copy, Debug)]
pub struct Receiver {
    state: State,
    /// The followed frame cannot be decoded: too weak, or this node sent during it.
    errored: bool,
    emitting_until: Instant,
    followed: Arrival,
    /// The last tapped frame overheard completely. Apart from its end, so that both fit between
    /// others.
    tapped: u32,
    /// When it ended.
    tapped_until: Instant,
}

impl Default for Receiver {
    fn default() -> Self {
        Receiver {
            state: State::Idle,
            errored: false,
            emitting_until: Instant::ZERO,
            followed: Arrival::default(),
            tapped: u32::MAX,
            tapped_until: Instant::ZERO,
        }
    }
}

/// The rules are the capture ratio.
impl Reception for Receiver {
    type Rules = f64;

    #[inline]
    fn catch_up(
        &mut self,
        arrivals: &[Arrival],
        now: Instant,
        &capture_ratio: &f64,
        sense: &mut impl CarrierSense,
    ) -> usize {
        let mut here = self.follow();
        let seen = match arrivals.last() {
            Some(last) if last.start >= now => arrivals.partition_point(|other| other.start < now),
            _ => arrivals.len(),
        };
        for arrival in &arrivals[..seen] {
            here.pass_ends(arrival.start, sense);
            here.begin(arrival, capture_ratio, sense);
        }
        here.pass_ends(now, sense);
        let found = here.end();
        self.settle(found);
        seen
    }

    #[inline(never)]
    fn pass_over(
        &mut self,
        past: &OldArrivals<'_>,
        &capture_ratio: &f64,
        sense: &mut impl CarrierSense,
    ) -> usize {
        let (arrivals, first) = (past.arrivals, past.first_to_matter());
        let until = arrivals.get(first).map_or(past.now, |arrival| arrival.start);
        let mut here = self.follow();
        let mut seen = 0;
        while seen < first {
            here.pass_ends(arrivals[seen].start, sense);
            let is_amid = sense.minds_the_last() && here.state != State::Idle;
            if seen >= past.counted && !here.is_counted() && !is_amid {
                break;
            }
            here.begin(&arrivals[seen], capture_ratio, sense);
            seen += 1;
        }
        here.pass_ends(until, sense);
        let found = here.end();
        self.settle(found);
        if self.state != State::Idle {
            return seen;
        }
        if sense.minds_the_last() {
            sense.on_passed_over(past.last_heard((seen, first), |arrivals, end, last| {
                self.catch_up(arrivals, end, &capture_ratio, last);
            }));
        }
        first
    }

    #[inline]
    fn ends_by(&self, now: Instant) -> bool {
        self.state > State::Awaiting && self.followed.end <= now
    }

    fn followed(&self) -> Option<Followed> {
        if self.state == State::Idle {
            return None;
        }
        let decodes = self.state != State::Collided && !self.errored;
        let announces = decodes.then(|| self.followed.announced());
        Some(Followed { end: self.followed.end, announces })
    }

    fn finish(&self, frame: u32, now: Instant) -> bool {
        self.state == State::Awaiting && self.followed.frame == frame && self.followed.end == now
    }

    fn release(&mut self, frame: u32, now: Instant, _: &f64, sense: &mut impl CarrierSense) {
        if self.state != State::Idle && self.followed.frame == frame && self.followed.end == now {
            self.state = State::Idle;
            sense.on_idle(now);
        }
    }

    fn overheard(&self, frame: u32, now: Instant) -> bool {
        self.tapped == frame && self.tapped_until == now
    }

    fn begin_emission(&mut self, until: Instant, _: &mut impl CarrierSense) {
        self.emitting_until = until;
        self.errored = true;
        if self.state == State::Awaiting {
            self.state = State::Receiving;
        }
    }
}

impl Receiver {
    /// What follows the frames from here on: see [`Following`].
    #[inline(always)]
    fn follow(&mut self) -> Following<'_> {
        Following {
            state: self.state,
            errored: self.errored,
            emitting_until: self.emitting_until,
            before: &self.followed,
            followed: &self.followed,
            tapped: (&mut self.tapped, &mut self.tapped_until),
        }
    }

    /// Takes over what was found by [`Receiver::follow`].
    #[inline(always)]
    fn settle(&mut self, (state, errored, other): (State, bool, Option<Arrival>)) {
        (self.state, self.errored) = (state, errored);
        if let Some(other) = other {
            self.followed = other;
        }
    }
}

/// A receiver while it catches up: the followed frame stays in the list of arrivals.
struct Following<'a> {
    state: State,
    errored: bool,
    emitting_until: Instant,
    before: &'a Arrival,
    followed: &'a Arrival,
    tapped: (&'a mut u32, &'a mut Instant),
}

impl<'a> Following<'a> {
    /// The state, and the frame that is followed now if it is another one than at first.
    #[inline(always)]
    fn end(self) -> (State, bool, Option<Arrival>) {
        let other =
            if std::ptr::eq(self.followed, self.before) { None } else { Some(*self.followed) };
        (self.state, self.errored, other)
    }

    /// Ends the followed frame if it is over by `now` and not awaited.
    #[inline(always)]
    fn pass_ends(&mut self, now: Instant, sense: &mut impl CarrierSense) {
        if self.state > State::Awaiting && self.followed.end <= now {
            self.lose(sense);
        }
    }

    /// Whether a collision of the followed frame counts.
    #[inline(always)]
    fn is_counted(&self) -> bool {
        self.state != State::Idle && self.followed.traits.has(Traits::FOR_HERE)
    }

    #[inline(always)]
    fn begin(&mut self, arrival: &'a Arrival, capture_ratio: f64, sense: &mut impl CarrierSense) {
        let spoilt = !arrival.traits.has(Traits::DECODABLE) || self.emitting_until > arrival.start;
        if self.state == State::Idle {
            let is_awaited = arrival.traits.has(Traits::WANTED) && !spoilt;
            self.state = if is_awaited { State::Awaiting } else { State::Receiving };
            self.errored = spoilt;
            self.followed = arrival;
            sense.on_busy(arrival.start);
        } else if self.followed.power_w >= capture_ratio * arrival.power_w {
            if arrival.traits.has(Traits::FOR_HERE) {
                let fate = if spoilt { Fate::Sending } else { Fate::Captured(self.followed) };
                sense.on_fate(arrival, fate);
            }
            sense.on_captured(arrival.start, arrival.end - arrival.start);
        } else {
            if self.state != State::Collided && self.followed.traits.has(Traits::FOR_HERE) {
                let fate = if self.errored { Fate::Sending } else { Fate::Collided(arrival) };
                sense.on_fate(self.followed, fate);
            }
            if arrival.traits.has(Traits::FOR_HERE) {
                let fate = if spoilt { Fate::Sending } else { Fate::Collided(self.followed) };
                sense.on_fate(arrival, fate);
            }
            self.state = State::Collided;
            let (lost, lost_spoilt);
            if arrival.end > self.followed.end {
                (lost, lost_spoilt) = (self.followed.traits, self.errored);
                self.followed = arrival;
                self.errored = spoilt;
            } else {
                (lost, lost_spoilt) = (arrival.traits, spoilt);
            }
            if lost.has(Traits::FOR_HERE) && !lost_spoilt {
                sense.on_collision();
            }
        }
    }

    /// Ends the followed frame without reception.
    #[inline(always)]
    fn lose(&mut self, sense: &mut impl CarrierSense) {
        let end = self.followed.end;
        if self.state != State::Collided
            && self.errored
            && self.followed.traits.has(Traits::FOR_HERE)
        {
            sense.on_fate(self.followed, Fate::Sending);
        }
        if self.emitting_until > end {
            // The node was sending at the end of the frame: its radio never noticed it.
        } else if self.state == State::Collided {
            if self.followed.traits.has(Traits::FOR_HERE) && !self.errored {
                sense.on_collision();
            }
            sense.on_lost(end);
        } else if self.errored {
            sense.on_lost(end);
        } else {
            if self.followed.traits.has(Traits::FOR_HERE) {
                sense.on_fate(self.followed, Fate::Received);
            }
            if self.followed.traits.has(Traits::TAPPED) {
                (*self.tapped.0, *self.tapped.1) = (self.followed.frame, end);
            }
            let is_rts = self.followed.traits.has(Traits::RTS);
            sense.on_overheard(end, self.followed.announced(), is_rts);
        }
        self.state = State::Idle;
        sense.on_idle(end);
    }
}

#[cfg(test)]
pub(super) mod tests;
