//! The flows: the `[[flows]]` tables, and the random sources, destinations, starts and sizes that
//! they may ask for.

mod application;
mod common;
mod kinds;
mod trace_file;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Scenario;
use super::graph::Graph;
use super::names::LAST;
use super::remarks::Remarks;
use crate::config::Error;
use crate::config::document::{must_be_one_of, read};
use crate::config::table::{keys_of, only_keys, take_choice};
use crate::kernel::{Instant, Purpose, Rng};
use crate::mac::Category;
use crate::transport::TcpConfig;
use crate::wire::NodeId;

use common::Life;
pub use common::{Common, End};
use kinds::{Carrier, Kind};
pub use kinds::{Cbr, File, FlowLoad, Ftp, OnOff, Over, RequestResponse, Trace, Voice, Web};

/// The kinds of flow.
pub(super) const KINDS: [&str; 8] =
    ["ftp", "cbr", "file", "on-off", "request-response", "web", "voice", "trace"];

/// One table of `[[flows]]`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FlowTable {
    /// TCP that always has data.
    Ftp(Of<Ftp>),
    /// Constant bit rate over UDP.
    Cbr(Of<Cbr>),
    /// A file over TCP: the flow is over when it has arrived.
    File(Of<File>),
    /// Packets at a constant rate, on and off in turn, over UDP or TCP.
    OnOff(Of<OnOff>),
    /// A client at the source that asks, and a server at the destination that answers, over one TCP
    /// connection.
    RequestResponse(Of<RequestResponse>),
    /// A reader at the source who loads pages from a server at the destination, over one TCP
    /// connection; by default as the HTTP model of 3GPP TR 25.892 and 3GPP2 C.R1002.
    Web(Of<Web>),
    /// A voice call, one direction of it: a packet every 20 ms over RTP and UDP.
    Voice(Of<Voice>),
    /// Messages at the times of a file, over TCP or UDP.
    Trace(Of<Trace>),
}

/// The keys that every flow has, and those of its kind.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct Of<K> {
    /// Those of every flow.
    #[serde(flatten)]
    pub common: Common,
    /// Those of its kind.
    #[serde(flatten)]
    pub own: K,
}

/// A flow as it will run: data in one direction. A connection with data in both directions is two
/// flows, the one that it is opened for and, right after it, the one that carries the answers.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSpec {
    /// The kind of its table.
    pub kind: &'static str,
    /// The name of its table.
    pub name: Option<String>,
    /// Its place in its table's Poisson process, if there is one.
    pub arrival: Option<u32>,
    /// TCP's parameters; none over UDP.
    pub tcp: Option<TcpConfig>,
    /// What it carries.
    pub load: FlowLoad,
    /// Source node.
    pub source: NodeId,
    /// Destination node.
    pub destination: NodeId,
    /// Start.
    pub start: Instant,
    /// Stop.
    pub stop: Instant,
    /// Hops of a shortest path at the initial positions; none if there is no path.
    pub shortest_hops: Option<u32>,
    /// Fewest hops of a shortest path at any whole second of the run; none if there never is a
    /// path.
    pub least_hops: Option<u32>,
    /// Its access category.
    pub class: Category,
    /// It is one of two directions of a connection.
    pub is_two_way: bool,
}

/// Reads a flow's table: the keys of every flow, and those of its kind.
fn read_of<K>(path: &str, table: toml::Table) -> Result<Of<K>, Error>
where
    K: JsonSchema + DeserializeOwned + 'static,
{
    let (common, own): (toml::Table, toml::Table) =
        table.into_iter().partition(|(key, _)| Common::KEYS.contains(&key.as_str()));
    let unread = own.clone();
    let own = read(path, own.into()).map_err(|error| {
        // A schema takes long to make, so keys are looked up only if something is wrong.
        let keys = keys_of::<K>();
        let known: Vec<&str> =
            Common::KEYS.into_iter().chain(keys.iter().map(String::as_str)).collect();
        only_keys(&unread, path, &known).err().unwrap_or(error)
    })?;
    Ok(Of { common: read(path, common.into())?, own })
}

impl FlowTable {
    /// Reads table `number` of `[[flows]]` in a network of `nodes`; `[transport]` gives the
    /// defaults.
    pub(super) fn read(
        number: usize,
        mut table: toml::Table,
        transport: &toml::Table,
        nodes: usize,
    ) -> Result<FlowTable, Error> {
        let path = format!("flows.{number}");
        for end in ["source", "destination"] {
            if let Some(value) = table.get_mut(end)
                && value.as_str() == Some(LAST)
            {
                *value = toml::Value::Integer(nodes.saturating_sub(1) as i64);
            }
        }
        if let Some(toml::Value::Table(own)) = table.get_mut("transport") {
            let mut merged = transport.clone();
            merged.extend(std::mem::take(own));
            *own = merged;
        }
        match take_choice(&mut table, &path, "kind", &KINDS, None)?.as_str() {
            "ftp" => read_of(&path, table).map(FlowTable::Ftp),
            "cbr" => read_of(&path, table).map(FlowTable::Cbr),
            "file" => read_of(&path, table).map(FlowTable::File),
            "on-off" => read_of(&path, table).map(FlowTable::OnOff),
            "request-response" => read_of(&path, table).map(FlowTable::RequestResponse),
            "web" => read_of(&path, table).map(FlowTable::Web),
            "voice" => read_of(&path, table).map(FlowTable::Voice),
            "trace" => read_of(&path, table).map(FlowTable::Trace),
            other => Err(Error::new(format!("{path}.kind"), must_be_one_of(&KINDS, other))),
        }
    }

    /// The name of its kind, the keys of every flow, and its kind.
    fn parts(&self) -> (&'static str, &Common, &dyn Kind) {
        match self {
            FlowTable::Ftp(table) => ("ftp", &table.common, &table.own),
            FlowTable::Cbr(table) => ("cbr", &table.common, &table.own),
            FlowTable::File(table) => ("file", &table.common, &table.own),
            FlowTable::OnOff(table) => ("on-off", &table.common, &table.own),
            FlowTable::RequestResponse(table) => ("request-response", &table.common, &table.own),
            FlowTable::Web(table) => ("web", &table.common, &table.own),
            FlowTable::Voice(table) => ("voice", &table.common, &table.own),
            FlowTable::Trace(table) => ("trace", &table.common, &table.own),
        }
    }

    /// The access category that it gives, if it gives one.
    pub(super) fn class(&self) -> Option<Category> {
        self.parts().1.class
    }

    /// The keys of `[transport]` that differ for its flows.
    pub(super) fn transport(&mut self) -> Option<&mut TcpConfig> {
        match self {
            FlowTable::Ftp(table) => table.own.transport(),
            FlowTable::Cbr(table) => table.own.transport(),
            FlowTable::File(table) => table.own.transport(),
            FlowTable::OnOff(table) => table.own.transport(),
            FlowTable::RequestResponse(table) => table.own.transport(),
            FlowTable::Web(table) => table.own.transport(),
            FlowTable::Voice(table) => table.own.transport(),
            FlowTable::Trace(table) => table.own.transport(),
        }
    }

    /// Checks every key against its bounds in a network of `nodes` that runs for `duration_s`.
    pub(super) fn check(&self, number: usize, nodes: usize, duration_s: f64) -> Result<(), Error> {
        let at = |key: &str, fault: String| Error::new(format!("flows.{number}.{key}"), fault);
        let (_, common, kind) = self.parts();
        common.check(nodes, duration_s).map_err(|(key, fault)| at(key, fault))?;
        kind.check().map_err(|e| at(e.key, e.fault))?;
        kind.messages(&mut Remarks::default()).map_err(|e| at(&e.key, e.fault))?;
        match kind.carrier() {
            Carrier::Tcp(Some(own)) => {
                own.check().map_err(|e| at(&format!("transport.{}", e.key), e.fault))
            }
            Carrier::Tcp(None) | Carrier::Udp => Ok(()),
        }
    }

    /// The flows of this table of the `scenario`, for a run with `seed`.
    pub(super) fn expand(
        &self,
        number: usize,
        seed: u64,
        nodes: u32,
        graph: &mut Graph,
        scenario: &Scenario,
        remarks: &mut Remarks,
    ) -> Result<Vec<FlowSpec>, Error> {
        let (transport, end_s) = (&scenario.transport, scenario.duration_s);
        let (kind_name, common, kind) = self.parts();
        let stream = |purpose| Rng::stream(seed, purpose, number as u64);
        let mut ends = stream(Purpose::FlowEnds);
        let mut sizes = stream(Purpose::FlowSizes);
        let lives = common.lives(
            end_s,
            &mut stream(Purpose::FlowStarts),
            &mut stream(Purpose::FlowArrivals),
        );
        if lives.is_empty() {
            let fault = format!("no flow arrives before the end with seed {seed}");
            return Err(Error::new(format!("flows.{number}.arrivals_per_s"), fault));
        }
        let tcp = match kind.carrier() {
            Carrier::Tcp(own) => Some(own.unwrap_or(transport)),
            Carrier::Udp => None,
        };
        let messages = kind
            .messages(remarks)
            .map_err(|e| Error::new(format!("flows.{number}.{}", e.key), e.fault))?;
        let mut taken = BTreeSet::new();
        let mut flows = Vec::with_capacity(lives.len());
        for (i, Life { start_s, stop_s }) in (0..).zip(lives) {
            let (source, destination, hops) =
                common.draw_ends(nodes, graph, &mut ends, &taken).ok_or_else(|| {
                    let fault = match common.limits_hops() {
                        false => "no two connected nodes are left to draw ends from",
                        true => "no two nodes as many hops apart are left to draw ends from",
                    };
                    Error::new(format!("flows.{number}.source"), fault)
                })?;
            if common.distinct_ends {
                taken.extend([source, destination]);
            }
            let flow = FlowSpec {
                kind: kind_name,
                name: common.name.clone(),
                arrival: common.arrivals_per_s.map(|_| i),
                tcp: tcp.cloned(),
                load: kind.load(&mut sizes, &messages),
                source: NodeId(source),
                destination: NodeId(destination),
                start: Instant::from_secs_f64(start_s),
                stop: Instant::from_secs_f64(stop_s),
                shortest_hops: hops,
                least_hops: hops,
                class: common.class.unwrap_or_default(),
                is_two_way: kind.is_two_way(),
            };
            let back = kind.is_two_way().then(|| flow.answers());
            flows.push(flow);
            flows.extend(back);
        }
        Ok(flows)
    }
}

impl FlowSpec {
    /// What people are told of it as: by its `number` in the run, and its name if it has one.
    pub(super) fn called(&self, number: usize) -> String {
        match &self.name {
            Some(name) => format!("flow {number} ({name})"),
            None => format!("flow {number}"),
        }
    }

    /// The other direction of its connection.
    fn answers(&self) -> FlowSpec {
        let (source, destination) = (self.destination, self.source);
        FlowSpec { load: FlowLoad::Answers, source, destination, ..self.clone() }
    }
}
