//! The `file` key of `kind = "positions"`: a table of nodes as comma-separated values (RFC 4180).

use std::collections::HashMap;

use csv::{ErrorKind, ReaderBuilder, StringRecord, Trim};

use super::file;
use super::topology::MAX_METRES;
use crate::config::Error;

const KEY: &str = "topology.file";
/// The columns of the coordinates \[m\].
const COORDINATES: [&str; 2] = ["x_m", "y_m"];
/// The column of the nodes' numbers, which need not be there.
const ID: &str = "id";

/// Reads the positions \[m\] in `file`: a line for each node, in the order of the nodes. Columns other
/// than the coordinates and `id` are for people.
///
/// # Errors
/// If the file cannot be read or has a fault; names the line.
pub(super) fn read(file: &str) -> Result<Vec<[f64; 2]>, Error> {
    parse(&file::text(KEY, file)?)
        .map_err(|Fault { line, text }| file::error(KEY, file, line, text))
}

/// What is wrong, and the line of the file, from 1.
#[derive(Debug, PartialEq)]
struct Fault {
    line: Option<u64>,
    text: String,
}

fn parse(text: &str) -> Result<Vec<[f64; 2]>, Fault> {
    let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(text.as_bytes());
    let heading = reader.headers().map_err(|error| fault_of(text, error))?.clone();
    let [x, y] = COORDINATES.map(|name| column(text, &heading, name));
    let (Some(x), Some(y)) = (x?, y?) else {
        let got: Vec<&str> = heading.iter().collect();
        let wanted = COORDINATES.join(" and ");
        let fault =
            format!("must name columns {wanted}, separated by commas (got {})", got.join(","));
        return Err(Fault { line: line_of(text, heading.position()), text: fault });
    };
    let id = column(text, &heading, ID)?;
    let mut positions = Vec::new();
    let mut places = HashMap::new();
    for record in reader.records() {
        let record = record.map_err(|error| fault_of(text, error))?;
        let at = |fault| Fault { line: line_of(text, record.position()), text: fault };
        if let Some(id) = id
            && record[id].parse() != Ok(positions.len())
        {
            let wanted = positions.len();
            let rule = "ids count from 0 in the order of the lines";
            return Err(at(format!("id must be {wanted} (got \"{}\"): {rule}", &record[id])));
        }
        let position =
            [metres(&record, x, "x_m").map_err(at)?, metres(&record, y, "y_m").map_err(at)?];
        // Adding 0 makes the two zeros one.
        let place = position.map(|metres| (metres + 0.0).to_bits());
        if let Some(other) = places.insert(place, record.position().cloned()) {
            let line = line_of(text, other.as_ref());
            let other = line.map(|line| format!(" on line {line}")).unwrap_or_default();
            return Err(at(format!("the same position as that of the node{other}")));
        }
        positions.push(position);
    }
    if positions.is_empty() {
        return Err(Fault { line: None, text: "has no nodes: a line for each".to_owned() });
    }
    Ok(positions)
}

/// The line of `text` that a record begins on, from 1. The reader's own count is that of any empty lines
/// before it.
fn line_of(text: &str, position: Option<&csv::Position>) -> Option<u64> {
    let (before, record) = text.split_at_checked(position?.byte() as usize)?;
    let empty = record.chars().take_while(|&c| c == '\n' || c == '\r');
    Some(1 + before.chars().chain(empty).filter(|&c| c == '\n').count() as u64)
}

/// The place of the column `name` in the heading, if it is there.
fn column(text: &str, heading: &StringRecord, name: &str) -> Result<Option<usize>, Fault> {
    let mut found = heading.iter().enumerate().filter(|(_, known)| *known == name);
    let first = found.next().map(|(place, _)| place);
    match found.next() {
        Some(_) => Err(Fault {
            line: line_of(text, heading.position()),
            text: format!("the column {name} is there twice"),
        }),
        None => Ok(first),
    }
}

/// The coordinate in the column `name` at `place` \[m\].
fn metres(record: &StringRecord, place: usize, name: &str) -> Result<f64, String> {
    let written = &record[place];
    written.parse().ok().filter(|metres: &f64| metres.abs() <= MAX_METRES).ok_or_else(|| {
        format!("{name} must be a number of at most {MAX_METRES} metres (got \"{written}\")")
    })
}

/// Puts the reader's errors in the user's terms.
fn fault_of(text: &str, error: csv::Error) -> Fault {
    let line = line_of(text, error.position());
    let text = match error.kind() {
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("has {len} columns; the heading has {expected_len}")
        }
        _ => error.to_string(),
    };
    Fault { line, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_may_stand_in_any_order_beside_others() {
        let text = "id,name,y_m,x_m\n0,\"gate, south\",5,-1.5\n1,roof, 6 ,2e2\n";
        assert_eq!(parse(text), Ok(vec![[-1.5, 5.0], [200.0, 6.0]]));
        assert_eq!(
            parse("\u{feff}x_m,y_m\r\n0,0\r\n\r\n1,0\r\n"),
            Ok(vec![[0.0, 0.0], [1.0, 0.0]])
        );
    }

    #[test]
    fn a_fault_has_its_line() {
        let fault = |text: &str| match parse(text).unwrap_err() {
            Fault { line: Some(line), text } => format!("{line}: {text}"),
            Fault { line: None, text } => text,
        };
        let heading = "1: must name columns x_m and y_m, separated by commas (got ";
        for got in ["1,2", "x,y", "x_m;y_m"] {
            assert_eq!(fault(&format!("{got}\n1,2\n")), format!("{heading}{got})"));
        }
        assert_eq!(fault("x_m,y_m,x_m\n1,2,3\n"), "1: the column x_m is there twice");
        assert_eq!(fault("x_m,y_m\n"), "has no nodes: a line for each");
        assert_eq!(fault("x_m,y_m\n1,2\n\n3\n"), "4: has 1 columns; the heading has 2");
        for got in ["", "1 m", "nan", "inf", "1e8"] {
            let number = "must be a number of at most 10000000 metres";
            assert_eq!(
                fault(&format!("x_m,y_m\n0,{got}\n")),
                format!("2: y_m {number} (got \"{got}\")")
            );
        }
        let ids = "ids count from 0 in the order of the lines";
        assert_eq!(fault("id,x_m,y_m\n1,0,0\n"), format!("2: id must be 0 (got \"1\"): {ids}"));
        let same = "5: the same position as that of the node on line 2";
        assert_eq!(fault("x_m,y_m\n0,0\n1,1\n\n-0,0\n"), same);
    }
}
