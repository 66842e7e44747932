//! Schemes written in Python, in a file that a scenario names: congestion controls
//! (`congestion.rs`, with what their hooks get in `events.rs`), policies of AODV and of DSR
//! (`aodv.rs` and `dsr.rs`, over `node.rs`, with `routes.rs` and `paths.rs`), metrics of links
//! (`metric.rs`) and rate controls (`rate.rs`). `multihop.prototypes` has their bases and finds them.

mod aodv;
mod congestion;
mod dsr;
mod events;
mod metric;
mod node;
mod paths;
mod policy;
mod rate;
mod routes;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};

use multihop::api::measure::Counts;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

pub(crate) use congestion::find as find_congestion_control;
pub(crate) use events::{Ack, Loss, Sent, Window};
pub(crate) use metric::Link;
pub(crate) use paths::{Answer, Discover, PathRequest};
pub(crate) use policy::find as find_policy;
pub(crate) use rate::find as find_rate_control;
pub(crate) use routes::{
    DataPacket, RequestCopy, Route, RouteOffer, RouteReply, RouteRequest, RoutingContext,
};

/// The module of the package that knows the classes.
const MODULE: &str = "multihop.prototypes";

/// What the name of a class in a file contains.
const FILE: &str = ".py:";

thread_local! {
    /// The context of Python's caller (`contextvars`), where this thread works for one of another.
    static CONTEXT: RefCell<Option<Py<PyAny>>> = const { RefCell::new(None) };
}

/// A copy of the caller's context: it says whether classes may run.
pub(crate) fn context(py: Python<'_>) -> PyResult<Py<PyAny>> {
    Ok(py.import("contextvars")?.call_method0("copy_context")?.unbind())
}

/// Has this thread look for classes in `context`.
pub(crate) fn enter(context: Py<PyAny>) {
    CONTEXT.set(Some(context));
}

/// What a class in a file can be.
#[derive(Clone, Copy, Debug)]
enum Kind {
    CongestionControl,
    Policy,
    RateControl,
}

impl Kind {
    /// The key of a scenario that names it.
    fn key(self) -> &'static str {
        match self {
            Kind::CongestionControl => "transport.scheme",
            Kind::Policy => "routing.scheme",
            Kind::RateControl => "mac.rate",
        }
    }
}

/// A class, with the name that scenarios have for it.
type Class = (String, Py<PyAny>);

/// What classes have been made into, by name: the engine keeps each as long as the process lives.
struct Kept<Made>(Mutex<BTreeMap<String, (Py<PyAny>, Made)>>);

impl<Made: Copy> Kept<Made> {
    const fn new() -> Kept<Made> {
        Kept(Mutex::new(BTreeMap::new()))
    }

    /// Finds what a scenario calls `FILE.py:CLASS`, and has `make` make it of the class unless it
    /// is there.
    fn find(
        &self,
        name: &str,
        kind: Kind,
        make: impl FnOnce(Python<'_>, Class) -> PyResult<Made>,
    ) -> Option<Result<Made, String>> {
        name.contains(FILE).then(|| {
            Python::attach(|py| {
                self.made(py, name, kind, make).map_err(|error| error.value(py).to_string())
            })
        })
    }

    fn made(
        &self,
        py: Python<'_>,
        name: &str,
        kind: Kind,
        make: impl FnOnce(Python<'_>, Class) -> PyResult<Made>,
    ) -> PyResult<Made> {
        let find = py.import(MODULE)?.getattr(intern!(py, "find"))?;
        let class = CONTEXT.with_borrow(|context| match context {
            Some(context) => context.call_method1(py, "run", (find, name, kind.key())),
            None => Ok(find.call1((name, kind.key()))?.unbind()),
        })?;
        let mut kept = self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        match kept.get(name) {
            Some((known, made)) if known.is(&class) => Ok(*made),
            _ => {
                let made = make(py, (name.to_owned(), class.clone_ref(py)))?;
                kept.insert(name.to_owned(), (class, made));
                Ok(made)
            }
        }
    }
}

/// The hooks that a class has of its own.
fn hooks_of(py: Python<'_>, class: &Py<PyAny>) -> PyResult<Vec<String>> {
    py.import(MODULE)?.call_method1(intern!(py, "hooks"), (class,))?.extract()
}

/// Adds to `counts` what hook `counters` of `object`, of the class called `name`, returns.
fn report(object: &Py<PyAny>, name: &str, kind: Kind, counts: &mut Counts) {
    Python::attach(|py| {
        let returned = object.call_method0(py, intern!(py, "counters"));
        let told = returned.and_then(|returned| {
            returned.extract::<BTreeMap<String, u64>>(py).map_err(|_| {
                let must = "must return whole numbers of 0 or more by their names";
                let got = returned.bind(py).repr().map(|got| got.to_string()).unwrap_or_default();
                PyValueError::new_err(format!("counters: {must} (got {got})"))
            })
        });
        for (counter, count) in told.unwrap_or_else(|error| raise(py, name, kind, error)) {
            counts.add(counter, count);
        }
    });
}

/// Ends the run with what the class called `name` raised; [`crate::panics::guarded`] raises it in
/// Python.
fn raise(py: Python<'_>, name: &str, kind: Kind, error: PyErr) -> ! {
    let told = py.import(MODULE).and_then(|module| {
        let with = (error.into_value(py), name, kind.key());
        module.call_method1(intern!(py, "told"), with)
    });
    resume_unwind(Box::new(told.map_or_else(|failure| failure, PyErr::from_value)))
}
