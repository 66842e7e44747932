//! What a large network will take, found out before it is built.

use std::fs;
use std::time::Instant as WallClock;

use super::Scenario;
use super::topology::{Random, Topology};
use crate::config::Error;
use crate::radio::{Neighbour, Neighbours, Reach};
use crate::wire::NodeId;

/// Networks of at most so many nodes are not looked at: with everyone in reach of everyone they
/// take a few hundred megabytes.
const SMALL: usize = 4096;

/// Nodes whose neighbours are listed to find out how many there are and how long listing them
/// takes.
const SAMPLED: usize = 64;

/// Neighbours after which no further node is sampled.
const ENOUGH: usize = 1_000_000;

/// What building a network takes at least. Only who senses whom counts, which is nearly all of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BuildCost {
    /// Nodes.
    pub nodes: usize,
    /// Neighbours within sensing range, added up over all nodes.
    pub neighbours: u64,
    /// Memory \[bytes\].
    pub bytes: u64,
    /// Wall-clock time on this machine \[s\].
    pub build_s: f64,
}

impl Scenario {
    /// What the network of a run with `seed` will take; none if it is small, or its links are
    /// given.
    ///
    /// # Errors
    /// If the nodes cannot be placed.
    pub fn load(&self, seed: u64) -> Result<Option<BuildCost>, Error> {
        let nodes = self.topology.nodes();
        if nodes <= SMALL || matches!(*self.topology, Topology::Links(_)) {
            return Ok(None);
        }
        let radio = &self.radio;
        let (placed, lists) = match &*self.topology {
            // Whether it is connected is asked once more.
            Topology::Random(random) if random.connected => {
                (&Topology::Random(Random { connected: false, ..random.clone() }), 3.0)
            }
            topology => (topology, 2.0),
        };
        let positions = placed.positions(seed, radio.receive_range_m)?;
        let reach = Reach { receive_m: radio.receive_range_m, sense_m: radio.sense_range_m };
        let clock = WallClock::now();
        let (mean, sampled) = Neighbours::mean_count(&positions, reach, SAMPLED, ENOUGH);
        let neighbours = (mean * nodes as f64) as u64;
        let each = size_of::<Neighbour>() + size_of::<NodeId>();
        Ok(Some(BuildCost {
            nodes,
            neighbours,
            bytes: neighbours * each as u64,
            build_s: lists * clock.elapsed().as_secs_f64() * nodes as f64 / sampled as f64,
        }))
    }
}

impl BuildCost {
    /// Refuses what cannot fit into `free_bytes` of memory.
    ///
    /// # Errors
    /// Names both, and what to change.
    pub fn check(&self, free_bytes: u64) -> Result<(), Error> {
        let room = free_bytes.min(u64::from(u32::MAX) * size_of::<Neighbour>() as u64);
        if self.bytes <= room {
            return Ok(());
        }
        let giga = |bytes: u64| bytes as f64 / 1e9;
        let fault = format!(
            "{} nodes with {} others each in sensing range need {:.1} GB of memory, and there is room \
             for {:.1} GB; use fewer nodes, a larger area or a shorter radio.sense_range_m",
            self.nodes,
            self.neighbours / self.nodes as u64,
            giga(self.bytes),
            giga(room)
        );
        Err(Error::new("topology", fault))
    }
}

/// Memory that is free on this machine, within the limit of the process's group \[bytes\]; without
/// bound where the system does not tell.
pub fn free_memory_bytes() -> u64 {
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let group = number("/sys/fs/cgroup/memory.max")
        .zip(number("/sys/fs/cgroup/memory.current"))
        .map(|(most, used)| most.saturating_sub(used));
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
        Some(kilobytes * 1024)
    });
    group.into_iter().chain(machine).min().unwrap_or(u64::MAX)
}
