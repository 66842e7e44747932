//! A path as its end node sees it, and what it has carried.

use crate::kernel::Duration;
use crate::wire::{NodeId, RouteId};

/// What a path has carried for its end node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathLoad {
    /// Packets of this node's transport.
    pub packets: u64,
    /// Round-trip times measured.
    pub rtt_samples: u64,
    /// Their sum.
    pub rtt_total: Duration,
}

/// A path as seen from one of its end nodes.
#[derive(Clone, Debug)]
pub struct Path {
    /// Its ROUTE_ID.
    pub id: RouteId,
    /// The first node on it.
    pub next_hop: NodeId,
    /// Its length in hops.
    pub hops: u8,
    /// Its mean round-trip time, once measured.
    pub rtt: Option<Duration>,
    /// What it has carried.
    pub load: PathLoad,
}

impl Path {
    /// A path that has carried nothing.
    pub fn new(id: RouteId, next_hop: NodeId, hops: u8) -> Path {
        Path { id, next_hop, hops, rtt: None, load: PathLoad::default() }
    }

    /// Adds a round-trip time to the mean, with `weight` from 0 to 1.
    pub fn add_rtt(&mut self, sample: Duration, weight: f64) {
        self.load.rtt_samples += 1;
        self.load.rtt_total += sample;
        self.rtt = Some(match self.rtt {
            None => sample,
            Some(mean) => Duration::from_secs_f64(
                mean.as_secs_f64() * (1.0 - weight) + sample.as_secs_f64() * weight,
            ),
        });
    }
}
