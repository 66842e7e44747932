//! What a run counts and records.

mod backoffs;
mod counters;
mod delays;
mod fingerprint;
mod queues;
mod series;
mod steadiness;

pub use backoffs::{BackoffCause, BackoffCounts};
pub use counters::{DataCounters, MacCounters, QueueCounters, RoutingCounters};
pub use delays::{DelayReport, Delays};
pub use fingerprint::Fingerprint;
pub use queues::{NodeQueueReport, QueueMeters};
pub use series::{FlowSeries, QueueSeries, Series};
pub use steadiness::{Steadiness, SteadinessReport};
