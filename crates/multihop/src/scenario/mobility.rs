//! How nodes move: the `[mobility]` table.

use std::collections::BTreeSet;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toml::{Table, Value};

use super::flows::FlowSpec;
use super::limits::{MAX_DRAWS, MAX_DURATION_S, MAX_METRES, MAX_SEED, MAX_SPEED_MPS};
use super::movement_file;
use super::remarks::Remarks;
use super::topology::Topology;
use crate::config::document::{must_be_one_of, read};
use crate::config::table::{only_keys, take_choice};
use crate::config::{Error, NodeOrName};
use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::radio::{Course, Movement, Position, RandomWaypoint, Setdest, Waypoints};

/// Where a movement file is named.
const KEY: &str = "mobility.file";
/// Latest beginning of a run in a movement file \[s\].
const MAX_START_S: f64 = 9e9;
/// The kinds of mobility.
pub const KINDS: [&str; 3] = ["static", "random-waypoint", "setdest"];

/// How nodes move; by default as in the topology's movement file, or not at all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Mobility {
    /// They do not move.
    #[default]
    Static,
    /// Random waypoint: to a random point of the area at a random speed, then a pause, and so on.
    RandomWaypoint(RandomWaypointTable),
    /// As in a movement file of ns-2's setdest.
    Setdest(SetdestTable),
}

/// Random waypoint movement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RandomWaypointTable {
    /// Minimum and maximum speed (m/s), drawn uniformly. With a minimum of 0 the mean speed falls
    /// for ever.
    pub speed_mps: [f64; 2],
    /// Pause at each waypoint (s); without `steady_state` every node starts with a pause.
    pub pause_s: f64,
    /// Nodes that stay where the topology puts them: "none", "flow-ends" or a list of nodes.
    pub fixed_nodes: FixedNodes,
    /// Start in the steady state of the movement. This also draws the positions of moving nodes, so
    /// it needs a random topology.
    pub steady_state: bool,
    /// Draw the movement again until the network is connected at each whole second of the run.
    pub connected: bool,
    /// Width and height of the area from the origin (m); by default the topology's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub area_m: Option<[f64; 2]>,
    /// Seed of the movement; the run's seed if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

impl Default for RandomWaypointTable {
    fn default() -> Self {
        RandomWaypointTable {
            speed_mps: [1.0, 20.0],
            pause_s: 0.0,
            fixed_nodes: FixedNodes::None,
            steady_state: false,
            connected: false,
            area_m: None,
            seed: None,
        }
    }
}

/// A movement file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetdestTable {
    /// The file; by default the topology's. Initial positions in it must be those of the topology.
    pub file: String,
    /// Width and height of the area (m); nodes may not leave it. By default the topology's, if it
    /// has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area_m: Option<[f64; 2]>,
    /// The time of the file (s) at which the run begins: nodes are then where the file has moved
    /// them by that time.
    #[serde(default)]
    pub start_s: f64,
}

/// Nodes that do not move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FixedNodes {
    /// No node.
    None,
    /// Sources and destinations of flows.
    FlowEnds,
    /// These nodes.
    Nodes(Vec<u32>),
}

impl Mobility {
    /// Reads the table; the topology gives the defaults.
    pub(super) fn read(mut table: Table, topology: &Topology) -> Result<Mobility, Error> {
        let default = match topology {
            Topology::Setdest(_) => "setdest",
            _ => "static",
        };
        let kind = take_choice(&mut table, "mobility", "kind", &KINDS, Some(default))?;
        let mut fill_in = |key: &str, value: Option<Value>| {
            if let (false, Some(value)) = (table.contains_key(key), value) {
                table.insert(key.to_owned(), value);
            }
        };
        if kind != "static" {
            fill_in("area_m", topology.area_m().map(|area_m| area_m.to_vec().into()));
        }
        if let ("setdest", Topology::Setdest(topology)) = (kind.as_str(), topology) {
            fill_in("file", Some(topology.file.clone().into()));
        }
        match kind.as_str() {
            "static" => only_keys(&table, "mobility", &["kind"]).map(|()| Mobility::Static),
            "random-waypoint" => read("mobility", table.into()).map(Mobility::RandomWaypoint),
            "setdest" => read("mobility", table.into()).map(Mobility::Setdest),
            other => Err(Error::new("mobility.kind", must_be_one_of(&KINDS, other))),
        }
    }

    /// Checks every key against its bounds, and the movement file if there is one.
    pub(super) fn check(&self, topology: &Topology) -> Result<(), Error> {
        match self {
            Mobility::Static => Ok(()),
            Mobility::RandomWaypoint(table) => table.check(topology),
            Mobility::Setdest(table) => {
                table.area_m.map_or(Ok(()), check_area)?;
                if !(0.0..=MAX_START_S).contains(&table.start_s) {
                    let fault =
                        format!("must be 0 to {MAX_START_S} seconds (got {})", table.start_s);
                    return Err(Error::new("mobility.start_s", fault));
                }
                table.read(topology, &mut Remarks::default()).map(|_| ())
            }
        }
    }

    /// Whether the movement, not the topology, gives the initial positions of moving nodes.
    pub(super) fn places_nodes(&self) -> bool {
        match self {
            Mobility::Static => false,
            Mobility::RandomWaypoint(table) => table.steady_state,
            Mobility::Setdest(table) => table.start_s > 0.0,
        }
    }

    /// The movement of nodes with initial `positions`, for a run with `seed`; none if no node
    /// moves. Draws again until the positions that the movement itself gives are `wanted` and, if
    /// the table asks for it, the network `lasts` connected.
    ///
    /// # Errors
    /// If the positions contradict the movement, or no such movement is found.
    pub(super) fn movement(
        &self,
        seed: u64,
        positions: &[Position],
        flows: &[FlowSpec],
        wanted: impl Fn(&[Position]) -> bool,
        lasts: impl Fn(&Movement) -> bool,
        listed: impl FnOnce(&SetdestTable) -> Result<Option<Movement>, Error>,
    ) -> Result<Option<Movement>, Error> {
        match self {
            Mobility::Static => Ok(None),
            Mobility::RandomWaypoint(table) => {
                table.movement(seed, positions, flows, wanted, lasts)
            }
            Mobility::Setdest(table) => listed(table),
        }
    }
}

impl SetdestTable {
    fn read(&self, topology: &Topology, remarks: &mut Remarks) -> Result<Setdest, Error> {
        let follows = matches!(topology, Topology::Setdest(_));
        let limits = movement_file::limits(topology.nodes(), self.area_m, follows);
        movement_file::read(KEY, &self.file, &limits, remarks)
    }

    /// The movement of the nodes of `topology`, which begin at `positions`, in a run until `end`.
    pub(super) fn movement(
        &self,
        topology: &Topology,
        positions: &[Position],
        end: Instant,
        remarks: &mut Remarks,
    ) -> Result<Option<Movement>, Error> {
        let file = self.read(topology, remarks)?;
        movement_file::remark(&self.file, self.area_m, &file, remarks);
        let start = Instant::from_secs_f64(self.start_s);
        let movement = file
            .movement(positions, start)
            .map_err(|fault| movement_file::error(KEY, &self.file, fault))?;
        let first = file.first_move().map(Instant::as_secs_f64);
        let (begin_s, end_s) = (self.start_s, self.start_s + end.as_secs_f64());
        let name = &self.file;
        match (first, &movement) {
            (Some(first_s), _) if first_s >= end_s => remarks.warn(format!(
                "{name}: moves no node before {first_s} s, and the run ends at {end_s} s of it: \
                 mobility.start_s = {first_s} begins there"
            )),
            (Some(_), Some(movement)) if begin_s > 0.0 && movement.max_speed_mps == 0.0 => {
                remarks.warn(format!(
                    "{name}: moves no node after {begin_s} s, where mobility.start_s begins"
                ));
            }
            _ => {}
        }
        Ok(movement)
    }
}

impl RandomWaypointTable {
    fn check(&self, topology: &Topology) -> Result<(), Error> {
        let at = |key: &str, fault: String| Err(Error::new(format!("mobility.{key}"), fault));
        let [least, greatest] = self.speed_mps;
        if !(least >= 0.0 && greatest > 0.0 && least <= greatest && greatest <= MAX_SPEED_MPS) {
            let fault = format!(
                "must be a least and a greatest speed, 0 to {MAX_SPEED_MPS} m/s (got {least}, {greatest})"
            );
            return at("speed_mps", fault);
        }
        if !(self.pause_s >= 0.0 && self.pause_s <= MAX_DURATION_S) {
            let fault = format!("must be 0 to {MAX_DURATION_S} seconds (got {})", self.pause_s);
            return at("pause_s", fault);
        }
        if let FixedNodes::Nodes(nodes) = &self.fixed_nodes
            && let Some((i, node)) =
                nodes.iter().enumerate().find(|(_, node)| **node as usize >= topology.nodes())
        {
            let last = topology.nodes() - 1;
            return at(
                &format!("fixed_nodes.{i}"),
                format!("must be a node, 0 to {last} (got {node})"),
            );
        }
        if self.steady_state && least == 0.0 {
            let fault = "needs a least speed above 0: down to 0 the mean speed falls for ever";
            return at("steady_state", fault.into());
        }
        if self.steady_state && !matches!(topology, Topology::Random(_)) {
            let fault = "needs topology.kind = \"random\": it chooses the places of moving nodes";
            return at("steady_state", fault.into());
        }
        if let Some(seed) = self.seed.filter(|&seed| seed > MAX_SEED) {
            return at("seed", format!("must be 0 to {MAX_SEED} (got {seed})"));
        }
        match self.area_m {
            Some(area_m) => check_area(area_m),
            None => at(
                "area_m",
                "is missing; must be a width and a height in metres, for this topology has no area"
                    .into(),
            ),
        }
    }

    fn movement(
        &self,
        seed: u64,
        positions: &[Position],
        flows: &[FlowSpec],
        wanted: impl Fn(&[Position]) -> bool,
        lasts: impl Fn(&Movement) -> bool,
    ) -> Result<Option<Movement>, Error> {
        let fixed = self.fixed(flows);
        if fixed.len() == positions.len() {
            return Ok(None);
        }
        let is_drawn_again = self.steady_state || self.connected;
        for draw in 0..if is_drawn_again { MAX_DRAWS } else { 1 } {
            let courses = self.courses(self.seed.unwrap_or(seed), draw, positions, &fixed)?;
            let movement = Movement { courses, max_speed_mps: self.speed_mps[1] };
            let places: Vec<Position> = movement.courses.iter().filter_map(Course::place).collect();
            let begins_well = !self.steady_state || wanted(&places);
            if begins_well && (!self.connected || lasts(&movement)) {
                return Ok(Some(movement));
            }
        }
        match self.connected {
            true => Err(Error::new(
                "mobility.connected",
                format!(
                    "none of {MAX_DRAWS} movements stayed connected; use more nodes or a smaller area"
                ),
            )),
            false => Err(Topology::not_connected(positions.len())),
        }
    }

    /// The nodes' courses in draw number `draw`. Each draw of a node has its own stream: draw k of
    /// node i uses owner i + 2^32 k.
    fn courses(
        &self,
        seed: u64,
        draw: u64,
        positions: &[Position],
        fixed: &BTreeSet<u32>,
    ) -> Result<Vec<Course>, Error> {
        let area_m = self.area_m.unwrap_or_default();
        let waypoints = Waypoints {
            area_m,
            speed_mps: self.speed_mps,
            pause: Duration::from_secs_f64(self.pause_s),
        };
        let course = |(node, &place): (u32, &Position)| {
            if fixed.contains(&node) {
                return Ok(Course::stay(place));
            }
            let rng = Rng::stream(seed, Purpose::Mobility, (draw << 32) + u64::from(node));
            if self.steady_state {
                return Ok(Course::RandomWaypoint(RandomWaypoint::stationary(waypoints, rng)));
            }
            inside(node, place, area_m)?;
            Ok(Course::RandomWaypoint(RandomWaypoint::starting_at(place, waypoints, rng)))
        };
        (0u32..).zip(positions).map(course).collect()
    }

    fn fixed(&self, flows: &[FlowSpec]) -> BTreeSet<u32> {
        match &self.fixed_nodes {
            FixedNodes::None => BTreeSet::new(),
            FixedNodes::FlowEnds => {
                flows.iter().flat_map(|flow| [flow.source.0, flow.destination.0]).collect()
            }
            FixedNodes::Nodes(nodes) => nodes.iter().copied().collect(),
        }
    }
}

fn check_area(area_m: [f64; 2]) -> Result<(), Error> {
    match area_m.iter().find(|side| !(1.0..=MAX_METRES).contains(*side)) {
        None => Ok(()),
        Some(side) => {
            let fault = format!("must be 1 to {MAX_METRES} metres (got {side})");
            Err(Error::new("mobility.area_m", fault))
        }
    }
}

fn inside(node: u32, Position { x_m, y_m }: Position, area_m: [f64; 2]) -> Result<(), Error> {
    let [width, height] = area_m;
    match (0.0..=width).contains(&x_m) && (0.0..=height).contains(&y_m) {
        true => Ok(()),
        false => {
            let fault = format!(
                "must hold every moving node; node {node} starts at ({x_m}, {y_m}), outside {width} m by \
                 {height} m"
            );
            Err(Error::new("mobility.area_m", fault))
        }
    }
}

impl Serialize for FixedNodes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            FixedNodes::None => serializer.serialize_str("none"),
            FixedNodes::FlowEnds => serializer.serialize_str("flow-ends"),
            FixedNodes::Nodes(nodes) => nodes.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for FixedNodes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FixedNodesVisitor)
    }
}

struct FixedNodesVisitor;

impl<'de> Visitor<'de> for FixedNodesVisitor {
    type Value = FixedNodes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"none\", \"flow-ends\" or a list of nodes")
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<FixedNodes, E> {
        match value {
            "none" => Ok(FixedNodes::None),
            "flow-ends" => Ok(FixedNodes::FlowEnds),
            _ => Err(E::invalid_value(de::Unexpected::Str(value), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<FixedNodes, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = items.next_element()? {
            nodes.push(node);
        }
        Ok(FixedNodes::Nodes(nodes))
    }
}

impl JsonSchema for FixedNodes {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "FixedNodes".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "oneOf": [
            { "enum": ["none", "flow-ends"] },
            { "type": "array", "items": NodeOrName::json_schema(generator) }
        ] })
    }
}
