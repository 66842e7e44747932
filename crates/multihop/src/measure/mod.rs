//! What a run counts and records.

mod counters;
mod fingerprint;
mod series;
mod steadiness;

pub use counters::{AdmissionCounters, DataCounters, MacCounters, QueueCounters, RoutingCounters};
pub use fingerprint::Fingerprint;
pub use series::{FlowSeries, QueueSeries, Series};
pub use steadiness::{Steadiness, SteadinessReport};
