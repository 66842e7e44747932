//! The `file` key of `[topology]` and `[mobility]`: a movement file on disk.

use super::file;
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
    let text = file::text(key, file)?;
    let limits = Limits { nodes, area_m, max_metres: MAX_METRES, max_speed_mps: MAX_SPEED_MPS };
    Setdest::parse(&text, &limits).map_err(|fault| error(key, file, fault))
}

/// Reports a fault of the movement file as an error of the scenario.
pub fn error(key: &str, file: &str, Fault { line, text }: Fault) -> Error {
    file::error(key, file, line.map(|line| line as u64), text)
}
