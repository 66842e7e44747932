//! One node's radio as a receiver: which frame it follows, and which frames are lost.
//!
//! Nothing here is an event. When a transmission starts, its arrival is noted at every node in sensing
//! range with its exact first and last instant; a node's state is worked out when someone asks, by
//! [`Receiver::catch_up`], from the arrivals in their order. What the MAC must know of it (busy, idle,
//! lost and overheard frames) is reported through [`CarrierSense`] with the exact instants.
//!
//! The model is ns-2.35's: one frame is followed at a time; an earlier frame survives a later one that
//! is weaker by the capture ratio; otherwise both are lost and the one that ends later keeps the
//! receiver busy; signals below the sensing threshold do not exist; no noise is added up.
//!
//! Order among equal instants: a frame's end comes before another's start, and a start at instant t
//! comes after everything that nodes do at t (whatever they do at t was decided before the signal was
//! sent, and the signal needs time to arrive).

use crate::kernel::{Duration, Instant};

/// A frame on its way through this receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Arrival {
    /// First bit.
    pub start: Instant,
    /// Last bit.
    pub end: Instant,
    /// Received power \[W\].
    pub power_w: f64,
    /// The frame's number in the medium's table.
    pub frame: u32,
    /// The frame's duration field \[µs\].
    pub duration_us: u16,
    /// What else there is to know of it.
    pub traits: Traits,
}

impl Arrival {
    /// The duration field.
    #[inline]
    pub fn announced(&self) -> Duration {
        Duration::from_micros(u64::from(self.duration_us))
    }
}

/// What there is to know of an arriving frame, packed because arrivals are copied most often of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits(u16);

impl Traits {
    /// Strong enough to be decoded.
    pub const DECODABLE: Traits = Traits(1);
    /// For this node (or broadcast) and decodable: its loss to a collision counts.
    pub const FOR_HERE: Traits = Traits(16);
    /// As that, and its end will be asked for by [`Receiver::finish`].
    pub const WANTED: Traits = Traits(2 | 16);
    /// It is an RTS.
    pub const RTS: Traits = Traits(4);
    /// For another node, decodable, and looked at all the same: [`Receiver::overheard`] tells.
    pub const TAPPED: Traits = Traits(8);

    /// These traits and, if `condition`, those of `other`.
    #[inline]
    pub const fn with_if(self, condition: bool, other: Traits) -> Traits {
        if condition { Traits(self.0 | other.0) } else { self }
    }

    /// Whether all of `other` are among these.
    #[inline]
    pub const fn has(self, other: Traits) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The frame that keeps a receiver busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Followed {
    /// When it ends.
    pub end: Instant,
    /// How long the exchange goes on after it, if it will be decoded unless something disturbs it.
    pub announces: Option<Duration>,
}

/// What the MAC hears of the medium, in the order of the instants.
pub trait CarrierSense {
    /// The receiver became busy at `at`.
    fn on_busy(&mut self, at: Instant);
    /// The receiver became idle at `at`.
    fn on_idle(&mut self, at: Instant);
    /// A frame that ended at `at` was lost to a collision or was too weak to decode.
    fn on_lost(&mut self, at: Instant);
    /// A frame for someone else, decoded at `at`, with this duration field.
    fn on_overheard(&mut self, at: Instant, duration: Duration, is_rts: bool);
    /// A weaker frame of this air time came at `at` while a stronger one was received.
    fn on_captured(&mut self, at: Instant, airtime: Duration);
    /// A wanted, decodable frame was lost to a collision.
    fn on_collision(&mut self);
}

/// In this order, so that one comparison tells the states that a frame's end ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Idle,
    /// A wanted frame that may still be decoded: [`Receiver::finish`] will be called for it.
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
    /// The last tapped frame that was overheard whole, and when it ended.
    tapped: (u32, Instant),
}

impl Default for Receiver {
    fn default() -> Self {
        Receiver {
            state: State::Idle,
            errored: false,
            emitting_until: Instant::ZERO,
            followed: Arrival::default(),
            tapped: (u32::MAX, Instant::ZERO),
        }
    }
}

impl Receiver {
    /// Whether no frame is followed, as of the last catching up.
    pub fn is_idle(&self) -> bool {
        self.state == State::Idle
    }

    /// The followed frame, as of the last catching up.
    pub fn followed(&self) -> Option<Followed> {
        if self.is_idle() {
            return None;
        }
        let decodes = self.state != State::Collided && !self.errored;
        let announces = decodes.then(|| self.followed.announced());
        Some(Followed { end: self.followed.end, announces })
    }

    /// Whether the end of the followed frame changes the state by `now`.
    #[inline]
    pub fn ends_by(&self, now: Instant) -> bool {
        self.state > State::Awaiting && self.followed.end <= now
    }

    /// Brings the state to `now`, given the `arrivals` not looked at yet, by start: ends up to and
    /// including `now`, starts strictly before it. The end of a wanted frame that may still be decoded is
    /// left to [`Receiver::finish`]. Returns how many of the arrivals have been looked at.
    #[inline]
    pub fn catch_up(
        &mut self,
        arrivals: &[Arrival],
        now: Instant,
        capture_ratio: f64,
        sense: &mut impl CarrierSense,
    ) -> usize {
        let before = self.followed;
        let mut here = Following {
            state: self.state,
            errored: self.errored,
            emitting_until: self.emitting_until,
            followed: &before,
            tapped: self.tapped,
        };
        let seen = match arrivals.last() {
            Some(last) if last.start >= now => arrivals.partition_point(|other| other.start < now),
            _ => arrivals.len(),
        };
        for arrival in &arrivals[..seen] {
            here.pass_ends(arrival.start, sense);
            here.begin(arrival, capture_ratio, sense);
        }
        here.pass_ends(now, sense);
        (self.state, self.errored, self.tapped) = (here.state, here.errored, here.tapped);
        self.followed = *here.followed;
        seen
    }

    /// The last bit of wanted frame `frame` is here: whether it was received. Call
    /// [`Receiver::catch_up`] first and, if it was, [`Receiver::release`] once the MAC has handled it.
    pub fn finish(&self, frame: u32, now: Instant) -> bool {
        self.state == State::Awaiting && self.followed.frame == frame && self.followed.end == now
    }

    /// Ends the reception of a frame that [`Receiver::finish`] has answered for.
    pub fn release(&mut self, frame: u32, now: Instant, sense: &mut impl CarrierSense) {
        if self.state != State::Idle && self.followed.frame == frame && self.followed.end == now {
            self.state = State::Idle;
            sense.on_idle(now);
        }
    }

    /// The last bit of tapped frame `frame` is here: whether it was overheard whole. Call
    /// [`Receiver::catch_up`] first.
    pub fn overheard(&self, frame: u32, now: Instant) -> bool {
        self.tapped == (frame, now)
    }

    /// This node starts to send at `now`, until `until`: whatever is being received is spoilt.
    pub fn begin_emission(&mut self, until: Instant) {
        self.emitting_until = until;
        self.errored = true;
        if self.state == State::Awaiting {
            self.state = State::Receiving;
        }
    }
}

/// A receiver while it catches up: the followed frame stays where it is noted.
struct Following<'a> {
    state: State,
    errored: bool,
    emitting_until: Instant,
    followed: &'a Arrival,
    tapped: (u32, Instant),
}

impl<'a> Following<'a> {
    /// Ends the followed frame if it ends by `now` and is not awaited.
    #[inline(always)]
    fn pass_ends(&mut self, now: Instant, sense: &mut impl CarrierSense) {
        if self.state > State::Awaiting && self.followed.end <= now {
            self.lose(sense);
        }
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
            sense.on_captured(arrival.start, arrival.end - arrival.start);
        } else {
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

    /// Ends the followed frame, which is not received.
    #[inline(always)]
    fn lose(&mut self, sense: &mut impl CarrierSense) {
        let end = self.followed.end;
        if self.emitting_until > end {
            // The transmitter drowned the end: the radio never noticed there was a frame.
        } else if self.state == State::Collided {
            if self.followed.traits.has(Traits::FOR_HERE) && !self.errored {
                sense.on_collision();
            }
            sense.on_lost(end);
        } else if self.errored {
            sense.on_lost(end);
        } else {
            if self.followed.traits.has(Traits::TAPPED) {
                self.tapped = (self.followed.frame, end);
            }
            let is_rts = self.followed.traits.has(Traits::RTS);
            sense.on_overheard(end, self.followed.announced(), is_rts);
        }
        self.state = State::Idle;
        sense.on_idle(end);
    }
}

#[cfg(test)]
mod tests;
