//! Reactions to broken routes of another crate.

use serde::Deserialize;
use serde::de::Deserializer;

use super::{LinkFailure, LinkFailureReaction};
use crate::config::outside::{self, Choice};
use crate::kernel::Duration;

/// A reaction to broken routes from outside.
pub type Outside = outside::Outside<Make>;

/// Makes that of a flow, given `transport.probe_interval_s`.
pub type Make = dyn Fn(Option<Duration>) -> Box<dyn LinkFailureReaction> + Send + Sync;

impl Outside {
    /// The reaction `name`, which `make` makes for each flow, given `transport.probe_interval_s`;
    /// it is kept as long as the process lives.
    pub fn new(
        name: &str,
        make: impl Fn(Option<Duration>) -> Box<dyn LinkFailureReaction> + Send + Sync + 'static,
    ) -> Outside {
        Outside::made_by(name, Box::new(make))
    }
}

impl Choice for LinkFailure {
    type Make = Make;
    const KEY: &'static str = "transport.link_failure";
    const DEFINITION: &'static str = "LinkFailureReaction";
    const OURS: &'static [(&'static str, LinkFailure)] = LinkFailure::OURS;

    fn from_outside(outside: Outside) -> LinkFailure {
        LinkFailure::Outside(outside)
    }

    fn outside(&mut self) -> Option<&mut Outside> {
        match self {
            LinkFailure::Outside(outside) => Some(outside),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for LinkFailure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LinkFailure, D::Error> {
        outside::choice(deserializer)
    }
}
