//! One line of a movement file: what it says of a node.

use super::tcl::{Command, Commands, Unclosed, Word};
use super::{Fault, Limits};
use crate::config::shown::shown;
use crate::kernel::Instant;
use crate::radio::Position;

/// Latest time of a command \[s\]: some traces count from 1970.
const MAX_TIME_S: f64 = 9e9;

/// What a file says of a node.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Statement {
    /// The line that says it, from 1.
    pub line: usize,
    /// The node's number in the file.
    pub node: u64,
    /// From when; none for what holds before the start.
    pub at: Option<Instant>,
    pub what: What,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum What {
    /// The coordinate on axis 0, 1 or 2 is this \[m\].
    Set { axis: usize, metres: f64 },
    /// The node goes there, and is at this height \[m\] if one is given.
    Go { to: Position, height_m: Option<f64>, speed_mps: f64 },
}

/// The coordinates by their names.
pub(super) const AXES: [&str; 3] = ["X_", "Y_", "Z_"];

/// Reads all that `text` says.
///
/// # Errors
/// The first line that is not understood, or that has a number beyond the `limits`.
pub(super) fn read(text: &str, limits: &Limits) -> Result<Vec<Statement>, Fault> {
    let mut reader = Reader { limits, statements: Vec::new() };
    reader.read_all(text.trim_start_matches('\u{feff}'), 1, None)?;
    Ok(reader.statements)
}

struct Reader<'a> {
    limits: &'a Limits,
    statements: Vec<Statement>,
}

impl Reader<'_> {
    /// Reads what `text`, which begins on `line`, says of the time `at`.
    fn read_all(&mut self, text: &str, line: usize, at: Option<Instant>) -> Result<(), Fault> {
        for command in Commands::new(text, line) {
            let Command { line, words } = command
                .map_err(|Unclosed { line }| Fault { line: Some(line), text: not_understood() })?;
            self.read_one(&words, line, at)?;
        }
        Ok(())
    }

    fn read_one(&mut self, words: &[Word], line: usize, at: Option<Instant>) -> Result<(), Fault> {
        let fault = |text| Fault { line: Some(line), text };
        let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
        let limits = self.limits;
        let of_node = |name, what| {
            let node = node(name, limits)?;
            Ok(Statement { line, node, at, what })
        };
        let statement = match texts.as_slice() {
            // Hop counts that nothing depends on, variables, what is printed or only a picture
            // shows, and what ends a script's run.
            ["set", _, ..]
            | ["puts", ..]
            | [_, "random-motion", "0"]
            | [_, "initial_node_pos" | "color" | "label", ..] => return Ok(()),
            [god, ..] if god.starts_with("$god") => return Ok(()),
            ["stop" | "finish"] | [_, "halt" | "reset"] if at.is_some() => return Ok(()),
            [simulator, "at", time, ..] if simulator.starts_with('$') && at.is_none() => {
                let at = Some(self::time(time).map_err(fault)?);
                return match &words[3..] {
                    [body] if !body.text.trim().is_empty() => self.read_all(body.text, line, at),
                    [] | [_] => Err(fault(not_understood())),
                    more if more.iter().any(|word| word.is_quoted) => Err(fault(not_understood())),
                    more => self.read_one(more, line, at),
                };
            }
            [name, "set", axis, value] => set(axis, value).and_then(|what| of_node(name, what)),
            [name, "setdest", x, y, speed] => {
                go([x, y], None, speed, limits).and_then(|what| of_node(name, what))
            }
            [name, "setdest", x, y, z, speed] => {
                go([x, y], Some(z), speed, limits).and_then(|what| of_node(name, what))
            }
            _ => Err(not_understood()),
        };
        self.statements.push(statement.map_err(fault)?);
        Ok(())
    }
}

fn set(axis: &str, value: &str) -> Result<What, String> {
    match AXES.iter().position(|known| *known == axis) {
        Some(number) => Ok(What::Set { axis: number, metres: self::number(axis, value)? }),
        None => Err(format!("sets {}; only X_, Y_ and Z_ are known", shown(axis))),
    }
}

fn go(
    [x, y]: [&str; 2],
    height: Option<&str>,
    speed: &str,
    limits: &Limits,
) -> Result<What, String> {
    let to = Position { x_m: number("x", x)?, y_m: number("y", y)? };
    let height_m = height.map(|z| number("z", z)).transpose()?;
    let speed_mps = number("speed", speed)?;
    let most = limits.max_speed_mps;
    match (0.0..=most).contains(&speed_mps) {
        true => Ok(What::Go { to, height_m, speed_mps }),
        false => Err(format!("speed must be 0 to {most} m/s (got {})", shown(speed))),
    }
}

fn not_understood() -> String {
    "is no line of a setdest file, or is cut short; understood are \
     $node_(N) set X_ METRES, $ns_ at SECONDS \"$node_(N) setdest X Y SPEED\" and \
     $ns_ at SECONDS \"$node_(N) set X_ METRES\", whatever the variables are called"
        .to_owned()
}

fn number(name: &str, text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("{name} must be a number (got {})", shown(text)))
}

fn time(text: &str) -> Result<Instant, String> {
    match number("time", text)? {
        seconds if (0.0..=MAX_TIME_S).contains(&seconds) => Ok(Instant::from_secs_f64(seconds)),
        _ => Err(format!("time must be 0 to {MAX_TIME_S} seconds (got {})", shown(text))),
    }
}

/// The number of the node that a variable holds: `$node_(3)`, `$n(3)` or `$n3`.
fn node(name: &str, limits: &Limits) -> Result<u64, String> {
    let variable = name.strip_prefix('$').ok_or_else(not_understood)?;
    let index = match variable.split_once('(') {
        Some((_, index)) => index.strip_suffix(')').ok_or_else(not_understood)?,
        None => variable.trim_start_matches(|c: char| !c.is_ascii_digit()),
    };
    if index.is_empty() {
        return Err(not_understood());
    }
    let last = limits.nodes.saturating_sub(1);
    let fault = || format!("must name a node, 0 to {last} (got {})", shown(index));
    let is_number = index.bytes().all(|byte| byte.is_ascii_digit());
    index.parse().ok().filter(|_| is_number).ok_or_else(fault)
}
