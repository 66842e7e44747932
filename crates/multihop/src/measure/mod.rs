//! What a run counts and records.

mod counters;

pub use counters::{MacCounters, QueueCounters, RoutingCounters};
