//! The `file` key of `radio.propagation = "measured"`: the gains of links as comma-separated values (RFC 4180).

use csv::{ReaderBuilder, Trim};
use serde::Deserialize;
use toml::{Table, Value};

use super::file;
use crate::config::Error;

const KEY: &str = "radio.file";
const COLUMNS: [&str; 3] = ["from", "to", "gain_db"];

/// A line of the file.
#[derive(Deserialize)]
struct Line {
    from: u32,
    to: u32,
    gain_db: f64,
}

/// Puts the gains in the file that `radio` names in the place of its name.
///
/// # Errors
/// If the file cannot be read or has a fault; names the line.
pub(super) fn read_into(radio: &mut Table) -> Result<(), Error> {
    let is_measured = radio.get("propagation").and_then(Value::as_str) == Some("measured");
    let Some(Value::String(name)) = radio.get("file").filter(|_| is_measured) else {
        return Ok(());
    };
    if radio.contains_key("gains_db") {
        return Err(Error::new(KEY, "cannot be given together with gains_db"));
    }
    let text = file::text(KEY, name)?;
    let gains = parse(&text).map_err(|(line, fault)| file::error(KEY, name, line, fault))?;
    radio.remove("file");
    radio.insert("gains_db".to_owned(), gains);
    Ok(())
}

/// The gains as a list of lists; or the line, from 1, and what is wrong.
fn parse(text: &str) -> Result<Value, (Option<u64>, String)> {
    let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(text.as_bytes());
    let heading = reader.headers().map_err(|error| (None, error.to_string()))?.clone();
    if COLUMNS.iter().any(|column| !heading.iter().any(|known| known == *column)) {
        let got: Vec<&str> = heading.iter().collect();
        let fault = format!(
            "must name columns from, to and gain_db, separated by commas (got {})",
            got.join(",")
        );
        return Err((Some(1), fault));
    }
    let mut gains = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map(csv::Position::line);
            (line, format!("must have as many columns as the heading, {}", heading.len()))
        })?;
        let line = record.position().map(csv::Position::line);
        let Ok(Line { from, to, gain_db }) = record.deserialize(Some(&heading)) else {
            let got: Vec<&str> = record.iter().collect();
            let fault = format!("must be two nodes and decibels (got {})", got.join(","));
            return Err((line, fault));
        };
        gains.push(Value::Array(vec![from.into(), to.into(), gain_db.into()]));
    }
    match gains.is_empty() {
        true => Err((None, "has no links: a line for each".to_owned())),
        false => Ok(Value::Array(gains)),
    }
}
