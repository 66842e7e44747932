//! Rate controls from outside: of another crate, or of a file that a scenario names.

use std::fmt::Debug;

use serde::Deserialize;
use serde::de::Deserializer;

use super::Ladder;
use crate::config::outside::{self, Choice};
use crate::kernel::Instant;
use crate::mac::config::RateChoice;

/// The choice of rates for one neighbour, by their places in the [`Ladder`].
pub trait RateRule: Debug + Send + Sync {
    /// The rate of the first attempt at a packet.
    fn first(&mut self, now: Instant) -> usize;

    /// The rate of the next attempt at the same packet.
    fn again(&mut self) -> usize;

    /// Whether a data frame at this rate was acknowledged; of an A-MPDU, whether half of its frames were.
    fn on_result(&mut self, place: usize, is_good: bool);

    /// A frame came from the neighbour with this power \[W\].
    fn on_heard(&mut self, power_w: f64);
}

/// A rate control from outside.
pub type Outside = outside::Outside<Make>;

/// Makes that of a link with these rates to choose from.
pub type Make = dyn Fn(&Ladder) -> Box<dyn RateRule> + Send + Sync;

impl Outside {
    /// The rate control `name`, which `make` makes for each link; it is kept as long as the process lives.
    pub fn new(
        name: &str,
        make: impl Fn(&Ladder) -> Box<dyn RateRule> + Send + Sync + 'static,
    ) -> Outside {
        Outside::made_by(name, Box::new(make))
    }
}

impl Choice for RateChoice {
    type Make = Make;
    const KEY: &'static str = "mac.rate";
    const DEFINITION: &'static str = "RateChoice";
    const OURS: &'static [(&'static str, RateChoice)] = &[
        ("fixed", RateChoice::Fixed),
        ("arf", RateChoice::Arf),
        ("minstrel", RateChoice::Minstrel),
        ("ideal", RateChoice::Ideal),
    ];

    fn from_outside(outside: Outside) -> RateChoice {
        RateChoice::Outside(outside)
    }

    fn outside(&mut self) -> Option<&mut Outside> {
        match self {
            RateChoice::Outside(outside) => Some(outside),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for RateChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RateChoice, D::Error> {
        outside::choice(deserializer)
    }
}
