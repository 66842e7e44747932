//! The `file` key of `[topology]` and `[mobility]`: a movement file on disk.

use super::file;
use super::limits::{MAX_METRES, MAX_SPEED_MPS};
use super::remarks::Remarks;
use crate::config::Error;
use crate::radio::Setdest;
use crate::radio::setdest::{Fault, Limits};

/// The limits of a file for so many `nodes` in an area of `area_m` \[m\], which begins where the
/// file's coordinates do if it `follows` them: other topologies have places of their own.
pub fn limits(nodes: usize, area_m: Option<[f64; 2]>, follows: bool) -> Limits {
    Limits {
        nodes,
        area_m,
        area_follows: follows,
        max_metres: MAX_METRES,
        max_speed_mps: MAX_SPEED_MPS,
    }
}

/// Reads the movement file `file`, given at `key`.
///
/// # Errors
/// If the file cannot be read or has a fault; names the line.
pub fn read(
    key: &str,
    file: &str,
    limits: &Limits,
    remarks: &mut Remarks,
) -> Result<Setdest, Error> {
    let text = file::text(key, file, remarks)?;
    Setdest::parse(&text, limits).map_err(|fault| error(key, file, fault))
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
