//! Movement files of ns-2's `setdest`: reading and writing.
//!
//! The lines are Tcl; these forms are understood, whatever the variables are called:
//!
//! ```text
//! $node_(3) set X_ 944.113921927217
//! $ns_ at 3.776782508189 "$node_(3) setdest 505.746317723588 221.756173280367 2.403838506667"
//! $ns_ at 9.5 "$node_(3) set X_ 10.0"
//! ```
//!
//! As in ns-2.35, a new destination replaces the previous one from wherever the node is at that
//! time; of two at the same time the later line counts; a speed of 0 stops the node. Otherwise the
//! order of lines does not matter, only that of times. A coordinate that is set at a time moves the
//! node there at once, where it stays until its next destination. Lines about `$god_` hold hop
//! counts that nothing depends on and are skipped, as are variables, what only a picture shows, and
//! what ends a script's run.
//!
//! Nodes whose numbers do not fit are taken in the order of their numbers, where there are as many
//! of them as there should be. Heights must be the same for all nodes: the network is flat.
//!
//! Deviation: times are rounded to nanoseconds, and a destination outside the area, which ns-2
//! reports when the command runs, is an error of the file here.

mod statement;
mod tcl;

use std::collections::BTreeSet;
use std::fmt::Write;

use super::leg::Leg;
use super::leg::SAME_PLACE_M;
use super::movement::{Course, Movement};
use super::position::Position;
use crate::kernel::Instant;
use statement::{AXES, Statement, What};

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1; none if the whole file is at fault.
    pub line: Option<usize>,
    /// What is wrong.
    pub text: String,
}

/// The limits that every line of a file must respect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// How many nodes there are.
    pub nodes: usize,
    /// Width and height of the area \[m\] that nodes stay in, borders included; none: anywhere.
    pub area_m: Option<[f64; 2]>,
    /// Whether the area begins where the file's coordinates do, if these are negative; else at (0,
    /// 0).
    pub area_follows: bool,
    /// Greatest coordinate \[m\], of either sign.
    pub max_metres: f64,
    /// Greatest speed \[m/s\].
    pub max_speed_mps: f64,
}

/// A movement file as read.
#[derive(Clone, Debug, PartialEq)]
pub struct Setdest {
    /// Each node's coordinates, as far as the file gives them.
    places: Vec<[Option<f64>; 2]>,
    /// Each node's commands, by time.
    commands: Vec<Vec<Command>>,
    /// Each node's number in the file, where that is another; empty otherwise.
    numbers: Vec<u64>,
    /// Where the area begins \[m\].
    origin: [f64; 2],
}

/// What a node does from a time on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Command {
    at: Instant,
    what: What,
}

impl Setdest {
    /// Reads `text`.
    ///
    /// # Errors
    /// A line that is not understood or breaks one of the `limits`.
    pub fn parse(text: &str, limits: &Limits) -> Result<Setdest, Fault> {
        let statements = statement::read(text, limits)?;
        let numbers = numbers(&statements, limits)?;
        check_heights(&statements)?;
        let mut file = Setdest {
            places: vec![[None; 2]; limits.nodes],
            commands: vec![Vec::new(); limits.nodes],
            origin: origin(&statements, limits),
            numbers,
        };
        let mut lines = vec![0; limits.nodes];
        for statement in &statements {
            let node = file.node(statement.node);
            let fault = |text| Fault { line: Some(statement.line), text };
            if statement.at.is_none() {
                lines[node] = statement.line;
            }
            file.take(node, statement, limits).map_err(fault)?;
        }
        for (node, &line) in lines.iter().enumerate().filter(|(_, line)| **line > 0) {
            let [x_m, y_m] = [0, 1].map(|i| file.places[node][i].unwrap_or(file.origin[i]));
            let place = Position { x_m, y_m };
            file.inside(node, place, limits).map_err(|text| Fault { line: Some(line), text })?;
        }
        for commands in &mut file.commands {
            commands.sort_by_key(|command| command.at);
        }
        Ok(file)
    }

    /// Each node's number in the file, if it is not that of the node.
    pub fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// Where the area begins \[m\].
    pub fn origin(&self) -> [f64; 2] {
        self.origin
    }

    /// The initial positions in the file.
    ///
    /// # Errors
    /// If it does not give every node's position.
    pub fn positions(&self) -> Result<Vec<Position>, Fault> {
        let whole = |(node, place): (usize, &[Option<f64>; 2])| match place {
            [Some(x_m), Some(y_m)] => Ok(Position { x_m: *x_m, y_m: *y_m }),
            [None, _] => Err(format!("gives node {node} no X_")),
            [_, None] => Err(format!("gives node {node} no Y_")),
        };
        let positions: Result<_, String> = self.places.iter().enumerate().map(whole).collect();
        positions.map_err(|text| Fault { line: None, text })
    }

    /// The movement, from the time `start` of the file on, of nodes that are at `positions` at the
    /// file's time 0; none if no node moves, then or before.
    ///
    /// # Errors
    /// If the file puts a node elsewhere.
    pub fn movement(
        &self,
        positions: &[Position],
        start: Instant,
    ) -> Result<Option<Movement>, Fault> {
        for (node, (given, place)) in self.places.iter().zip(positions).enumerate() {
            for (given, metres) in given.iter().zip([place.x_m, place.y_m]) {
                if given.is_some_and(|given| (given - metres).abs() > SAME_PLACE_M) {
                    let (x, y) = (place.x_m, place.y_m);
                    let text = format!("puts node {node} elsewhere than the topology: ({x}, {y})");
                    return Err(Fault { line: None, text });
                }
            }
        }
        let legs: Vec<Vec<Leg>> = std::iter::zip(&self.commands, positions)
            .map(|(all, place)| from(legs(all, *place), start))
            .collect();
        let fastest = legs.iter().flatten().map(|leg| leg.speed_mps).fold(0.0, f64::max);
        let stays = |(legs, place): (&Vec<Leg>, &Position)| legs.iter().all(|l| l.from == *place);
        let is_static = fastest == 0.0 && std::iter::zip(&legs, positions).all(stays);
        let courses = legs.into_iter().map(|legs| Course::Listed(legs.into_iter())).collect();
        Ok((!is_static).then_some(Movement { courses, max_speed_mps: fastest }))
    }

    /// When a node first moves; none if none does.
    pub fn first_move(&self) -> Option<Instant> {
        let is_move = |command: &&Command| !matches!(command.what, What::Go { speed_mps, .. } if speed_mps == 0.0);
        self.commands.iter().filter_map(|all| all.iter().find(is_move)).map(|c| c.at).min()
    }

    /// The node with this number in the file.
    fn node(&self, number: u64) -> usize {
        match self.numbers.is_empty() {
            true => number as usize,
            false => self.numbers.partition_point(|&known| known < number),
        }
    }

    fn take(&mut self, node: usize, statement: &Statement, limits: &Limits) -> Result<(), String> {
        match (statement.what, statement.at) {
            (What::Set { axis: 2, .. }, _) => {}
            (What::Set { axis, metres }, None) => {
                let place = &mut self.places[node][axis];
                if let Some(before) = place.filter(|&before| before != metres) {
                    let name = AXES[axis];
                    let text =
                        format!("sets {name} of node {node} to {metres}, after {before} before");
                    return Err(text);
                }
                *place = Some(metres);
            }
            (What::Set { axis, metres }, Some(Instant::ZERO)) => {
                self.places[node][axis] = Some(metres);
            }
            (what, at) => {
                let mut place = Position { x_m: self.origin[0], y_m: self.origin[1] };
                match what {
                    What::Go { to, .. } => place = to,
                    What::Set { axis: 0, metres } => place.x_m = metres,
                    What::Set { metres, .. } => place.y_m = metres,
                }
                self.inside(node, place, limits)?;
                self.commands[node].push(Command { at: at.unwrap_or(Instant::ZERO), what });
            }
        }
        Ok(())
    }

    fn inside(&self, node: usize, place: Position, limits: &Limits) -> Result<(), String> {
        let Position { x_m, y_m } = place;
        let most = limits.max_metres;
        if x_m.abs().max(y_m.abs()) > most {
            return Err(format!("puts node {node} at ({x_m}, {y_m}), beyond {most} metres"));
        }
        let Some([width, height]) = limits.area_m else { return Ok(()) };
        let [x, y] = self.origin;
        let is_within = |metres: f64, least: f64, side: f64| {
            let rounding = if least < 0.0 { SAME_PLACE_M } else { 0.0 };
            metres >= least && metres - least <= side + rounding
        };
        match is_within(x_m, x, width) && is_within(y_m, y, height) {
            true => Ok(()),
            false => Err(format!(
                "puts node {node} at ({x_m}, {y_m}), outside the area of {width} m by {height} m"
            )),
        }
    }
}

/// Each node's number in the file, where nodes are taken in the order of their numbers; empty where
/// their numbers fit.
fn numbers(statements: &[Statement], limits: &Limits) -> Result<Vec<u64>, Fault> {
    let fits = |statement: &&Statement| statement.node < limits.nodes as u64;
    let Some(wrong) = statements.iter().find(|statement| !fits(statement)) else {
        return Ok(Vec::new());
    };
    let numbers: BTreeSet<u64> = statements.iter().map(|statement| statement.node).collect();
    if numbers.len() == limits.nodes {
        return Ok(numbers.into_iter().collect());
    }
    let (last, got) = (limits.nodes.saturating_sub(1), wrong.node);
    let text = format!(
        "must name a node, 0 to {last} (got {got}); others are taken in the order of their numbers \
         where there are {} of them (got {})",
        limits.nodes,
        numbers.len()
    );
    Err(Fault { line: Some(wrong.line), text })
}

/// Checks that all nodes have one height.
fn check_heights(statements: &[Statement]) -> Result<(), Fault> {
    let mut first: Option<(f64, usize)> = None;
    for statement in statements {
        let (What::Set { axis: 2, metres: height_m } | What::Go { height_m: Some(height_m), .. }) =
            statement.what
        else {
            continue;
        };
        let (first_m, line) = *first.get_or_insert((height_m, statement.line));
        if height_m != first_m {
            let text = format!(
                "Z_ must be the same for all nodes, for the network is flat (got {height_m}, and \
                 {first_m} on line {line})"
            );
            return Err(Fault { line: Some(statement.line), text });
        }
    }
    let Some((height_m, line)) = first.filter(|(height_m, _)| *height_m != 0.0) else {
        return Ok(());
    };
    let of_axis = |wanted: fn(usize) -> bool| -> BTreeSet<u64> {
        let is_set = |s: &&Statement| matches!(s.what, What::Set { axis, .. } if wanted(axis));
        statements.iter().filter(is_set).map(|statement| statement.node).collect()
    };
    match of_axis(|axis| axis < 2).difference(&of_axis(|axis| axis == 2)).next() {
        None => Ok(()),
        Some(node) => {
            let text = format!(
                "Z_ must be the same for all nodes, for the network is flat (node {node} has none, \
                 which is 0, and line {line} has {height_m})"
            );
            Err(Fault { line: None, text })
        }
    }
}

/// Where the area begins \[m\]: at 0, or where the file's coordinates do if these are negative.
fn origin(statements: &[Statement], limits: &Limits) -> [f64; 2] {
    let mut least = [0.0; 2];
    if !limits.area_follows {
        return least;
    }
    for statement in statements {
        match statement.what {
            What::Set { axis: 2, .. } => {}
            What::Set { axis, metres } => least[axis] = metres.min(least[axis]),
            What::Go { to, .. } => least = [to.x_m.min(least[0]), to.y_m.min(least[1])],
        }
    }
    least
}

/// The legs of a node that starts at `place` and follows `commands`.
fn legs(commands: &[Command], place: Position) -> Vec<Leg> {
    let mut legs = vec![Leg::stay(Instant::ZERO, place)];
    for command in commands {
        let last = legs[legs.len() - 1];
        if last.start == command.at {
            legs.pop();
        }
        let here = last.position(command.at);
        legs.push(match command.what {
            What::Go { speed_mps: 0.0, .. } => Leg::stay(command.at, here),
            What::Go { to, speed_mps, .. } => Leg { start: command.at, from: here, to, speed_mps },
            What::Set { axis: 0, metres } => {
                Leg::stay(command.at, Position { x_m: metres, ..here })
            }
            What::Set { metres, .. } => Leg::stay(command.at, Position { y_m: metres, ..here }),
        });
    }
    legs
}

/// What is left of `legs` from `start` on, which is their new 0.
fn from(mut legs: Vec<Leg>, start: Instant) -> Vec<Leg> {
    if start == Instant::ZERO {
        return legs;
    }
    let current = legs.partition_point(|leg| leg.start <= start) - 1;
    legs.drain(..current);
    let (first, others) = legs.split_first_mut().expect("a leg begins at 0");
    let here = first.position(start);
    *first = match start >= first.arrival() {
        true => Leg::stay(Instant::ZERO, here),
        false => Leg { start: Instant::ZERO, from: here, ..*first },
    };
    for leg in others {
        leg.start = Instant::from_nanos(leg.start.as_nanos() - start.as_nanos());
    }
    legs
}

/// Writes nodes that start at `positions`, and their moves before `end`, as `setdest` does.
pub fn write(positions: &[Position], movement: Option<&Movement>, end: Instant) -> String {
    let courses = movement.map_or(&[][..], |movement| &movement.courses);
    let mut legs: Vec<(Instant, usize, Leg, bool)> = Vec::new();
    for (node, course) in courses.iter().enumerate() {
        let mut before: Option<Leg> = None;
        for leg in course.clone().take_while(|leg| leg.start < end) {
            let jumps = before.is_some_and(|before| before.is_left_at_once(&leg));
            before = Some(leg);
            // A node that starts with a stay needs no command for it.
            if leg.start > Instant::ZERO || leg.speed_mps > 0.0 {
                legs.push((leg.start, node, leg, jumps));
            }
        }
    }
    legs.sort_by_key(|&(start, node, ..)| (start, node));
    let fastest = movement.map_or(0.0, |movement| movement.max_speed_mps);
    let (nodes, end_s) = (positions.len(), end.as_secs_f64());
    let mut text = format!("#\n# nodes: {nodes}, max speed: {fastest:.2}, time: {end_s:.2}\n#\n");
    // Writing to a String cannot fail.
    for (node, Position { x_m, y_m }) in positions.iter().enumerate() {
        let _ = writeln!(text, "$node_({node}) set X_ {x_m:.12}");
        let _ = writeln!(text, "$node_({node}) set Y_ {y_m:.12}");
        let _ = writeln!(text, "$node_({node}) set Z_ {:.12}", 0.0);
    }
    for (start, node, Leg { from, to, speed_mps, .. }, jumps) in legs {
        let (seconds, nanos) = (start.as_nanos() / 1_000_000_000, start.as_nanos() % 1_000_000_000);
        let at = format!("$ns_ at {seconds}.{nanos:09}000");
        if jumps {
            for (axis, metres) in [("X_", from.x_m), ("Y_", from.y_m)] {
                let _ = writeln!(text, "{at} \"$node_({node}) set {axis} {metres:.12}\"");
            }
        }
        let Position { x_m, y_m } = to;
        let _ =
            writeln!(text, "{at} \"$node_({node}) setdest {x_m:.12} {y_m:.12} {speed_mps:.12}\"");
    }
    text
}

#[cfg(test)]
mod tests;
