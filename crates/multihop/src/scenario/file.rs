//! Reading the files that a scenario names.

use std::fs;
use std::io;

use crate::config::Error;

/// The text of `file`, given at `key`.
///
/// # Errors
/// If it cannot be read or is not text; names the file.
pub(super) fn text(key: &str, file: &str) -> Result<String, Error> {
    fs::read_to_string(file).map_err(|error| {
        let fault = match error.kind() {
            io::ErrorKind::NotFound => "does not exist".to_owned(),
            io::ErrorKind::InvalidData => "is not UTF-8 text".to_owned(),
            kind => format!("cannot be read: {kind}"),
        };
        Error::new(key, format!("{file} {fault}"))
    })
}

/// A fault of `file`, given at `key`, as an error of the scenario; `line` is that of the file, from 1.
pub(super) fn error(key: &str, file: &str, line: Option<u64>, fault: impl AsRef<str>) -> Error {
    let place = line.map(|line| format!("line {line}: ")).unwrap_or_default();
    Error::new(key, format!("{file}: {place}{}", fault.as_ref()))
}
