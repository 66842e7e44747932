//! The `file` key of `[topology]` and `[mobility]`: a movement file on disk.

use std::fs;
use std::io;

use super::mobility::MAX_SPEED_MPS;
use super::topology::MAX_METRES;
use crate::config::Error;
use crate::radio::Setdest;
use crate::radio::setdest::{Fault, Limits};

/// Reads the movement file `file`, given at `key`, for `nodes` nodes that stay within `area_m` \[m\].
///
/// # Errors
/// If the file cannot be read or has a fault; names the line.
pub fn read(
    key: &str,
    file: &str,
    nodes: usize,
    area_m: Option<[f64; 2]>,
) -> Result<Setdest, Error> {
    let text = fs::read_to_string(file).map_err(|error| {
        let fault = match error.kind() {
            io::ErrorKind::NotFound => "does not exist".to_owned(),
            io::ErrorKind::InvalidData => "is not UTF-8 text".to_owned(),
            kind => format!("cannot be read: {kind}"),
        };
        Error::new(key, format!("{file} {fault}"))
    })?;
    let limits = Limits { nodes, area_m, max_metres: MAX_METRES, max_speed_mps: MAX_SPEED_MPS };
    Setdest::parse(&text, &limits).map_err(|fault| error(key, file, fault))
}

/// Reports a fault of the movement file as an error of the scenario.
pub fn error(key: &str, file: &str, Fault { line, text }: Fault) -> Error {
    let place = line.map(|line| format!("line {line}: ")).unwrap_or_default();
    Error::new(key, format!("{file}: {place}{text}"))
}
