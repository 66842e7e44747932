//! Warnings of places that static nodes hardly have.

use super::names::Names;
use super::remarks::{NAMED, Remarks};
use crate::radio::Position;
use crate::wire::NodeId;

/// Nodes that are all this near each other \[m\] may be at degrees.
const DEGREES_M: f64 = 1.0;

/// Warns of the places of nodes of these `names`.
pub(super) fn remark(positions: &[Position], names: &Names, remarks: &mut Remarks) {
    if look_like_degrees(positions) {
        remarks.warn(
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
        remarks.warn(format!("nodes stand in one place: {}{more}", pairs.join(", ")));
    }
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
        remark(&places, &Names::default(), &mut remarks);
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
}
