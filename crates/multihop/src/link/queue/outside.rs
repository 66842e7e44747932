//! Queue managements of another crate: what becomes of transports' packets that wait.

use std::fmt::Debug;

use serde::Deserialize;
use serde::de::Deserializer;

use super::QueueDiscipline;
use crate::config::outside::{self, Choice};
use crate::kernel::{Duration, Instant, Rng};
use crate::wire::Packet;

/// The management of a node's interface queue. Transports' packets leave in order of arrival, behind routing and ARP
/// packets, which it never sees; what it decides is which of them do.
pub trait QueueRule: Debug + Send + Sync {
    /// `packet` arrives at a queue that is not full, behind `backlog`.
    fn on_arrival(&mut self, _now: Instant, _packet: &Packet, _backlog: Backlog) -> Verdict {
        Verdict::Pass
    }

    /// `packet` is about to leave after it has `waited`; `backlog` stays behind.
    fn on_departure(
        &mut self,
        _now: Instant,
        _packet: &Packet,
        _waited: Duration,
        _backlog: Backlog,
    ) -> Verdict {
        Verdict::Pass
    }
}

/// Transports' packets that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// How many.
    pub packets: usize,
    /// Their size \[bytes\].
    pub bytes: u64,
    /// How many may wait (`mac.queue_packets`).
    pub most_packets: usize,
}

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on.
    Pass,
    /// It is marked (RFC 3168), or dropped if it is not capable of ECN.
    Mark,
    /// It is dropped.
    Drop,
}

/// A queue management from outside.
pub type Outside = outside::Outside<Make>;

/// Makes that of a node, with random numbers of its own.
pub type Make = dyn Fn(Rng) -> Box<dyn QueueRule> + Send + Sync;

impl Outside {
    /// The queue management `name`, which `make` makes for each node, with random numbers of its own; it is kept as long
    /// as the process lives.
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
