//! DiffQ: packets with a larger difference of backlogs to their next hop go first, at their node by
//! order and among nodes by smaller contention windows.
//!
//! Source: Warrier, Janakiraman, Ha, Rhee, "DiffQ: practical differential backlog congestion
//! control for wireless networks", INFOCOM 2009, as its authors describe it on the project's page:
//! nodes keep backlogs by destination and tell neighbours of them in the headers of their packets;
//! of the packets that wait the one with the largest difference of its backlog here and at its next
//! hop leaves; the difference is translated in proportion to a priority, which the access
//! categories of 802.11e are to honour.
//!
//! Deviation:
//! - The number of priorities and their windows are ours; no interframe space changes.
//! - The backlog that a data frame tells costs no bytes.
//! - The sources' rate control is left out: TCP or the application rules it.

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rule::{Link, Needs, WindowRule, Windows};
use crate::config::{ConfigError, within};
use crate::mac::categories::MOST_CW;
use crate::measure::Counts;
use crate::wire::{Frame, NodeId, Notice, Packet};

/// Its name in `mac.access`.
pub const NAME: &str = "diffq";
/// What it has to be told.
pub const NEEDS: Needs = Needs { backlog: true, overhearing: true, order: true };

/// Priorities at most.
const MOST_PRIORITIES: usize = 16;

/// DiffQ (`mac.access = "diffq"`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DiffqConfig {
    /// The smallest contention window of each priority, from the lowest on (slots).
    pub windows: Vec<u32>,
    /// The difference from which on a packet has the highest priority (packets). Below, priorities
    /// are in proportion; without a difference it is the lowest.
    pub full_packets: u32,
}

impl Default for DiffqConfig {
    fn default() -> Self {
        DiffqConfig { windows: vec![63, 31, 15, 7], full_packets: 12 }
    }
}

impl DiffqConfig {
    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        let count = self.windows.len();
        if count == 0 || count > MOST_PRIORITIES {
            let fault = format!("must be 1 to {MOST_PRIORITIES} windows (got {count})");
            return Err(ConfigError::new("diffq.windows", fault));
        }
        for &window in &self.windows {
            within("diffq.windows", window.into(), 1.0, MOST_CW.into())?;
        }
        within("diffq.full_packets", self.full_packets.into(), 1.0, 255.0)
    }
}

/// What all stations have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffqCounters {
    /// Backlogs of neighbours that stations overheard, in data frames for others.
    pub backlogs_heard: u64,
}

/// DiffQ of one station.
#[derive(Debug)]
pub struct Diffq {
    config: DiffqConfig,
    /// The last that was heard of neighbours' backlogs: neighbour, destination, packets.
    told: FxHashMap<(NodeId, NodeId), u32>,
    counters: DiffqCounters,
}

impl Diffq {
    /// A station that has heard nothing.
    pub fn new(config: &DiffqConfig) -> Diffq {
        Diffq {
            config: config.clone(),
            told: FxHashMap::default(),
            counters: DiffqCounters::default(),
        }
    }

    /// How many packets more wait here than at the next hop; it has none for itself, nor as long as
    /// nothing was heard.
    fn difference(&self, link: Link) -> u32 {
        let there = match link.next_hop == link.destination {
            true => 0,
            false => self.told.get(&(link.next_hop, link.destination)).copied().unwrap_or(0),
        };
        link.backlog.saturating_sub(there)
    }
}

impl WindowRule for Diffq {
    fn name(&self) -> &'static str {
        NAME
    }

    fn key(&self, _: NodeId, packet: &Packet) -> NodeId {
        packet.destination
    }

    fn windows(&self, link: Link, usual: Windows) -> Windows {
        let highest = self.config.windows.len() - 1;
        let priority = self.difference(link) as usize * highest / self.config.full_packets as usize;
        let least = self.config.windows[priority.min(highest)];
        Windows { least, most: usual.most.max(least) }
    }

    fn rank(&self, link: Link) -> u64 {
        u64::from(u32::MAX - self.difference(link))
    }

    fn tells(&self, backlog: u32) -> Notice {
        Notice::Backlog(u8::try_from(backlog).unwrap_or(u8::MAX))
    }

    fn on_overheard(&mut self, frame: &Frame, packet: &Packet) {
        if let Notice::Backlog(packets) = frame.notice {
            self.counters.backlogs_heard += 1;
            self.told.insert((frame.transmitter, packet.destination), packets.into());
        }
    }

    fn report(&self, counts: &mut Counts) {
        counts.add("backlogs_heard", self.counters.backlogs_heard);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Instant;
    use crate::wire::{Body, FlowId, FrameKind, Rate, udp};

    const HERE: NodeId = NodeId(0);
    const NEXT: NodeId = NodeId(1);
    const LAST: NodeId = NodeId(2);
    const USUAL: Windows = Windows { least: 31, most: 1023 };

    fn link(destination: NodeId, backlog: u32) -> Link {
        Link { next_hop: NEXT, destination, backlog }
    }

    /// `station` overhears its next hop tell of this backlog.
    fn hear(station: &mut Diffq, destination: NodeId, backlog: u32) {
        let packet = Packet::new(
            HERE,
            destination,
            Instant::ZERO,
            Body::Udp(udp::Datagram::zeros(FlowId(0), 0, 100)),
        );
        let frame = Frame::new(FrameKind::Data, Rate(0), NEXT, LAST);
        let frame = Frame { notice: station.tells(backlog), ..frame };
        station.on_overheard(&frame, &packet);
    }

    #[test]
    fn the_window_shrinks_in_proportion_to_the_difference() {
        let mut station = Diffq::new(&DiffqConfig::default());
        let least = |station: &Diffq, backlog| station.windows(link(LAST, backlog), USUAL).least;
        // Four priorities, 12 packets: a priority more every four.
        let found = [0, 3, 4, 7, 8, 11, 12, 40].map(|backlog| least(&station, backlog));
        assert_eq!(found, [63, 63, 31, 31, 15, 15, 7, 7]);
        hear(&mut station, LAST, 8);
        assert_eq!([8, 12, 20].map(|backlog| least(&station, backlog)), [63, 31, 7]);
        hear(&mut station, NodeId(3), 0);
        assert_eq!(least(&station, 12), 31, "told of another destination");
    }

    #[test]
    fn a_next_hop_keeps_nothing_of_what_is_for_it() {
        let mut station = Diffq::new(&DiffqConfig::default());
        hear(&mut station, NEXT, 9);
        assert_eq!(station.windows(link(NEXT, 12), USUAL).least, 7);
    }

    #[test]
    fn of_the_packets_that_wait_that_with_the_largest_difference_leaves_first() {
        let mut station = Diffq::new(&DiffqConfig::default());
        hear(&mut station, LAST, 8);
        let [more, fewer] =
            [(LAST, 10), (NEXT, 3)].map(|(to, count)| station.rank(link(to, count)));
        assert!(fewer < more, "3 less 0 before 10 less 8");
    }

    #[test]
    fn a_backlog_beyond_what_a_byte_holds_is_told_as_the_largest() {
        let station = Diffq::new(&DiffqConfig::default());
        assert_eq!(station.tells(300), Notice::Backlog(255));
    }
}
