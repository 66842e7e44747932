//! What a run reports of each choice of paths, if asked to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::collection::Collection;
use super::selection::Candidate;
use crate::kernel::Instant;
use crate::wire::NodeId;

/// The paths that one request came by, and which were taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChoiceReport {
    /// When the collection time was over \[s\].
    pub time_s: f64,
    /// Who asked.
    pub originator: u32,
    /// Who collected and chose.
    pub target: u32,
    /// Whether the request was for the replacement of a path.
    pub replaces: bool,
    /// The paths, in the order in which the request came by them.
    pub candidates: Vec<CandidateReport>,
    /// Place of the path taken for data; none if that path stayed as it was.
    pub forward: Option<usize>,
    /// Place of the path taken for acknowledgments; none if that path stayed as it was.
    pub reverse: Option<usize>,
}

/// A path that a request came by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CandidateReport {
    /// From who asked to who chose.
    pub path: Vec<u32>,
    /// Mean backoffs an interval of each relay.
    pub contention: Vec<f32>,
}

impl ChoiceReport {
    /// What `target` took of a collection.
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
