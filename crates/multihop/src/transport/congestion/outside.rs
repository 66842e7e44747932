//! Congestion controls from outside: of another crate, or of a file that a scenario names.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::{self, Formatter};
use std::sync::{LazyLock, Mutex, PoisonError};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::{CongestionControl, Flavour};
use crate::transport::recovery::Recovery;
use crate::transport::scheme::{Make, Scheme, Sending};

/// The names of all so far: a scenario's parameters are copied to every flow, so names are kept once.
static NAMES: LazyLock<Mutex<BTreeSet<&'static str>>> = LazyLock::new(Mutex::default);

/// A congestion control from outside. Two of the same name are equal.
#[derive(Clone, Copy, Debug)]
pub struct Outside {
    name: &'static str,
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
        Outside { name: kept(name), scheme: Some(Box::leak(Box::new(scheme))) }
    }

    /// Something called `name` that has still to be found.
    pub(super) fn unknown(name: &str) -> Outside {
        Outside { name: kept(name), scheme: None }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.name
    }

    pub(super) fn scheme(self) -> &'static Scheme {
        self.scheme.expect("found when the scenario was read")
    }
}

fn kept(name: &str) -> &'static str {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    names.get(name).copied().unwrap_or_else(|| {
        let name = Box::leak(name.to_owned().into_boxed_str());
        names.insert(name);
        name
    })
}

impl PartialEq for Outside {
    fn eq(&self, other: &Outside) -> bool {
        self.name == other.name
    }
}

impl Eq for Outside {}

impl Serialize for Outside {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
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

/// A name is one of ours or that of a file, never both.
pub(super) fn one_of(schema: &mut Schema) {
    if let Some(forms) = schema.remove("anyOf") {
        schema.insert("oneOf".to_owned(), forms);
    }
}

impl<'de> Deserialize<'de> for Flavour {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Flavour, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = Flavour;

            fn expecting(&self, f: &mut Formatter) -> fmt::Result {
                f.write_str("text")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Flavour, E> {
                Ok(Flavour::named(name))
            }
        }
        deserializer.deserialize_str(Name)
    }
}
