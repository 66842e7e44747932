//! Python bindings of the engine: conversion of types and errors, nothing else.

mod run;

use multihop::kernel::Instant;
use multihop::radio::setdest;
use multihop::scenario::{Error, Scenario, free_memory_bytes};
use multihop::schemes::Schemes;
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    multihop,
    ScenarioError,
    PyValueError,
    "A scenario that can't be run; the one-line message names the key, the fault and what is allowed."
);

/// The JSON Schema of the scenario file, as JSON text.
#[pyfunction]
fn schema() -> String {
    multihop::scenario::schema(&Schemes::standard()).to_string()
}

/// The scenario with every default and override filled in, as JSON text.
#[pyfunction]
fn resolve(toml_text: &str, overrides: Vec<(String, String)>) -> PyResult<String> {
    let scenario = run::guarded(|| Scenario::from_toml(toml_text, &overrides))?
        .map_err(|error| ScenarioError::new_err(error.to_string()))?;
    serde_json::to_string(&scenario)
        .map_err(|error| PyRuntimeError::new_err(format!("scenario can't be written: {error}")))
}

/// The movement of a run with `seed` as a file of ns-2's setdest: initial places, then destinations.
#[pyfunction]
#[pyo3(signature = (toml_text, overrides, *, seed=None))]
fn movement(
    py: Python<'_>,
    toml_text: &str,
    overrides: Vec<(String, String)>,
    seed: Option<u64>,
) -> PyResult<String> {
    py.detach(|| run::guarded(|| write_movement(toml_text, &overrides, seed)))?
        .map_err(|error| ScenarioError::new_err(error.to_string()))
}

fn write_movement(
    toml_text: &str,
    overrides: &[(String, String)],
    seed: Option<u64>,
) -> Result<String, Error> {
    let scenario = Scenario::from_toml(toml_text, overrides)?;
    let network = scenario.network(seed.unwrap_or(scenario.seed))?;
    let end = Instant::from_secs_f64(scenario.duration_s);
    Ok(setdest::write(&network.positions, network.movement.as_ref(), end))
}

/// What the network of a run with `seed` takes to build, if it is large: nodes, neighbours of all of
/// them, memory in bytes and seconds. An error if it cannot fit.
#[pyfunction]
#[pyo3(signature = (toml_text, overrides, *, seed=None))]
fn load(
    py: Python<'_>,
    toml_text: &str,
    overrides: Vec<(String, String)>,
    seed: Option<u64>,
) -> PyResult<Option<(usize, u64, u64, f64)>> {
    let found = py.detach(|| {
        run::guarded(|| {
            let scenario = Scenario::from_toml(toml_text, &overrides)?;
            let load = scenario.load(seed.unwrap_or(scenario.seed)).and_then(|load| {
                load.map_or(Ok(()), |load| load.check(free_memory_bytes())).map(|()| load)
            });
            load.map_err(|error| run::located(toml_text, &overrides, error))
        })
    })?;
    let found = found.map_err(|error| ScenarioError::new_err(error.to_string()))?;
    Ok(found.map(|load| (load.nodes, load.neighbours, load.bytes, load.build_s)))
}

/// Every scheme as (name, description).
#[pyfunction]
fn schemes() -> Vec<(&'static str, &'static str)> {
    Schemes::standard().named().iter().map(|named| (named.name, named.about)).collect()
}

/// The overrides (key path, value) that a scheme lays over a scenario, or None for an unknown name.
#[pyfunction]
fn scheme_overrides(name: &str) -> Option<Vec<(String, String)>> {
    Schemes::standard().overrides(name)
}

/// The compiled part of the package `multihop`.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    run::keep_panics_quiet();
    module.add("version", env!("CARGO_PKG_VERSION"))?;
    module.add("build", env!("ENGINE_BUILD"))?;
    module.add("ScenarioError", module.py().get_type::<ScenarioError>())?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(resolve, module)?)?;
    module.add_function(wrap_pyfunction!(movement, module)?)?;
    module.add_function(wrap_pyfunction!(load, module)?)?;
    module.add_function(wrap_pyfunction!(schema, module)?)?;
    module.add_function(wrap_pyfunction!(schemes, module)?)?;
    module.add_function(wrap_pyfunction!(scheme_overrides, module)?)
}
