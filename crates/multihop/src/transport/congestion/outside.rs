//! Congestion controls from outside: of another crate, or of a file that a scenario names.

use super::control::CongestionControl;
use crate::config::outside;

/// A congestion control from outside.
pub type Outside = outside::Outside<Make>;

/// Makes that of a flow.
pub type Make = dyn Fn() -> Box<dyn CongestionControl> + Send + Sync;

impl Outside {
    /// The congestion control `name`, which `make` makes for each flow; it is kept as long as the
    /// process lives. A sender that counts duplicates repairs losses as NewReno's does.
    pub fn new(
        name: &str,
        make: impl Fn() -> Box<dyn CongestionControl> + Send + Sync + 'static,
    ) -> Outside {
        Outside::made_by(name, Box::new(make))
    }
}
