//! The `file` key of `[topology]` and `[mobility]`: a movement file on disk.

use super::file;
use super::mobility::MAX_SPEED_MPS;
use super::remarks::Remarks;
use super::topology::{MAX_METRES, Topology};
use crate::config::Error;
use crate::radio::Setdest;
use crate::radio::setdest::{Fault, Limits};

/// Reads the movement file `file`, given at `key`, for the nodes of `topology`, which stay within
/// `area_m` \[m\].
///
/// # Errors
/// If the file cannot be read or has a fault; names the line.
pub fn read(
    key: &str,
    file: &str,
    topology: &Topology,
    area_m: Option<[f64; 2]>,
    remarks: &mut Remarks,
) -> Result<Setdest, Error> {
    let text = file::text(key, file, remarks)?;
    let limits = Limits {
        nodes: topology.nodes(),
        area_m,
        // Other topologies have places of their own.
        area_follows: matches!(topology, Topology::Setdest(_)),
        max_metres: MAX_METRES,
        max_speed_mps: MAX_SPEED_MPS,
    };
    Setdest::parse(&text, &limits).map_err(|fault| error(key, file, fault))
}

/// Reports a fault of the movement file as an error of the scenario.
pub fn error(key: &str, file: &str, Fault { line, text }: Fault) -> Error {
    file::error(key, file, line.map(|line| line as u64), text)
}

/// Remarks how the file was read.
pub fn remark(file: &str, area_m: Option<[f64; 2]>, read: &Setdest, remarks: &mut Remarks) {
    remarks.on_numbers(file, read.numbers());
    let [x_m, y_m] = read.origin();
    if let Some([width, height]) = area_m.filter(|_| [x_m, y_m] != [0.0; 2]) {
        remarks.warn(format!(
            "{file}: has negative coordinates; its area of {width} m by {height} m begins at \
             ({x_m}, {y_m})"
        ));
    }
}
