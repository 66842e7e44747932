//! Node positions: the `[topology]` table and its kinds of placement.

use std::borrow::Cow;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toml::Table;

use super::graph::Graph;
use super::limits::{MAX_DRAWS, MAX_METRES, MAX_SEED};
use super::links::Links;
use super::movement_file;
use super::names::Names;
use super::positions_file;
use super::remarks::Remarks;
use crate::config::Error;
use crate::config::document::must_be_one_of;
use crate::config::table::take_choice;
use crate::kernel::{Purpose, Rng};
use crate::radio::{Neighbours, PathLoss, Position, Reach};

/// Maximum number of nodes; with their neighbour lists, more would not fit in memory.
const MAX_NODES: usize = 1_000_000;

/// What the schema says of `names`.
const NAMES: &str = "What each node is called; its name stands for its number wherever a node is named. By \
                     default what the file of positions says, if there is one.";

/// How nodes are placed, and what they are called.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedTopology {
    #[serde(flatten)]
    placement: Topology,
    /// Of each node, unless they have numbers alone.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub names: Names,
}

/// How nodes are placed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Topology {
    /// A line of nodes.
    Chain(Chain),
    /// Rows and columns; node = row * columns + column.
    Grid(Grid),
    /// Uniform in a rectangle.
    Random(Random),
    /// Given positions.
    Positions(Positions),
    /// Parallel lines; nodes are numbered line by line.
    Parallel(Parallel),
    /// Two lines that cross at right angles and share their middle node. Nodes 0 to `hops` are the
    /// first line, the rest the second without the middle node.
    Cross(Cross),
    /// Two paths that share their middle link; the branches leave it at 45 degrees. Nodes 0 to
    /// `hops` are the first path, the rest the second without the shared link, starting at its
    /// source.
    Spindle(Spindle),
    /// Initial positions from a movement file of ns-2's setdest.
    Setdest(Setdest),
    /// Given links; positions do not matter.
    Links(Links),
}

/// A line of nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// Number of links; there is one more node.
    pub hops: u32,
    /// Distance between neighbours (m).
    #[serde(default = "spacing_m")]
    pub spacing_m: f64,
}

/// Rows and columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// Nodes in a row.
    pub columns: u32,
    /// Rows.
    pub rows: u32,
    /// Distance between neighbours in a row or column (m).
    #[serde(default = "spacing_m")]
    pub spacing_m: f64,
}

/// Uniform in a rectangle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Random {
    /// Number of nodes.
    pub nodes: u32,
    /// Width and height (m).
    pub area_m: [f64; 2],
    /// Draw again until every node can reach every other.
    #[serde(default = "yes")]
    pub connected: bool,
    /// Seed of the placement; the run's seed if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// Given positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["positions_m"] }, { "required": ["file"] }]))]
pub struct Positions {
    /// A pair of coordinates for each node (m).
    #[serde(default)]
    pub positions_m: Vec<[f64; 2]>,
    /// A CSV file of the positions in place of `positions_m`, which it becomes: a line for each
    /// node, with its coordinates in the columns `x_m` and `y_m`, or in degrees in `lat` and `lon`.
    /// Columns `id` and `name` say which node it is, and what it is called.
    #[serde(default, skip_serializing)]
    pub file: Option<String>,
}

/// Parallel lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parallel {
    /// Links of each line.
    pub hops: u32,
    /// Lines.
    #[serde(default = "two")]
    pub strings: u32,
    /// Distance between neighbours on a line (m).
    #[serde(default = "spacing_m")]
    pub spacing_m: f64,
    /// Distance between the lines (m).
    #[serde(default = "spacing_m")]
    pub separation_m: f64,
}

/// Two crossing lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cross {
    /// Links of each line; must be even.
    pub hops: u32,
    /// Distance between neighbours on a line (m).
    #[serde(default = "spacing_m")]
    pub spacing_m: f64,
}

/// Two paths with a common middle link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spindle {
    /// Links of each path, at least 3.
    pub hops: u32,
    /// Distance between neighbours on a path (m).
    #[serde(default = "spacing_m")]
    pub spacing_m: f64,
}

/// A movement file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Setdest {
    /// The file.
    pub file: String,
    /// Number of nodes. If the file's numbers are others than 0 to one less, and as many, the nodes
    /// are taken in their order.
    pub nodes: u32,
    /// Width and height of the area (m); nodes may not leave it. It begins at (0, 0), or where the
    /// file's coordinates do if these are negative. Without it nodes may be anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area_m: Option<[f64; 2]>,
}

/// The kinds of topology.
pub const KINDS: [&str; 9] =
    ["chain", "grid", "random", "positions", "parallel", "cross", "spindle", "setdest", "links"];

fn spacing_m() -> f64 {
    200.0
}

fn two() -> u32 {
    2
}

fn yes() -> bool {
    true
}

impl NamedTopology {
    /// Reads the table.
    pub(super) fn read(mut table: Table, remarks: &mut Remarks) -> Result<NamedTopology, Error> {
        let kind = take_choice(&mut table, "topology", "kind", &KINDS, None)?;
        let mut names = Names::take(&mut table)?;
        names.number_links(&mut table)?;
        let placement = match kind.as_str() {
            "positions" => {
                let (positions, of_file) = Positions::read(table.into(), remarks)?;
                names = if names.is_empty() { of_file } else { names };
                Topology::Positions(positions)
            }
            kind => Topology::read(kind, table.into())?,
        };
        names.check(placement.nodes())?;
        Ok(NamedTopology { placement, names })
    }
}

impl Deref for NamedTopology {
    type Target = Topology;

    fn deref(&self) -> &Topology {
        &self.placement
    }
}

impl JsonSchema for NamedTopology {
    fn schema_name() -> Cow<'static, str> {
        Topology::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Topology::json_schema(generator);
        let mut names = generator.subschema_for::<Names>();
        names.insert("description".to_owned(), NAMES.into());
        for form in schema.get_mut("oneOf").and_then(Value::as_array_mut).into_iter().flatten() {
            form["properties"]["names"] = names.as_value().clone();
        }
        schema
    }
}

impl Topology {
    /// Reads the table whose `kind` has been taken out, and which is not that of positions.
    fn read(kind: &str, table: toml::Value) -> Result<Topology, Error> {
        use crate::config::document::read;
        let path = "topology";
        match kind {
            "chain" => read(path, table).map(Topology::Chain),
            "grid" => read(path, table).map(Topology::Grid),
            "random" => read(path, table).map(Topology::Random),
            "parallel" => read(path, table).map(Topology::Parallel),
            "cross" => read(path, table).map(Topology::Cross),
            "spindle" => read(path, table).map(Topology::Spindle),
            "setdest" => read(path, table).map(Topology::Setdest),
            "links" => read(path, table).map(Topology::Links),
            other => Err(Error::new("topology.kind", must_be_one_of(&KINDS, other))),
        }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        let product = |a: u64, b: u64| a.saturating_mul(b) as usize;
        match self {
            Topology::Chain(t) => t.hops as usize + 1,
            Topology::Grid(t) => product(t.columns.into(), t.rows.into()),
            Topology::Random(t) => t.nodes as usize,
            Topology::Positions(t) => t.positions_m.len(),
            Topology::Parallel(t) => product(u64::from(t.hops) + 1, t.strings.into()),
            Topology::Cross(t) => 2 * t.hops as usize + 1,
            Topology::Spindle(t) => 2 * t.hops as usize,
            Topology::Setdest(t) => t.nodes as usize,
            Topology::Links(t) => t.nodes as usize,
        }
    }

    /// Width and height of the area \[m\], for those that have one.
    pub fn area_m(&self) -> Option<[f64; 2]> {
        match self {
            Topology::Random(t) => Some(t.area_m),
            Topology::Setdest(t) => t.area_m,
            _ => None,
        }
    }

    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), Error> {
        let at = |key: &str, fault: String| Err(Error::new(format!("topology.{key}"), fault));
        let whole = |key: &str, value: u32, low: u32| match value {
            value if value >= low => Ok(()),
            _ => at(key, format!("must be {low} or more (got {value})")),
        };
        let metres = |key: &str, value: f64| match value > 0.0 && value <= MAX_METRES {
            true => Ok(()),
            false => {
                at(key, format!("must be above 0 and at most {MAX_METRES} metres (got {value})"))
            }
        };
        let (main_key, spacing) = match self {
            Topology::Chain(t) => {
                whole("hops", t.hops, 1)?;
                ("hops", Some(t.spacing_m))
            }
            Topology::Grid(t) => {
                whole("columns", t.columns, 1)?;
                whole("rows", t.rows, 1)?;
                ("columns", Some(t.spacing_m))
            }
            Topology::Random(t) => {
                whole("nodes", t.nodes, 1)?;
                t.area_m.iter().try_for_each(|&side| metres("area_m", side))?;
                if let Some(seed) = t.seed.filter(|&seed| seed > MAX_SEED) {
                    return at("seed", format!("must be 0 to {MAX_SEED} (got {seed})"));
                }
                ("nodes", None)
            }
            Topology::Positions(t) => {
                if t.positions_m.is_empty() {
                    return at("positions_m", "must hold at least one position (got none)".into());
                }
                for (i, position) in t.positions_m.iter().enumerate() {
                    if position.iter().any(|c| c.is_nan() || c.abs() > MAX_METRES) {
                        let fault = format!(
                            "must be two numbers of at most {MAX_METRES} metres (got {position:?})"
                        );
                        return at(&format!("positions_m.{i}"), fault);
                    }
                }
                ("positions_m", None)
            }
            Topology::Parallel(t) => {
                whole("hops", t.hops, 1)?;
                whole("strings", t.strings, 1)?;
                metres("separation_m", t.separation_m)?;
                ("hops", Some(t.spacing_m))
            }
            Topology::Cross(t) => {
                whole("hops", t.hops, 2)?;
                if t.hops % 2 == 1 {
                    return at("hops", format!("must be even: 2, 4, 6, ... (got {})", t.hops));
                }
                ("hops", Some(t.spacing_m))
            }
            Topology::Spindle(t) => {
                whole("hops", t.hops, 3)?;
                ("hops", Some(t.spacing_m))
            }
            Topology::Setdest(t) => {
                whole("nodes", t.nodes, 1)?;
                t.area_m.iter().flatten().try_for_each(|&side| metres("area_m", side))?;
                ("nodes", None)
            }
            Topology::Links(t) => {
                metres("link_m", t.link_m)?;
                metres("sensed_m", t.sensed_m)?;
                t.check()?;
                ("nodes", None)
            }
        };
        if self.nodes() > MAX_NODES {
            let nodes = self.nodes();
            return at(main_key, format!("makes {nodes} nodes; at most {MAX_NODES} are possible"));
        }
        spacing.map_or(Ok(()), |value| metres("spacing_m", value))
    }

    /// The positions for a run with `seed`; nodes within `range_m` \[m\] can reach each other.
    ///
    /// # Errors
    /// If the movement file has a fault, or no connected placement was found.
    pub fn positions(&self, seed: u64, range_m: f64) -> Result<Vec<Position>, Error> {
        self.place(seed, range_m, &mut Remarks::default())
    }

    /// As [`Topology::positions`], with what there is to say about a file.
    ///
    /// # Errors
    /// As there.
    pub(super) fn place(
        &self,
        seed: u64,
        range_m: f64,
        remarks: &mut Remarks,
    ) -> Result<Vec<Position>, Error> {
        let at = |x_m: f64, y_m: f64| Position { x_m, y_m };
        let line = |n: u32, step: f64| (0..n).map(move |i| f64::from(i) * step);
        Ok(match self {
            Topology::Chain(t) => line(t.hops + 1, t.spacing_m).map(|x| at(x, 0.0)).collect(),
            Topology::Grid(t) => line(t.rows, t.spacing_m)
                .flat_map(|y| line(t.columns, t.spacing_m).map(move |x| at(x, y)))
                .collect(),
            Topology::Random(t) => return t.place(seed, range_m),
            Topology::Positions(t) => t.positions_m.iter().map(|&[x, y]| at(x, y)).collect(),
            Topology::Parallel(t) => line(t.strings, t.separation_m)
                .flat_map(|y| line(t.hops + 1, t.spacing_m).map(move |x| at(x, y)))
                .collect(),
            Topology::Cross(t) => {
                let middle = f64::from(t.hops / 2) * t.spacing_m;
                let across = line(t.hops + 1, t.spacing_m).map(|x| at(x, middle));
                let down =
                    line(t.hops + 1, t.spacing_m).filter(|&y| y != middle).map(|y| at(middle, y));
                across.chain(down).collect()
            }
            Topology::Spindle(t) => t.place(),
            Topology::Setdest(t) => {
                let key = "topology.file";
                let limits = movement_file::limits(self.nodes(), t.area_m, true);
                let file = movement_file::read(key, &t.file, &limits, remarks)?;
                movement_file::remark(&t.file, t.area_m, &file, remarks);
                file.positions().map_err(|fault| movement_file::error(key, &t.file, fault))?
            }
            Topology::Links(t) => t.positions(),
        })
    }

    /// The neighbours of nodes at `positions` when signals reach this far.
    pub fn neighbours(
        &self,
        positions: &[Position],
        reach: Reach,
        path_loss: &PathLoss,
    ) -> Neighbours {
        match self {
            Topology::Links(links) => links.neighbours(path_loss),
            _ => Neighbours::of_static(positions, reach, path_loss),
        }
    }

    /// The error of a random placement that found no connected one.
    pub(super) fn not_connected(nodes: usize) -> Error {
        let fault = format!(
            "none of {MAX_DRAWS} placements of {nodes} nodes was connected; use more nodes, a smaller \
             area, or connected = false"
        );
        Error::new("topology.nodes", fault)
    }
}

impl Positions {
    /// Reads the table, and the file that it may name.
    fn read(table: toml::Value, remarks: &mut Remarks) -> Result<(Positions, Names), Error> {
        let is_listed = table.get("positions_m").is_some();
        let mut read: Positions = crate::config::document::read("topology", table)?;
        match read.file.take() {
            Some(_) if is_listed => {
                Err(Error::new("topology.file", "cannot be given together with positions_m"))
            }
            Some(file) => {
                let (positions_m, names) = positions_file::read(&file, remarks)?;
                Ok((Positions { positions_m, file: None }, names))
            }
            None if is_listed => Ok((read, Names::default())),
            None => Err(Error::new("topology", "must have positions_m or file")),
        }
    }
}

impl Random {
    fn place(&self, seed: u64, range_m: f64) -> Result<Vec<Position>, Error> {
        let seed = self.seed.unwrap_or(seed);
        for draw in 0..MAX_DRAWS {
            let mut rng = Rng::stream(seed, Purpose::Topology, draw);
            let positions: Vec<Position> = (0..self.nodes)
                .map(|_| Position {
                    x_m: rng.unit() * self.area_m[0],
                    y_m: rng.unit() * self.area_m[1],
                })
                .collect();
            if !self.connected || Graph::new(&positions, range_m).is_connected() {
                return Ok(positions);
            }
        }
        Err(Topology::not_connected(self.nodes as usize))
    }
}

impl Spindle {
    fn place(&self) -> Vec<Position> {
        let step = self.spacing_m;
        let before = (self.hops - 1) / 2;
        let after = self.hops - 1 - before;
        let leg = step * std::f64::consts::FRAC_1_SQRT_2;
        let branch = |i: u32, side: f64| Position {
            x_m: -f64::from(i) * leg,
            y_m: side * f64::from(i) * leg,
        };
        let mirrored = |i: u32, side: f64| {
            let p = branch(i, side);
            Position { x_m: step - p.x_m, y_m: p.y_m }
        };
        let first = (0..=before).rev().map(|i| branch(i, 1.0));
        let first = first.chain((0..=after).map(|i| mirrored(i, 1.0)));
        let second = (1..=before).rev().map(|i| branch(i, -1.0));
        let second = second.chain((1..=after).map(|i| mirrored(i, -1.0)));
        first.chain(second).collect()
    }
}
