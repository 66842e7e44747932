//! The scenario: parse, check, build.
//!
//! [`Scenario::from_toml`] reads a file and says in one line what is wrong with it; what it returns can
//! be trusted. [`Scenario::network`] draws what depends on the seed: placement and random flows.
//! Each table's keys live with the layer they configure.

mod document;
mod error;
mod events;
mod flows;
mod graph;
mod links;
mod mobility;
mod movement_file;
mod network;
mod routing;
mod schemes;
mod topology;

use schemars::JsonSchema;
use serde::Serialize;
use toml::{Table, Value};

use crate::config::ConfigError;
use crate::link::{LinkConfig, Pacing};
use crate::mac::MacConfig;
use crate::mac::config::MacScheme;
use crate::profile::Profile;
use crate::radio::RadioConfig;
use crate::transport::TcpConfig;
use document::{Document, one_of, read, unknown_key};

pub use error::Error;
pub use events::{EventTable, LinkFailure};
pub use flows::{Cbr, End, Flow, FlowKind, FlowTable, Ftp};
pub use mobility::{FixedNodes, Mobility, RandomWaypointTable, SetdestTable};
pub use network::Network;
pub use routing::{CcarTable, Routing};
pub use schemes::{scheme_names, scheme_overrides};
pub use topology::Topology;

/// Simulated time at most \[s\]: about 116 days.
const MAX_DURATION_S: f64 = 1e7;
/// Seeds at most, so that every reader of JSON and TOML keeps them exactly.
const MAX_SEED: u64 = (1 << 53) - 1;

/// A scenario with every default filled in.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What it is, for people.
    #[serde(default)]
    pub title: String,
    /// Simulated time (s).
    pub duration_s: f64,
    /// Seed of all randomness.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Whose rules apply where ns-2.35 and the standards differ.
    #[serde(default)]
    pub profile: Profile,
    /// Where nodes stand.
    pub topology: Topology,
    /// How nodes move.
    #[serde(default)]
    pub mobility: Mobility,
    /// The radio.
    #[serde(default)]
    pub radio: RadioConfig,
    /// Medium access.
    #[serde(default)]
    pub mac: MacConfig,
    /// The link layer.
    #[serde(default)]
    pub link: LinkConfig,
    /// Routing.
    #[serde(default)]
    pub routing: Routing,
    /// Defaults of every TCP flow.
    #[serde(default)]
    pub transport: TcpConfig,
    /// The traffic.
    pub flows: Vec<FlowTable>,
    /// What is made to happen at a time.
    #[serde(default)]
    pub events: Vec<EventTable>,
}

/// The top-level keys.
const KEYS: [&str; 13] = [
    "title",
    "duration_s",
    "seed",
    "profile",
    "topology",
    "mobility",
    "radio",
    "mac",
    "link",
    "routing",
    "transport",
    "flows",
    "events",
];

impl Scenario {
    /// Reads the scenario in `text`, with `overrides` (key path, value) laid over it.
    ///
    /// # Errors
    /// The first fault: one line with the line of the file, the key, what is wrong and what is allowed.
    pub fn from_toml(text: &str, overrides: &[(String, String)]) -> Result<Scenario, Error> {
        let document = Document::parse(text, overrides)?;
        let scenario = Scenario::from_values(document.values.clone())
            .and_then(|scenario| scenario.check().map(|()| scenario));
        scenario.map_err(|error| document.locate(error))
    }

    /// The network for a run with `seed`.
    ///
    /// # Errors
    /// If no placement, no movement or no flow ends as asked for can be found.
    pub fn network(&self, seed: u64) -> Result<Network, Error> {
        Network::new(self, seed)
    }

    fn from_values(mut values: Table) -> Result<Scenario, Error> {
        if let Some(unknown) = values.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(Error::new(unknown.clone(), unknown_key(unknown, &KEYS)));
        }
        let transport = take_table(&mut values, "transport")?;
        let mut topology = match values.remove("topology") {
            None => return Err(Error::new("topology", "is missing: a scenario needs a topology")),
            Some(Value::Table(table)) => table,
            Some(other) => return Err(not_a_table("topology", &other)),
        };
        let kind = take_choice(&mut topology, "topology", "kind", &topology::KINDS, None)?;
        let topology = Topology::read(&kind, topology.into())?;
        let mut mac = take_table(&mut values, "mac")?;
        MacConfig::fill_in_phy(&mut mac);
        let mobility = Mobility::read(take_table(&mut values, "mobility")?, &topology)?;
        Ok(Scenario {
            title: take(&mut values, "title")?.unwrap_or_default(),
            duration_s: take(&mut values, "duration_s")?.ok_or_else(|| {
                Error::new("duration_s", "is missing; must be a number of seconds")
            })?,
            seed: take(&mut values, "seed")?.map_or(Ok(default_seed()), seed)?,
            profile: take(&mut values, "profile")?.unwrap_or_default(),
            topology,
            mobility,
            radio: read::<RadioConfig>("radio", take_table(&mut values, "radio")?.into())?
                .with_defaults(),
            mac: read("mac", mac.into())?,
            link: read("link", take_table(&mut values, "link")?.into())?,
            routing: Routing::read(take_table(&mut values, "routing")?)?,
            transport: read("transport", transport.clone().into())?,
            flows: read_flows(values.remove("flows"), &transport)?,
            events: EventTable::read_all(values.remove("events"))?,
        })
    }

    fn check(&self) -> Result<(), Error> {
        if !(self.duration_s > 0.0 && self.duration_s <= MAX_DURATION_S) {
            let got = self.duration_s;
            let fault = format!("must be above 0 and at most {MAX_DURATION_S} seconds (got {got})");
            return Err(Error::new("duration_s", fault));
        }
        let within = |table: &'static str| {
            move |e: ConfigError| Error::new(format!("{table}.{}", e.key), e.fault)
        };
        self.topology.check()?;
        if let Topology::Positions(_) | Topology::Setdest(_) = self.topology {
            self.topology.positions(self.seed, self.radio.receive_range_m)?;
        }
        if matches!(self.topology, Topology::Links(_)) && self.mobility != Mobility::Static {
            return Err(Error::new("mobility.kind", "must be \"static\": given links do not move"));
        }
        self.mobility.check(&self.topology)?;
        self.radio.check().map_err(within("radio"))?;
        self.mac.check().map_err(within("mac"))?;
        self.link.check().map_err(within("link"))?;
        if self.link.pacing == Pacing::HopByHop && self.mac.scheme == MacScheme::SemiTcp {
            let fault =
                "must be \"none\" with mac.scheme \"semi-tcp\", which holds packets back itself";
            return Err(Error::new("link.pacing", fault));
        }
        self.routing.check(&self.mobility).map_err(within("routing"))?;
        self.transport.check().map_err(within("transport"))?;
        for (i, flow) in self.flows.iter().enumerate() {
            flow.check(i, self.topology.nodes(), self.duration_s)?;
        }
        for (i, event) in self.events.iter().enumerate() {
            event.check(i, self.topology.nodes(), self.duration_s)?;
        }
        match (&self.topology, &self.mobility) {
            (Topology::Random(_), _) | (_, Mobility::Static) => Ok(()),
            // Places that no seed changes can be held against the movement now.
            _ => self.network(self.seed).map(|_| ()),
        }
    }
}

/// The JSON Schema of the scenario file.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Scenario).to_value()
}

fn read_flows(value: Option<Value>, transport: &Table) -> Result<Vec<FlowTable>, Error> {
    let tables = match value {
        None => return Err(Error::new("flows", "is missing: a scenario needs at least one flow")),
        Some(Value::Array(items)) if !items.is_empty() => items,
        Some(Value::Array(_)) => {
            return Err(Error::new("flows", "must hold at least one flow (got none)"));
        }
        Some(_) => return Err(Error::new("flows", "must be tables: [[flows]]")),
    };
    let flow = |(i, value)| match value {
        Value::Table(table) => FlowTable::read(i, table, transport),
        other => Err(not_a_table(&format!("flows.{i}"), &other)),
    };
    tables.into_iter().enumerate().map(flow).collect()
}

fn default_seed() -> u64 {
    1
}

fn seed(seed: i64) -> Result<u64, Error> {
    u64::try_from(seed)
        .ok()
        .filter(|&seed| seed <= MAX_SEED)
        .ok_or_else(|| Error::new("seed", format!("must be 0 to {MAX_SEED} (got {seed})")))
}

fn take<T: serde::de::DeserializeOwned>(
    values: &mut Table,
    key: &'static str,
) -> Result<Option<T>, Error> {
    values.remove(key).map(|value| read(key, value)).transpose()
}

fn take_table(values: &mut Table, key: &'static str) -> Result<Table, Error> {
    match values.remove(key) {
        None => Ok(Table::new()),
        Some(Value::Table(table)) => Ok(table),
        Some(other) => Err(not_a_table(key, &other)),
    }
}

/// Takes out the text that says which of `known` a table is; whether it is known is the caller's
/// question.
fn take_choice(
    table: &mut Table,
    path: &str,
    key: &str,
    known: &[&str],
    default: Option<&str>,
) -> Result<String, Error> {
    let fault = match (table.remove(key), default) {
        (Some(Value::String(text)), _) => return Ok(text),
        (None, Some(default)) => return Ok(default.to_owned()),
        (Some(other), _) => format!("must be {} (got {})", one_of(known), in_words(&other)),
        (None, None) => format!("is missing; must be {}", one_of(known)),
    };
    Err(Error::new(format!("{path}.{key}"), fault))
}

/// What `value` is, in a sentence.
fn in_words(value: &Value) -> String {
    match value {
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => value.to_string(),
        Value::String(text) => format!("\"{text}\""),
        Value::Datetime(_) => "a date or time".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Table(_) => "a table".to_owned(),
    }
}

fn not_a_table(path: &str, got: &Value) -> Error {
    Error::new(path, format!("must be a table (got {})", in_words(got)))
}

fn only_keys(table: &Table, path: &str, known: &[&str]) -> Result<(), Error> {
    match table.keys().find(|key| !known.contains(&key.as_str())) {
        None => Ok(()),
        Some(unknown) => Err(Error::new(format!("{path}.{unknown}"), unknown_key(unknown, known))),
    }
}

#[cfg(test)]
mod tests;
