//! Carrier sense and backoff of one station (IEEE Std 802.11-1999 9.2.1, 9.2.4, 9.2.5.2).
//!
//! A station that contends is not woken when the medium becomes busy or idle. Each change is noted
//! with its exact instant when the receiver catches up, and the backoff is settled from those; one
//! queued event wakes the station at the earliest instant at which its backoff can have run out, and
//! if the medium was busy meanwhile it goes back to sleep until the next such instant.
//!
//! Order among equal instants: a backoff that runs out at the instant at which a signal arrives was
//! first, so stations that chose the same slot do collide.
//!
//! Deviation: in the `ns2` profile EIFS is kept as NAV, so that a DIFS follows it, and a frame lost to
//! capture sets the NAV too; in the `standard` profile EIFS takes the place of DIFS, until a frame is
//! received well (9.2.3.4), and an overheard RTS holds the NAV only if data follow (9.2.5.4).

use super::timing::Timing;
use crate::kernel::{Duration, Instant};
use crate::profile::Profile;
use crate::radio::{CarrierSense, Followed, Receiver};

/// The medium as one station senses it, and its backoff.
#[derive(Clone, Debug)]
pub struct Contention {
    /// The receiver follows a frame.
    receiving: bool,
    /// The MAC sends, or waits for the answer to what it sent.
    transmitting: bool,
    /// The last frame was received badly: EIFS instead of DIFS (standard profile).
    extended: bool,
    /// Countdowns that the medium or this station's own answers interrupted.
    freezes: u32,
    backoff: Backoff,
    /// Since when neither was so.
    idle_since: Instant,
    nav: Instant,
    /// An overheard RTS counts from here on as if it had not been (standard profile).
    rts_void_at: Instant,
    nav_before_rts: Instant,
}

/// The backoff timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Backoff {
    Off,
    /// This much is left; the medium has been busy since it was last counted.
    Frozen(Duration),
    /// This much was left at this instant, from which it counts down.
    Counting(Duration, Instant),
}

impl Default for Contention {
    fn default() -> Self {
        Contention {
            receiving: false,
            transmitting: false,
            extended: false,
            freezes: 0,
            backoff: Backoff::Off,
            idle_since: Instant::ZERO,
            nav: Instant::ZERO,
            rts_void_at: Instant::FAR,
            nav_before_rts: Instant::ZERO,
        }
    }
}

/// What a station finds when its backoff event wakes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// The backoff has run out: it is this station's turn.
    Expired,
    /// Not before this instant.
    NotBefore(Instant),
    /// Nothing to wait for: the backoff is off, or the station is in an exchange of its own.
    Nothing,
}

impl Contention {
    /// Whether the medium is idle at `now`, physically and virtually, and the station silent.
    pub fn is_idle(&self, now: Instant) -> bool {
        !self.receiving && !self.transmitting && self.nav_end() <= now
    }

    /// Whether the NAV is set at `now`.
    pub fn nav_is_set(&self, now: Instant) -> bool {
        self.nav_end() > now
    }

    /// Whether a backoff is under way, counting or frozen.
    pub fn is_backing_off(&self) -> bool {
        self.backoff != Backoff::Off
    }

    /// How often a running countdown was interrupted, as far as the receiver has caught up.
    pub fn freezes(&self) -> u32 {
        self.freezes
    }

    /// Whether the medium has been idle long enough at `now` to send at once.
    pub fn has_been_idle(&self, now: Instant, timing: &Timing) -> bool {
        self.is_idle(now) && self.ready_at(timing) <= now
    }

    /// Starts a backoff of `slots`, counted after `lead` if the medium is idle now, otherwise after the
    /// usual interframe space once it is.
    pub fn start_backoff(&mut self, now: Instant, lead: Duration, slots: u32, timing: &Timing) {
        let whole = timing.slot * u64::from(slots);
        self.backoff = if self.is_idle(now) {
            Backoff::Counting(whole, now + lead)
        } else {
            Backoff::Frozen(whole)
        };
    }

    /// Throws the backoff away.
    pub fn stop_backoff(&mut self) {
        self.backoff = Backoff::Off;
    }

    /// The station begins an exchange of its own: it sends.
    pub fn begin_exchange(&mut self, now: Instant, timing: &Timing) {
        if !self.transmitting {
            if !self.receiving {
                self.freeze(now, timing);
            }
            self.transmitting = true;
        }
        self.extended = false;
    }

    /// The exchange is over, for better or worse: as far as it goes the medium is idle `from` now.
    pub fn end_exchange(&mut self, from: Instant) {
        if self.transmitting {
            self.transmitting = false;
            self.idle_since = self.idle_since.max(from);
        }
    }

    /// A frame for this station was received well.
    pub fn on_received(&mut self) {
        self.extended = false;
    }

    /// The earliest instant at which the backoff can run out, given what the receiver follows.
    pub fn earliest_expiry(&self, followed: Option<Followed>, timing: &Timing) -> Option<Instant> {
        match self.backoff {
            Backoff::Off => None,
            _ if self.transmitting => None,
            Backoff::Counting(left, from) => Some(from + left),
            Backoff::Frozen(left) => {
                let idle = match followed {
                    Some(followed) => followed.end + earliest_nav(followed, timing),
                    None => self.idle_since,
                };
                Some(idle.max(self.nav_end()) + timing.difs + left)
            }
        }
    }

    /// Woken at `now`, with the receiver caught up.
    pub fn wake(&mut self, now: Instant, followed: Option<Followed>, timing: &Timing) -> Wake {
        if self.transmitting {
            return Wake::Nothing;
        }
        if let (Backoff::Frozen(left), None) = (self.backoff, followed) {
            self.backoff = Backoff::Counting(left, self.ready_at(timing));
        }
        match self.earliest_expiry(followed, timing) {
            None => Wake::Nothing,
            Some(at) if at > now => Wake::NotBefore(at),
            Some(at) => {
                debug_assert_eq!(at, now, "woken too late");
                self.backoff = Backoff::Off;
                Wake::Expired
            }
        }
    }

    /// When the NAV runs out.
    fn nav_end(&self) -> Instant {
        self.nav.min(self.rts_void_at.max(self.nav_before_rts))
    }

    /// When counting begins if the medium stays idle.
    fn ready_at(&self, timing: &Timing) -> Instant {
        let ifs = if self.extended { timing.eifs } else { timing.difs };
        (self.idle_since + ifs).max(self.nav_end() + timing.difs)
    }

    /// The idle time ends at `at`: whole slots are counted off, a slot begun is not.
    fn freeze(&mut self, at: Instant, timing: &Timing) {
        let (left, from) = match self.backoff {
            Backoff::Off => return,
            Backoff::Counting(left, from) => (left, from),
            Backoff::Frozen(left) => (left, self.ready_at(timing)),
        };
        self.freezes = self.freezes.wrapping_add(u32::from(at > from));
        let slots = at.saturating_since(from) / timing.slot;
        self.backoff = Backoff::Frozen(left.saturating_sub(timing.slot * slots));
    }
}

/// How long after its end a followed frame keeps the NAV set at the least: its duration field or, if it
/// is lost, EIFS (`ns2` profile only; in the standard a good frame may cut EIFS short).
fn earliest_nav(followed: Followed, timing: &Timing) -> Duration {
    match (timing.profile, followed.announces) {
        (Profile::Standard, _) => Duration::ZERO,
        (Profile::Ns2, None) => timing.eifs,
        (Profile::Ns2, Some(duration)) => duration.min(timing.eifs),
    }
}

/// A station's ear: what the receiver reports goes to the contention state and the counters.
#[derive(Debug)]
pub struct Ear<'a> {
    /// The station's contention.
    pub contention: &'a mut Contention,
    /// The run's timing.
    pub timing: &'a Timing,
    /// Counts frames lost to collisions.
    pub collisions: &'a mut u64,
}

impl CarrierSense for Ear<'_> {
    #[inline]
    fn on_busy(&mut self, at: Instant) {
        let station = &mut *self.contention;
        if station.backoff != Backoff::Off && !station.transmitting {
            station.freeze(at, self.timing);
        }
        station.receiving = true;
        if at < station.rts_void_at {
            station.rts_void_at = Instant::FAR;
        }
    }

    #[inline]
    fn on_idle(&mut self, at: Instant) {
        self.contention.receiving = false;
        self.contention.idle_since = self.contention.idle_since.max(at);
    }

    #[inline]
    fn on_lost(&mut self, at: Instant) {
        match self.timing.profile {
            Profile::Ns2 => self.contention.nav = self.contention.nav.max(at + self.timing.eifs),
            Profile::Standard => self.contention.extended = true,
        }
    }

    #[inline]
    fn on_overheard(&mut self, at: Instant, duration: Duration, is_rts: bool) {
        let station = &mut *self.contention;
        let until = at + duration;
        if self.timing.profile == Profile::Standard {
            station.extended = false;
            if is_rts && until > station.nav {
                station.nav_before_rts = station.nav;
                station.rts_void_at = at + self.timing.nav_reset();
            }
        }
        station.nav = station.nav.max(until);
    }

    #[inline]
    fn on_captured(&mut self, at: Instant, airtime: Duration) {
        if self.timing.profile == Profile::Ns2 {
            let whole_us = (self.timing.eifs + airtime).as_micros_rounded();
            self.contention.nav = self.contention.nav.max(at + Duration::from_micros(whole_us));
        }
    }

    #[inline]
    fn on_collision(&mut self) {
        *self.collisions += 1;
    }
}

/// The ear of a station that has nothing to send (`ns2` profile): of all that it hears it need only
/// remember until when the NAV is set. Since when the medium is idle will matter to a backoff that
/// starts while it is busy, and then it becomes idle later.
#[derive(Debug)]
pub struct IdleEar<'a> {
    nav: Instant,
    eifs: Duration,
    collisions: &'a mut u64,
}

impl<'a> IdleEar<'a> {
    /// The ear of a station with this contention, if it has nothing to send.
    #[inline]
    pub fn of(
        contention: &Contention,
        timing: &Timing,
        collisions: &'a mut u64,
    ) -> Option<IdleEar<'a>> {
        let has_none = contention.backoff == Backoff::Off && timing.profile == Profile::Ns2;
        has_none.then_some(IdleEar { nav: contention.nav, eifs: timing.eifs, collisions })
    }

    /// What it heard, for the station to remember.
    #[inline]
    pub fn remember(self, contention: &mut Contention, receiver: &Receiver) {
        contention.nav = self.nav;
        contention.receiving = !receiver.is_idle();
    }
}

impl CarrierSense for IdleEar<'_> {
    #[inline]
    fn on_busy(&mut self, _at: Instant) {}

    #[inline]
    fn on_idle(&mut self, _at: Instant) {}

    #[inline]
    fn on_lost(&mut self, at: Instant) {
        self.nav = self.nav.max(at + self.eifs);
    }

    #[inline]
    fn on_overheard(&mut self, at: Instant, duration: Duration, _is_rts: bool) {
        self.nav = self.nav.max(at + duration);
    }

    #[inline]
    fn on_captured(&mut self, at: Instant, airtime: Duration) {
        let whole_us = (self.eifs + airtime).as_micros_rounded();
        self.nav = self.nav.max(at + Duration::from_micros(whole_us));
    }

    #[inline]
    fn on_collision(&mut self) {
        *self.collisions += 1;
    }
}

#[cfg(test)]
mod tests;
