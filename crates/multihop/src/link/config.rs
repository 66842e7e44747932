//! The keys of the scenario's `[link]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::QueueDiscipline;

/// The link layer's parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LinkConfig {
    /// Resolve addresses by ARP before the first unicast to a neighbour.
    pub arp: bool,
    /// How packets wait for the MAC; the queue's size is `mac.queue_packets`. Default: `priority-classes`
    /// with DSR, as in ns-2's scripts, else `routing-first`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueDiscipline>,
}

impl Default for LinkConfig {
    fn default() -> Self {
        LinkConfig { arp: true, queue: None }
    }
}
