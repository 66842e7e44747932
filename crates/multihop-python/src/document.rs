//! What a run is given, from Python's text: a scenario, what is laid over it, what to record.

use multihop::api::config::document::{Document, Override};
use multihop::api::scenario::{Error, Scenario};
use multihop::api::schemes::Schemes;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::prototype;

/// How a scenario is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Syntax {
    /// A scenario file.
    Toml,
    /// A mapping of Python, or a resolved scenario.
    Json,
}

impl FromPyObject<'_> for Syntax {
    fn extract_bound(name: &Bound<'_, PyAny>) -> PyResult<Syntax> {
        match name.extract::<&str>()? {
            "toml" => Ok(Syntax::Toml),
            "json" => Ok(Syntax::Json),
            other => {
                Err(PyValueError::new_err(format!("syntax: must be toml or json, not {other}")))
            }
        }
    }
}

/// The schemes that a scenario can choose, classes of Python included.
pub(crate) fn schemes() -> Schemes {
    crate::listed()
        .finding_congestion_controls(prototype::find_congestion_control)
        .finding_policies(prototype::find_policy)
        .finding_rate_controls(prototype::find_rate_control)
}

/// The scenario in `text` with `overrides` laid over it: a JSON list of pairs of key path and
/// value.
pub(crate) fn scenario(text: &str, syntax: Syntax, overrides: &str) -> Result<Scenario, Error> {
    Scenario::from_document(&schemes(), &read(text, syntax, overrides)?)
}

/// The same before it is checked, which knows where each key stands.
pub(crate) fn read(text: &str, syntax: Syntax, overrides: &str) -> Result<Document, Error> {
    let mut document = match syntax {
        Syntax::Toml => Document::from_toml(text)?,
        Syntax::Json => Document::from_json(text)?,
    };
    let pairs: Vec<(String, serde_json::Value)> = serde_json::from_str(overrides)
        .map_err(|error| Error::new("", format!("overrides are not JSON: {error}")))?;
    let overrides = pairs.into_iter().map(|(path, value)| Override::from_json(&path, value));
    document.lay(overrides.collect::<Result<Vec<Override>, Error>>()?)?;
    Ok(document)
}
