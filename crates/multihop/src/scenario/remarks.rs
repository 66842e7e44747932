//! What is said about a network that is built all the same.

use std::fmt::Display;

use super::names::Names;
use crate::config::shown::shown;
use crate::radio::Position;
use crate::wire::NodeId;

/// How many of a kind are named before the rest are counted.
const NAMED: usize = 6;
/// Nodes that are all this near each other \[m\] may be at degrees.
const DEGREES_M: f64 = 1.0;

/// What reading a scenario's files and placing its nodes has to say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remarks {
    /// Warnings: they do not stop the run.
    pub warnings: Vec<String>,
    /// Each node's number in its file of movement or positions, where that is another; empty
    /// otherwise.
    pub node_numbers: Vec<u64>,
}

impl Remarks {
    /// Warns once.
    pub(super) fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Warns of places that static nodes of these `names` hardly have.
    pub(super) fn on_places(&mut self, positions: &[Position], names: &Names) {
        if look_like_degrees(positions) {
            self.warn(
                "all nodes stand within a metre of each other: are these degrees? In a file of \
                 positions the columns lat and lon are for these"
                    .to_owned(),
            );
        }
        let shared = shared_places(positions);
        let told = |node: usize| names.told(NodeId(node as u32));
        let named = |pair: &[usize; 2]| format!("{} and {}", told(pair[0]), told(pair[1]));
        let pairs: Vec<String> = shared.iter().take(NAMED).map(named).collect();
        if !pairs.is_empty() {
            let more = shared.len() - pairs.len();
            let more = if more > 0 { format!(", and {more} more pairs") } else { String::new() };
            self.warn(format!("nodes stand in one place: {}{more}", pairs.join(", ")));
        }
    }

    /// Notes which of a file's `numbers` became which node.
    pub(super) fn on_numbers(&mut self, file: &str, numbers: &[u64]) {
        if numbers.is_empty() {
            return;
        }
        self.warn(format!(
            "{file}: its nodes are taken in the order of their numbers: {}",
            which_became_which(numbers)
        ));
        self.node_numbers = numbers.to_vec();
    }

    /// Notes which of a file's `ids`, some of which are no numbers, became which node.
    pub(super) fn on_ids(&mut self, file: &str, ids: &[String]) {
        if ids.is_empty() {
            return;
        }
        let told: Vec<String> = ids.iter().take(NAMED + 1).map(|id| shown(id)).collect();
        self.warn(format!(
            "{file}: its nodes are taken in the order of the lines: {}",
            which_became_which(&told)
        ));
    }
}

fn which_became_which(ids: &[impl Display]) -> String {
    let named = ids.iter().enumerate().take(NAMED);
    let named: Vec<String> = named.map(|(node, id)| format!("{id} is node {node}")).collect();
    let rest = if ids.len() > NAMED { ", and so on" } else { "" };
    format!("{}{rest}", named.join(", "))
}

/// Whether all nodes are within a metre, far from (0, 0), as are degrees of one town.
fn look_like_degrees(positions: &[Position]) -> bool {
    let all = |metres: fn(&Position) -> f64| {
        let least = positions.iter().map(metres).fold(f64::INFINITY, f64::min);
        let greatest = positions.iter().map(metres).fold(f64::NEG_INFINITY, f64::max);
        (least, greatest)
    };
    let [(west, east), (south, north)] = [all(|p| p.x_m), all(|p| p.y_m)];
    let is_near = east - west < DEGREES_M && north - south < DEGREES_M;
    let is_apart = east > west || north > south;
    let are_angles = [west, east, south, north].iter().all(|degrees| degrees.abs() <= 180.0);
    is_near && is_apart && are_angles && west.abs().max(south.abs()) > DEGREES_M
}

/// Pairs of nodes in one place: each with the next one there.
fn shared_places(positions: &[Position]) -> Vec<[usize; 2]> {
    let mut order: Vec<usize> = (0..positions.len()).collect();
    // Adding 0 makes the two zeros one.
    let place = |node: usize| (positions[node].x_m + 0.0, positions[node].y_m + 0.0);
    order.sort_by(|&a, &b| {
        let (here, there) = (place(a), place(b));
        here.0.total_cmp(&there.0).then(here.1.total_cmp(&there.1)).then(a.cmp(&b))
    });
    let pairs = order.windows(2).filter(|pair| place(pair[0]) == place(pair[1]));
    let mut pairs: Vec<[usize; 2]> = pairs.map(|pair| [pair[0], pair[1]]).collect();
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warnings(places: &[[f64; 2]]) -> Vec<String> {
        let mut remarks = Remarks::default();
        let at = |&[x_m, y_m]: &[f64; 2]| Position { x_m, y_m };
        let places: Vec<Position> = places.iter().map(at).collect();
        remarks.on_places(&places, &Names::default());
        remarks.warnings
    }

    #[test]
    fn nodes_in_one_place_are_named() {
        let roofs = [[0.0, 0.0], [9.0, 1.0], [-0.0, 0.0], [9.0, 1.0]];
        assert_eq!(warnings(&roofs), ["nodes stand in one place: 0 and 2, 1 and 3"]);
        let all = warnings(&[[0.0, 0.0]; 9]);
        assert!(all[0].ends_with("4 and 5, 5 and 6, and 2 more pairs"), "{all:?}");
    }

    #[test]
    fn degrees_that_stand_for_metres_are_asked_about() {
        let town = [[12.37, 51.34], [12.3715, 51.341], [12.43, 51.36]];
        let asked = warnings(&town);
        assert!(asked.len() == 1 && asked[0].contains("are these degrees?"), "{asked:?}");
        // A table with nodes, and a town in metres.
        assert_eq!(warnings(&[[0.0, 0.0], [0.5, 0.5]]), [""; 0]);
        assert_eq!(warnings(&town.map(|[x, y]| [x * 1e3, y * 1e3])), [""; 0]);
    }

    #[test]
    fn numbers_of_a_file_are_said_once() {
        let mut remarks = Remarks::default();
        remarks.on_numbers("a.tcl", &[]);
        remarks.on_numbers("a.tcl", &[6, 9]);
        remarks.on_numbers("a.tcl", &[6, 9]);
        let said =
            "a.tcl: its nodes are taken in the order of their numbers: 6 is node 0, 9 is node 1";
        assert_eq!((remarks.warnings, remarks.node_numbers), (vec![said.to_owned()], vec![6, 9]));
    }
}
