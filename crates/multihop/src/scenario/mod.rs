//! The scenario: parse, check, draw.
//!
//! [`Scenario::from_toml`] reads a file and says in one line what is wrong with it; what it returns
//! can be trusted. [`Scenario::network`] draws what depends on the seed: placement, movement and
//! random flows. Each table's keys live with the layer they configure.

mod agents;
mod antenna_table;
mod cells;
mod coverage;
mod doubts;
mod encoding;
mod events;
mod file;
mod flows;
mod gains_file;
mod graph;
mod interface_radio;
mod interfaces;
mod limits;
mod links;
mod load;
mod mobility;
mod movement_file;
mod names;
mod neighbouring_channels;
mod network;
mod packets;
mod places;
mod positions_file;
mod reach;
mod remarks;
mod short;
mod slots;
mod table_file;
mod topology;
mod wires;

use schemars::JsonSchema;
use serde::Serialize;
use toml::{Table, Value};

use crate::agents::AgentTable;
use crate::config::ConfigError;
use crate::config::document::{Document, Override, read, unknown_key};
use crate::config::table::{not_a_table, take, take_table};
use crate::link::LinkConfig;
use crate::mac::MacConfig;
use crate::mac::config::RateChoice;
use crate::profile::Profile;
use crate::radio::RadioConfig;
use crate::radio::config::Reception;
use crate::routing::{Routing, Setting};
use crate::schemes::Schemes;
use crate::transport::TcpConfig;

pub use crate::config::Error;
pub use events::{EventTable, LinkChange, LinkFailure, NodeChange};
pub use flows::{
    Cbr, Common, End, File, FlowLoad, FlowSpec, FlowTable, Ftp, Of, OnOff, Over, RequestResponse,
    Trace, Voice, Web,
};
pub use interfaces::{InterfaceTable, Role};
pub use load::{BuildCost, free_memory_bytes};
pub use mobility::{FixedNodes, Mobility, RandomWaypointTable, SetdestTable};
pub use names::Names;
pub use network::Network;
pub use packets::LargestPacket;
pub use topology::{NamedTopology, Topology};
pub use wires::WireTable;

use limits::{MAX_DURATION_S, MAX_SEED};
use remarks::Remarks;

/// A scenario with every default filled in.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// A title for people.
    #[serde(default)]
    pub title: String,
    /// Simulated time (s).
    pub duration_s: f64,
    /// Seed of all randomness.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Which rules apply where ns-2.35 and the standards differ.
    #[serde(default)]
    pub profile: Profile,
    /// Node positions or links.
    pub topology: NamedTopology,
    /// How nodes move.
    #[serde(default)]
    pub mobility: Mobility,
    /// The radio.
    #[serde(default)]
    pub radio: RadioConfig,
    /// Medium access.
    #[schemars(default = "default_mac")]
    pub mac: MacConfig,
    /// Kinds of station; unless given every node has one station, all on one channel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interfaces: Vec<InterfaceTable>,
    /// Wires between nodes; beside them nodes without `interfaces` have one called `radio`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wires: Vec<WireTable>,
    /// The link layer.
    #[serde(default)]
    pub link: LinkConfig,
    /// Routing.
    #[schemars(default = "default_routing")]
    pub routing: Routing,
    /// Defaults for every TCP flow.
    #[schemars(default = "default_transport")]
    pub transport: TcpConfig,
    /// The traffic.
    pub flows: Vec<FlowTable>,
    /// Scheduled events.
    #[serde(default)]
    pub events: Vec<EventTable>,
    /// Policies that steer flows or nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentTable>,
    /// The names that messages of routing may have.
    #[serde(skip)]
    pub(crate) messages: Vec<&'static str>,
    /// What there is to say of the files that were read into it.
    #[serde(skip)]
    remarks: Remarks,
}

/// The top-level keys.
const KEYS: [&str; 16] = [
    "title",
    "duration_s",
    "seed",
    "profile",
    "topology",
    "mobility",
    "radio",
    "mac",
    "interfaces",
    "wires",
    "link",
    "routing",
    "transport",
    "flows",
    "events",
    "agents",
];

impl Scenario {
    /// Reads the scenario in `text` and applies `overrides` (key path, value).
    ///
    /// # Errors
    /// The first fault: one line with the line of the file, the key, what is wrong and what is
    /// allowed.
    pub fn from_toml(text: &str, overrides: &[(String, String)]) -> Result<Scenario, Error> {
        Scenario::with_schemes(&Schemes::standard(), text, overrides)
    }

    /// As [`Scenario::from_toml`], with these schemes to choose from.
    ///
    /// # Errors
    /// The first fault, as there.
    pub fn with_schemes(
        schemes: &Schemes,
        text: &str,
        overrides: &[(String, String)],
    ) -> Result<Scenario, Error> {
        let mut document = Document::from_toml(text)?;
        document.lay(overrides.iter().map(|(path, value)| Override::from_text(path, value)))?;
        Scenario::from_document(schemes, &document)
    }

    /// Reads the scenario in `document`, with these schemes to choose from.
    ///
    /// # Errors
    /// The first fault, as in [`Scenario::from_toml`]; the line only if the document is TOML.
    pub fn from_document(schemes: &Schemes, document: &Document) -> Result<Scenario, Error> {
        let scenario =
            Scenario::from_values(schemes, document.values.clone()).and_then(|mut scenario| {
                scenario.find_outside(schemes)?;
                scenario.check_traffic()?;
                scenario.check()?;
                Ok(scenario.resolved())
            });
        scenario.map_err(|error| document.locate(error))
    }

    /// As [`Scenario::from_document`], for programs outside the simulation: it may have no flows,
    /// and unless it `keeps_flows` has none.
    ///
    /// # Errors
    /// The first fault, as there.
    pub fn for_programs(
        schemes: &Schemes,
        document: &Document,
        keeps_flows: bool,
    ) -> Result<Scenario, Error> {
        let mut values = document.values.clone();
        let flows = if keeps_flows { values.remove("flows") } else { None };
        let flows = flows.unwrap_or_else(|| Value::Array(Vec::new()));
        values.insert("flows".to_owned(), flows);
        let scenario = Scenario::from_values(schemes, values).and_then(|mut scenario| {
            scenario.find_outside(schemes)?;
            scenario.check()?;
            Ok(scenario.resolved())
        });
        scenario.map_err(|error| document.locate(error))
    }

    /// The same with the defaults filled in that depend on the profile or on other keys.
    fn resolved(mut self) -> Scenario {
        self.routing = self.routing.resolved(self.profile);
        self.mac = self.mac.resolved();
        self.transport = self.transport.resolved(self.profile);
        for transport in self.flows.iter_mut().filter_map(FlowTable::transport) {
            *transport = transport.resolved(self.profile);
        }
        self
    }

    /// The network for a run with `seed`.
    ///
    /// # Errors
    /// If no placement, movement or endpoints can be found that the scenario allows.
    pub fn network(&self, seed: u64) -> Result<Network, Error> {
        Network::new(self, seed)
    }

    fn from_values(schemes: &Schemes, mut values: Table) -> Result<Scenario, Error> {
        if let Some(unknown) = values.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(Error::new(unknown.clone(), unknown_key(unknown, &KEYS)));
        }
        short::spell_out(&mut values);
        let transport = take_table(&mut values, "transport")?;
        let topology = match values.remove("topology") {
            None => return Err(Error::new("topology", "is missing: a scenario needs a topology")),
            Some(Value::Table(table)) => table,
            Some(other) => return Err(not_a_table("topology", &other)),
        };
        let mut remarks = Remarks::default();
        let topology = NamedTopology::read(topology, &mut remarks)?;
        topology.names.number(&mut values)?;
        let mut mac = take_table(&mut values, "mac")?;
        let mut radio = take_table(&mut values, "radio")?;
        let wires = WireTable::read_all(values.remove("wires"))?;
        let tables = values.remove("interfaces");
        let tables = tables.or_else(|| (!wires.is_empty()).then(interfaces::radio));
        let interfaces =
            InterfaceTable::read_all(tables, (&mac, &radio), topology.nodes(), &mut remarks)?;
        MacConfig::fill_in_phy(&mut mac);
        let mac: MacConfig = read("mac", mac.into())?;
        gains_file::read_into(&mut radio, &topology, &mut remarks)?;
        let radio = RadioConfig::read(radio, mac.signal())?;
        let mobility = Mobility::read(take_table(&mut values, "mobility")?, &topology)?;
        let flows = read_flows(values.remove("flows"), &transport, topology.nodes())?;
        let agents = agents::read_all(values.remove("agents"), &mut remarks)?;
        Ok(Scenario {
            title: take(&mut values, "title")?.unwrap_or_default(),
            duration_s: take(&mut values, "duration_s")?.ok_or_else(|| {
                Error::new("duration_s", "is missing; must be a number of seconds")
            })?,
            seed: take(&mut values, "seed")?.map_or(Ok(default_seed()), seed)?,
            profile: take(&mut values, "profile")?.unwrap_or_default(),
            topology,
            mobility,
            radio,
            mac,
            interfaces,
            wires,
            link: read("link", take_table(&mut values, "link")?.into())?,
            routing: schemes.read_routing(take_table(&mut values, "routing")?)?,
            transport: read("transport", transport.clone().into())?,
            flows,
            events: EventTable::read_all(values.remove("events"))?,
            agents,
            messages: schemes.messages().into_iter().map(|(name, _)| name).collect(),
            remarks,
        })
    }

    /// Finds what nodes and transports have from outside.
    fn find_outside(&mut self, schemes: &Schemes) -> Result<(), Error> {
        schemes.find_node(&mut self.mac, &mut self.link)?;
        schemes.find_transport(&mut self.transport, "transport")?;
        for (i, flow) in self.flows.iter_mut().enumerate() {
            if let Some(transport) = flow.transport() {
                schemes.find_transport(transport, &format!("flows.{i}.transport"))?;
            }
        }
        Ok(())
    }

    fn check_traffic(&self) -> Result<(), Error> {
        match self.flows.is_empty() {
            true => Err(Error::new("flows", "must hold at least one flow (got none)")),
            false => Ok(()),
        }
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
        if let Topology::Positions(_) | Topology::Setdest(_) = *self.topology {
            self.topology.positions(self.seed, self.radio.receive_range_m)?;
        }
        if matches!(*self.topology, Topology::Links(_)) && self.mobility != Mobility::Static {
            return Err(Error::new("mobility.kind", "must be \"static\": given links do not move"));
        }
        self.mobility.check(&self.topology)?;
        self.radio.check().map_err(within("radio"))?;
        self.radio.check_gains(self.topology.nodes()).map_err(within("radio"))?;
        if let Some(energy) = &self.radio.energy {
            energy.check(self.topology.nodes()).map_err(within("radio"))?;
        }
        if self.radio.gains_db.is_some() && self.mobility != Mobility::Static {
            let fault = "must be \"static\": measured links do not change";
            return Err(Error::new("mobility.kind", fault));
        }
        self.mac.check().map_err(within("mac"))?;
        if let Some(table) = &self.mac.tdma {
            table.check_nodes(self.topology.nodes()).map_err(within("mac"))?;
        }
        if let Some(table) = &self.mac.adaptive_csma {
            table.check_nodes(self.topology.nodes()).map_err(within("mac"))?;
        }
        self.check_classes()?;
        if self.radio.reception == Reception::Sinr && self.mac.signal().is_none() {
            let fault = "needs a mac.phy with known error rates: \"802.11b\", \"802.11a\", \"802.11g\", \"802.11n\", \"802.11ac\" or \"802.11ax\"";
            return Err(Error::new("radio.reception", format!("\"sinr\" {fault}")));
        }
        if self.radio.reception == Reception::Sinr && matches!(*self.topology, Topology::Links(_)) {
            let fault =
                "must be \"threshold\" with given links, which have no power (got \"sinr\")";
            return Err(Error::new("radio.reception", fault));
        }
        if self.mac.rate == RateChoice::Ideal && self.radio.reception == Reception::Threshold {
            let fault =
                "\"ideal\" can be given only with radio.reception \"sinr\" (got \"threshold\")";
            return Err(Error::new("mac.rate", fault));
        }
        self.link.check(self.mac.does_itself()).map_err(within("link"))?;
        let stations = self.check_interfaces()?;
        self.check_wires()?;
        self.check_neighbouring_channels()?;
        self.check_cells(&stations)?;
        let is_mobile = self.mobility != Mobility::Static;
        let setting = Setting { is_mobile, stations: &stations };
        self.routing.check(&setting).map_err(within("routing"))?;
        self.transport.check().map_err(within("transport"))?;
        for (i, flow) in self.flows.iter().enumerate() {
            flow.check(i, self.topology.nodes(), self.duration_s)?;
        }
        for (i, event) in self.events.iter().enumerate() {
            event.check(i, self.topology.nodes(), self.duration_s)?;
            event.check_wire(i, &self.wires)?;
        }
        for (i, agents) in self.agents.iter().enumerate() {
            let below = |error: Error| Error::new(format!("agents.{i}.{}", error.key), error.fault);
            agents.check().map_err(below)?;
        }
        match (&*self.topology, &self.mobility) {
            (Topology::Random(_), _) => Ok(()),
            (_, Mobility::Static) if !self.mac.access.is_slotted() => Ok(()),
            // Positions that do not depend on the seed can be checked against movement and slots
            // now.
            _ => self.network(self.seed).map(|_| ()),
        }
    }
}

/// The JSON Schema of the scenario file with these schemes.
pub fn schema(schemes: &Schemes) -> serde_json::Value {
    let mut generator = schemars::SchemaGenerator::default();
    let routing = schemes.routing_schema(&mut generator);
    let mut schema = generator.into_root_schema_for::<Scenario>().to_value();
    schema["$defs"]["Routing"] = routing;
    for (name, more) in schemes.additions() {
        if let Some(forms) = schema["$defs"][name]["oneOf"].as_array_mut() {
            forms.extend(more);
        }
    }
    agents::allow_files(&mut schema);
    short::allow_names(&mut schema);
    schema
}

/// The schema's default for `routing`.
fn default_routing() -> serde_json::Value {
    let routing = Schemes::standard().read_routing(Table::new());
    let routing = routing.expect("the default scheme has defaults").resolved(Profile::default());
    serde_json::to_value(routing).unwrap_or_default()
}

/// The schema's default for `mac`.
fn default_mac() -> MacConfig {
    MacConfig::default().resolved()
}

/// The schema's default for `transport`.
fn default_transport() -> TcpConfig {
    TcpConfig::default().resolved(Profile::default())
}

fn read_flows(
    value: Option<Value>,
    transport: &Table,
    nodes: usize,
) -> Result<Vec<FlowTable>, Error> {
    let tables = match value {
        None => return Err(Error::new("flows", "is missing: a scenario needs at least one flow")),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(Error::new("flows", "must be tables: [[flows]]")),
    };
    let flow = |(i, value)| match value {
        Value::Table(table) => FlowTable::read(i, table, transport, nodes),
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

#[cfg(test)]
mod tests;
