//! Helpers shared by the integration tests.

use multihop::scenario::Scenario;
use multihop::simulation::{Recording, RunResult, Simulation};

/// Runs scenario `text` with `seed` and `recording`.
pub fn run(text: &str, seed: u64, recording: &Recording) -> RunResult {
    let scenario = Scenario::from_toml(text, &[]).expect("a valid scenario");
    Simulation::new(&scenario, Some(seed), recording).expect("a network").run()
}
