//! The keys of the scenario's `[link.hop_by_hop]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, interval, positive, within};

/// Hop-by-hop rate control.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HopPacingConfig {
    /// Packets of a flow that may be outstanding at the next hop (packets).
    pub packets_ahead: u32,
    /// Pause of a flow after each packet, as a multiple of the time from sending the packet until
    /// the next hop was overheard forwarding it. The node sends the flow for at most 1 / (1 + rest)
    /// of the time.
    pub rest: f64,
    /// Timeout, as a multiple of the mean of that time: a packet that was not overheard within it
    /// counts as forwarded. Doubles with each such packet in a row.
    pub patience: f64,
    /// Minimum and maximum of the timeout (s).
    pub patience_s: [f64; 2],
    /// Timeout before the first packet is overheard (s).
    pub initial_patience_s: f64,
    /// A packet that the MAC could not deliver to a neighbour from which any frame was decoded
    /// within this time goes back to the head of its queue, its flow rests, and routing is not
    /// told; 0: never (s).
    pub keep_s: f64,
    /// A flow is at most so many times as fast as the slowest other one of which the node hears
    /// data; 0: no such limit.
    pub lead: f64,
    /// A flow that was not heard to advance for longer than this is forgotten; see `lead` (s).
    pub memory_s: f64,
}

impl Default for HopPacingConfig {
    fn default() -> Self {
        HopPacingConfig {
            packets_ahead: 1,
            rest: 1.0,
            patience: 4.0,
            patience_s: [0.02, 2.0],
            initial_patience_s: 0.1,
            keep_s: 0.0,
            lead: 0.0,
            memory_s: 0.5,
        }
    }
}

impl HopPacingConfig {
    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        if !(1..=1000).contains(&self.packets_ahead) {
            let fault = format!("must be 1 to 1000 (got {})", self.packets_ahead);
            return Err(ConfigError::new("hop_by_hop.packets_ahead", fault));
        }
        within("hop_by_hop.rest", self.rest, 0.0, 100.0)?;
        within("hop_by_hop.patience", self.patience, 1.0, 1000.0)?;
        let [least_s, most_s] = self.patience_s;
        interval("hop_by_hop.patience_s", least_s, 3600.0)?;
        within("hop_by_hop.patience_s", most_s, least_s, 3600.0)?;
        positive("hop_by_hop.initial_patience_s", self.initial_patience_s, most_s)?;
        within("hop_by_hop.keep_s", self.keep_s, 0.0, 3600.0)?;
        within("hop_by_hop.lead", self.lead, 0.0, 1000.0)?;
        positive("hop_by_hop.memory_s", self.memory_s, 3600.0)
    }
}
