//! What the hooks of a policy of DSR in Python get and return. Times are in seconds; a path is a
//! tuple of nodes.

use std::sync::Arc;

use multihop::api::routing::dsr::Order;
use multihop::api::wire::NodeId;
use multihop::api::wire::dsr::Request;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The numbers of `nodes`.
pub(super) fn numbers<'py>(py: Python<'py>, nodes: &[NodeId]) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, nodes.iter().map(|node| node.0))
}

/// A copy of a route request.
#[pyclass(frozen)]
#[derive(Clone, Debug)]
pub(crate) struct PathRequest(pub(super) Arc<Request>);

#[pymethods]
impl PathRequest {
    #[new]
    #[pyo3(signature = (*, target=1, path=vec![0], id=1, gathered=vec![]))]
    fn new(target: u32, path: Vec<u32>, id: u32, gathered: Vec<f32>) -> PyResult<PathRequest> {
        if path.is_empty() {
            return Err(PyValueError::new_err("path: must have the originator at least"));
        }
        Ok(PathRequest(Arc::new(Request {
            id,
            target: NodeId(target),
            path: path.into_iter().map(NodeId).collect(),
            more_hops: u8::MAX,
            gathered,
            replaces: None,
        })))
    }

    #[getter]
    fn target(&self) -> u32 {
        self.0.target.0
    }

    #[getter]
    fn originator(&self) -> u32 {
        self.0.path[0].0
    }

    #[getter]
    fn id(&self) -> u32 {
        self.0.id
    }

    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        numbers(py, &self.0.path)
    }

    #[getter]
    fn gathered<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0.gathered)
    }
}

/// An order: answer a request that came.
#[pyclass(frozen)]
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    request: PathRequest,
    gathered: Vec<f32>,
}

#[pymethods]
impl Answer {
    #[new]
    #[pyo3(signature = (request, gathered=vec![]))]
    fn new(request: PyRef<'_, PathRequest>, gathered: Vec<f32>) -> Answer {
        Answer { request: request.clone(), gathered }
    }
}

/// An order: search for routes to a node.
#[pyclass(frozen)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Discover {
    target: u32,
}

#[pymethods]
impl Discover {
    #[new]
    fn new(target: u32) -> Discover {
        Discover { target }
    }
}

/// What a hook may ask of its node's DSR.
#[derive(Debug, FromPyObject)]
pub(super) enum Asked {
    Answer(Answer),
    Discover(Discover),
}

impl From<Asked> for Order {
    fn from(asked: Asked) -> Order {
        match asked {
            Asked::Answer(Answer { request, gathered }) => {
                Order::Answer { asked: request.0.path[..].into(), direction: None, gathered }
            }
            Asked::Discover(Discover { target }) => Order::Discover { target: NodeId(target) },
        }
    }
}
