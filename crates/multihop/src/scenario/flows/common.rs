//! What all flows have: their ends and times, and how many of them a table makes.

use std::collections::BTreeSet;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::kernel::Rng;
use crate::mac::Category;
use crate::scenario::graph::Graph;
use crate::scenario::limits::MAX_DURATION_S;
use crate::scenario::names::LAST;
use crate::traffic::exponential;
use crate::wire::NodeId;

/// Draws of a random pair before the search for a reachable one is given up.
const MAX_DRAWS: u32 = 10_000;
/// Maximum number of flows of one table.
const MAX_COUNT: u32 = 100_000;
/// Maximum characters of a name.
const MAX_NAME: usize = 60;

/// The keys that every kind of flow has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Common {
    /// What the flows of this table are called in results; `--set flows.NAME.KEY=VALUE` finds the
    /// table by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Source node, by its number or name; "random", or "last": that of the highest number.
    pub source: End,
    /// Destination node, "random", or "last".
    pub destination: End,
    /// Start (s).
    #[serde(default)]
    pub start_s: f64,
    /// Stop (s); by default `lifetime_s` after the start, or the end of the run. With
    /// `arrivals_per_s`: no flow starts from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_s: Option<f64>,
    /// Number of such flows; more than one only with a random source or destination.
    #[serde(default = "one")]
    pub count: u32,
    /// Instead of `count`: flows start one after the other by a Poisson process of this rate, from
    /// `start_s` on (flows/s).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals_per_s: Option<f64>,
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
    /// Its access category, best effort unless given; with `mac.edca` only. Acknowledgments and
    /// answers have the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Category>,
    /// With a random end: minimum hops of a shortest path at the start of the run; 1 if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_hops: Option<u32>,
    /// With a random end: maximum hops of a shortest path at the start of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_hops: Option<u32>,
}

impl Common {
    /// Its keys.
    pub const KEYS: [&str; 14] = [
        "name",
        "source",
        "destination",
        "start_s",
        "stop_s",
        "count",
        "arrivals_per_s",
        "start_spacing_s",
        "start_spread_s",
        "lifetime_s",
        "distinct_ends",
        "class",
        "min_hops",
        "max_hops",
    ];
}

/// An endpoint of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// This node.
    Node(u32),
    /// Drawn for each flow and seed.
    Random,
}

/// When a flow starts and stops \[s\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Life {
    pub start_s: f64,
    pub stop_s: f64,
}

fn one() -> u32 {
    1
}

impl Common {
    /// The key and the fault of what is out of bounds, in a network of `nodes` that runs for
    /// `duration_s`.
    pub fn check(&self, nodes: usize, duration_s: f64) -> Result<(), (&'static str, String)> {
        let at = |key, fault: String| Err((key, fault));
        if let Some(name) = &self.name
            && (name.trim().is_empty() || name.chars().count() > MAX_NAME || name.contains('.'))
        {
            let allowed = format!("must be 1 to {MAX_NAME} characters without a full stop");
            return at("name", format!("{allowed} (got \"{name}\")"));
        }
        if self.name.as_ref().is_some_and(|name| name.parse::<u64>().is_ok()) {
            return at("name", "must not be a number, which is a table's place".into());
        }
        for (key, end) in [("source", self.source), ("destination", self.destination)] {
            if let End::Node(node) = end
                && node as usize >= nodes
            {
                let last = nodes - 1;
                return at(key, format!("must be a node, 0 to {last} (got {node})"));
            }
        }
        let random = [self.source, self.destination].contains(&End::Random);
        if !random && self.source == self.destination {
            return at("destination", "must differ from source: a flow to itself".into());
        }
        if self.count == 0 || self.count > MAX_COUNT {
            return at("count", format!("must be 1 to {MAX_COUNT} (got {})", self.count));
        }
        if self.count > 1 && !random {
            return at("count", "can be above 1 only with a random end".into());
        }
        if let Some((key, text)) = self.fault_of_hops(random) {
            return at(key, text);
        }
        if !(self.start_spacing_s >= 0.0 && self.start_spacing_s <= MAX_DURATION_S) {
            let got = self.start_spacing_s;
            let fault = format!("must be 0 to {MAX_DURATION_S} seconds (got {got})");
            return at("start_spacing_s", fault);
        }
        if !(self.start_s >= 0.0 && self.start_s < duration_s) {
            let fault = format!(
                "must be 0 or more and before duration_s, {duration_s} (got {})",
                self.start_s
            );
            return at("start_s", fault);
        }
        let last = self.start_s + f64::from(self.count - 1) * self.start_spacing_s;
        if last >= duration_s {
            let fault = format!("makes the last flow start at {last} s, after the end of the run");
            return at("start_spacing_s", fault);
        }
        let spread = self.start_spread_s;
        let room =
            (duration_s - last).min(self.stop_s.map_or(f64::INFINITY, |stop| stop - self.start_s));
        if spread != 0.0 && !(spread > 0.0 && spread < room) {
            let fault =
                format!("must be 0 or more, so that flows start before their end (got {spread})");
            return at("start_spread_s", fault);
        }
        match (self.stop_s, self.lifetime_s) {
            (Some(_), Some(_)) if self.arrivals_per_s.is_none() => {
                at("lifetime_s", "cannot be given together with stop_s".into())
            }
            (Some(stop), _) if !(stop > self.start_s && stop <= MAX_DURATION_S) => {
                let start = self.start_s;
                let allowed =
                    format!("must be after start_s, {start}, and at most {MAX_DURATION_S}");
                at("stop_s", format!("{allowed} (got {stop})"))
            }
            (_, Some(life)) if !(life > 0.0 && life <= MAX_DURATION_S) => {
                let allowed = format!("must be above 0 and at most {MAX_DURATION_S} seconds");
                at("lifetime_s", format!("{allowed} (got {life})"))
            }
            _ => self.check_arrivals(duration_s),
        }
    }

    fn check_arrivals(&self, duration_s: f64) -> Result<(), (&'static str, String)> {
        let Some(rate) = self.arrivals_per_s else { return Ok(()) };
        let until_s = self.stop_s.unwrap_or(duration_s).min(duration_s);
        let most = f64::from(MAX_COUNT) / (until_s - self.start_s);
        if !(rate > 0.0 && rate <= most) {
            let allowed = format!("must be above 0 and at most {most:.6}, {MAX_COUNT} flows");
            return Err(("arrivals_per_s", format!("{allowed} (got {rate})")));
        }
        let clash = [
            ("count", self.count != 1),
            ("start_spacing_s", self.start_spacing_s != 0.0),
            ("start_spread_s", self.start_spread_s != 0.0),
            ("distinct_ends", self.distinct_ends),
        ];
        match clash.into_iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((key, _)) => Err((key, "cannot be given together with arrivals_per_s".into())),
        }
    }

    /// When the flows start and stop, in a run that ends at `end_s`.
    pub fn lives(&self, end_s: f64, starts: &mut Rng, arrivals: &mut Rng) -> Vec<Life> {
        let stop_s = |start_s: f64, usual_s: f64| match self.lifetime_s {
            Some(life) => start_s + life,
            None => usual_s,
        };
        if let Some(rate) = self.arrivals_per_s {
            let until_s = self.stop_s.unwrap_or(end_s).min(end_s);
            let next = |at_s: &f64| Some(at_s + exponential(arrivals, 1.0 / rate));
            let all = std::iter::successors(Some(self.start_s), next).skip(1);
            return all
                .take_while(|&start_s| start_s < until_s)
                .map(|start_s| Life { start_s, stop_s: stop_s(start_s, end_s) })
                .collect();
        }
        (0..self.count)
            .map(|i| {
                let shift = f64::from(i) * self.start_spacing_s;
                let start_s = self.start_s + shift + starts.unit() * self.start_spread_s;
                let usual_s = self.stop_s.map_or(end_s, |stop| stop + shift);
                Life { start_s, stop_s: stop_s(start_s, usual_s) }
            })
            .collect()
    }

    /// Whether ends must be so many hops apart.
    pub fn limits_hops(&self) -> bool {
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

    /// The endpoints of one flow, and the hops between them. Random endpoints can reach each other,
    /// unless nodes move; none if no such pair is found.
    pub fn draw_ends(
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

    /// As [`Common::draw_ends`], within hop limits: one endpoint is given or uniform among all
    /// nodes, the other is uniform among the nodes within the limits. There is a way back, too.
    fn draw_ends_by_hops(
        &self,
        nodes: u32,
        graph: &mut Graph,
        rng: &mut Rng,
        taken: &BTreeSet<u32>,
    ) -> Option<(u32, u32, Option<u32>)> {
        let limits = (self.min_hops.unwrap_or(1), self.max_hops.unwrap_or(u32::MAX));
        let is_source = self.source != End::Random || self.destination == End::Random;
        for _ in 0..MAX_DRAWS {
            let one = match (self.source, self.destination) {
                (End::Node(node), _) | (_, End::Node(node)) => node,
                (End::Random, End::Random) => match rng.below(nodes) {
                    node if taken.contains(&node) => continue,
                    node => node,
                },
            };
            let mut others = graph.other_ends(NodeId(one), is_source, limits);
            others.retain(|(node, _)| !taken.contains(&node.0));
            if !others.is_empty() {
                let (NodeId(other), hops) = others[rng.below(others.len() as u32) as usize];
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
        json_schema!({ "anyOf": [
            { "type": "integer", "minimum": 0 },
            { "const": "random" },
            { "const": LAST },
            { "type": "string", "description": "The name of a node." },
        ] })
    }
}

#[cfg(test)]
mod tests {
    use super::Common;
    use crate::config::table::keys_of;

    #[test]
    fn its_keys_are_those_of_its_schema() {
        let mut keys = Common::KEYS.map(str::to_owned).to_vec();
        let mut described = keys_of::<Common>().to_vec();
        keys.sort();
        described.sort();
        assert_eq!(keys, described);
    }
}
