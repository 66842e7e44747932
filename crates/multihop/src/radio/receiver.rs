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

use smallvec::SmallVec;

use crate::kernel::{Duration, Instant};

/// A frame on its way through this receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// It is an RTS.
    pub is_rts: bool,
    /// Strong enough to be decoded.
    pub decodable: bool,
    /// For this node (or broadcast) and decodable: its end will be asked for by [`Receiver::finish`].
    pub wanted: bool,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Receiving,
    Collided,
}

/// A radio's receiving side.
#[derive(Clone, Debug)]
pub struct Receiver {
    state: State,
    /// The followed frame cannot be decoded: too weak, or this node sent during it.
    errored: bool,
    emitting_until: Instant,
    followed: Arrival,
    announced: SmallVec<[Arrival; 2]>,
}

impl Default for Receiver {
    fn default() -> Self {
        let nothing = Arrival {
            start: Instant::ZERO,
            end: Instant::ZERO,
            power_w: 0.0,
            frame: u32::MAX,
            duration_us: 0,
            is_rts: false,
            decodable: false,
            wanted: false,
        };
        Receiver {
            state: State::Idle,
            errored: false,
            emitting_until: Instant::ZERO,
            followed: nothing,
            announced: SmallVec::new(),
        }
    }
}

impl Receiver {
    /// Whether no frame is followed, as of the last catching up.
    pub fn is_idle(&self) -> bool {
        self.state == State::Idle
    }

    /// When the followed frame ends; meaningless when idle.
    pub fn busy_until(&self) -> Instant {
        self.followed.end
    }

    /// Notes a transmission that will reach this node. Call [`Receiver::catch_up`] first.
    #[inline]
    pub fn announce(&mut self, arrival: Arrival) {
        self.announced.push(arrival);
        // Nearly sorted already: only signals from different distances can overtake.
        let mut i = self.announced.len() - 1;
        while i > 0 && self.announced[i - 1].start > self.announced[i].start {
            self.announced.swap(i - 1, i);
            i -= 1;
        }
    }

    /// Brings the state to `now`: ends up to and including `now`, starts strictly before it. The end of
    /// a wanted frame that may still be decoded is left to [`Receiver::finish`].
    #[inline]
    pub fn catch_up(&mut self, now: Instant, capture_ratio: f64, sense: &mut impl CarrierSense) {
        loop {
            let next = match self.announced.first() {
                Some(arrival) if arrival.start < now => arrival.start,
                _ => Instant::FAR,
            };
            if self.state != State::Idle
                && self.followed.end <= now
                && self.followed.end <= next
                && !self.awaits_finish()
            {
                self.lose(sense);
            } else if next != Instant::FAR {
                let arrival = self.announced.remove(0);
                self.begin(arrival, capture_ratio, sense);
            } else {
                return;
            }
        }
    }

    /// The last bit of wanted frame `frame` is here: whether it was received. Call
    /// [`Receiver::catch_up`] first and, if it was, [`Receiver::release`] once the MAC has handled it.
    pub fn finish(&self, frame: u32, now: Instant) -> bool {
        self.awaits_finish() && self.followed.frame == frame && self.followed.end == now
    }

    /// Ends the reception of a frame that [`Receiver::finish`] has answered for.
    pub fn release(&mut self, frame: u32, now: Instant, sense: &mut impl CarrierSense) {
        if self.state != State::Idle && self.followed.frame == frame && self.followed.end == now {
            self.state = State::Idle;
            sense.on_idle(now);
        }
    }

    /// This node starts to send at `now`, until `until`: whatever is being received is spoilt.
    pub fn begin_emission(&mut self, until: Instant) {
        self.emitting_until = until;
        self.errored = true;
    }

    /// Whether the followed frame is one that [`Receiver::finish`] will be called for.
    fn awaits_finish(&self) -> bool {
        self.state == State::Receiving && self.followed.wanted && !self.errored
    }

    fn begin(&mut self, arrival: Arrival, capture_ratio: f64, sense: &mut impl CarrierSense) {
        let spoilt = !arrival.decodable || self.emitting_until > arrival.start;
        if self.state == State::Idle {
            self.state = State::Receiving;
            self.errored = spoilt;
            self.followed = arrival;
            sense.on_busy(arrival.start);
        } else if self.followed.power_w >= capture_ratio * arrival.power_w {
            sense.on_captured(arrival.start, arrival.end - arrival.start);
        } else {
            self.state = State::Collided;
            let (lost, lost_spoilt);
            if arrival.end > self.followed.end {
                (lost, lost_spoilt) = (self.followed, self.errored);
                self.followed = arrival;
                self.errored = spoilt;
            } else {
                (lost, lost_spoilt) = (arrival, spoilt);
            }
            if lost.wanted && !lost_spoilt {
                sense.on_collision();
            }
        }
    }

    /// Ends the followed frame, which is not received.
    fn lose(&mut self, sense: &mut impl CarrierSense) {
        let end = self.followed.end;
        if self.emitting_until > end {
            // The transmitter drowned the end: the radio never noticed there was a frame.
        } else if self.state == State::Collided {
            if self.followed.wanted && !self.errored {
                sense.on_collision();
            }
            sense.on_lost(end);
        } else if self.errored {
            sense.on_lost(end);
        } else {
            let duration = Duration::from_micros(u64::from(self.followed.duration_us));
            sense.on_overheard(end, duration, self.followed.is_rts);
        }
        self.state = State::Idle;
        sense.on_idle(end);
    }
}

#[cfg(test)]
mod tests;
