//! Who hears whom over the time of a run, as arrays.

use std::sync::{Mutex, MutexGuard, PoisonError};

use multihop::api::kernel::Instant;
use multihop::api::scenario::{Error, Scenario};
use multihop::api::simulation::{self, Heard, Trail};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::document::{self, Syntax};
use crate::panics::guarded;
use crate::scenario_error;

/// Columns of numbers of 32 bits, sender and node, the power in dBm, and one byte of flags:
/// decodes, carries, senses from the lowest bit.
type Columns = (Py<PyBytes>, Py<PyBytes>, Py<PyBytes>, Py<PyBytes>);

/// Who hears whom in a run with `seed`. With `ways`, nodes go along these, and the scenario needs
/// no flows.
#[pyclass(frozen)]
pub(crate) struct Hearing(Mutex<simulation::Hearing>);

#[pymethods]
impl Hearing {
    #[new]
    #[pyo3(signature = (text, overrides, *, syntax, seed=None, ways=None))]
    fn new(
        py: Python<'_>,
        text: &str,
        overrides: &str,
        syntax: Syntax,
        seed: Option<u64>,
        ways: Option<Vec<Trail>>,
    ) -> PyResult<Hearing> {
        let found = py.detach(|| guarded(|| build(text, overrides, syntax, seed, ways)))?;
        Ok(Hearing(Mutex::new(found.map_err(scenario_error)?)))
    }

    /// By node, the points (time in seconds, x and y in metres) of its way to the end of the run.
    #[getter]
    fn ways(&self) -> Vec<Vec<(f64, f64, f64)>> {
        let of = |way: &Trail| way.iter().map(|&[at_s, x_m, y_m]| (at_s, x_m, y_m)).collect();
        self.locked().trails().iter().map(of).collect()
    }

    /// When outages change it, in nanoseconds.
    #[getter]
    fn changes_ns(&self) -> Vec<u64> {
        self.locked().changes().map(Instant::as_nanos).collect()
    }

    #[getter]
    fn has_power(&self) -> bool {
        self.locked().has_power()
    }

    #[getter]
    fn by_distance(&self) -> bool {
        self.locked().is_by_distance()
    }

    /// Every signal that counts at `time_ns`.
    fn at(&self, py: Python<'_>, time_ns: u64) -> PyResult<Columns> {
        let (heard, has_power) = py.detach(|| {
            guarded(|| {
                let mut hearing = self.locked();
                (hearing.at(Instant::from_nanos(time_ns)), hearing.has_power())
            })
        })?;
        let dbm = |heard: &Heard| match has_power {
            true => (10.0 * heard.power_w.log10() + 30.0) as f32,
            false => f32::NAN,
        };
        let flags = |heard: &Heard| {
            u8::from(heard.decodes) | u8::from(heard.carries) << 1 | u8::from(heard.senses) << 2
        };
        Ok((
            column(py, &heard, |heard| heard.sender.0.to_le_bytes())?,
            column(py, &heard, |heard| heard.node.0.to_le_bytes())?,
            column(py, &heard, |heard| dbm(heard).to_le_bytes())?,
            column(py, &heard, |heard| [flags(heard)])?,
        ))
    }
}

impl Hearing {
    fn locked(&self) -> MutexGuard<'_, simulation::Hearing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn build(
    text: &str,
    overrides: &str,
    syntax: Syntax,
    seed: Option<u64>,
    ways: Option<Vec<Trail>>,
) -> Result<simulation::Hearing, Error> {
    let document = document::read(text, syntax, overrides)?;
    let schemes = document::schemes();
    let scenario = match ways {
        None => Scenario::from_document(&schemes, &document)?,
        Some(_) => Scenario::for_programs(&schemes, &document, false)?,
    };
    let seed = seed.unwrap_or(scenario.seed);
    simulation::Hearing::new(&scenario, seed, ways).map_err(|error| document.locate(error))
}

fn column<const N: usize>(
    py: Python<'_>,
    heard: &[Heard],
    value: impl Fn(&Heard) -> [u8; N],
) -> PyResult<Py<PyBytes>> {
    let bytes = PyBytes::new_with(py, heard.len() * N, |place| {
        for (place, heard) in place.chunks_exact_mut(N).zip(heard) {
            place.copy_from_slice(&value(heard));
        }
        Ok(())
    })?;
    Ok(bytes.unbind())
}
