//! Sets of links that can be in use together, for Python.

use multihop::api::bound;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::panics::guarded;

/// Things, and which of them go together.
#[pyclass(frozen)]
pub(crate) struct Packing(bound::Packing);

#[pymethods]
impl Packing {
    /// Of `things`, with a byte for each two that is not 0 if they go together.
    #[new]
    fn new(things: usize, compatible: &[u8]) -> PyResult<Packing> {
        if compatible.len() != things * things {
            return Err(PyValueError::new_err("compatible: must have a byte for each two"));
        }
        Ok(Packing(bound::Packing::new(things, compatible)))
    }

    /// Sets that grow from the heaviest things, each with its weight; heaviest first.
    fn grown(&self, weights: Vec<f64>, starts: usize) -> Vec<(f64, Vec<usize>)> {
        self.0.grown(&weights, starts)
    }

    /// A set with everything added that fits.
    fn completed(&self, weights: Vec<f64>, set: Vec<usize>) -> Vec<usize> {
        self.0.completed(&weights, set)
    }

    /// The heaviest set but for the share `slack`, its weight, and a weight that no set exceeds.
    fn heaviest(
        &self,
        py: Python<'_>,
        weights: Vec<f64>,
        slack: f64,
        most_steps: u64,
    ) -> PyResult<(Vec<usize>, f64, f64)> {
        let found = py.detach(|| guarded(|| self.0.heaviest(&weights, slack, most_steps)))?;
        Ok((found.set, found.weight, found.bound))
    }

    /// Weights, by which no set weighs more than 1, with as much for things without weight as they
    /// leave.
    fn lifted(
        &self,
        py: Python<'_>,
        weights: Vec<f64>,
        order: Vec<usize>,
        full: Vec<Vec<usize>>,
        most_steps: u64,
    ) -> PyResult<Vec<f64>> {
        py.detach(|| guarded(|| self.0.lifted(&weights, &order, &full, most_steps)))
    }
}
