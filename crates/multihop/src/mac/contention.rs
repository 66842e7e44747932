//! Carrier sense and backoff of one station (IEEE Std 802.11-1999 9.2.1, 9.2.4, 9.2.5.2).
//!
//! A contending station is not woken when the medium becomes busy or idle. When its receiver
//! catches up, each change is applied with its exact instant, and the backoff follows from those.
//! The station is woken at the earliest instant at which its backoff can expire; if the medium was
//! busy in between, it is woken again at the next such instant.
//!
//! Ties: a backoff that expires at the instant at which a signal arrives comes first, so stations
//! that chose the same slot do collide.
//!
//! Deviation: the `ns2` profile keeps EIFS as NAV, so that a DIFS follows it, and a frame lost to
//! capture sets the NAV too. In the `standard` profile EIFS replaces DIFS until a frame is received
//! correctly (9.2.3.4), and the NAV of an overheard RTS is dropped if no data follow (9.2.5.4).

mod backoff;
mod by_category;
mod several;

use super::timing::Timing;
use crate::kernel::{Duration, Instant};
use crate::profile::Profile;
use crate::radio::{CarrierSense, Followed, LastHeard, Reception};
use backoff::Backoff;
use several::Several;

/// One station's carrier sense and its backoff.
#[derive(Clone, Debug)]
pub struct Contention {
    /// The receiver follows a frame.
    receiving: bool,
    /// The station is in an exchange of its own: it sends, or waits for the response.
    transmitting: bool,
    /// The last frame was in error: EIFS instead of DIFS (standard profile).
    extended: bool,
    /// Countdowns interrupted by the medium or by this station's own responses.
    freezes: u32,
    backoff: Backoff,
    /// The backoffs of a station with access categories.
    several: Option<Box<Several>>,
    /// Since when the station has neither received nor sent.
    idle_since: Instant,
    nav: Instant,
    /// From here on the NAV of the last overheard RTS is void (standard profile).
    rts_void_at: Instant,
    nav_before_rts: Instant,
}

impl Default for Contention {
    fn default() -> Self {
        Contention {
            receiving: false,
            transmitting: false,
            extended: false,
            freezes: 0,
            backoff: Backoff::Off,
            several: None,
            idle_since: Instant::ZERO,
            nav: Instant::ZERO,
            rts_void_at: Instant::FAR,
            nav_before_rts: Instant::ZERO,
        }
    }
}

/// What a station finds when it is woken for its backoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// The backoff has expired: the station may send.
    Expired,
    /// Not before this instant.
    NotBefore(Instant),
    /// Nothing to wait for: no backoff is under way, or the station is in an exchange of its own.
    Nothing,
}

impl Contention {
    /// Whether the medium is idle at `now`, by physical and virtual carrier sense, and the station
    /// silent.
    pub fn is_idle(&self, now: Instant) -> bool {
        !self.receiving && !self.transmitting && self.nav_end() <= now
    }

    /// Whether the receiver has followed no frame, and no exchange of its own has ended, since
    /// `from`. Known while a backoff is under way or the station is [watching](Self::watch).
    pub fn has_been_silent_since(&self, from: Instant) -> bool {
        !self.receiving && self.idle_since <= from
    }

    /// Has it noticed from now on when the medium becomes busy or idle, without a backoff.
    pub fn watch(&mut self) {
        if self.backoff == Backoff::Off {
            self.backoff = Backoff::Watching;
        }
    }

    /// Whether the NAV is set at `now`.
    pub fn nav_is_set(&self, now: Instant) -> bool {
        self.nav_end() > now
    }

    /// Whether a backoff may be under way, of any access category, or the station watches.
    #[inline]
    pub fn has_backoff(&self) -> bool {
        self.backoff != Backoff::Off
    }

    /// Whether a backoff is under way, counting or frozen.
    #[inline]
    pub fn is_backing_off(&self) -> bool {
        match (self.backoff, &self.several) {
            (Backoff::Several, Some(all)) => all.is_backing_off(),
            (one, _) => !matches!(one, Backoff::Off | Backoff::Watching),
        }
    }

    /// Slots of the backoff that have yet to pass, as of the last catch-up; 0 if none is under way.
    pub fn slots_left(&self, timing: &Timing) -> u32 {
        match self.backoff {
            Backoff::Off | Backoff::Watching => 0,
            Backoff::Frozen(left) | Backoff::Counting(left, _) => (left / timing.slot) as u32,
            Backoff::Several => self.several.as_ref().map_or(0, |all| all.slots_left(timing)),
        }
    }

    /// How often a running countdown was interrupted, as of the last catch-up.
    pub fn freezes(&self) -> u32 {
        self.freezes
    }

    /// Whether the medium has been idle long enough at `now` to send at once.
    pub fn has_been_idle(&self, now: Instant, timing: &Timing) -> bool {
        self.is_idle(now) && self.ready_at(timing) <= now
    }

    /// Starts a backoff of `slots`. It counts down after `lead` if the medium is idle now,
    /// otherwise after the usual interframe space once it is.
    #[inline(always)]
    pub fn start_backoff(&mut self, now: Instant, lead: Duration, slots: u32, timing: &Timing) {
        let whole = timing.slot * u64::from(slots);
        let started = if self.is_idle(now) {
            Backoff::Counting(whole, now + lead)
        } else {
            Backoff::Frozen(whole)
        };
        *self.own() = started;
    }

    /// Cancels the backoff.
    pub fn stop_backoff(&mut self) {
        *self.own() = Backoff::Off;
    }

    /// The backoff that the MAC speaks of.
    #[inline]
    fn own(&mut self) -> &mut Backoff {
        match &mut self.several {
            Some(all) => all.own(),
            None => &mut self.backoff,
        }
    }

    /// The station starts to send, in an exchange of its own.
    pub fn begin_exchange(&mut self, now: Instant, timing: &Timing) {
        if !self.transmitting {
            if !self.receiving {
                self.freeze(now, timing);
            }
            self.transmitting = true;
        }
        self.extended = false;
    }

    /// The exchange has ended, successfully or not; it keeps the medium busy no longer than `from`.
    pub fn end_exchange(&mut self, from: Instant) {
        if self.transmitting {
            self.transmitting = false;
            self.idle_since = self.idle_since.max(from);
        }
    }

    /// A frame for this station was received correctly.
    pub fn on_received(&mut self) {
        self.extended = false;
    }

    /// The earliest instant at which the backoff can expire, given the frame that the receiver
    /// follows.
    #[inline]
    pub fn earliest_expiry(
        &self,
        followed: impl Fn() -> Option<Followed>,
        timing: &Timing,
    ) -> Option<Instant> {
        match self.backoff {
            Backoff::Several => self.earliest_of_several(followed()),
            one => self.expiry_of(one, followed, timing),
        }
    }

    #[inline(always)]
    fn expiry_of(
        &self,
        backoff: Backoff,
        followed: impl Fn() -> Option<Followed>,
        timing: &Timing,
    ) -> Option<Instant> {
        match backoff {
            Backoff::Off | Backoff::Watching | Backoff::Several => None,
            _ if self.transmitting => None,
            Backoff::Counting(left, from) => Some(from + left),
            Backoff::Frozen(left) => {
                let idle = match followed() {
                    Some(followed) => followed.end + earliest_nav(followed, timing),
                    None => self.idle_since,
                };
                Some(idle.max(self.nav_end()) + timing.difs + left)
            }
        }
    }

    /// The station is woken at `now`, with the receiver caught up.
    #[inline]
    pub fn wake(
        &mut self,
        now: Instant,
        followed: impl Fn() -> Option<Followed>,
        timing: &Timing,
    ) -> Wake {
        match self.backoff {
            Backoff::Several => self.wake_several(now, followed()),
            _ => self.wake_one(now, followed, timing),
        }
    }

    #[inline(always)]
    fn wake_one(
        &mut self,
        now: Instant,
        followed: impl Fn() -> Option<Followed>,
        timing: &Timing,
    ) -> Wake {
        if self.transmitting {
            return Wake::Nothing;
        }
        if let (Backoff::Frozen(left), None) = (self.backoff, followed()) {
            let ready = self.ready_at(timing);
            if self.extended && ready + left > now {
                // A good frame may yet cut EIFS short.
                let soonest = now + timing.shortest_extension();
                return Wake::NotBefore(ready.min(soonest) + left);
            }
            self.backoff = Backoff::Counting(left, ready);
        }
        match self.expiry_of(self.backoff, followed, timing) {
            None => Wake::Nothing,
            Some(at) if at > now => Wake::NotBefore(at),
            Some(at) => {
                debug_assert_eq!(at, now, "woken too late");
                self.backoff = Backoff::Off;
                Wake::Expired
            }
        }
    }

    /// When the NAV expires.
    fn nav_end(&self) -> Instant {
        self.nav.min(self.rts_void_at.max(self.nav_before_rts))
    }

    /// When the countdown starts if the medium stays idle.
    fn ready_at(&self, timing: &Timing) -> Instant {
        let ifs = if self.extended { timing.eifs } else { timing.difs };
        (self.idle_since + ifs).max(self.nav_end() + timing.difs)
    }

    /// The medium becomes busy at `at`: whole slots are counted off, a slot begun is not.
    #[inline]
    fn freeze(&mut self, at: Instant, timing: &Timing) {
        match self.backoff {
            Backoff::Several => self.freeze_several(at),
            _ => self.freeze_one(at, timing),
        }
    }

    #[inline(always)]
    fn freeze_one(&mut self, at: Instant, timing: &Timing) {
        let (left, from) = match self.backoff {
            Backoff::Off | Backoff::Watching | Backoff::Several => return,
            Backoff::Counting(left, from) => (left, from),
            Backoff::Frozen(left) => (left, self.ready_at(timing)),
        };
        self.freezes = self.freezes.wrapping_add(u32::from(at > from));
        let slots = at.saturating_since(from) / timing.slot;
        self.backoff = Backoff::Frozen(left.saturating_sub(timing.slot * slots));
    }
}

/// The shortest time for which a followed frame keeps the NAV set after its end (`ns2` profile):
/// EIFS if it is lost already, else the shorter of its duration field and EIFS, as it may still
/// collide. In the standard a good frame can cut EIFS short.
fn earliest_nav(followed: Followed, timing: &Timing) -> Duration {
    match (timing.profile, followed.announces) {
        (Profile::Standard, _) => Duration::ZERO,
        (Profile::Ns2, None) => timing.eifs,
        (Profile::Ns2, Some(duration)) => duration.min(timing.eifs),
    }
}

/// Passes what a station's receiver reports to its contention and the counters.
#[derive(Debug)]
pub struct StationSense<'a> {
    /// The station's contention.
    pub contention: &'a mut Contention,
    /// The run's timing.
    pub timing: &'a Timing,
    /// Counts frames lost to collisions.
    pub collisions: &'a mut u64,
}

impl CarrierSense for StationSense<'_> {
    #[inline]
    fn on_busy(&mut self, at: Instant) {
        let station = &mut *self.contention;
        if station.has_backoff() && !station.transmitting {
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
            let set_before = station.nav_end();
            if until > set_before {
                station.nav = until;
                station.nav_before_rts = set_before;
                station.rts_void_at =
                    if is_rts { at + self.timing.nav_reset() } else { Instant::FAR };
            }
        } else {
            station.nav = station.nav.max(until);
        }
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

    #[inline]
    fn minds_the_last(&self) -> bool {
        self.timing.profile == Profile::Standard
    }

    #[inline]
    fn on_passed_over(&mut self, last: LastHeard) {
        self.contention.extended = last.is_lost.unwrap_or(self.contention.extended);
    }
}

/// The same for a station with no backoff under way (`ns2` profile), which only needs to update its
/// NAV. When the medium became idle matters only to a backoff, and one that starts while the medium
/// is busy sees it become idle later.
#[derive(Debug)]
pub struct IdleSense<'a> {
    nav: Instant,
    eifs: Duration,
    collisions: &'a mut u64,
}

impl<'a> IdleSense<'a> {
    /// For a station with this contention, if no backoff is under way.
    #[inline]
    pub fn of(
        contention: &Contention,
        timing: &Timing,
        collisions: &'a mut u64,
    ) -> Option<IdleSense<'a>> {
        let has_none = !contention.has_backoff() && timing.profile == Profile::Ns2;
        has_none.then_some(IdleSense { nav: contention.nav, eifs: timing.eifs, collisions })
    }

    /// Writes the result back to the station.
    #[inline]
    pub fn store(self, contention: &mut Contention, receiver: &impl Reception) {
        contention.nav = self.nav;
        contention.receiving = receiver.followed().is_some();
    }
}

impl CarrierSense for IdleSense<'_> {
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
