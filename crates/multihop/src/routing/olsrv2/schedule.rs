//! When messages of a kind are sent: regularly, and before their time when something has changed
//! (RFC 5148 sections 5.1 and 5.2, RFC 6130 section 11.2.1, RFC 7181 section 16.2).

use crate::kernel::{Duration, Instant};
use crate::routing::link_state::{delayed, periodic};
use crate::routing::{Context, Timer};

/// The messages of a kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Schedule {
    /// When the last one was sent.
    pub last: Option<Instant>,
    /// Which of the timers set is the present one.
    number: u32,
    /// One is to come before its time.
    is_early: bool,
}

impl Schedule {
    /// Sets `timer` to the next message, `interval` from now at most; those set before are void.
    pub fn restart(
        &mut self,
        cx: &mut Context,
        timer: &'static str,
        interval: Duration,
        max_jitter: Duration,
    ) {
        let at = periodic(cx, interval, max_jitter);
        self.number = self.number.wrapping_add(1);
        cx.set_timer(Timer { number: self.number, ..Timer::of(timer) }, at);
    }

    /// Whether `timer` is the present one.
    pub fn is_present(&self, timer: Timer) -> bool {
        timer.number == self.number
    }

    /// Sets `timer` to a message before its time, unless that is set: soon, and `least` after the
    /// last one.
    pub fn hasten(
        &mut self,
        cx: &mut Context,
        timer: &'static str,
        least: Duration,
        max_jitter: Duration,
    ) {
        if !std::mem::replace(&mut self.is_early, true) {
            let soonest = self.last.map_or(cx.now, |last| last + least);
            let at = delayed(cx, max_jitter).max(soonest);
            cx.set_timer(Timer::of(timer), at);
        }
    }

    /// That timer has expired.
    pub fn begin_early(&mut self) {
        self.is_early = false;
    }
}
