//! What a run counts and records.

mod arrived;
mod backoffs;
mod counters;
mod delays;
mod emodel;
mod fingerprint;
mod parts;
mod queues;
mod series;
mod sketch;
mod steadiness;
mod transfers;
mod voice;

pub use arrived::Arrived;
pub use backoffs::{BackoffCause, BackoffCounts};
pub use counters::{
    CategoryCounters, DataCounters, MacCounters, MessageCount, QueueCounters, RoutingCounters,
};
pub use delays::{DelayReport, Delays};
pub use emodel::Impairment;
pub use fingerprint::Fingerprint;
pub use parts::{Counts, PartCounts};
pub use queues::{NodeQueueReport, QueueMeters};
pub use series::{FlowSeries, Progress, QueueSeries, Series};
pub use steadiness::{Steadiness, SteadinessReport};
pub use transfers::{TransferReport, Transfers};
pub use voice::{Listener, VoiceReport};
