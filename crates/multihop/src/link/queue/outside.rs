//! Queue managements of another crate.

use serde::Deserialize;
use serde::de::Deserializer;

use super::{QueueDiscipline, QueueRule};
use crate::config::outside::{self, Choice};
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

impl Choice for QueueDiscipline {
    type Make = Make;
    const KEY: &'static str = "link.queue";
    const DEFINITION: &'static str = "QueueDiscipline";
    const OURS: &'static [(&'static str, QueueDiscipline)] = &[
        ("routing-first", QueueDiscipline::RoutingFirst),
        ("drop-tail", QueueDiscipline::DropTail),
        ("priority-classes", QueueDiscipline::PriorityClasses),
        ("codel", QueueDiscipline::Codel),
        ("fq-codel", QueueDiscipline::FqCodel),
    ];

    fn from_outside(outside: Outside) -> QueueDiscipline {
        QueueDiscipline::Outside(outside)
    }

    fn outside(&mut self) -> Option<&mut Outside> {
        match self {
            QueueDiscipline::Outside(outside) => Some(outside),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for QueueDiscipline {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<QueueDiscipline, D::Error> {
        outside::choice(deserializer)
    }
}
