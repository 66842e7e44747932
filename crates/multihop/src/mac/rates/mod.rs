//! The rate of each data frame: chosen for each neighbour by what became of earlier frames.
//!
//! Broadcasts, RTS, CTS and ACK go at basic rates, whatever is chosen here.
//!
//! A rate control is a [`RateRule`], in a file of its own and in one line of `RateChoice::rule`, or
//! in another crate (`outside.rs`). `rate_set.rs` has the rates that it chooses from, `attempts.rs`
//! what routing by airtime wants to know.

mod arf;
mod attempts;
mod choice;
mod ideal;
mod minstrel;
mod outside;
mod rate_set;
mod rule;

use std::sync::Arc;

use crate::config::outside::{Choice, name_of};
use crate::kernel::{Instant, Purpose, Rng};
use crate::measure::PartCounts;
use crate::wire::{NodeId, Rate};

pub use arf::Arf;
pub use attempts::Airtime;
use attempts::Attempts;
pub use choice::RateChoice;
pub use ideal::Ideal;
pub use minstrel::Minstrel;
pub use outside::Outside;
pub use rate_set::{RateSet, Step};
pub use rule::RateRule;

/// One station's choice of rates.
#[derive(Debug)]
pub struct RateControl {
    choice: RateChoice,
    rate_set: Arc<RateSet>,
    links: Vec<Link>,
    rng: Rng,
    /// The place of the rate that goes before what rules choose.
    ordered: Option<usize>,
}

/// The link to one neighbour.
#[derive(Debug)]
struct Link {
    neighbour: NodeId,
    rule: Box<dyn RateRule>,
    attempts: Attempts,
}

impl RateControl {
    /// That of `node`, if rates are not fixed.
    pub fn new(
        choice: RateChoice,
        rate_set: &Arc<RateSet>,
        node: NodeId,
        seed: u64,
    ) -> Option<RateControl> {
        if choice == RateChoice::Fixed {
            return None;
        }
        let rng = Rng::stream(seed, Purpose::RateControl, u64::from(node.0));
        Some(RateControl {
            choice,
            rate_set: rate_set.clone(),
            links: Vec::new(),
            rng,
            ordered: None,
        })
    }

    /// The rate of the first attempt at a packet for `neighbour`.
    pub fn first(&mut self, neighbour: NodeId, now: Instant) -> Rate {
        let place = self.link(neighbour);
        let link = &mut self.links[place];
        link.attempts.on_packet(now);
        let chosen = link.rule.first(now, &mut self.rng);
        self.rate_set[self.ordered.unwrap_or(chosen)].rate
    }

    /// The rate of the next attempt at the same packet.
    pub fn again(&mut self, neighbour: NodeId) -> Rate {
        let place = self.link(neighbour);
        let chosen = self.links[place].rule.again();
        self.rate_set[self.ordered.unwrap_or(chosen)].rate
    }

    /// From the next packet on, the fastest rate of at most `most_bps` \[bit/s\] goes before what
    /// rules choose, or the slowest of all.
    pub fn order(&mut self, most_bps: f64) {
        let steps = self.rate_set.iter().enumerate();
        let slow = steps.filter(|(_, step)| step.rate_bps <= most_bps);
        let fastest = slow.max_by(|(_, a), (_, b)| a.rate_bps.total_cmp(&b.rate_bps));
        self.ordered = Some(fastest.map_or(0, |(place, _)| place));
    }

    /// Whether a data frame at `rate` was acknowledged.
    pub fn on_result(&mut self, neighbour: NodeId, rate: Rate, is_good: bool) {
        let place = self.rate_set.place_of(rate);
        let link = self.link(neighbour);
        self.links[link].on_result(&self.rate_set, place, is_good);
    }

    /// Of the data frames in an A-MPDU at `rate`, so many were acknowledged and so many were not.
    pub fn on_results(&mut self, neighbour: NodeId, rate: Rate, good: u32, bad: u32) {
        let place = self.rate_set.place_of(rate);
        let link = self.link(neighbour);
        let link = &mut self.links[link];
        if !link.rule.on_aggregate(place, good + bad, good) {
            return link.on_result(&self.rate_set, place, good >= bad);
        }
        for frame in 0..good + bad {
            link.attempts.on_result(self.rate_set[place].attempt, frame < good);
        }
    }

    /// A frame came from `neighbour` with this power \[W\].
    pub fn on_heard(&mut self, neighbour: NodeId, power_w: f64) {
        let link = self.link(neighbour);
        self.links[link].attempts.on_heard(power_w);
        self.links[link].rule.on_heard(power_w);
    }

    /// The best rate for the power of the frames of `neighbour` \[bit/s\].
    pub fn rate_from(&self, neighbour: NodeId) -> f64 {
        let known = self.links.iter().find(|link| link.neighbour == neighbour);
        let power_w = known.map_or(0.0, |link| link.attempts.power_w);
        self.rate_set[self.rate_set.place_for(power_w)].rate_bps
    }

    /// How long a test frame to `neighbour` takes, measured if there were packets for it at `since`
    /// or later.
    pub fn airtime(&self, neighbour: NodeId, since: Instant) -> Airtime {
        let known = self.links.iter().find(|link| link.neighbour == neighbour);
        let attempts = known.map(|link| link.attempts).unwrap_or_default();
        match attempts.measured(since) {
            Some(time) => Airtime::Delivered(time),
            None => {
                Airtime::Attempt(self.rate_set[self.rate_set.place_for(attempts.power_w)].attempt)
            }
        }
    }

    /// Adds what its rules have counted.
    pub fn report(&self, parts: &mut PartCounts) {
        let counts = parts.of(RateChoice::KEY, name_of(self.choice));
        self.links.iter().for_each(|link| link.rule.report(counts));
    }

    /// The place of the link to `neighbour`.
    fn link(&mut self, neighbour: NodeId) -> usize {
        if let Some(place) = self.links.iter().position(|link| link.neighbour == neighbour) {
            return place;
        }
        let rule = self.choice.rule(&self.rate_set).expect("a choice, as rates are not fixed");
        self.links.push(Link { neighbour, rule, attempts: Attempts::default() });
        self.links.len() - 1
    }
}

impl Link {
    /// Whether an attempt at the rate at `place` was acknowledged.
    fn on_result(&mut self, rate_set: &RateSet, place: usize, is_good: bool) {
        self.attempts.on_result(rate_set[place].attempt, is_good);
        self.rule.on_result(place, is_good);
    }
}
