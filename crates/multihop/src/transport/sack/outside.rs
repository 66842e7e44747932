//! Loss recoveries of another crate.

use super::detection::LossDetection;
use crate::config::outside;

/// A loss recovery from outside.
pub type Outside = outside::Outside<Maker>;

/// What makes the detections of a loss recovery.
pub struct Maker {
    /// Makes that of a flow.
    pub(super) make: Box<Make>,
    /// As [`super::RecoveryScheme::uses_probes`].
    pub(super) uses_probes: bool,
}

type Make = dyn Fn() -> Box<dyn LossDetection> + Send + Sync;

impl Outside {
    /// The loss recovery `name`, which `make` makes for each flow; it is kept as long as the
    /// process lives.
    pub fn new(
        name: &str,
        make: impl Fn() -> Box<dyn LossDetection> + Send + Sync + 'static,
    ) -> Outside {
        Outside::made_by(name, Box::new(Maker { make: Box::new(make), uses_probes: false }))
    }

    /// The same, of one that has a use for tail loss probes as RACK has: they, `recovery.prr` and
    /// `recovery.undo` are on unless the scenario says otherwise.
    pub fn with_probes(
        name: &str,
        make: impl Fn() -> Box<dyn LossDetection> + Send + Sync + 'static,
    ) -> Outside {
        Outside::made_by(name, Box::new(Maker { make: Box::new(make), uses_probes: true }))
    }
}
