//! Congestion controls from outside: of another crate, or of a file that a scenario names.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Deserializer;
use serde::{Deserialize, Serialize, Serializer};

use super::{CongestionControl, Flavour};
use crate::config::outside::Name;
use crate::transport::recovery::Recovery;
use crate::transport::scheme::{Make, Scheme, Sending};

/// A congestion control from outside. Two of the same name are equal.
#[derive(Clone, Copy, Debug)]
pub struct Outside {
    name: Name,
    /// None until it is found, which is part of reading a scenario.
    scheme: Option<&'static Scheme>,
}

impl Outside {
    /// The congestion control `name`, which `make` makes for each flow; it is kept as long as the process lives.
    /// A sender that counts duplicates repairs losses as NewReno's does.
    pub fn new(
        name: &str,
        make: impl Fn() -> Box<dyn CongestionControl> + Send + Sync + 'static,
    ) -> Outside {
        let make = Make::Outside(Box::leak(Box::new(make)));
        let sending = Sending::Windowed(make, Recovery::NewReno);
        let scheme = Scheme { sending, ..super::newreno::SCHEME };
        Outside { name: Name::new(name), scheme: Some(Box::leak(Box::new(scheme))) }
    }

    /// Something called `name` that has still to be found.
    pub(super) fn unknown(name: Name) -> Outside {
        Outside { name, scheme: None }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.name.text()
    }

    pub(super) fn scheme(self) -> &'static Scheme {
        self.scheme.expect("found when the scenario was read")
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
        "Outside".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "\\.py:" })
    }
}

impl<'de> Deserialize<'de> for Flavour {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Flavour, D::Error> {
        Name::deserialize(deserializer).map(Flavour::named)
    }
}
