//! The rate of each data frame: chosen for each neighbour by what became of earlier frames.
//!
//! Broadcasts, RTS, CTS and ACK go at basic rates, whatever is chosen here.

mod arf;
mod attempts;
mod ideal;
mod minstrel;
mod outside;

use super::config::{MacConfig, RateChoice};
use super::timing::Timing;
use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::wire::{NodeId, Rate};

use arf::Arf;
pub use attempts::Airtime;
use attempts::Attempts;
use ideal::Ideal;
use minstrel::Minstrel;
pub use outside::{Outside, RateRule};

/// The rates to choose from, slowest first, and what they cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ladder {
    /// Each rate.
    rates: Vec<Rate>,
    /// What each carries \[bit/s\].
    rates_bps: Vec<f64>,
    /// How long an exchange of a typical packet takes at each, without the wait before it.
    exchanges: Vec<Duration>,
    /// What of that an A-MPDU has only once: all but the packet itself.
    shared: Vec<Duration>,
    /// How long an attempt at a test frame takes at each, with the wait before it.
    attempts: Vec<Duration>,
    /// The group of each: rates of one stream, and those of two.
    groups: Vec<usize>,
    /// The power from which each carries more than the one before \[W\]; empty if that is not known.
    needed_w: Vec<f64>,
}

/// The size for which rates are compared, as in Minstrel's description \[bytes\].
const TYPICAL_BYTES: u32 = 1200;

impl Ladder {
    /// The rates of `timing` up to that of its data frames, for this choice among them: Minstrel looks at those of two
    /// streams as well where they are not faster than those of one. `needed_w` tells the power \[W\] at which a frame of
    /// so many bytes is received at a rate with a given chance, if that is known.
    pub fn new(
        timing: &Timing,
        choice: RateChoice,
        needed_w: Option<impl Fn(Rate, u32, f64) -> f64>,
    ) -> Ladder {
        let rates = timing.data_rates(choice == RateChoice::Minstrel);
        let exchange = |&rate: &Rate| timing.exchange(TYPICAL_BYTES, rate);
        let exchanges: Vec<Duration> = rates.iter().map(exchange).collect();
        let attempts = rates.iter().map(|&rate| timing.test_attempt(rate)).collect();
        let needed_w = needed_w.map_or_else(Vec::new, |needed_w| {
            // A faster rate is worth its failures down to the share at which attempts carry as much.
            let shares =
                exchanges.windows(2).map(|pair| pair[1].as_secs_f64() / pair[0].as_secs_f64());
            let steps = std::iter::once(0.5).chain(shares).zip(&rates);
            steps.map(|(share, &rate)| needed_w(rate, TYPICAL_BYTES, share)).collect()
        });
        let modulations = timing.modulations();
        Ladder {
            rates_bps: rates.iter().map(|rate| modulations[rate.index()].rate_bps).collect(),
            shared: rates.iter().map(|&rate| timing.exchange_overhead(rate)).collect(),
            groups: rates.iter().map(|&rate| timing.group(rate)).collect(),
            rates,
            exchanges,
            attempts,
            needed_w,
        }
    }

    /// Each rate \[bit/s\] with how long an exchange of a packet of 1200 bytes takes at it, slowest first.
    pub fn steps(&self) -> impl Iterator<Item = (f64, Duration)> + '_ {
        self.rates_bps.iter().copied().zip(self.exchanges.iter().copied())
    }

    /// The best rate for this power \[W\]; the slowest if none is known to be good enough.
    fn place_for(&self, power_w: f64) -> usize {
        self.needed_w.iter().rposition(|&needed_w| needed_w <= power_w).unwrap_or(0)
    }
}

/// One station's choice of rates.
#[derive(Debug)]
pub struct RateControl {
    ladder: Ladder,
    rule: Rule,
    links: Vec<(NodeId, Link, Attempts)>,
    rng: Rng,
}

#[derive(Clone, Copy, Debug)]
enum Rule {
    Arf,
    Minstrel,
    Ideal,
    Outside(Outside),
}

/// What is known of the link to one neighbour.
#[derive(Debug)]
enum Link {
    Arf(Arf),
    Minstrel(Minstrel),
    Ideal(Ideal),
    Outside(Box<dyn RateRule>),
}

impl RateControl {
    /// That of `node`, if rates are not fixed.
    pub fn new(
        config: &MacConfig,
        ladder: &Ladder,
        node: NodeId,
        seed: u64,
    ) -> Option<RateControl> {
        let rule = match config.rate {
            RateChoice::Fixed => return None,
            RateChoice::Arf => Rule::Arf,
            RateChoice::Minstrel => Rule::Minstrel,
            RateChoice::Ideal => Rule::Ideal,
            RateChoice::Outside(outside) => Rule::Outside(outside),
        };
        let rng = Rng::stream(seed, Purpose::RateControl, u64::from(node.0));
        Some(RateControl { ladder: ladder.clone(), rule, links: Vec::new(), rng })
    }

    /// The rate of the first attempt at a packet for `neighbour`.
    pub fn first(&mut self, neighbour: NodeId, now: Instant) -> Rate {
        let link = self.link(neighbour);
        self.links[link].2.on_packet(now);
        let (ladder, rng) = (&self.ladder, &mut self.rng);
        let place = match &mut self.links[link].1 {
            Link::Arf(arf) => arf.place(),
            Link::Minstrel(minstrel) => minstrel.first(now, ladder, rng),
            Link::Ideal(ideal) => ideal.place(ladder),
            Link::Outside(rule) => rule.first(now),
        };
        self.ladder.rates[place]
    }

    /// The rate of the next attempt at the same packet.
    pub fn again(&mut self, neighbour: NodeId) -> Rate {
        let link = self.link(neighbour);
        let place = match &mut self.links[link].1 {
            Link::Arf(arf) => arf.place(),
            Link::Minstrel(minstrel) => minstrel.again(),
            Link::Ideal(ideal) => ideal.place(&self.ladder),
            Link::Outside(rule) => rule.again(),
        };
        self.ladder.rates[place]
    }

    /// Whether a data frame at `rate` was acknowledged.
    pub fn on_result(&mut self, neighbour: NodeId, rate: Rate, is_good: bool) {
        let link = self.link(neighbour);
        let highest = self.ladder.rates.len() - 1;
        let place = self.place(rate);
        self.links[link].2.on_result(self.ladder.attempts[place], is_good);
        match &mut self.links[link].1 {
            Link::Arf(arf) => arf.on_result(is_good, highest),
            Link::Minstrel(minstrel) => minstrel.on_result(place, is_good),
            Link::Ideal(ideal) => ideal.on_result(is_good),
            Link::Outside(rule) => rule.on_result(place, is_good),
        }
    }

    /// Of the data frames in an A-MPDU at `rate`, so many were acknowledged and so many were not. To rules that
    /// count attempts it is one, which was acknowledged if half of the frames were.
    pub fn on_results(&mut self, neighbour: NodeId, rate: Rate, good: u32, bad: u32) {
        let link = self.link(neighbour);
        let place = self.place(rate);
        match &mut self.links[link] {
            (_, Link::Minstrel(minstrel), attempts) => {
                minstrel.on_results(place, good, bad);
                for frame in 0..good + bad {
                    attempts.on_result(self.ladder.attempts[place], frame < good);
                }
            }
            _ => self.on_result(neighbour, rate, good >= bad),
        }
    }

    /// A frame came from `neighbour` with this power \[W\].
    pub fn on_heard(&mut self, neighbour: NodeId, power_w: f64) {
        let link = self.link(neighbour);
        self.links[link].2.on_heard(power_w);
        match &mut self.links[link].1 {
            Link::Ideal(ideal) => ideal.on_heard(power_w),
            Link::Outside(rule) => rule.on_heard(power_w),
            Link::Arf(_) | Link::Minstrel(_) => {}
        }
    }

    /// How long a test frame to `neighbour` takes, measured if there were packets for it at `since` or later.
    pub fn airtime(&self, neighbour: NodeId, since: Instant) -> Airtime {
        let known = self.links.iter().find(|(node, ..)| *node == neighbour);
        let attempts = known.map(|(_, _, attempts)| *attempts).unwrap_or_default();
        match attempts.measured(since) {
            Some(time) => Airtime::Delivered(time),
            None => Airtime::Attempt(self.ladder.attempts[self.ladder.place_for(attempts.power_w)]),
        }
    }

    fn place(&self, rate: Rate) -> usize {
        self.ladder.rates.iter().position(|&own| own == rate).unwrap_or_default()
    }

    /// The place of the link to `neighbour`.
    fn link(&mut self, neighbour: NodeId) -> usize {
        if let Some(place) = self.links.iter().position(|(node, ..)| *node == neighbour) {
            return place;
        }
        let link = match self.rule {
            Rule::Arf => Link::Arf(Arf::default()),
            Rule::Minstrel => Link::Minstrel(Minstrel::new(&self.ladder)),
            Rule::Ideal => Link::Ideal(Ideal::default()),
            Rule::Outside(outside) => Link::Outside((outside.maker())(&self.ladder)),
        };
        self.links.push((neighbour, link, Attempts::default()));
        self.links.len() - 1
    }
}
