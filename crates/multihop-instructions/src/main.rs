//! Runs one scenario file and prints its digest. `benches/instructions.py` counts its instructions.
//!
//! Usage: `instructions FILE [KEY=VALUE]...`; the pairs override the scenario.

use std::error::Error;

use multihop::api::scenario::Scenario;
use multihop::api::simulation::{Recording, Simulation};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("which scenario file?")?;
    let overrides: Vec<(String, String)> = arguments
        .filter_map(|pair| pair.split_once('=').map(|(key, value)| (key.into(), value.into())))
        .collect();
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let scenario = Scenario::from_toml(&text, &overrides)?;
    let result = Simulation::new(&scenario, None, &Recording::default())?.run();
    println!("{}", result.engine.fingerprint);
    Ok(())
}
