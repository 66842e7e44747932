//! What nodes are called: `topology.names`, or the columns `name` or `id` of a file of positions.
//!
//! A name stands for its node wherever a scenario has one: ends of flows, events, links, gains,
//! nodes that do not move. A node to which a file gives none is called by its number.

use std::collections::{HashMap, HashSet};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use toml::{Table, Value};

use super::remarks::Remarks;
use crate::config::Error;
use crate::config::document::{nearest, read};
use crate::config::shown::shown;
use crate::wire::NodeId;

/// Maximum characters of a name.
const MAX_NAME: usize = 60;
/// Characters that are added to a name at most.
const MOST_ADDED: usize = 8;
const KEY: &str = "topology.names";
/// How the node of the highest number may be called.
pub(super) const LAST: &str = "last";

/// The names of all nodes, no two alike; none at all if nodes have numbers alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Names(Vec<String>);

impl Names {
    /// Takes `names` out of the `[topology]` table; none if there are none.
    pub(super) fn take(topology: &mut Table) -> Result<Names, Error> {
        let names = topology.remove("names").map(|names| read(KEY, names)).transpose()?;
        let names = Names(names.unwrap_or_default());
        let mut places = HashMap::new();
        for (node, name) in names.0.iter().enumerate() {
            let fault = |text: String| Err(Error::new(format!("{KEY}.{node}"), text));
            if name.trim().is_empty() || name.chars().count() > MAX_NAME {
                let got = shown(name);
                return fault(format!("must be 1 to {MAX_NAME} characters (got \"{got}\")"));
            }
            if let Some(other) = places.insert(name, node) {
                let got = shown(name);
                return fault(format!("must not be the name of node {other} (got \"{got}\")"));
            }
        }
        Ok(names)
    }

    /// Those that a `file` gives nodes; a remark tells that some had to be made others. No names if
    /// it gives none.
    pub(super) fn of_file(file: &str, given: Vec<String>, remarks: &mut Remarks) -> Names {
        if given.iter().all(String::is_empty) {
            return Names::default();
        }
        let nameless = given.iter().enumerate().filter(|(_, name)| name.is_empty());
        let mut taken: HashSet<String> = nameless.map(|(node, _)| node.to_string()).collect();
        let mut counts: HashMap<String, u32> = HashMap::new();
        let mut changed = 0;
        let mut fit = |(node, name): (usize, String)| {
            if name.is_empty() {
                return node.to_string();
            }
            let is_short = name.chars().count() <= MAX_NAME;
            if is_short && taken.insert(name.clone()) {
                return name;
            }
            changed += 1;
            let start: String = name.chars().take(MAX_NAME - MOST_ADDED).collect();
            let count = counts.entry(start.clone()).or_insert(1);
            loop {
                *count += 1;
                let made = format!("{start} {count}");
                if taken.insert(made.clone()) {
                    return made;
                }
            }
        };
        let names = given.into_iter().enumerate().map(&mut fit).collect();
        if changed > 0 {
            remarks.warn(format!(
                "{file}: a name is of one node and has at most {MAX_NAME} characters, so {changed} of \
                 them got a number"
            ));
        }
        Names(names)
    }

    /// Checks that there is one for each of `nodes`, or none.
    pub(super) fn check(&self, nodes: usize) -> Result<(), Error> {
        let names = self.0.len();
        match names == 0 || names == nodes {
            true => Ok(()),
            false => {
                let fault = format!("must be as many as there are nodes, {nodes} (got {names})");
                Err(Error::new(KEY, fault))
            }
        }
    }

    /// Whether nodes have numbers alone.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The node of each name.
    pub(super) fn nodes(&self) -> HashMap<&str, u32> {
        self.0.iter().map(String::as_str).zip(0..).collect()
    }

    /// A node as people are told of it: with its number, behind its name if it has one.
    pub(crate) fn told(&self, node: NodeId) -> String {
        let number = node.0.to_string();
        match self.0.get(node.index()).filter(|name| **name != number) {
            Some(name) => format!("{name} ({number})"),
            None => number,
        }
    }

    /// Puts nodes in the places of their names in the scenario's `values`, but for its topology.
    pub(super) fn number(&self, values: &mut Table) -> Result<(), Error> {
        if self.0.is_empty() {
            return Ok(());
        }
        let nodes = self.nodes();
        for (tables, keys) in [
            ("flows", &["source", "destination"][..]),
            ("events", &["node", "next_hop", "neighbour"]),
            ("interfaces", &["nodes", "access_points", "antenna.towards"]),
            ("wires", &["nodes"]),
            ("routing.routes", &["node", "destination", "next_hop"]),
        ] {
            let mut path = tables.split('.');
            let list = path.next().and_then(|first| values.get_mut(first));
            let list = path.try_fold(list, |at, key| Some(at?.get_mut(key))).flatten();
            let items = list.and_then(Value::as_array_mut).into_iter().flatten();
            for (i, item) in items.enumerate() {
                for key in keys {
                    let at = key.split('.').try_fold(&mut *item, |at, key| at.get_mut(key));
                    if let Some(value) = at.filter(|value| !is_word(value)) {
                        number(&nodes, &format!("{tables}.{i}.{key}"), value)?;
                    }
                }
            }
        }
        let slots = values.get_mut("mac").and_then(|mac| mac.get_mut("tdma"));
        if let Some(list) =
            slots.and_then(|tdma| tdma.get_mut("slots")).filter(|list| list.is_array())
        {
            number(&nodes, "mac.tdma.slots", list)?;
        }
        for (table, key) in [("mobility", "fixed_nodes"), ("radio", "gains_db")] {
            let list = values.get_mut(table).and_then(|table| table.get_mut(key));
            if let Some(list) = list.filter(|list| list.is_array()) {
                number(&nodes, &format!("{table}.{key}"), list)?;
            }
        }
        Ok(())
    }

    /// The same in the lists of links that the `topology` may have.
    pub(super) fn number_links(&self, topology: &mut Table) -> Result<(), Error> {
        if self.0.is_empty() {
            return Ok(());
        }
        let nodes = self.nodes();
        ["links", "sensed"].into_iter().try_for_each(|key| match topology.get_mut(key) {
            Some(links) => number(&nodes, &format!("topology.{key}"), links),
            None => Ok(()),
        })
    }
}

/// Puts the number of one of `nodes` in the place of its name, or of each in a list.
fn number(nodes: &HashMap<&str, u32>, path: &str, value: &mut Value) -> Result<(), Error> {
    match value {
        Value::Array(items) => {
            let mut items = items.iter_mut().enumerate();
            items.try_for_each(|(i, item)| number(nodes, &format!("{path}.{i}"), item))
        }
        Value::String(name) => {
            let Some(&node) = nodes.get(name.as_str()) else {
                let near = nearest(name, nodes.keys().copied());
                let near = near.map(|near| format!("; did you mean \"{}\"?", shown(near)));
                let (got, near) = (shown(name), near.unwrap_or_default());
                let fault = format!("must be a node's number or name (got \"{got}\"){near}");
                return Err(Error::new(path, fault));
            };
            *value = Value::from(i64::from(node));
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Whether it stands for an end of a flow, in a list of these words.
fn is_word(value: &Value) -> bool {
    value.as_str().is_some_and(|word| WORDS.contains(&word))
}

/// What may stand for an end of a flow beside a node.
const WORDS: [&str; 2] = ["random", LAST];

impl JsonSchema for Names {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Names".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "items": { "type": "string", "minLength": 1, "maxLength": MAX_NAME },
            "uniqueItems": true,
        })
    }
}
