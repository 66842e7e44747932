//! Helpers shared by the integration tests.

use std::fs;
use std::path::{Path, PathBuf};

use multihop::scenario::Scenario;
use multihop::simulation::{Recording, RunResult, Simulation};

/// Runs scenario `text` with `seed` and `recording`.
pub fn run(text: &str, seed: u64, recording: &Recording) -> RunResult {
    let scenario = Scenario::from_toml(text, &[]).expect("a valid scenario");
    Simulation::new(&scenario, Some(seed), recording).expect("a network").run()
}

/// Every source file below `folder` that is no test, without the tests at its end.
pub fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("tests") {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            let mut text = fs::read_to_string(&path).expect("UTF-8");
            text.truncate(text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len()));
            files.push((path, text));
        }
    }
    files
}
