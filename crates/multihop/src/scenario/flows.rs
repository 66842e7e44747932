//! The flows: the `[[flows]]` tables, and the random sources and destinations that they may ask for.

use std::collections::BTreeSet;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::MAX_DURATION_S;
use super::graph::Graph;
use crate::config::Error;
use crate::config::document::{must_be_one_of, read};
use crate::config::table::take_choice;
use crate::kernel::{Instant, Purpose, Rng};
use crate::transport::TcpConfig;
use crate::wire::NodeId;

/// Draws of a random pair before the search for a reachable one is given up.
const MAX_DRAWS: u32 = 10_000;
/// Maximum number of flows of one table.
const MAX_COUNT: u32 = 100_000;
/// How the node of the highest number may be called.
const LAST: &str = "last";
/// The kinds of flow.
const KINDS: [&str; 2] = ["ftp", "cbr"];

/// One table of `[[flows]]`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FlowTable {
    /// TCP that always has data.
    Ftp(Ftp),
    /// Constant bit rate over UDP.
    Cbr(Cbr),
}

/// A TCP flow: its endpoints and times; with a random endpoint, also how many such flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ftp {
    /// Source node, "random", or "last": that of the highest number.
    pub source: End,
    /// Destination node, "random", or "last".
    pub destination: End,
    /// Start (s).
    #[serde(default)]
    pub start_s: f64,
    /// Stop (s); by default `lifetime_s` after the start, or the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_s: Option<f64>,
    /// Number of such flows; more than one only with a random source or destination.
    #[serde(default = "one")]
    pub count: u32,
    /// Time between the starts of consecutive flows (s); their stops shift by the same time.
    #[serde(default)]
    pub start_spacing_s: f64,
    /// Each flow starts later by a random time, uniform from 0 to this (s).
    #[serde(default)]
    pub start_spread_s: f64,
    /// How long each flow runs (s), instead of `stop_s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifetime_s: Option<f64>,
    /// No node is the source or destination of two of these flows.
    #[serde(default)]
    pub distinct_ends: bool,
    /// With a random end: minimum hops of a shortest path at the start of the run; 1 if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_hops: Option<u32>,
    /// With a random end: maximum hops of a shortest path at the start of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_hops: Option<u32>,
    /// Keys of `[transport]` that differ for this flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<TcpConfig>,
}

/// As [`Ftp`], with a packet size and a rate instead of a transport.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cbr {
    /// Source node, "random", or "last": that of the highest number.
    pub source: End,
    /// Destination node, "random", or "last".
    pub destination: End,
    /// Start (s).
    #[serde(default)]
    pub start_s: f64,
    /// Stop (s); by default `lifetime_s` after the start, or the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_s: Option<f64>,
    /// Number of such flows; more than one only with a random source or destination.
    #[serde(default = "one")]
    pub count: u32,
    /// Time between the starts of consecutive flows (s); their stops shift by the same time.
    #[serde(default)]
    pub start_spacing_s: f64,
    /// Each flow starts later by a random time, uniform from 0 to this (s).
    #[serde(default)]
    pub start_spread_s: f64,
    /// How long each flow runs (s), instead of `stop_s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifetime_s: Option<f64>,
    /// No node is the source or destination of two of these flows.
    #[serde(default)]
    pub distinct_ends: bool,
    /// With a random end: minimum hops of a shortest path at the start of the run; 1 if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_hops: Option<u32>,
    /// With a random end: maximum hops of a shortest path at the start of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_hops: Option<u32>,
    /// Payload of a packet (bytes).
    pub packet_bytes: u32,
    /// Rate of the payload (bit/s).
    pub rate_bps: f64,
}

/// An endpoint of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// This node.
    Node(u32),
    /// Drawn for each flow and seed.
    Random,
}

/// A flow as it will run.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// What carries it.
    pub kind: FlowKind,
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
    /// Fewest hops of a shortest path at any whole second of the run; none if there never is a path.
    pub least_hops: Option<u32>,
}

/// What carries a flow.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowKind {
    /// TCP that always has data.
    Ftp {
        /// The connection's parameters.
        tcp: TcpConfig,
    },
    /// Constant bit rate over UDP.
    Cbr {
        /// Payload of a packet \[bytes\].
        packet_bytes: u32,
        /// Rate of the payload \[bit/s\].
        rate_bps: f64,
    },
}

fn one() -> u32 {
    1
}

/// The keys common to both kinds.
struct Common {
    source: End,
    destination: End,
    start_s: f64,
    stop_s: Option<f64>,
    count: u32,
    start_spacing_s: f64,
    start_spread_s: f64,
    lifetime_s: Option<f64>,
    distinct_ends: bool,
    min_hops: Option<u32>,
    max_hops: Option<u32>,
}

impl FlowTable {
    /// Reads table `number` of `[[flows]]` in a network of `nodes`; `[transport]` gives the defaults.
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
        match take_choice(&mut table, &path, "kind", &KINDS, None)?.as_str() {
            "ftp" => {
                if let Some(toml::Value::Table(own)) = table.get_mut("transport") {
                    let mut merged = transport.clone();
                    merged.extend(std::mem::take(own));
                    let tcp: TcpConfig = read(&format!("{path}.transport"), merged.into())?;
                    table.remove("transport");
                    let mut flow: Ftp = read(&path, table.into())?;
                    flow.transport = Some(tcp);
                    return Ok(FlowTable::Ftp(flow));
                }
                read(&path, table.into()).map(FlowTable::Ftp)
            }
            "cbr" => read(&path, table.into()).map(FlowTable::Cbr),
            other => Err(Error::new(format!("{path}.kind"), must_be_one_of(&KINDS, other))),
        }
    }

    fn common(&self) -> Common {
        macro_rules! common {
            ($table:expr) => {
                Common {
                    source: $table.source,
                    destination: $table.destination,
                    start_s: $table.start_s,
                    stop_s: $table.stop_s,
                    count: $table.count,
                    start_spacing_s: $table.start_spacing_s,
                    start_spread_s: $table.start_spread_s,
                    lifetime_s: $table.lifetime_s,
                    distinct_ends: $table.distinct_ends,
                    min_hops: $table.min_hops,
                    max_hops: $table.max_hops,
                }
            };
        }
        match self {
            FlowTable::Ftp(ftp) => common!(ftp),
            FlowTable::Cbr(cbr) => common!(cbr),
        }
    }

    /// Checks every key against its bounds in a network of `nodes` that runs for `duration_s`.
    pub(super) fn check(&self, number: usize, nodes: usize, duration_s: f64) -> Result<(), Error> {
        let at = |key: &str, fault: String| Err(Error::new(format!("flows.{number}.{key}"), fault));
        let common = self.common();
        for (key, end) in [("source", common.source), ("destination", common.destination)] {
            if let End::Node(node) = end
                && node as usize >= nodes
            {
                let last = nodes - 1;
                return at(key, format!("must be a node, 0 to {last} (got {node})"));
            }
        }
        let random = [common.source, common.destination].contains(&End::Random);
        if !random && common.source == common.destination {
            return at("destination", "must differ from source: a flow to itself".into());
        }
        if common.count == 0 || common.count > MAX_COUNT {
            return at("count", format!("must be 1 to {MAX_COUNT} (got {})", common.count));
        }
        if common.count > 1 && !random {
            return at("count", "can be above 1 only with a random end".into());
        }
        if let Some((key, fault)) = common.fault_of_hops(random) {
            return at(key, fault);
        }
        if !(common.start_spacing_s >= 0.0 && common.start_spacing_s <= MAX_DURATION_S) {
            let got = common.start_spacing_s;
            let fault = format!("must be 0 to {MAX_DURATION_S} seconds (got {got})");
            return at("start_spacing_s", fault);
        }
        if !(common.start_s >= 0.0 && common.start_s < duration_s) {
            let fault = format!(
                "must be 0 or more and before duration_s, {duration_s} (got {})",
                common.start_s
            );
            return at("start_s", fault);
        }
        let last = common.start_s + f64::from(common.count - 1) * common.start_spacing_s;
        if last >= duration_s {
            let fault = format!("makes the last flow start at {last} s, after the end of the run");
            return at("start_spacing_s", fault);
        }
        let spread = common.start_spread_s;
        let room = (duration_s - last)
            .min(common.stop_s.map_or(f64::INFINITY, |stop| stop - common.start_s));
        if spread != 0.0 && !(spread > 0.0 && spread < room) {
            let fault =
                format!("must be 0 or more, so that flows start before their end (got {spread})");
            return at("start_spread_s", fault);
        }
        match (common.stop_s, common.lifetime_s) {
            (Some(_), Some(_)) => at("lifetime_s", "cannot be given together with stop_s".into()),
            (Some(stop), None) if !(stop > common.start_s && stop <= MAX_DURATION_S) => {
                let start = common.start_s;
                let allowed =
                    format!("must be after start_s, {start}, and at most {MAX_DURATION_S}");
                at("stop_s", format!("{allowed} (got {stop})"))
            }
            (None, Some(life)) if !(life > 0.0 && life <= MAX_DURATION_S) => {
                let allowed = format!("must be above 0 and at most {MAX_DURATION_S} seconds");
                at("lifetime_s", format!("{allowed} (got {life})"))
            }
            _ => self.check_load(number),
        }
    }

    fn check_load(&self, number: usize) -> Result<(), Error> {
        let at = |key: &str, fault: String| Err(Error::new(format!("flows.{number}.{key}"), fault));
        let cbr = match self {
            FlowTable::Ftp(Ftp { transport: Some(tcp), .. }) => {
                return tcp.check().or_else(|e| at(&format!("transport.{}", e.key), e.fault));
            }
            FlowTable::Ftp(_) => return Ok(()),
            FlowTable::Cbr(cbr) => cbr,
        };
        if !(1..=65_495).contains(&cbr.packet_bytes) {
            return at("packet_bytes", format!("must be 1 to 65495 (got {})", cbr.packet_bytes));
        }
        if !(cbr.rate_bps >= 1.0 && cbr.rate_bps <= 1e10) {
            return at("rate_bps", format!("must be 1 to 1e10 (got {})", cbr.rate_bps));
        }
        Ok(())
    }

    /// The flows of this table, for a run with `seed`.
    pub(super) fn expand(
        &self,
        number: usize,
        seed: u64,
        nodes: u32,
        graph: &mut Graph,
        transport: &TcpConfig,
        end_s: f64,
    ) -> Result<Vec<Flow>, Error> {
        let common = self.common();
        let mut rng = Rng::stream(seed, Purpose::FlowEnds, number as u64);
        let mut start_rng = Rng::stream(seed, Purpose::FlowStarts, number as u64);
        let mut taken = BTreeSet::new();
        (0..common.count)
            .map(|i| {
                let (source, destination, hops) =
                    common.draw_ends(nodes, graph, &mut rng, &taken).ok_or_else(|| {
                        let fault = match common.limits_hops() {
                            false => "no two connected nodes are left to draw ends from",
                            true => "no two nodes as many hops apart are left to draw ends from",
                        };
                        Error::new(format!("flows.{number}.source"), fault)
                    })?;
                if common.distinct_ends {
                    taken.extend([source, destination]);
                }
                let shift = f64::from(i) * common.start_spacing_s;
                let start_s = common.start_s + shift + start_rng.unit() * common.start_spread_s;
                let stop_s = match (common.stop_s, common.lifetime_s) {
                    (_, Some(life)) => start_s + life,
                    (Some(stop), None) => stop + shift,
                    (None, None) => end_s,
                };
                let kind = match self {
                    FlowTable::Ftp(ftp) => {
                        let tcp = ftp.transport.clone().unwrap_or_else(|| transport.clone());
                        FlowKind::Ftp { tcp }
                    }
                    FlowTable::Cbr(cbr) => {
                        FlowKind::Cbr { packet_bytes: cbr.packet_bytes, rate_bps: cbr.rate_bps }
                    }
                };
                Ok(Flow {
                    kind,
                    source: NodeId(source),
                    destination: NodeId(destination),
                    start: Instant::from_secs_f64(start_s),
                    stop: Instant::from_secs_f64(stop_s),
                    shortest_hops: hops,
                    least_hops: hops,
                })
            })
            .collect()
    }
}

impl Common {
    fn limits_hops(&self) -> bool {
        self.min_hops.is_some() || self.max_hops.is_some()
    }

    /// The key and the fault of wrong hop limits, if any.
    fn fault_of_hops(&self, has_random_end: bool) -> Option<(&'static str, String)> {
        let least = self.min_hops.unwrap_or(1);
        let key = if self.min_hops.is_some() { "min_hops" } else { "max_hops" };
        match self.max_hops {
            _ if !self.limits_hops() => None,
            _ if !has_random_end => Some((key, "can be given only with a random end".into())),
            _ if least == 0 => Some(("min_hops", "must be 1 or more (got 0)".into())),
            Some(most) if most < least => {
                Some(("max_hops", format!("must be min_hops, {least}, or more (got {most})")))
            }
            _ => None,
        }
    }

    /// The endpoints of one flow, and the hops between them. Random endpoints can reach each other, unless
    /// nodes move; none if no such pair is found.
    fn draw_ends(
        &self,
        nodes: u32,
        graph: &mut Graph,
        rng: &mut Rng,
        taken: &BTreeSet<u32>,
    ) -> Option<(u32, u32, Option<u32>)> {
        if self.limits_hops() {
            return self.draw_ends_by_hops(nodes, graph, rng, taken);
        }
        let is_fixed = |end| matches!(end, End::Node(_));
        for _ in 0..MAX_DRAWS {
            let mut draw = |end| match end {
                End::Node(node) => node,
                End::Random => rng.below(nodes),
            };
            let (source, destination) = (draw(self.source), draw(self.destination));
            let repeated = |node, end| !is_fixed(end) && taken.contains(&node);
            if source == destination
                || repeated(source, self.source)
                || repeated(destination, self.destination)
            {
                continue;
            }
            let hops = graph.hops_between(NodeId(source), NodeId(destination));
            let both_fixed = is_fixed(self.source) && is_fixed(self.destination);
            if hops.is_some() || both_fixed || !graph.is_lasting {
                return Some((source, destination, hops));
            }
        }
        None
    }

    /// As [`Common::draw_ends`], within hop limits: one endpoint is given or uniform among all nodes, the
    /// other is uniform among the nodes within the limits.
    fn draw_ends_by_hops(
        &self,
        nodes: u32,
        graph: &mut Graph,
        rng: &mut Rng,
        taken: &BTreeSet<u32>,
    ) -> Option<(u32, u32, Option<u32>)> {
        let (least, most) = (self.min_hops.unwrap_or(1), self.max_hops.unwrap_or(u32::MAX));
        for _ in 0..MAX_DRAWS {
            let one = match (self.source, self.destination) {
                (End::Node(node), _) | (_, End::Node(node)) => node,
                (End::Random, End::Random) => match rng.below(nodes) {
                    node if taken.contains(&node) => continue,
                    node => node,
                },
            };
            let mut others = graph.nodes_at(NodeId(one), least, most);
            others.retain(|(node, _)| !taken.contains(&node.0));
            if !others.is_empty() {
                let (NodeId(other), hops) = others[rng.below(others.len() as u32) as usize];
                let is_source = self.source != End::Random || self.destination == End::Random;
                let (source, destination) = if is_source { (one, other) } else { (other, one) };
                return Some((source, destination, Some(hops)));
            }
        }
        None
    }
}

impl Serialize for End {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            End::Node(node) => serializer.serialize_u32(*node),
            End::Random => serializer.serialize_str("random"),
        }
    }
}

impl<'de> Deserialize<'de> for End {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EndVisitor)
    }
}

struct EndVisitor;

impl Visitor<'_> for EndVisitor {
    type Value = End;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a node number, \"random\" or \"last\"")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<End, E> {
        u32::try_from(value)
            .map(End::Node)
            .map_err(|_| E::invalid_value(de::Unexpected::Signed(value), &self))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<End, E> {
        match value {
            "random" => Ok(End::Random),
            _ => Err(E::invalid_value(de::Unexpected::Str(value), &self)),
        }
    }
}

impl JsonSchema for End {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "End".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "oneOf": [{ "type": "integer", "minimum": 0 }, { "const": "random" }, { "const": LAST }] })
    }
}
