//! Scheduled events: the `[[events]]` tables.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Value;

use crate::config::Error;
use crate::config::document::{must_be_one_of, read};
use crate::config::table::{not_a_table, take_choice};

/// A scheduled event.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum EventTable {
    /// A forced false link failure.
    LinkFailure(LinkFailure),
}

/// A forced false link failure: from `at_s` on, the MAC of `node` reports the first data packet for
/// `next_hop` as undeliverable without sending it. The link itself still works.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkFailure {
    /// The node that has the packet.
    pub node: u32,
    /// The next hop of the packet.
    pub next_hop: u32,
    /// Earliest time of the failure (s).
    pub at_s: f64,
}

const KINDS: [&str; 1] = ["link-failure"];

impl EventTable {
    /// Reads the `[[events]]`.
    pub(super) fn read_all(value: Option<Value>) -> Result<Vec<EventTable>, Error> {
        let items = match value {
            None => return Ok(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(_) => return Err(Error::new("events", "must be tables: [[events]]")),
        };
        let one = |(i, value)| {
            let path = format!("events.{i}");
            let Value::Table(mut table) = value else { return Err(not_a_table(&path, &value)) };
            match take_choice(&mut table, &path, "kind", &KINDS, None)?.as_str() {
                "link-failure" => read(&path, table.into()).map(EventTable::LinkFailure),
                other => Err(Error::new(format!("{path}.kind"), must_be_one_of(&KINDS, other))),
            }
        };
        items.into_iter().enumerate().map(one).collect()
    }

    /// Checks every key against its bounds in a network of `nodes` that runs for `duration_s`.
    pub(super) fn check(&self, number: usize, nodes: usize, duration_s: f64) -> Result<(), Error> {
        let at = |key: &str, fault| Err(Error::new(format!("events.{number}.{key}"), fault));
        let EventTable::LinkFailure(LinkFailure { node, next_hop, at_s }) = self;
        for (key, node) in [("node", *node), ("next_hop", *next_hop)] {
            if node as usize >= nodes {
                let last = nodes - 1;
                return at(key, format!("must be a node, 0 to {last} (got {node})"));
            }
        }
        if node == next_hop {
            return at("next_hop", "must differ from node".to_owned());
        }
        if !(*at_s >= 0.0 && *at_s < duration_s) {
            let allowed = format!("must be 0 or more and before duration_s, {duration_s}");
            return at("at_s", format!("{allowed} (got {at_s})"));
        }
        Ok(())
    }
}
