//! Python bindings of the engine: conversion of types and errors, nothing else. Scenarios, what to record
//! and results go as text; `multihop.engine` gives them their Python types.

mod document;
mod prototype;
mod run;

use document::Syntax;
use multihop::capture::{COLUMNS, Words};
use multihop::config::document::{Document, line_of as line_in};
use multihop::kernel::Instant;
use multihop::radio::setdest;
use multihop::scenario::{Error, Scenario, free_memory_bytes};
use multihop::schemes::Schemes;
use multihop::simulation::Recording;
use pyo3::exceptions::PyRuntimeError;
use pyo3::import_exception;
use pyo3::prelude::*;

import_exception!(multihop.errors, ScenarioError);

/// A scenario's fault as Python's exception: the one line, and its parts.
fn scenario_error(error: Error) -> PyErr {
    ScenarioError::new_err((error.to_string(), error.line, error.key, error.fault))
}

/// The JSON Schema of the scenario file, as JSON text.
#[pyfunction]
fn schema() -> String {
    multihop::scenario::schema(&Schemes::standard()).to_string()
}

/// The JSON Schema of a result, as JSON text.
#[pyfunction]
fn result_schema() -> String {
    multihop::simulation::schema(&Schemes::standard()).to_string()
}

/// The JSON Schema of what to record, as JSON text.
#[pyfunction]
fn recording_schema() -> String {
    Recording::schema().to_string()
}

/// The columns of the record of events: the name of each, what it holds, and the words of its values with what
/// each stands for, if they are words.
#[pyfunction]
fn event_columns() -> Vec<(&'static str, &'static str, Option<Words>)> {
    COLUMNS.iter().map(|column| (column.name, column.about, column.words())).collect()
}

/// The scenario with every default and override filled in, as JSON text.
#[pyfunction]
#[pyo3(signature = (text, overrides, *, syntax))]
fn resolve(text: &str, overrides: &str, syntax: Syntax) -> PyResult<String> {
    let scenario =
        run::guarded(|| document::scenario(text, syntax, overrides))?.map_err(scenario_error)?;
    serde_json::to_string(&scenario)
        .map_err(|error| PyRuntimeError::new_err(format!("scenario can't be written: {error}")))
}

/// The movement of a run with `seed` as a file of ns-2's setdest: initial places, then destinations.
#[pyfunction]
#[pyo3(signature = (text, overrides, *, syntax, seed=None))]
fn movement(
    py: Python<'_>,
    text: &str,
    overrides: &str,
    syntax: Syntax,
    seed: Option<u64>,
) -> PyResult<String> {
    py.detach(|| run::guarded(|| write_movement(text, overrides, syntax, seed)))?
        .map_err(scenario_error)
}

fn write_movement(
    text: &str,
    overrides: &str,
    syntax: Syntax,
    seed: Option<u64>,
) -> Result<String, Error> {
    let scenario = document::scenario(text, syntax, overrides)?;
    let network = scenario.network(seed.unwrap_or(scenario.seed))?;
    let end = Instant::from_secs_f64(scenario.duration_s);
    Ok(setdest::write(&network.positions, network.movement.as_ref(), end))
}

/// Raises the error that says where and why `text` is not TOML, if it is not.
#[pyfunction]
fn check_toml(text: &str) -> PyResult<()> {
    Document::from_toml(text).map(|_| ()).map_err(scenario_error)
}

/// The line of the key at path `key` in TOML, or of the nearest table above it; from 1.
#[pyfunction]
fn line_of(text: &str, key: &str) -> Option<usize> {
    line_in(text, key)
}

/// What the network of a run with `seed` takes to build, if it is large: nodes, neighbours of all of
/// them, memory in bytes and seconds. An error if it cannot fit.
#[pyfunction]
#[pyo3(signature = (text, overrides, *, syntax, seed=None))]
fn load(
    py: Python<'_>,
    text: &str,
    overrides: &str,
    syntax: Syntax,
    seed: Option<u64>,
) -> PyResult<Option<(usize, u64, u64, f64)>> {
    let found = py.detach(|| {
        run::guarded(|| {
            let document = document::read(text, syntax, overrides)?;
            let scenario = Scenario::from_document(&document::schemes(), &document)?;
            let load = scenario.load(seed.unwrap_or(scenario.seed)).and_then(|load| {
                load.map_or(Ok(()), |load| load.check(free_memory_bytes())).map(|()| load)
            });
            load.map_err(|error| document.locate(error))
        })
    })?;
    let found = found.map_err(scenario_error)?;
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
    module.add_class::<run::Record>()?;
    module.add_class::<prototype::Window>()?;
    module.add_class::<prototype::Ack>()?;
    module.add_class::<prototype::Loss>()?;
    module.add_class::<prototype::Sent>()?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(resolve, module)?)?;
    module.add_function(wrap_pyfunction!(movement, module)?)?;
    module.add_function(wrap_pyfunction!(load, module)?)?;
    module.add_function(wrap_pyfunction!(schema, module)?)?;
    module.add_function(wrap_pyfunction!(result_schema, module)?)?;
    module.add_function(wrap_pyfunction!(recording_schema, module)?)?;
    module.add_function(wrap_pyfunction!(event_columns, module)?)?;
    module.add_function(wrap_pyfunction!(check_toml, module)?)?;
    module.add_function(wrap_pyfunction!(line_of, module)?)?;
    module.add_function(wrap_pyfunction!(schemes, module)?)?;
    module.add_function(wrap_pyfunction!(scheme_overrides, module)?)
}
