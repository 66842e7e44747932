//! Python bindings of the engine: conversion of types and errors, nothing else. Scenarios, what to
//! record and results go as text; `multihop.engine` gives them their Python types.
//!
//! A crate with schemes of its own makes a module of the same kind:
//! `multihop_python::engine!(schemes);`, where `schemes` is a function that returns the list. The
//! package finds it by an entry point in the group `multihop.engines`.

mod about;
mod document;
#[cfg(target_os = "linux")]
mod emulate;
mod hearing;
mod networks;
mod packing;
mod panics;
mod prototype;
mod run;

use std::sync::OnceLock;

pub use about::About;
#[doc(hidden)]
pub use pyo3;

use document::Syntax;
use multihop::api::bound::Capacity;
use multihop::api::capture::COLUMNS;
use multihop::api::config::document::{Document, line_of as line_in};
use multihop::api::kernel::Instant;
use multihop::api::scenario::{Error, Scenario, free_memory_bytes};
use multihop::api::schemes::Schemes;
use multihop::api::simulation::Recording;
use multihop::radio::setdest;
use pyo3::exceptions::PyRuntimeError;
use pyo3::import_exception;
use pyo3::prelude::*;

import_exception!(multihop.errors, ScenarioError);

/// The crate of this module, and its schemes: each module that is made with [`engine!`] has its own
/// of both.
static ABOUT: OnceLock<About> = OnceLock::new();
static SCHEMES: OnceLock<Schemes> = OnceLock::new();

/// The schemes that a scenario can choose.
fn listed() -> Schemes {
    SCHEMES.get().cloned().unwrap_or_else(Schemes::standard)
}

/// A scenario's fault as Python's exception: the one line, and its parts.
fn scenario_error(error: Error) -> PyErr {
    ScenarioError::new_err((error.to_string(), error.line, error.key, error.fault))
}

/// The JSON Schema of the scenario file, as JSON text.
#[pyfunction]
fn schema() -> String {
    multihop::api::scenario::schema(&document::schemes()).to_string()
}

/// The JSON Schema of a result, as JSON text.
#[pyfunction]
fn result_schema() -> String {
    let mut schema = multihop::api::simulation::schema(&listed());
    multihop_emulate::extend_schema(&mut schema);
    schema.to_string()
}

/// The JSON Schema of what to record, as JSON text.
#[pyfunction]
fn recording_schema() -> String {
    Recording::schema().to_string()
}

/// Words, and what each stands for.
type Words = Vec<(&'static str, &'static str)>;

/// The columns of the record of events: the name of each, what it holds, and the words of its
/// values with what each stands for, if they are words.
#[pyfunction]
fn event_columns() -> Vec<(&'static str, &'static str, Option<Words>)> {
    let messages = listed().messages();
    COLUMNS.iter().map(|column| (column.name, column.about, column.words(&messages))).collect()
}

/// The scenario with every default and override filled in, as JSON text.
#[pyfunction]
#[pyo3(signature = (text, overrides, *, syntax))]
fn resolve(text: &str, overrides: &str, syntax: Syntax) -> PyResult<String> {
    let scenario =
        panics::guarded(|| document::scenario(text, syntax, overrides))?.map_err(scenario_error)?;
    serde_json::to_string(&scenario)
        .map_err(|error| PyRuntimeError::new_err(format!("scenario can't be written: {error}")))
}

/// The movement of a run with `seed` as a file of ns-2's setdest: initial places, then
/// destinations.
#[pyfunction]
#[pyo3(signature = (text, overrides, *, syntax, seed=None))]
fn movement(
    py: Python<'_>,
    text: &str,
    overrides: &str,
    syntax: Syntax,
    seed: Option<u64>,
) -> PyResult<String> {
    py.detach(|| panics::guarded(|| write_movement(text, overrides, syntax, seed)))?
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

/// The mean gain of each link of a run with `seed`, shadowing included: from, to and decibels.
#[pyfunction]
#[pyo3(signature = (text, overrides, *, syntax, seed=None))]
fn gains_db(
    py: Python<'_>,
    text: &str,
    overrides: &str,
    syntax: Syntax,
    seed: Option<u64>,
) -> PyResult<Vec<(u32, u32, f64)>> {
    let found = py.detach(|| {
        panics::guarded(|| {
            let document = document::read(text, syntax, overrides)?;
            let scenario = Scenario::from_document(&document::schemes(), &document)?;
            let gains_db = scenario.gains_db(seed.unwrap_or(scenario.seed));
            gains_db.map_err(|error| document.locate(error))
        })
    })?;
    found.map_err(scenario_error)
}

/// What bounds the rates of the flows of a run with `seed`, as JSON text; periods of `step_s` if
/// nodes move.
#[pyfunction]
#[pyo3(signature = (text, overrides, *, syntax, seed=None, step_s=1.0))]
fn capacity(
    py: Python<'_>,
    text: &str,
    overrides: &str,
    syntax: Syntax,
    seed: Option<u64>,
    step_s: f64,
) -> PyResult<String> {
    let found = py.detach(|| {
        panics::guarded(|| {
            let document = document::read(text, syntax, overrides)?;
            let scenario = Scenario::from_document(&document::schemes(), &document)?;
            let seed = seed.unwrap_or(scenario.seed);
            Capacity::new(&scenario, seed, step_s).map_err(|error| document.locate(error))
        })
    })?;
    let found = found.map_err(scenario_error)?;
    serde_json::to_string(&found)
        .map_err(|error| PyRuntimeError::new_err(format!("capacity can't be written: {error}")))
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

/// What the network of a run with `seed` takes to build, if it is large: nodes, neighbours of all
/// of them, memory in bytes and seconds. An error if it cannot fit.
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
        panics::guarded(|| {
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
    listed().named().iter().map(|named| (named.name, named.about)).collect()
}

/// The overrides (key path, value) that a scheme lays over a scenario, or None for an unknown name.
#[pyfunction]
fn scheme_overrides(name: &str) -> Option<Vec<(String, String)>> {
    listed().overrides(name)
}

/// Whether nodes keep routes to all others by what `routing.scheme` calls `name`.
#[pyfunction]
fn keeps_routes(name: &str) -> bool {
    document::schemes().keeps_routes(name)
}

/// The names that only this list of schemes has, each with the key that can be so: `scheme` for
/// named schemes.
#[pyfunction]
fn own_schemes() -> Vec<(&'static str, &'static str)> {
    let standard = Schemes::standard().names();
    listed().names().into_iter().filter(|name| !standard.contains(name)).collect()
}

/// What a scenario chooses where schemes of another crate can stand: key and name, keys of flows as
/// all flows' are.
#[pyfunction]
#[pyo3(signature = (text, overrides, *, syntax))]
fn choices(text: &str, overrides: &str, syntax: Syntax) -> PyResult<Vec<(&'static str, String)>> {
    let document = document::read(text, syntax, overrides).map_err(scenario_error)?;
    Ok(multihop::api::schemes::choices(&document))
}

/// Makes `module` an engine over the schemes of `list`, which the crate in `about` has.
///
/// # Errors
/// If the list can't be made, for instance of two schemes of one name.
pub fn engine(module: &Bound<'_, PyModule>, about: About, list: fn() -> Schemes) -> PyResult<()> {
    let about = ABOUT.get_or_init(|| about);
    panics::keep_quiet();
    panics::guarded(|| SCHEMES.get_or_init(list))?;
    module.add("version", env!("CARGO_PKG_VERSION"))?;
    module.add("build", env!("ENGINE_BUILD"))?;
    module.add("crate", about.outside())?;
    module.add_class::<run::Record>()?;
    #[cfg(target_os = "linux")]
    module.add_class::<emulate::Emulation>()?;
    module.add_class::<hearing::Hearing>()?;
    module.add_class::<packing::Packing>()?;
    module.add_class::<networks::Networks>()?;
    module.add_function(wrap_pyfunction!(networks::quantities, module)?)?;
    module.add_function(wrap_pyfunction!(networks::share, module)?)?;
    module.add_function(wrap_pyfunction!(networks::value, module)?)?;
    module.add_class::<prototype::Window>()?;
    module.add_class::<prototype::Ack>()?;
    module.add_class::<prototype::Loss>()?;
    module.add_class::<prototype::Sent>()?;
    module.add_class::<prototype::RoutingContext>()?;
    module.add_class::<prototype::RouteRequest>()?;
    module.add_class::<prototype::RouteReply>()?;
    module.add_class::<prototype::RequestCopy>()?;
    module.add_class::<prototype::Route>()?;
    module.add_class::<prototype::Link>()?;
    module.add_class::<prototype::RouteOffer>()?;
    module.add_class::<prototype::DataPacket>()?;
    module.add_class::<prototype::PathRequest>()?;
    module.add_class::<prototype::Answer>()?;
    module.add_class::<prototype::Discover>()?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(resolve, module)?)?;
    module.add_function(wrap_pyfunction!(movement, module)?)?;
    module.add_function(wrap_pyfunction!(load, module)?)?;
    module.add_function(wrap_pyfunction!(capacity, module)?)?;
    module.add_function(wrap_pyfunction!(gains_db, module)?)?;
    module.add_function(wrap_pyfunction!(schema, module)?)?;
    module.add_function(wrap_pyfunction!(result_schema, module)?)?;
    module.add_function(wrap_pyfunction!(recording_schema, module)?)?;
    module.add_function(wrap_pyfunction!(event_columns, module)?)?;
    module.add_function(wrap_pyfunction!(check_toml, module)?)?;
    module.add_function(wrap_pyfunction!(line_of, module)?)?;
    module.add_function(wrap_pyfunction!(schemes, module)?)?;
    module.add_function(wrap_pyfunction!(scheme_overrides, module)?)?;
    module.add_function(wrap_pyfunction!(keeps_routes, module)?)?;
    module.add_function(wrap_pyfunction!(own_schemes, module)?)?;
    module.add_function(wrap_pyfunction!(choices, module)?)
}

/// Makes the crate's Python module, `_engine`, over the schemes that the function `$list` returns.
#[macro_export]
macro_rules! engine {
    ($list:path) => {
        /// The engine, for Python.
        #[$crate::pyo3::pymodule]
        #[pyo3(crate = "multihop_python::pyo3")]
        fn _engine(
            module: &$crate::pyo3::Bound<'_, $crate::pyo3::types::PyModule>,
        ) -> $crate::pyo3::PyResult<()> {
            $crate::engine(module, $crate::about!(), $list)
        }
    };
}
