//! What is wrong with a scenario, in one line.

use std::fmt;

/// A scenario that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Line of the scenario file, if the faulty value is in it.
    pub line: Option<usize>,
    /// Path of the key, as `mac.short_retry_limit` or `flows.0.source`; empty for the whole file.
    pub key: String,
    /// What is wrong and what is allowed.
    pub fault: String,
}

impl Error {
    /// A fault of `key`, whose line is not known yet.
    pub fn new(key: impl Into<String>, fault: impl Into<String>) -> Error {
        Error { line: None, key: key.into(), fault: fault.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if !self.key.is_empty() {
            write!(f, "{}: ", one_line(&self.key))?;
        }
        f.write_str(&one_line(&self.fault))
    }
}

/// Keeps the message on one line, whatever a key or a fault quotes.
fn one_line(text: &str) -> String {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    text.replace(breaks, " ")
}

impl std::error::Error for Error {}
