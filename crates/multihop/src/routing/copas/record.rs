//! The record of each choice of paths, made on request.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::collection::Collection;
use super::selection::Candidate;
use crate::kernel::Instant;
use crate::wire::NodeId;

/// The candidate paths of one request, and those taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChoiceReport {
    /// When the collection time ended \[s\].
    pub time_s: f64,
    /// The originator of the request.
    pub originator: u32,
    /// The target, which collected copies and chose.
    pub target: u32,
    /// Whether the request was for the replacement of a path.
    pub replaces: bool,
    /// The candidate paths, in the order in which their copies arrived.
    pub candidates: Vec<CandidateReport>,
    /// Index of the path taken for data; none if that path did not change.
    pub forward: Option<usize>,
    /// Index of the path taken for acknowledgments; none if that path did not change.
    pub reverse: Option<usize>,
}

/// A candidate path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CandidateReport {
    /// Nodes from the originator to the target.
    pub path: Vec<u32>,
    /// Mean backoffs per interval of each relay.
    pub contention: Vec<f32>,
}

impl ChoiceReport {
    /// The choice of `target` from a collection.
    pub fn new(
        now: Instant,
        target: NodeId,
        collection: &Collection,
        [forward, reverse]: [Option<usize>; 2],
    ) -> ChoiceReport {
        let report = |candidate: &Candidate| CandidateReport {
            path: candidate.asked.iter().chain([&target]).map(|node| node.0).collect(),
            contention: candidate.contention.clone(),
        };
        ChoiceReport {
            time_s: now.as_secs_f64(),
            originator: collection.originator.0,
            target: target.0,
            replaces: collection.replaces.is_some(),
            candidates: collection.candidates.iter().map(report).collect(),
            forward,
            reverse,
        }
    }
}
