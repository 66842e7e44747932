//! Adaptive CSMA: a link tries to send the sooner, or sends the longer, the more packets wait for
//! it.
//!
//! Source: Jiang, Walrand, "A distributed CSMA algorithm for throughput and utility maximization in
//! wireless networks", IEEE/ACM Transactions on Networking 18(3), 2010. A link of aggressiveness r
//! waits for a time of mean exp(-r), in units of a transmission, before it sends. If stations sense
//! all with whom they interfere and nothing ever collides, the set x of links that send at once has
//! probability exp(sum of r over x) over the sum of the same over all sets (eq. 2), and r in
//! proportion to queues makes the network carry whatever it can carry (section III). Over 802.11,
//! Lee, Lee, Yi, Chong, Proutiere, Chiang, "Implementing utility-optimal CSMA", Allerton 2009, keep
//! the window and have a turn last in proportion to exp(r).
//!
//! Deviation:
//! - The backoff is uniform on a window of the same mean, as 802.11 draws it, not exponential. As
//!   it is frozen while the medium is busy, shares depend on its mean alone.
//! - A node's links share one queue and one backoff; the first packet's link contends.
//! - The backlog is the node's own: not the difference to that of the next hop, which takes
//!   messages.
//! - Each packet of a longer turn has a frame exchange of its own, with RTS if there is one, a DIFS
//!   after the last.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rule::{Link, Needs, WindowRule, Windows};
use crate::config::{ConfigError, within};
use crate::mac::timing::Timing;
use crate::wire::NodeId;

/// Its name in `mac.access`.
pub const NAME: &str = "adaptive-csma";
/// What it has to be told.
pub const NEEDS: Needs = Needs { backlog: true, overhearing: false, order: false };

/// Packets in one turn at most: a bound of ours, so that exp(r) keeps nobody waiting for seconds.
const MOST_PACKETS: f64 = 64.0;
/// The packet whose airtime is the unit of time unless one is given \[bytes\].
const USUAL_PACKET_BYTES: u32 = 1500;
/// The largest window, 20 s of usual slots: a bound of ours \[slots\].
const WIDEST: f64 = 1e6;

/// Adaptive CSMA (`mac.access = "adaptive-csma"`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AdaptiveCsmaConfig {
    /// What follows the backlog.
    pub vary: Vary,
    /// α: aggressiveness for each data packet of the link at its node.
    pub weight: f64,
    /// Aggressiveness at most.
    pub most: f64,
    /// Given aggressiveness in place of one that follows the backlog, one number a node.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<f64>,
    /// The mean backoff at aggressiveness 0 (s); unless given, the airtime of a packet of 1500
    /// bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub unit_s: Option<f64>,
    /// The window doubles after a failed attempt, up to `cw_max`, as in the DCF.
    pub doubling: bool,
}

/// What follows the backlog of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Vary {
    /// The mean backoff, `unit_s` times exp(-r) (Jiang and Walrand).
    #[default]
    Backoff,
    /// The length of a turn, exp(r) packets, with the window of the DCF (Lee and others).
    Length,
}

impl Default for AdaptiveCsmaConfig {
    fn default() -> Self {
        AdaptiveCsmaConfig {
            vary: Vary::default(),
            weight: 0.5,
            most: 4.0,
            given: Vec::new(),
            unit_s: None,
            doubling: false,
        }
    }
}

impl AdaptiveCsmaConfig {
    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        within("adaptive_csma.weight", self.weight, 0.0, 100.0)?;
        within("adaptive_csma.most", self.most, 0.0, 20.0)?;
        within("adaptive_csma.unit_s", self.unit_s.unwrap_or(1.0), 1e-6, 10.0)?;
        self.given.iter().try_for_each(|&r| within("adaptive_csma.given", r, -20.0, 20.0))
    }

    /// Checks that aggressiveness is given to each of `nodes` nodes if it is to any.
    ///
    /// # Errors
    /// If there are too few or too many.
    pub fn check_nodes(&self, nodes: usize) -> Result<(), ConfigError> {
        let given = self.given.len();
        if given == 0 || given == nodes {
            return Ok(());
        }
        let fault = format!("must have one number a node, {nodes} (got {given})");
        Err(ConfigError::new("adaptive_csma.given", fault))
    }

    /// The rule of `node`.
    pub fn rule(&self, node: NodeId, timing: &Timing) -> AdaptiveCsma {
        let rate = timing.data_rate(node);
        let usual = timing.data(USUAL_PACKET_BYTES, rate).as_secs_f64();
        AdaptiveCsma {
            vary: self.vary,
            weight: self.weight,
            most: self.most,
            given: self.given.get(node.index()).copied(),
            unit_slots: self.unit_s.unwrap_or(usual) / timing.slot.as_secs_f64(),
            doubling: self.doubling,
        }
    }
}

/// Adaptive CSMA of one station.
#[derive(Clone, Debug)]
pub struct AdaptiveCsma {
    vary: Vary,
    weight: f64,
    most: f64,
    given: Option<f64>,
    /// The mean backoff at aggressiveness 0 \[slots\].
    unit_slots: f64,
    doubling: bool,
}

impl AdaptiveCsma {
    fn aggressiveness(&self, link: Link) -> f64 {
        self.given.unwrap_or((self.weight * f64::from(link.backlog)).min(self.most))
    }
}

impl WindowRule for AdaptiveCsma {
    fn name(&self) -> &'static str {
        NAME
    }

    fn windows(&self, link: Link, usual: Windows) -> Windows {
        let least = match self.vary {
            Vary::Length => usual.least,
            Vary::Backoff => {
                let mean_slots = self.unit_slots * (-self.aggressiveness(link)).exp();
                (2.0 * mean_slots).round().clamp(1.0, WIDEST) as u32
            }
        };
        Windows { least, most: if self.doubling { least.max(usual.most) } else { least } }
    }

    fn packets_a_turn(&self, link: Link) -> f64 {
        match self.vary {
            Vary::Backoff => 1.0,
            Vary::Length => self.aggressiveness(link).exp().clamp(1.0, MOST_PACKETS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::MacConfig;
    use crate::profile::Profile;

    const USUAL: Windows = Windows { least: 31, most: 1023 };

    fn timing() -> Timing {
        Timing::new(&MacConfig::default(), Profile::Standard)
    }

    fn link(backlog: u32) -> Link {
        Link { next_hop: NodeId(1), destination: NodeId(2), backlog }
    }

    fn rule(config: AdaptiveCsmaConfig) -> AdaptiveCsma {
        config.rule(NodeId(0), &timing())
    }

    #[test]
    fn each_packet_that_waits_makes_the_mean_backoff_shorter_by_the_same_factor() {
        let rule = rule(AdaptiveCsmaConfig {
            weight: 0.5,
            most: 1.5,
            unit_s: Some(0.01),
            ..AdaptiveCsmaConfig::default()
        });
        // 500 slots of 20 µs at r = 0; exp(-0.5), exp(-1) and exp(-1.5) of it, and no less.
        let windows = [0, 1, 2, 3, 4, 50].map(|backlog| rule.windows(link(backlog), USUAL));
        assert_eq!(windows.map(|it| it.least), [1000, 607, 368, 223, 223, 223]);
        assert!(windows.iter().all(|it| it.most == it.least), "windows do not double");
    }

    #[test]
    fn the_unit_of_time_is_the_airtime_of_a_packet_of_1500_bytes() {
        let rule = rule(AdaptiveCsmaConfig::default());
        // 192 µs and 1528 bytes at 2 Mbit/s are 6304 µs, 315.2 slots.
        assert_eq!(rule.windows(link(0), USUAL).least, 630);
    }

    #[test]
    fn by_length_a_turn_has_more_packets_and_the_window_is_that_of_the_dcf() {
        let rule = rule(AdaptiveCsmaConfig {
            vary: Vary::Length,
            weight: 1.0,
            most: 20.0,
            doubling: true,
            ..AdaptiveCsmaConfig::default()
        });
        assert_eq!(rule.windows(link(3), USUAL), USUAL);
        assert_eq!(rule.packets_a_turn(link(0)), 1.0);
        assert!((rule.packets_a_turn(link(1)) - std::f64::consts::E).abs() < 1e-12);
        assert_eq!(rule.packets_a_turn(link(30)), 64.0);
    }

    #[test]
    fn given_aggressiveness_does_not_follow_the_backlog() {
        let given = vec![0.0, 1.0];
        let config = AdaptiveCsmaConfig { given, unit_s: Some(0.01), ..Default::default() };
        let [first, second] =
            [0, 1].map(|node| config.rule(NodeId(node), &timing()).windows(link(9), USUAL));
        assert_eq!([first.least, second.least], [1000, 368]);
    }
}
