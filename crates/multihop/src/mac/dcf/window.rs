//! A DCF whose contention window follows a rule: what
//! [`Windowed`](crate::mac::windows::Windowed) asks of it.

use super::Dcf;
use super::role::Role;
use crate::kernel::Duration;
use crate::mac::context::MacContext;
use crate::profile::Profile;

/// The window follows a rule: a role of its own, or the engine's calls of [`Sole`](super::Sole)
/// would not be inlined.
#[derive(Debug, Default)]
pub struct UnderRule;

impl Role for UnderRule {}

impl Dcf<UnderRule> {
    /// The next backoff is drawn from this window \[slots\].
    pub(in crate::mac) fn contend_from(&mut self, window: u32) {
        self.cw = window;
    }

    /// The backoff that was drawn after the last exchange, and has yet to begin, becomes one from
    /// the window of the moment; none if the packet in service `follows` in the same turn.
    pub(in crate::mac) fn draw_again(&mut self, cx: &mut MacContext, follows: bool) {
        let slots = if follows { 0 } else { cx.rng.below(self.choices(cx.timing.profile)) };
        cx.contention.start_backoff(cx.now, Duration::ZERO, slots, cx.timing);
    }
}

impl<R: Role> Dcf<R> {
    /// How many slots a backoff can have.
    #[inline]
    pub(super) fn choices(&self, profile: Profile) -> u32 {
        match profile {
            Profile::Ns2 => self.cw.max(1),
            Profile::Standard => self.cw + 1,
        }
    }
}
