//! The scenario's `[[wires]]`: cables between nodes, and switches.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Value;

use super::Scenario;
use super::mobility::Mobility;
use crate::config::document::read;
use crate::config::table::not_a_table;
use crate::config::{ConfigError, Error, NodeOrName, positive, within};
use crate::radio::Neighbours;

/// Wires at most.
const MOST: usize = 200;
/// The rates that a wire may have \[bit/s\].
const RATES_BPS: [f64; 2] = [1e3, 1e12];

/// A wire: full duplex, between two nodes by a cable or between more by a switch. Each node has a
/// port of it, with a queue, beside its radios.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WireTable {
    /// What routes and results call it.
    pub name: String,
    /// The nodes that it joins: two or, by a switch, more.
    #[schemars(with = "Vec<NodeOrName>")]
    pub nodes: Vec<u32>,
    /// Its rate, each way (bit/s).
    pub rate_bps: f64,
    /// Time from the first bit out of one port to the first bit into another (s): by default that of
    /// 200 m of cable.
    #[serde(default = "default_delay_s")]
    pub delay_s: f64,
    /// Packets that wait at a port at most; `mac.queue_packets` unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub queue_packets: Option<u32>,
    /// The share of frames that are lost.
    #[serde(default)]
    pub loss: f64,
}

/// 200 m at two thirds of the speed of light.
fn default_delay_s() -> f64 {
    1e-6
}

/// What `error` is of the wire at `place`.
fn of_wire(place: usize) -> impl Fn(ConfigError) -> Error {
    move |error| Error::new(format!("wires.{place}.{}", error.key), error.fault)
}

impl WireTable {
    /// Reads the `[[wires]]`.
    pub(super) fn read_all(value: Option<Value>) -> Result<Vec<WireTable>, Error> {
        let items = match value {
            None => return Ok(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(_) => return Err(Error::new("wires", "must be tables: [[wires]]")),
        };
        let one = |(i, value)| {
            let path = format!("wires.{i}");
            match value {
                Value::Table(table) => read(&path, table.into()),
                other => Err(not_a_table(&path, &other)),
            }
        };
        items.into_iter().enumerate().map(one).collect()
    }

    /// Checks its own keys in a network of so many nodes.
    fn check(&self, nodes: usize) -> Result<(), ConfigError> {
        let wrong = |key, fault: String| Err(ConfigError::new(key, fault));
        if self.name.trim().is_empty() {
            return wrong("name", "must not be empty".to_owned());
        }
        if self.nodes.len() < 2 {
            return wrong("nodes", format!("must be two or more (got {})", self.nodes.len()));
        }
        if let Some(node) = self.nodes.iter().find(|&&node| node as usize >= nodes) {
            return wrong("nodes", format!("must be nodes, 0 to {} (got {node})", nodes - 1));
        }
        let mut members = self.nodes.clone();
        members.sort_unstable();
        if let Some(pair) = members.windows(2).find(|pair| pair[0] == pair[1]) {
            return wrong("nodes", format!("must name each node once (got {} twice)", pair[0]));
        }
        within("rate_bps", self.rate_bps, RATES_BPS[0], RATES_BPS[1])?;
        within("delay_s", self.delay_s, 0.0, 10.0)?;
        if let Some(packets) = self.queue_packets {
            positive("queue_packets", packets.into(), 1e6)?;
        }
        match self.loss {
            0.0..1.0 => Ok(()),
            loss => wrong("loss", format!("must be 0 or more and below 1 (got {loss})")),
        }
    }
}

/// Checks the `wires` of so many nodes that have interfaces of these names besides.
pub(super) fn check(wires: &[WireTable], interfaces: &[&str], nodes: usize) -> Result<(), Error> {
    if wires.len() > MOST {
        return Err(Error::new("wires", format!("must be {MOST} at most (got {})", wires.len())));
    }
    for (i, wire) in wires.iter().enumerate() {
        wire.check(nodes).map_err(of_wire(i))?;
        let taken = |fault| Err(Error::new(format!("wires.{i}.name"), fault));
        if let Some(other) = wires[..i].iter().position(|other| other.name == wire.name) {
            return taken(format!("must be other than that of wire {other}"));
        }
        if let Some(other) = interfaces.iter().position(|&other| other == wire.name) {
            return taken(format!("must be other than that of interface {other}"));
        }
    }
    Ok(())
}

impl Scenario {
    /// Checks that nothing is chosen that cannot have wires.
    pub(super) fn check_wires(&self) -> Result<(), Error> {
        if self.wires.is_empty() {
            return Ok(());
        }
        if self.mobility != Mobility::Static {
            let fault = "must be \"static\" with [[wires]], which tie nodes down";
            return Err(Error::new("mobility.kind", fault));
        }
        self.check_several("with [[wires]]")
    }

    /// The number of the kind of station that the first wire's ports are.
    pub fn first_wire(&self) -> usize {
        self.interfaces.len()
    }

    /// The wire whose ports stations of kind number `kind` are, if they are.
    pub fn wire(&self, kind: usize) -> Option<&WireTable> {
        self.wires.get(kind.checked_sub(self.first_wire())?)
    }

    /// `neighbours` among nodes, and those that wires join.
    pub fn wired(&self, neighbours: Neighbours) -> Neighbours {
        if self.wires.is_empty() {
            return neighbours;
        }
        neighbours.joined(|node| {
            let own = self.wires.iter().filter(move |wire| wire.nodes.contains(&node.0));
            own.flat_map(|wire| &wire.nodes).copied().filter(|&other| other != node.0).collect()
        })
    }
}
