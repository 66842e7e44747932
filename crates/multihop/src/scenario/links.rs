//! A topology of given links, independent of positions. For networks that a paper draws but that no
//! placement gives.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{Error, NodeOrName};
use crate::radio::{Neighbours, PathLoss, Position, Reach};

/// Maximum number of nodes: every two of them may be a pair.
const MAX_NODES: u32 = 2000;

/// Given links, both ways. Nodes that are in no common pair do not hear each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Links {
    /// Number of nodes.
    pub nodes: u32,
    /// Pairs of nodes that decode each other.
    #[schemars(with = "Vec<[NodeOrName; 2]>")]
    pub links: Vec<[u32; 2]>,
    /// Pairs of nodes that sense each other without decoding.
    #[serde(default)]
    #[schemars(with = "Vec<[NodeOrName; 2]>")]
    pub sensed: Vec<[u32; 2]>,
    /// All nodes sense each other, whether `sensed` names them or not.
    #[serde(default)]
    pub all_sense: bool,
    /// Signal strength and propagation delay over a link are those at this distance (m).
    #[serde(default = "link_m")]
    pub link_m: f64,
    /// Strength and propagation delay of signals that are only sensed are those at this distance
    /// (m).
    #[serde(default = "sensed_m")]
    pub sensed_m: f64,
}

fn link_m() -> f64 {
    200.0
}

fn sensed_m() -> f64 {
    400.0
}

impl Links {
    /// Checks everything except the bounds of the distances.
    pub(super) fn check(&self) -> Result<(), Error> {
        let at = |key: String, fault: String| Err(Error::new(format!("topology.{key}"), fault));
        if !(1..=MAX_NODES).contains(&self.nodes) {
            return at("nodes".into(), format!("must be 1 to {MAX_NODES} (got {})", self.nodes));
        }
        for (key, pairs) in [("links", &self.links), ("sensed", &self.sensed)] {
            for (i, &[a, b]) in pairs.iter().enumerate() {
                if a == b || a.max(b) >= self.nodes {
                    let last = self.nodes - 1;
                    let fault =
                        format!("must be two different nodes, 0 to {last} (got {a} and {b})");
                    return at(format!("{key}.{i}"), fault);
                }
            }
        }
        if self.sensed_m < self.link_m {
            let fault = format!("must be link_m, {}, or more (got {})", self.link_m, self.sensed_m);
            return at("sensed_m".into(), fault);
        }
        Ok(())
    }

    /// Positions for drawings: a circle.
    pub(super) fn positions(&self) -> Vec<Position> {
        let turn = std::f64::consts::TAU / f64::from(self.nodes);
        let radius_m = self.link_m / turn;
        let place = |i: u32| {
            let (sine, cosine) = (turn * f64::from(i)).sin_cos();
            Position { x_m: radius_m * cosine, y_m: radius_m * sine }
        };
        (0..self.nodes).map(place).collect()
    }

    /// The neighbours of all nodes.
    pub(super) fn neighbours(&self, path_loss: &PathLoss) -> Neighbours {
        let pairs = |list: &[[u32; 2]]| list.iter().map(|&[a, b]| (a, b)).collect::<Vec<_>>();
        let sensed = match self.all_sense {
            true => (0..self.nodes).flat_map(|a| (0..a).map(move |b| (a, b))).collect(),
            false => pairs(&self.sensed),
        };
        let reach = Reach { receive_m: self.link_m, sense_m: self.sensed_m };
        Neighbours::of_links(self.nodes as usize, &pairs(&self.links), &sensed, reach, path_loss)
    }
}
