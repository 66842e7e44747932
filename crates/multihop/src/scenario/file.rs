//! Reading the files that a scenario names, which may come from anybody and name anything.

use std::fs::{self, File};
use std::io::{self, Read};

use super::encoding::{self, Decoded};
use super::remarks::Remarks;
use crate::config::Error;

/// The largest file that is read (bytes).
pub(super) const MOST_BYTES: u64 = 256 << 20;

/// Units that a fault may repeat.
const UNITS: [&str; 5] = ["m", "km", "s", "ms", "dB"];
/// Names of columns that a fault may repeat; what else a file holds is not told.
const COLUMNS: [&str; 18] = [
    "id",
    "name",
    "node",
    "x",
    "y",
    "z",
    "x_m",
    "y_m",
    "z_m",
    "lat",
    "lon",
    "latitude",
    "longitude",
    "from",
    "to",
    "gain_db",
    "time_s",
    "bytes",
];
/// Of what begins like a number, so many characters are told.
const MOST_TOLD: usize = 24;

/// The text of `file`, given at `key`; of another encoding than UTF-8 there is a remark.
///
/// # Errors
/// If it cannot be read, is no regular file, is too large or is not text; names the file.
pub(super) fn text(key: &str, file: &str, remarks: &mut Remarks) -> Result<String, Error> {
    let decoded = read(file).map_err(|error| {
        let fault = match error.kind() {
            io::ErrorKind::NotFound => "does not exist".to_owned(),
            io::ErrorKind::InvalidData => {
                "is no text: neither UTF-8 nor Windows-1252, nor UTF-16 with its mark".to_owned()
            }
            io::ErrorKind::Unsupported => "is compressed (gzip): unpack it first".to_owned(),
            io::ErrorKind::InvalidInput => "is no regular file".to_owned(),
            io::ErrorKind::FileTooLarge => {
                format!("has more than {} MiB, the most that is read", MOST_BYTES >> 20)
            }
            kind => format!("cannot be read: {kind}"),
        };
        Error::new(key, format!("{file} {fault}"))
    })?;
    if let Some(encoding) = decoded.encoding {
        remarks.warn(format!("{file}: is not UTF-8, and was read as {encoding}"));
    }
    Ok(decoded.text)
}

/// Reads no more than the size that a file tells: devices and what the kernel makes up tell none.
fn read(file: &str) -> io::Result<Decoded> {
    let told = fs::metadata(file)?; // a pipe would wait for its writer when it is opened
    if !told.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    if told.len() > MOST_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = Vec::new();
    File::open(file)?.take(told.len()).read_to_end(&mut bytes)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return Err(io::ErrorKind::Unsupported.into());
    }
    encoding::decode(bytes).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// A fault of `file`, given at `key`, as an error of the scenario; `line` is that of the file, from
/// 1.
///
/// What the fault says that it got is told only if it is a number or known names of columns: a file
/// may be somebody's secret.
pub(super) fn error(key: &str, file: &str, line: Option<u64>, fault: impl AsRef<str>) -> Error {
    let place = line.map(|line| format!("line {line}: ")).unwrap_or_default();
    Error::new(key, format!("{file}: {place}{}", discreet(fault.as_ref())))
}

fn discreet(fault: &str) -> String {
    const GOT: &str = "(got ";
    let mut parts = fault.split(GOT);
    let mut said = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (got, rest) = part.rfind(')').map_or((part, ""), |end| part.split_at(end));
        said += GOT;
        said += if may_be_told(got) { got } else { "other text" };
        said += rest;
    }
    said
}

fn may_be_told(got: &str) -> bool {
    let separators = [',', ';', ' ', '\t', '"', '(', ')'];
    got.split(separators).filter(|word| !word.is_empty()).all(|word| {
        let is_number = word
            .starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first))
            && word.chars().all(|each| each.is_ascii_alphanumeric() || "+-.".contains(each))
            && word.len() <= MOST_TOLD;
        is_number
            || UNITS.contains(&word)
            || ["nan", "inf"].contains(&word)
            || COLUMNS.contains(&word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_tells_numbers_and_columns_and_no_other_content() {
        for told in ["x_m must be a number (got \"1 m\")", "columns (got x;y_m)", "is cut short"] {
            assert_eq!(discreet(told), told);
        }
        let hidden = "must name columns x_m and y_m (got root:$6$abc:19000)";
        assert_eq!(discreet(hidden), "must name columns x_m and y_m (got other text)");
        assert_eq!(
            discreet("id must be 1 (got \"a)b\"): ids count"),
            "id must be 1 (got other text): ids count"
        );
    }

    #[test]
    #[cfg(unix)]
    fn what_is_no_regular_file_is_refused_and_not_read() {
        let fault = |file: &str| {
            text("topology.file", file, &mut Remarks::default()).unwrap_err().to_string()
        };
        assert_eq!(fault("/dev/zero"), "topology.file: /dev/zero is no regular file");
        assert_eq!(fault("/"), "topology.file: / is no regular file");
        assert_eq!(fault("/nowhere"), "topology.file: /nowhere does not exist");
    }
}
