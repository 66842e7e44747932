//! The rate controls that `mac.rate` chooses among.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::arf::Arf;
use super::ideal::Ideal;
use super::minstrel::Minstrel;
use super::outside::{Maker, Outside};
use super::rate_set::RateSet;
use super::rule::RateRule;
use crate::config::outside::{chosen_by_name, one_of};

/// How the rate of a data frame is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = one_of)]
pub enum RateChoice {
    /// Always `data_rate_bps`.
    #[default]
    Fixed,
    /// Automatic rate fallback: up after ten successes, down after two failures.
    Arf,
    /// The rate of the highest throughput, with one packet in ten to look around.
    Minstrel,
    /// The fastest that the power of the last frame from the neighbour allows; radio.reception
    /// "sinr" only.
    Ideal,
    /// One of another crate, or of a file of Python: `FILE.py:CLASS`.
    #[serde(untagged)]
    Outside(Outside),
}

impl RateChoice {
    /// The rule of a link with the rates of `rate_set`; none if rates are fixed.
    pub(super) fn rule(self, rate_set: &Arc<RateSet>) -> Option<Box<dyn RateRule>> {
        Some(match self {
            RateChoice::Fixed => return None,
            RateChoice::Arf => Box::new(Arf::new(rate_set)),
            RateChoice::Minstrel => Box::new(Minstrel::new(rate_set)),
            RateChoice::Ideal => Box::new(Ideal::new(rate_set)),
            RateChoice::Outside(outside) => (outside.maker().make)(rate_set),
        })
    }

    /// Whether its rule looks at rates of more streams where they are not faster than those of one.
    pub fn takes_all_rates(self) -> bool {
        match self {
            RateChoice::Fixed | RateChoice::Arf | RateChoice::Ideal => false,
            RateChoice::Minstrel => true,
            RateChoice::Outside(outside) => outside.maker().takes_all_rates,
        }
    }
}

chosen_by_name! {
    impl Choice for RateChoice {
        type Make = Maker;
        const KEY = "mac.rate";
        const DEFINITION = "RateChoice";
        const OURS = &[
            ("fixed", RateChoice::Fixed),
            ("arf", RateChoice::Arf),
            ("minstrel", RateChoice::Minstrel),
            ("ideal", RateChoice::Ideal),
        ];
    }
}
