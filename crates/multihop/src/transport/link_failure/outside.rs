//! Reactions to broken routes of another crate.

use super::reaction::LinkFailureReaction;
use crate::config::outside;
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
