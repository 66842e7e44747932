//! Movement files of ns-2's `setdest`: reading and writing.
//!
//! The lines are Tcl; these forms are understood, and `#` begins a comment:
//!
//! ```text
//! $node_(3) set X_ 944.113921927217
//! $ns_ at 3.776782508189 "$node_(3) setdest 505.746317723588 221.756173280367 2.403838506667"
//! ```
//!
//! As in ns-2.35, a new destination replaces the previous one from wherever the node is at that time; of
//! two at the same time the later line counts; a speed of 0 stops the node. Lines about `$god_` hold
//! hop counts that nothing depends on and are skipped.
//!
//! Deviation: times are rounded to nanoseconds, and what ns-2 reports when a command runs, or never, is
//! an error of the file here: destinations outside the area, times that go backwards.

use std::fmt::Write;

use super::leg::Leg;
use super::movement::{Course, Movement};
use super::position::Position;
use crate::kernel::Instant;

/// Latest time of a command \[s\].
const MAX_TIME_S: f64 = 1e9;
/// Positions at most this far apart \[m\] are the same: files have 12 decimals.
const SAME_PLACE_M: f64 = 1e-6;

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
    /// Each node's destinations, by time.
    commands: Vec<Vec<Command>>,
}

/// A `setdest` command.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Command {
    at: Instant,
    to: Position,
    speed_mps: f64,
}

impl Setdest {
    /// Reads `text`.
    ///
    /// # Errors
    /// The first line that is not understood or breaks one of the `limits`.
    pub fn parse(text: &str, limits: &Limits) -> Result<Setdest, Fault> {
        let mut file = Setdest {
            places: vec![[None; 2]; limits.nodes],
            commands: vec![Vec::new(); limits.nodes],
        };
        for (i, line) in text.lines().enumerate() {
            file.read(line.trim(), limits).map_err(|text| Fault { line: Some(i + 1), text })?;
        }
        Ok(file)
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

    /// The movement of nodes that start at `positions`; none if no node ever moves.
    ///
    /// # Errors
    /// If the file puts a node elsewhere.
    pub fn movement(&self, positions: &[Position]) -> Result<Option<Movement>, Fault> {
        for (node, (given, place)) in self.places.iter().zip(positions).enumerate() {
            for (given, metres) in given.iter().zip([place.x_m, place.y_m]) {
                if given.is_some_and(|given| (given - metres).abs() > SAME_PLACE_M) {
                    let (x, y) = (place.x_m, place.y_m);
                    let text = format!("puts node {node} elsewhere than the topology: ({x}, {y})");
                    return Err(Fault { line: None, text });
                }
            }
        }
        let legs: Vec<Vec<Leg>> =
            self.commands.iter().zip(positions).map(|(all, place)| legs(all, *place)).collect();
        let fastest = legs.iter().flatten().map(|leg| leg.speed_mps).fold(0.0, f64::max);
        let courses = legs.into_iter().map(|legs| Course::Listed(legs.into_iter())).collect();
        Ok((fastest > 0.0).then_some(Movement { courses, max_speed_mps: fastest }))
    }

    fn read(&mut self, line: &str, limits: &Limits) -> Result<(), String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] | ["set", "god_", ..] => Ok(()),
            [first, ..] if first.starts_with('#') || *first == "$god_" => Ok(()),
            ["$ns_", "at", time, "\"$god_", ..] => self::time(time).and(closed(line).map(|_| ())),
            [node, "set", axis, value] => {
                let node = self::node(node, limits)?;
                self.set(node, axis, number(axis, value)?, limits)
            }
            ["$ns_", "at", time, node, "setdest", x, y, speed] => {
                closed(line)?;
                let node = self::node(node.strip_prefix('"').ok_or_else(no_command)?, limits)?;
                let speed = speed.strip_suffix('"').ok_or_else(no_command)?;
                let at = self::time(time)?;
                let to = Position { x_m: number("x", x)?, y_m: number("y", y)? };
                let speed_mps = number("speed", speed)?;
                if !(0.0..=limits.max_speed_mps).contains(&speed_mps) {
                    let most = limits.max_speed_mps;
                    return Err(format!("speed must be 0 to {most} m/s (got {speed})"));
                }
                inside(node, to, limits)?;
                self.go(node, Command { at, to, speed_mps })
            }
            _ => Err(no_command()),
        }
    }

    fn set(&mut self, node: usize, axis: &str, metres: f64, limits: &Limits) -> Result<(), String> {
        let axis = match axis {
            "X_" => 0,
            "Y_" => 1,
            "Z_" if metres == 0.0 => return Ok(()),
            "Z_" => return Err(format!("Z_ must be 0: the network is flat (got {metres})")),
            other => return Err(format!("sets {other}; only X_, Y_ and Z_ are known")),
        };
        let place = &mut self.places[node][axis];
        if let Some(before) = place.filter(|&before| before != metres) {
            let name = ["X_", "Y_"][axis];
            return Err(format!("sets {name} of node {node} to {metres}, after {before} before"));
        }
        *place = Some(metres);
        let [x_m, y_m] = self.places[node].map(Option::unwrap_or_default);
        inside(node, Position { x_m, y_m }, limits)
    }

    fn go(&mut self, node: usize, command: Command) -> Result<(), String> {
        let commands = &mut self.commands[node];
        match commands.last() {
            Some(last) if last.at > command.at => {
                let (at, last) = (command.at.as_secs_f64(), last.at.as_secs_f64());
                return Err(format!("time goes backwards for node {node}: {at} s after {last} s"));
            }
            Some(last) if last.at == command.at => {
                commands.pop();
            }
            _ => {}
        }
        commands.push(command);
        Ok(())
    }
}

/// The legs of a node that starts at `place` and follows `commands`.
fn legs(commands: &[Command], place: Position) -> Vec<Leg> {
    let mut legs = vec![Leg::stay(Instant::ZERO, place)];
    for command in commands {
        let last = legs[legs.len() - 1];
        if last.start == command.at {
            legs.pop();
        }
        let from = last.position(command.at);
        legs.push(match command.speed_mps {
            0.0 => Leg::stay(command.at, from),
            speed_mps => Leg { start: command.at, from, to: command.to, speed_mps },
        });
    }
    legs
}

/// Writes nodes that start at `positions`, and their moves before `end`, as `setdest` does.
pub fn write(positions: &[Position], movement: Option<&Movement>, end: Instant) -> String {
    let courses = movement.map_or(&[][..], |movement| &movement.courses);
    let mut legs: Vec<(Instant, usize, Leg)> = Vec::new();
    for (node, course) in courses.iter().enumerate() {
        let until_end = course.clone().take_while(|leg| leg.start < end);
        // A node that starts with a stay needs no command for it.
        let said = until_end.filter(|leg| leg.start > Instant::ZERO || leg.speed_mps > 0.0);
        legs.extend(said.map(|leg| (leg.start, node, leg)));
    }
    legs.sort_by_key(|&(start, node, _)| (start, node));
    let fastest = movement.map_or(0.0, |movement| movement.max_speed_mps);
    let (nodes, end_s) = (positions.len(), end.as_secs_f64());
    let mut text = format!("#\n# nodes: {nodes}, max speed: {fastest:.2}, time: {end_s:.2}\n#\n");
    // Writing to a String cannot fail.
    for (node, Position { x_m, y_m }) in positions.iter().enumerate() {
        let _ = writeln!(text, "$node_({node}) set X_ {x_m:.12}");
        let _ = writeln!(text, "$node_({node}) set Y_ {y_m:.12}");
        let _ = writeln!(text, "$node_({node}) set Z_ {:.12}", 0.0);
    }
    for (start, node, Leg { to: Position { x_m, y_m }, speed_mps, .. }) in legs {
        let (seconds, nanos) = (start.as_nanos() / 1_000_000_000, start.as_nanos() % 1_000_000_000);
        let _ = writeln!(
            text,
            "$ns_ at {seconds}.{nanos:09}000 \"$node_({node}) setdest {x_m:.12} {y_m:.12} {speed_mps:.12}\""
        );
    }
    text
}

fn no_command() -> String {
    "is no line of a setdest file, or is cut short".to_owned()
}

/// Checks that a quotation mark that opens in `line` closes at its end.
fn closed(line: &str) -> Result<(), String> {
    let whole = line.matches('"').count() == 2 && line.ends_with('"');
    whole.then_some(()).ok_or_else(no_command)
}

fn number(name: &str, text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("{name} must be a number (got {text})"))
}

fn time(text: &str) -> Result<Instant, String> {
    match number("time", text)? {
        seconds if (0.0..=MAX_TIME_S).contains(&seconds) => Ok(Instant::from_secs_f64(seconds)),
        _ => Err(format!("time must be 0 to {MAX_TIME_S} seconds (got {text})")),
    }
}

fn node(text: &str, limits: &Limits) -> Result<usize, String> {
    let inner = text.strip_prefix("$node_(").and_then(|rest| rest.strip_suffix(')'));
    let inner = inner.ok_or_else(no_command)?;
    let node = inner.parse().ok().filter(|&node: &usize| node < limits.nodes);
    let last = limits.nodes.saturating_sub(1);
    node.ok_or_else(|| format!("must name a node, 0 to {last} (got {inner})"))
}

fn inside(node: usize, place: Position, limits: &Limits) -> Result<(), String> {
    let Position { x_m, y_m } = place;
    if let Some([width, height]) = limits.area_m
        && !((0.0..=width).contains(&x_m) && (0.0..=height).contains(&y_m))
    {
        return Err(format!(
            "puts node {node} at ({x_m}, {y_m}), outside the area of {width} m by {height} m"
        ));
    }
    let most = limits.max_metres;
    match x_m.abs().max(y_m.abs()) <= most {
        true => Ok(()),
        false => Err(format!("puts node {node} at ({x_m}, {y_m}), beyond {most} metres")),
    }
}

#[cfg(test)]
mod tests;
