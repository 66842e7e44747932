//! Congestion controls from outside: of another crate, or of a file that a scenario names.

use serde::Deserialize;
use serde::de::Deserializer;

use super::{CongestionControl, Flavour};
use crate::config::outside::{self, Choice};
use crate::transport::recovery::Recovery;
use crate::transport::scheme::{Make, Scheme, Sending};

/// A congestion control from outside.
pub type Outside = outside::Outside<Scheme>;

impl Outside {
    /// The congestion control `name`, which `make` makes for each flow; it is kept as long as the
    /// process lives. A sender that counts duplicates repairs losses as NewReno's does.
    pub fn new(
        name: &str,
        make: impl Fn() -> Box<dyn CongestionControl> + Send + Sync + 'static,
    ) -> Outside {
        let make = Make::Outside(Box::leak(Box::new(make)));
        let sending = Sending::Windowed(make, Recovery::NewReno);
        Outside::made_by(name, Box::new(Scheme { sending, ..super::newreno::SCHEME }))
    }
}

impl Choice for Flavour {
    type Make = Scheme;
    const KEY: &'static str = "transport.scheme";
    const DEFINITION: &'static str = "Flavour";
    const OURS: &'static [(&'static str, Flavour)] = Flavour::OURS;

    fn from_outside(outside: Outside) -> Flavour {
        Flavour::Outside(outside)
    }

    fn outside(&mut self) -> Option<&mut Outside> {
        match self {
            Flavour::Outside(outside) => Some(outside),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Flavour {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Flavour, D::Error> {
        outside::choice(deserializer)
    }
}
