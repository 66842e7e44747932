//! How a station's radio makes frames of the signals that reach it.

use std::fmt::Debug;

use super::arrival::Arrival;
use super::carrier_sense::CarrierSense;
use super::old_arrivals::OldArrivals;
use crate::kernel::{Duration, Instant};

/// The frame that keeps a receiver busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Followed {
    /// When it ends.
    pub end: Instant,
    /// A lower bound of the NAV that it sets if it does not collide: its duration field, or 0 by
    /// signal and noise. None if it can't be decoded.
    pub announces: Option<Duration>,
}

/// A radio's receiving side, brought up to date on demand: [`super::Receiver`] goes by thresholds,
/// [`super::sinr::SinrReceiver`] by signal over noise and interference.
pub trait Reception: Debug {
    /// What all receivers of a run have in common.
    type Rules: Debug;

    /// Brings the state up to `now`, given the unprocessed `arrivals` by start: ends up to and
    /// including `now`, starts strictly before it. The end of a wanted frame that may still be
    /// decoded is left to [`Reception::finish`]. Returns how many of the arrivals have been
    /// processed.
    fn catch_up(
        &mut self,
        arrivals: &[Arrival],
        now: Instant,
        rules: &Self::Rules,
        sense: &mut impl CarrierSense,
    ) -> usize;

    /// For a station without a backoff: passes over arrivals that can matter no more, and returns
    /// how many these are.
    fn pass_over(
        &mut self,
        past: &OldArrivals<'_>,
        rules: &Self::Rules,
        sense: &mut impl CarrierSense,
    ) -> usize;

    /// Whether anything changes by `now` without another arrival.
    fn ends_by(&self, now: Instant) -> bool;

    /// What keeps the medium busy, as of the last catching up; none if nothing does.
    fn followed(&self) -> Option<Followed>;

    /// The last bit of wanted frame `frame` has arrived: whether it was received. Call
    /// [`Reception::catch_up`] first and, if it was, [`Reception::release`] once the MAC has
    /// handled it.
    fn finish(&self, frame: u32, now: Instant) -> bool;

    /// Ends the reception that [`Reception::finish`] confirmed.
    fn release(
        &mut self,
        frame: u32,
        now: Instant,
        rules: &Self::Rules,
        sense: &mut impl CarrierSense,
    );

    /// The last bit of tapped frame `frame` has arrived: whether all of it was overheard. Call
    /// [`Reception::catch_up`] first.
    fn overheard(&self, frame: u32, now: Instant) -> bool;

    /// This node sends from now until `until`: the frame being received is lost.
    fn begin_emission(&mut self, until: Instant, sense: &mut impl CarrierSense);
}
