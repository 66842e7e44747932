//! Python bindings of the engine: conversion of types and errors, nothing else.

mod run;

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
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
    multihop::scenario::schema().to_string()
}

/// Every scheme as (name, description).
#[pyfunction]
fn schemes() -> Vec<(&'static str, &'static str)> {
    multihop::scenario::scheme_names()
}

/// The overrides (key path, value) that a scheme lays over a scenario, or None for an unknown name.
#[pyfunction]
fn scheme_overrides(name: &str) -> Option<Vec<(String, String)>> {
    multihop::scenario::scheme_overrides(name)
}

/// The compiled part of the package `multihop`.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    run::keep_panics_quiet();
    module.add("version", env!("CARGO_PKG_VERSION"))?;
    module.add("ScenarioError", module.py().get_type::<ScenarioError>())?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(schema, module)?)?;
    module.add_function(wrap_pyfunction!(schemes, module)?)?;
    module.add_function(wrap_pyfunction!(scheme_overrides, module)?)
}
