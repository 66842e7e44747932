//! Queue managements of another crate.

use super::{QueueDiscipline, QueueRule};
use crate::config::outside::{self, chosen_by_name};
use crate::kernel::Rng;

/// A queue management from outside.
pub type Outside = outside::Outside<Make>;

/// Makes that of a node, with random numbers of its own.
pub type Make = dyn Fn(Rng) -> Box<dyn QueueRule> + Send + Sync;

impl Outside {
    /// The queue management `name`, which `make` makes for each node, with random numbers of its
    /// own; it is kept as long as the process lives.
    pub fn new(
        name: &str,
        make: impl Fn(Rng) -> Box<dyn QueueRule> + Send + Sync + 'static,
    ) -> Outside {
        Outside::made_by(name, Box::new(make))
    }
}

chosen_by_name! {
    impl Choice for QueueDiscipline {
        type Make = Make;
        const KEY = "link.queue";
        const DEFINITION = "QueueDiscipline";
        const OURS = &[
            ("routing-first", QueueDiscipline::RoutingFirst),
            ("drop-tail", QueueDiscipline::DropTail),
            ("priority-classes", QueueDiscipline::PriorityClasses),
            ("codel", QueueDiscipline::Codel),
            ("fq-codel", QueueDiscipline::FqCodel),
        ];
    }
}
