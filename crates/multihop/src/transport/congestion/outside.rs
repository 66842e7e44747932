//! Congestion controls from outside: of another crate, or of a file that a scenario names.

use super::{CongestionControl, Flavour};
use crate::config::outside::{self, chosen_by_name};
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

chosen_by_name! {
    impl Choice for Flavour {
        type Make = Scheme;
        const KEY = "transport.scheme";
        const DEFINITION = "Flavour";
        const OURS = Flavour::OURS;
    }
}
