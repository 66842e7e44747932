//! What a receiver tells the MAC.

use super::arrival::Arrival;
use crate::kernel::{Duration, Instant};

/// What became of a frame for a node, unless its MAC was called for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate<'a> {
    /// It was received, and had nothing to say.
    Received,
    /// It overlapped with this other one.
    Collided(&'a Arrival),
    /// The receiver was locked on this stronger one.
    Captured(&'a Arrival),
    /// It was strong enough over noise, but not noticed over other signals, this one the strongest
    /// of them.
    Undetected(&'a Arrival),
    /// The node was sending.
    Sending,
    /// It was too weak over noise.
    Weak,
}

/// What the receiver reports to the MAC, in order of time.
pub trait CarrierSense {
    /// The receiver became busy at `at`.
    fn on_busy(&mut self, at: Instant);
    /// The receiver became idle at `at`.
    fn on_idle(&mut self, at: Instant);
    /// A frame that ended at `at` was lost to a collision or was too weak to decode.
    fn on_lost(&mut self, at: Instant);
    /// A frame for someone else, decoded at `at`, with this duration field.
    fn on_overheard(&mut self, at: Instant, duration: Duration, is_rts: bool);
    /// A weaker frame of this air time arrived at `at` during the reception of a stronger one.
    fn on_captured(&mut self, at: Instant, airtime: Duration);
    /// A wanted, decodable frame was lost to a collision.
    fn on_collision(&mut self);
    /// Whether [`CarrierSense::on_passed_over`] matters: the last frame heard decides between EIFS
    /// and DIFS.
    #[inline(always)]
    fn minds_the_last(&self) -> bool {
        false
    }
    /// Frames were passed over; what the last ones of them left behind.
    #[inline(always)]
    fn on_passed_over(&mut self, _last: LastHeard) {}
    /// What became of a decodable frame for this node for which [`super::Reception::finish`] will not be
    /// true; once for each. For records only.
    #[inline(always)]
    fn on_fate(&mut self, _frame: &Arrival, _fate: Fate<'_>) {}
    /// Whether [`CarrierSense::on_fate`] matters.
    #[inline(always)]
    fn minds_fates(&self) -> bool {
        false
    }
}

/// Whether the last frame noticed was lost, if there was any.
#[derive(Clone, Copy, Debug, Default)]
pub struct LastHeard {
    /// After a lost one EIFS has to pass, after a good one DIFS.
    pub is_lost: Option<bool>,
}

impl CarrierSense for LastHeard {
    fn on_busy(&mut self, _at: Instant) {}
    fn on_idle(&mut self, _at: Instant) {}
    fn on_lost(&mut self, _at: Instant) {
        self.is_lost = Some(true);
    }
    fn on_overheard(&mut self, _at: Instant, _duration: Duration, _is_rts: bool) {
        self.is_lost = Some(false);
    }
    fn on_captured(&mut self, _at: Instant, _airtime: Duration) {}
    fn on_collision(&mut self) {}
}
