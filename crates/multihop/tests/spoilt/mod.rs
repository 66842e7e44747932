//! A valid scenario broken in one place, and the error message for it.

use multihop::scenario::Scenario;

/// A valid scenario, to be broken.
pub const GOOD: &str = "\
title = \"good\"
duration_s = 10
seed = 1

[topology]
kind = \"chain\"
hops = 2

[mac]
short_retry_limit = 7

[transport]
window_segments = 8

[[flows]]
kind = \"ftp\"
source = 0
destination = 2
start_s = 1
stop_s = 9
";

/// The error message for `text` with `overrides`.
pub fn message(text: &str, overrides: &[(&str, &str)]) -> String {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    match Scenario::from_toml(text, &overrides) {
        Ok(_) => format!("accepted:\n{text}"),
        Err(error) => error.to_string(),
    }
}

/// [`GOOD`] with `old` replaced by `new`.
pub fn spoilt(old: &str, new: &str) -> String {
    assert_eq!(GOOD.matches(old).count(), 1, "{old:?} occurs once in the valid scenario");
    GOOD.replace(old, new)
}

/// (text in [`GOOD`], its replacement, the message).
pub type Case = (&'static str, &'static str, &'static str);

/// Checks that each case gives its message, in one line.
pub fn check(cases: &[Case]) {
    let wrong: Vec<String> = cases
        .iter()
        .map(|&(old, new, expected)| (new, message(&spoilt(old, new), &[]), expected))
        .filter(|(_, got, expected)| got != expected || got.lines().count() != 1)
        .map(|(new, got, expected)| format!("{new:?}\n  got      {got}\n  expected {expected}"))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
