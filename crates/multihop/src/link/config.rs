//! The keys of the scenario's `[link]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CodelConfig, HopPacingConfig, QueueDiscipline};
use crate::config::ConfigError;

/// The link layer's parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LinkConfig {
    /// Resolve addresses by ARP before the first unicast to a neighbour.
    pub arp: bool,
    /// Discipline of the interface queue; its size is `mac.queue_packets`. Default:
    /// `priority-classes` with DSR, as in ns-2's scripts, else `routing-first`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueDiscipline>,
    /// CoDel, if `queue` has it.
    pub codel: CodelConfig,
    /// How fast a node sends the data of each flow through it.
    pub pacing: Pacing,
    /// Hop-by-hop rate control.
    pub hop_by_hop: HopPacingConfig,
}

/// How fast a node sends the data of each flow through it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pacing {
    /// As fast as its MAC can.
    #[default]
    None,
    /// As fast as the next hop is overheard forwarding it.
    HopByHop,
}

impl Default for LinkConfig {
    fn default() -> Self {
        LinkConfig {
            arp: true,
            queue: None,
            codel: CodelConfig::default(),
            pacing: Pacing::default(),
            hop_by_hop: HopPacingConfig::default(),
        }
    }
}

impl LinkConfig {
    /// Checks every key against its bounds, and that it leaves to the MAC what that does `itself`:
    /// the key that says so, and what it does.
    ///
    /// # Errors
    /// The first key that is out of bounds or contradicts the MAC.
    pub fn check(&self, itself: Option<(&str, &str)>) -> Result<(), ConfigError> {
        self.codel.check()?;
        self.hop_by_hop.check()?;
        if let Some((key, does)) = itself
            && self.pacing != Pacing::None
        {
            let fault = format!("must be \"none\" with {key}, which {does} itself");
            return Err(ConfigError::new("pacing", fault));
        }
        Ok(())
    }
}
