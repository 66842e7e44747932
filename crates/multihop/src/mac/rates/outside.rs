//! Rate controls from outside: of a file that a scenario names.

use std::borrow::Cow;
use std::fmt::{self, Debug, Formatter};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Deserializer;
use serde::{Deserialize, Serialize, Serializer};

use super::Ladder;
use crate::config::outside::Name;
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

type Make = dyn Fn(&Ladder) -> Box<dyn RateRule> + Send + Sync;

/// A rate control from outside. Two of the same name are equal.
#[derive(Clone, Copy)]
pub struct Outside {
    name: Name,
    /// None until it is found, which is part of reading a scenario.
    make: Option<&'static Make>,
}

impl Outside {
    /// The rate control `name`, which `make` makes for each link; it is kept as long as the process lives.
    pub fn new(
        name: &str,
        make: impl Fn(&Ladder) -> Box<dyn RateRule> + Send + Sync + 'static,
    ) -> Outside {
        Outside { name: Name::new(name), make: Some(Box::leak(Box::new(make))) }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.name.text()
    }

    pub(super) fn make(self, ladder: &Ladder) -> Box<dyn RateRule> {
        self.make.expect("found when the scenario was read")(ladder)
    }
}

impl Debug for Outside {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "Outside({:?})", self.name())
    }
}

impl PartialEq for Outside {
    fn eq(&self, other: &Outside) -> bool {
        self.name == other.name
    }
}

impl Eq for Outside {}

impl Serialize for Outside {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name.serialize(serializer)
    }
}

impl JsonSchema for Outside {
    fn schema_name() -> Cow<'static, str> {
        "OutsideRateControl".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "\\.py:" })
    }
}

impl<'de> Deserialize<'de> for RateChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RateChoice, D::Error> {
        let name = Name::deserialize(deserializer)?;
        let ours = RateChoice::OURS.into_iter().find(|(known, _)| *known == name.text());
        Ok(ours.map_or(RateChoice::Outside(Outside { name, make: None }), |(_, ours)| ours))
    }
}
