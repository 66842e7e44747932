//! The `file` key of `kind = "positions"`: a table of nodes, in metres or in degrees.
//!
//! Degrees (WGS 84) become metres east and north of the south-west corner of all nodes by the
//! equirectangular projection: a degree of latitude is 111 195 m, that of a sphere of 6371 km, and
//! one of longitude that times the cosine of the middle latitude. Over 100 km it is within some 0.5
//! % of the distance on the ellipsoid.

use std::collections::HashMap;
use std::f64::consts::PI;

use super::limits::MAX_METRES;
use super::names::Names;
use super::remarks::Remarks;
use super::table_file::{self, Column, Fault, Row, TableFile};
use crate::config::Error;

const KEY: &str = "topology.file";
/// The column of the nodes' numbers or of words in their place, which need not be there.
const ID: [&str; 1] = ["id"];
/// The column of what nodes are called, which need not be there either.
const NAME: [&str; 1] = ["name"];
/// An id above this is no number: every reader of JSON keeps those up to it exactly.
const MOST_ID: f64 = 9_007_199_254_740_992.0;
/// Names of the columns of coordinates \[m\].
const METRES: [[&str; 1]; 2] = [["x_m"], ["y_m"]];
/// Names of the column of latitudes \[degrees\].
const LATITUDE: [&str; 4] = ["lat", "latitude", "lat_deg", "latitude_deg"];
/// Names of the column of longitudes \[degrees\].
const LONGITUDE: [&str; 8] =
    ["lon", "lng", "long", "longitude", "lon_deg", "lng_deg", "long_deg", "longitude_deg"];
/// Names of the column of heights.
const HEIGHT: [&str; 10] = [
    "z_m",
    "z",
    "height_m",
    "height",
    "altitude_m",
    "altitude",
    "alt",
    "alt_m",
    "elevation",
    "elevation_m",
];
/// A degree of a great circle \[m\].
const DEGREE_M: f64 = 6_371_000.0 * PI / 180.0;

/// What a file says of its nodes, by node.
#[derive(Debug, Default, PartialEq)]
struct Read {
    /// Where they are \[m\].
    places: Vec<[f64; 2]>,
    /// The column `name`, if there is one.
    names: Vec<String>,
    /// The column `id`, if there is one and it is not the nodes' own numbers.
    ids: Vec<String>,
    /// The same where all of them are numbers.
    numbers: Vec<u64>,
}

/// Reads the positions \[m\] in `file`, and what the nodes are called: a line for each node. They
/// are taken in the order of their ids, if these are numbers, else in that of the lines. Other
/// columns than those of coordinates, heights, `id` and `name` are for people.
///
/// # Errors
/// If the file cannot be read or has a fault; names the line.
pub(super) fn read(file: &str, remarks: &mut Remarks) -> Result<(Vec<[f64; 2]>, Names), Error> {
    let Read { places, names, ids, numbers } = table_file::read(KEY, file, remarks, parse)?;
    match numbers.is_empty() {
        true => remarks.on_ids(file, &ids),
        false => remarks.on_numbers(file, &numbers),
    }
    let given = if names.is_empty() { ids } else { names };
    Ok((places, Names::of_file(file, given, remarks)))
}

fn parse(mut table: TableFile) -> Result<Read, Fault> {
    let coordinates = Coordinates::of(&table)?;
    let (id, height) = (table.column(&ID)?, table.column(&HEIGHT)?);
    let name = table.column(&NAME)?;
    let mut heights = Heights::default();
    let mut ids = Ids::default();
    let (mut places, mut names) = (Vec::new(), Vec::new());
    for row in table.rows() {
        let row = row?;
        if let Some(id) = &id {
            ids.note(&row, id)?;
        }
        names.extend(name.iter().map(|name| row.get(name).to_owned()));
        if let Some(height) = &height {
            heights.note(&row, height)?;
        }
        places.push(coordinates.read(&row)?);
    }
    if places.is_empty() {
        return Err(Fault { line: None, text: "has no nodes: a line for each".to_owned() });
    }
    if let Coordinates::Degrees(_) = coordinates {
        places = projected(&places)?;
    }
    Ok(ids.order(places, names))
}

/// The ids so far.
#[derive(Default)]
struct Ids {
    written: Vec<String>,
    /// Of those that are whole numbers.
    numbers: Vec<u64>,
    lines: HashMap<String, Option<u64>>,
}

impl Ids {
    /// Takes that in `column`, which no line above has.
    fn note(&mut self, row: &Row, column: &Column) -> Result<(), Fault> {
        let written = row.get(column);
        if written.is_empty() {
            return Err(row.must_be(column, "a number or a word"));
        }
        if let Some(line) = self.lines.insert(written.to_owned(), row.line()) {
            let line = line.map(|line| format!(" of line {line}")).unwrap_or_default();
            return Err(row.must_be(column, &format!("another than that{line}")));
        }
        let is_whole = |id: &f64| id.fract() == 0.0 && (0.0..=MOST_ID).contains(id);
        self.numbers.extend(row.number(column).filter(is_whole).map(|id| id as u64));
        self.written.push(written.to_owned());
        Ok(())
    }

    /// The nodes at these `places`, by line, in their order.
    fn order(self, places: Vec<[f64; 2]>, names: Vec<String>) -> Read {
        let mut numbers = self.numbers;
        let mut lines: Vec<usize> = (0..numbers.len()).collect();
        lines.sort_by_key(|&line| numbers[line]);
        numbers.sort_unstable();
        let are_distinct = numbers.windows(2).all(|pair| pair[0] < pair[1]);
        if self.written.len() != numbers.len() || !are_distinct {
            return Read { places, names, ids: self.written, numbers: Vec::new() };
        }
        if numbers.is_empty() {
            return Read { places, names, ..Read::default() };
        }
        let places = lines.iter().map(|&line| places[line]).collect();
        let names = lines.iter().filter_map(|&line| names.get(line).cloned()).collect();
        if numbers.iter().zip(0..).all(|(&number, node)| number == node) {
            return Read { places, names, ..Read::default() };
        }
        let ids = numbers.iter().map(u64::to_string).collect();
        Read { places, names, ids, numbers }
    }
}

/// The two columns that say where nodes are.
enum Coordinates {
    /// East and north \[m\].
    Metres([Column; 2]),
    /// Latitude and longitude \[degrees\].
    Degrees([Column; 2]),
}

impl Coordinates {
    /// Metres if there are both, whatever else there is.
    fn of(table: &TableFile) -> Result<Coordinates, Fault> {
        let [x, y] = METRES.map(|names| table.column(&names));
        if let (Some(x), Some(y)) = (x?, y?) {
            return Ok(Coordinates::Metres([x, y]));
        }
        match (table.column(&LATITUDE)?, table.column(&LONGITUDE)?) {
            (Some(latitude), Some(longitude)) => Ok(Coordinates::Degrees([latitude, longitude])),
            _ => Err(table.missing("x_m and y_m, or lat and lon")),
        }
    }

    fn read(&self, row: &Row) -> Result<[f64; 2], Fault> {
        let number = |column: &Column, most: f64, allowed: &str| {
            let number = row.number(column).filter(|number: &f64| number.abs() <= most);
            number.ok_or_else(|| row.must_be(column, allowed))
        };
        match self {
            Coordinates::Metres([x, y]) => {
                let allowed = format!("a number of at most {MAX_METRES} metres");
                Ok([number(x, MAX_METRES, &allowed)?, number(y, MAX_METRES, &allowed)?])
            }
            Coordinates::Degrees([latitude, longitude]) => Ok([
                number(latitude, 90.0, "-90 to 90 degrees")?,
                number(longitude, 180.0, "-180 to 180 degrees")?,
            ]),
        }
    }
}

/// The height of all nodes so far, and the line that it is from.
#[derive(Default)]
struct Heights(Option<(f64, Option<u64>)>);

impl Heights {
    /// Takes the height in `column`: none where nothing is written.
    fn note(&mut self, row: &Row, column: &Column) -> Result<(), Fault> {
        if row.get(column).is_empty() {
            return Ok(());
        }
        let height = row.number(column).filter(|height: &f64| height.is_finite());
        let height = height.ok_or_else(|| row.must_be(column, "a number"))?;
        let (first, line) = *self.0.get_or_insert((height, row.line()));
        if height == first {
            return Ok(());
        }
        let line = line.map(|line| format!(" on line {line}")).unwrap_or_default();
        Err(row.fault(format!(
            "{} must be the same for all nodes, for the network is flat (got {height}, and {first}{line})",
            column.name
        )))
    }
}

/// Places \[m\] east and north of the south-west corner, from latitudes and longitudes \[degrees\].
fn projected(degrees: &[[f64; 2]]) -> Result<Vec<[f64; 2]>, Fault> {
    let first = degrees[0][1];
    // Nodes on both sides of the 180th meridian are near each other.
    let east = |longitude: f64| match longitude - first {
        apart if apart > 180.0 => apart - 360.0,
        apart if apart < -180.0 => apart + 360.0,
        apart => apart,
    };
    let least = |all: &mut dyn Iterator<Item = f64>| all.fold(f64::INFINITY, f64::min);
    let south = least(&mut degrees.iter().map(|place| place[0]));
    let north = -least(&mut degrees.iter().map(|place| -place[0]));
    let west = least(&mut degrees.iter().map(|place| east(place[1])));
    let parallel_m = DEGREE_M * libm::cos(f64::midpoint(south, north).to_radians());
    let place = |&[latitude, longitude]: &[f64; 2]| {
        [(east(longitude) - west) * parallel_m, (latitude - south) * DEGREE_M]
    };
    let places: Vec<[f64; 2]> = degrees.iter().map(place).collect();
    match places.iter().flatten().all(|metres| *metres <= MAX_METRES) {
        true => Ok(places),
        false => Err(Fault {
            line: None,
            text: format!("has nodes more than {MAX_METRES} metres apart"),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(text: &str) -> Result<Read, String> {
        TableFile::new(text).and_then(parse).map_err(|fault| match fault {
            Fault { line: Some(line), text } => format!("{line}: {text}"),
            Fault { line: None, text } => text,
        })
    }

    fn positions(text: &str) -> Result<Vec<[f64; 2]>, String> {
        nodes(text).map(|read| read.places)
    }

    #[test]
    fn columns_may_stand_in_any_order_beside_others() {
        let text = "id,name,y_m,x_m\n0,\"gate, south\",5,-1.5\n1,roof, 6 ,2e2\n";
        assert_eq!(positions(text), Ok(vec![[-1.5, 5.0], [200.0, 6.0]]));
        let text = "\u{feff}x_m,y_m\r\n0,0\r\n\r\n1,0\r\n";
        assert_eq!(positions(text), Ok(vec![[0.0, 0.0], [1.0, 0.0]]));
        let text = "x_m;y_m;name\n0,5;0;Kirche\n150,5;0;Schule\n";
        assert_eq!(positions(text), Ok(vec![[0.5, 0.0], [150.5, 0.0]]));
    }

    #[test]
    fn ids_say_which_node_it_is() {
        let read = |[a, b, c]: [&str; 3]| {
            let rows = format!("id;name;x_m;y_m\n{a};a;1;0\n{b};b;2;0\n{c};c;3;0\n");
            let Read { places, names, ids, numbers } = nodes(&rows).unwrap();
            let order = places.iter().map(|[x, _]| x.to_string()).collect::<String>();
            (format!("{order} {}", names.concat()), ids.join(" "), numbers)
        };
        let is = |order: &str, ids: &str, numbers: &[u64]| {
            (order.to_owned(), ids.to_owned(), numbers.to_vec())
        };
        assert_eq!(read(["0", "1", "2"]), is("123 abc", "", &[]));
        assert_eq!(read(["2", "0", "1"]), is("231 bca", "", &[]));
        assert_eq!(read(["9", "4", "7,0"]), is("231 bca", "4 7 9", &[4, 7, 9]));
        assert_eq!(read(["ap-9", "4", "-7"]), is("123 abc", "ap-9 4 -7", &[]));
        assert_eq!(read(["07", "7", "8"]), is("123 abc", "07 7 8", &[]));
    }

    #[test]
    fn two_nodes_may_share_a_place() {
        assert_eq!(positions("x_m,y_m\n0,0\n0,0\n"), Ok(vec![[0.0, 0.0]; 2]));
    }

    #[test]
    fn degrees_are_metres_from_the_south_west_corner() {
        let apart = |text: &str, expected: [f64; 2]| {
            let places = positions(text).unwrap();
            assert!(places[0].iter().all(|metres| metres.abs() < 1e-9), "{places:?}");
            let off = std::iter::zip(places[1], expected).map(|(a, b)| (a - b).abs());
            assert!(off.into_iter().all(|metres| metres < 0.1), "{places:?}");
        };
        // 0.001 x 111 195 m north, 0.0015 x 111 195 m x cos 51.34 east.
        let church = "name,lat,lon\nchurch,51.3400,12.3700\nschool,51.3410,12.3715\n";
        apart(church, [104.2, 111.2]);
        apart(&church.replace("lat,lon", "Latitude,lng_deg"), [104.2, 111.2]);
        // Suva's side of the 180th meridian to the other: 0.02 degrees at the equator, not 359.98.
        apart("latitude,longitude\n0,179.99\n0,-179.99\n", [2223.9, 0.0]);
        // South of the equator north is up, too.
        apart("lat,lon\n-33.90,18.40\n-33.89,18.40\n", [0.0, 1111.95]);
    }

    #[test]
    fn heights_count_or_are_refused() {
        assert_eq!(positions("x_m,y_m,z_m\n0,0,3\n1,0,3.0\n2,0,\n").unwrap().len(), 3);
        for name in ["z", "height", "Altitude", "elevation_m"] {
            let rule = "must be the same for all nodes, for the network is flat";
            assert_eq!(
                positions(&format!("x_m,y_m,{name}\n0,0,3\n1,0,3\n\n2,0,7\n")),
                Err(format!("5: {name} {rule} (got 7, and 3 on line 2)"))
            );
        }
        let nan = positions("x_m,y_m,z\n0,0,roof\n");
        assert_eq!(nan, Err("2: z must be a number (got \"roof\")".to_owned()));
    }

    #[test]
    fn a_fault_has_its_line() {
        let fault = |text: &str| positions(text).unwrap_err();
        let heading = "1: must name columns x_m and y_m, or lat and lon, separated by";
        for (got, by) in [("1,2", "commas"), ("x,y", "commas"), ("x_m;y", "semicolons")] {
            let text = format!("{got}\n{got}\n");
            assert_eq!(fault(&text), format!("{heading} {by} (got {got})"));
        }
        assert_eq!(fault("x_m,y_m,x_m\n1,2,3\n"), "1: the column x_m is there twice");
        assert_eq!(
            fault("lat,latitude,lon\n1,2,3\n"),
            "1: the columns lat and latitude say the same"
        );
        assert_eq!(fault("x_m,y_m\n"), "has no nodes: a line for each");
        assert_eq!(fault("x_m,y_m\n1,2\n\n3\n"), "4: has 1 column; the heading has 2");
        for got in ["", "1 m", "nan", "inf", "1e8"] {
            let number = "must be a number of at most 10000000 metres";
            let text = format!("x_m,y_m\n0,{got}\n");
            assert_eq!(fault(&text), format!("2: y_m {number} (got \"{got}\")"));
        }
        let twice = "3: id must be another than that of line 2 (got \"7\")";
        assert_eq!(fault("id,x_m,y_m\n7,0,0\n7,1,0\n"), twice);
        assert_eq!(fault("id,x_m,y_m\n,0,0\n"), "2: id must be a number or a word (got \"\")");
        assert_eq!(fault("lat,lon\n91,0\n"), "2: lat must be -90 to 90 degrees (got \"91\")");
        assert_eq!(fault("lat,lon\n9,\n"), "2: lon must be -180 to 180 degrees (got \"\")");
        assert_eq!(fault("lat,lon\n0,0\n0,170\n"), "has nodes more than 10000000 metres apart");
    }
}
