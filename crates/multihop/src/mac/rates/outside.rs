//! Rate controls from outside: of another crate, or of a file that a scenario names.

use std::sync::Arc;

use super::rate_set::RateSet;
use super::rule::RateRule;
use crate::config::outside;

/// A rate control from outside.
pub type Outside = outside::Outside<Maker>;

/// What makes the rules of a rate control.
pub struct Maker {
    /// Makes that of a link with these rates to choose from.
    pub(super) make: Box<Make>,
    /// As [`super::RateChoice::takes_all_rates`].
    pub(super) takes_all_rates: bool,
}

type Make = dyn Fn(&Arc<RateSet>) -> Box<dyn RateRule> + Send + Sync;

impl Outside {
    /// The rate control `name`, which `make` makes for each link; it is kept as long as the process
    /// lives.
    pub fn new(
        name: &str,
        make: impl Fn(&Arc<RateSet>) -> Box<dyn RateRule> + Send + Sync + 'static,
    ) -> Outside {
        let maker = Maker { make: Box::new(make), takes_all_rates: false };
        Outside::made_by(name, Box::new(maker))
    }

    /// The same, among all rates: those of two streams even where they are not faster than those of
    /// one.
    pub fn among_all(
        name: &str,
        make: impl Fn(&Arc<RateSet>) -> Box<dyn RateRule> + Send + Sync + 'static,
    ) -> Outside {
        let maker = Maker { make: Box::new(make), takes_all_rates: true };
        Outside::made_by(name, Box::new(maker))
    }
}
