//! Scheduled events: the `[[events]]` tables.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Value;

use super::wires::WireTable;
use crate::config::document::{must_be_one_of, read};
use crate::config::table::{not_a_table, take_choice};
use crate::config::{Error, NodeOrName};

/// A scheduled event.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum EventTable {
    /// A forced false link failure.
    LinkFailure(LinkFailure),
    /// From `at_s` on no signal passes between two nodes, by the air or by wires, interference
    /// neither; with `wire`, none by that wire. Frames under way arrive.
    LinkCut(LinkChange),
    /// From `at_s` on signals pass again between two nodes whose link was cut.
    LinkRestore(LinkChange),
    /// From `at_s` on the radio of a node is off. Its queues, routing and flows keep their state.
    /// In an emulation its device and its programs end as well.
    NodeKill(NodeChange),
    /// From `at_s` on the radio of a node that was killed is on again, and in an emulation its
    /// device.
    NodeRestore(NodeChange),
}

/// A forced false link failure: from `at_s` on, the MAC of `node` reports the first data packet for
/// `next_hop` as undeliverable without sending it. The link itself still works.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkFailure {
    /// The node that has the packet.
    #[schemars(with = "NodeOrName")]
    pub node: u32,
    /// The next hop of the packet.
    #[schemars(with = "NodeOrName")]
    pub next_hop: u32,
    /// Earliest time of the failure (s).
    pub at_s: f64,
}

/// A link that is cut or restored, both ways.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkChange {
    /// One end.
    #[schemars(with = "NodeOrName")]
    pub node: u32,
    /// The other.
    #[schemars(with = "NodeOrName")]
    pub neighbour: u32,
    /// When (s).
    pub at_s: f64,
    /// The name of the wire that alone is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub wire: Option<String>,
}

/// A node that is killed or restored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeChange {
    /// The node.
    #[schemars(with = "NodeOrName")]
    pub node: u32,
    /// When (s).
    pub at_s: f64,
}

pub(super) const KINDS: [&str; 5] =
    ["link-failure", "link-cut", "link-restore", "node-kill", "node-restore"];

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
                "link-cut" => read(&path, table.into()).map(EventTable::LinkCut),
                "link-restore" => read(&path, table.into()).map(EventTable::LinkRestore),
                "node-kill" => read(&path, table.into()).map(EventTable::NodeKill),
                "node-restore" => read(&path, table.into()).map(EventTable::NodeRestore),
                other => Err(Error::new(format!("{path}.kind"), must_be_one_of(&KINDS, other))),
            }
        };
        items.into_iter().enumerate().map(one).collect()
    }

    /// Checks that the wire it names is one of its two nodes.
    pub(super) fn check_wire(&self, number: usize, wires: &[WireTable]) -> Result<(), Error> {
        let (EventTable::LinkCut(change) | EventTable::LinkRestore(change)) = self else {
            return Ok(());
        };
        let Some(name) = &change.wire else { return Ok(()) };
        let joins = |wire: &&WireTable| {
            [change.node, change.neighbour].iter().all(|node| wire.nodes.contains(node))
        };
        if wires.iter().filter(joins).any(|wire| wire.name == *name) {
            return Ok(());
        }
        let names: Vec<String> =
            wires.iter().filter(joins).map(|wire| format!("\"{}\"", wire.name)).collect();
        let allowed = match names.is_empty() {
            true => "no wire joins them".to_owned(),
            false => format!("allowed: {}", names.join(", ")),
        };
        let fault = format!("must be a wire between its nodes: {allowed} (got \"{name}\")");
        Err(Error::new(format!("events.{number}.wire"), fault))
    }

    /// Checks every key against its bounds in a network of `nodes` that runs for `duration_s`.
    pub(super) fn check(&self, number: usize, nodes: usize, duration_s: f64) -> Result<(), Error> {
        let at = |key: &str, fault| Err(Error::new(format!("events.{number}.{key}"), fault));
        let (node, other, at_s) = match self {
            EventTable::LinkFailure(LinkFailure { node, next_hop, at_s }) => {
                (*node, Some(("next_hop", *next_hop)), *at_s)
            }
            EventTable::LinkCut(change) | EventTable::LinkRestore(change) => {
                (change.node, Some(("neighbour", change.neighbour)), change.at_s)
            }
            EventTable::NodeKill(change) | EventTable::NodeRestore(change) => {
                (change.node, None, change.at_s)
            }
        };
        for (key, node) in [Some(("node", node)), other].into_iter().flatten() {
            if node as usize >= nodes {
                let last = nodes - 1;
                return at(key, format!("must be a node, 0 to {last} (got {node})"));
            }
        }
        if let Some((key, _)) = other.filter(|&(_, other)| other == node) {
            return at(key, "must differ from node".to_owned());
        }
        if !(at_s >= 0.0 && at_s < duration_s) {
            let allowed = format!("must be 0 or more and before duration_s, {duration_s}");
            return at("at_s", format!("{allowed} (got {at_s})"));
        }
        Ok(())
    }
}
