//! Reactions to broken routes of another crate.

use std::fmt::{self, Debug, Formatter};

use serde::de::Deserializer;
use serde::{Deserialize, Serialize, Serializer};

use super::{LinkFailure, LinkFailureReaction};
use crate::config::outside::Name;
use crate::kernel::Duration;

type Make = dyn Fn(Option<Duration>) -> Box<dyn LinkFailureReaction> + Send + Sync;

/// A reaction to broken routes from outside. Two of the same name are equal.
#[derive(Clone, Copy)]
pub struct Outside {
    name: Name,
    /// None until it is found, which is part of reading a scenario.
    make: Option<&'static Make>,
}

impl Outside {
    /// The reaction `name`, which `make` makes for each flow, given `transport.probe_interval_s`; it is kept as long as
    /// the process lives.
    pub fn new(
        name: &str,
        make: impl Fn(Option<Duration>) -> Box<dyn LinkFailureReaction> + Send + Sync + 'static,
    ) -> Outside {
        Outside { name: Name::new(name), make: Some(Box::leak(Box::new(make))) }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.name.text()
    }

    pub(super) fn make(self, probe_interval: Option<Duration>) -> Box<dyn LinkFailureReaction> {
        self.make.expect("found when the scenario was read")(probe_interval)
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

impl<'de> Deserialize<'de> for LinkFailure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LinkFailure, D::Error> {
        let name = Name::deserialize(deserializer)?;
        let ours = LinkFailure::OURS.into_iter().find(|ours| ours.name() == name.text());
        Ok(ours.unwrap_or(LinkFailure::Outside(Outside { name, make: None })))
    }
}
