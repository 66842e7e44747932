//! The timings of access categories.

use std::sync::Arc;

use super::Timing;
use crate::mac::categories::{CATEGORIES, CategoriesConfig, Parameters};

impl Timing {
    /// Those of each category of stations that have this one otherwise.
    pub fn of_categories(&self, categories: &CategoriesConfig) -> Arc<[Timing; CATEGORIES]> {
        Arc::new(categories.all().map(|parameters| self.of_category(&parameters)))
    }

    /// The same for an access category with these parameters.
    fn of_category(&self, parameters: &Parameters) -> Timing {
        let difs = self.sifs + self.slot * u64::from(parameters.aifsn);
        Timing {
            difs,
            eifs: self.eifs - self.difs + difs,
            shortest_extension: self.shortest_extension - self.difs + difs,
            cw_min: parameters.cw_min,
            cw_max: parameters.cw_max,
            ..self.clone()
        }
    }
}
