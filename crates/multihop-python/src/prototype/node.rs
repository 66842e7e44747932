//! The object of a policy in Python on one node, and what its hooks ask of the node.

use std::mem::take;

use multihop::api::kernel::Duration;
use multihop::api::measure::Counts;
use multihop::api::routing::{Context, Timer};
use multihop::api::wire::{Extension, IP_HEADER_BYTES, NodeId, Octets};
use pyo3::call::PyCallArgs;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::{Class, Kind, RoutingContext, hooks_of, raise};

/// The policies' own timers.
const TIMER: &str = "prototype";

/// Fields of a policy's own, in its messages and HELLOs.
#[derive(Debug, PartialEq)]
pub(super) struct Fields(pub Vec<u8>);

impl Octets for Fields {
    const KIND: u8 = 133;

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }
}

macro_rules! hooks {
    ($($name:ident),*) => {
        /// The hooks that the class has: the others cost nothing.
        #[derive(Clone, Copy, Debug)]
        struct Has { $($name: bool),* }

        impl Has {
            fn of(hooks: &[String]) -> Has {
                Has { $($name: hooks.iter().any(|hook| hook == stringify!($name))),* }
            }
        }
    };
}
pub(super) use hooks;

/// The object on one node.
#[derive(Debug)]
pub(super) struct Node {
    name: String,
    object: Py<PyAny>,
    /// What the hooks get; filled before each.
    view: Py<RoutingContext>,
}

impl Node {
    /// An object of class `of` on `node` in a run with `seed`, and what `about` finds of it, given
    /// the hooks that it has.
    pub fn new<T>(
        (name, class): &Class,
        node: NodeId,
        seed: u64,
        about: impl FnOnce(Python<'_>, &Py<PyAny>, &[String]) -> PyResult<T>,
    ) -> (Node, T) {
        Python::attach(|py| {
            let try_new = || -> PyResult<(Node, T)> {
                let random =
                    py.import("random")?.call_method1("Random", (format!("{seed}-{}", node.0),))?;
                let object = class.call0(py)?;
                object.setattr(py, "random", random)?;
                let found = about(py, &object, &hooks_of(py, class)?)?;
                let view = Py::new(py, RoutingContext::default())?;
                Ok((Node { name: name.to_owned(), object, view }, found))
            };
            try_new().unwrap_or_else(|error| raise(py, name, Kind::Policy, error))
        })
    }

    /// What `work` with the node and what it is then asked for come to.
    pub fn within<T>(
        &self,
        cx: &mut Context,
        work: impl FnOnce(Python<'_>, &Py<RoutingContext>) -> PyResult<T>,
    ) -> T {
        Python::attach(|py| {
            self.view.borrow_mut(py).show(cx);
            let answer = work(py, &self.view);
            let mut view = self.view.borrow_mut(py);
            for (after_s, number) in take(&mut view.timers) {
                let timer = Timer { number, ..Timer::of(TIMER) };
                cx.set_timer(timer, cx.now + Duration::from_secs_f64(after_s));
            }
            for message in take(&mut view.messages) {
                let size_bytes = IP_HEADER_BYTES + message.len() as u32;
                cx.broadcast(Extension::new(Fields(message)), size_bytes);
            }
            answer.unwrap_or_else(|error| raise(py, &self.name, Kind::Policy, error))
        })
    }

    /// What `work` comes to in a hook that only looks at the node: as `cx` has it, or as it was
    /// last seen.
    pub fn look<T>(
        &self,
        cx: Option<&Context>,
        hook: &str,
        work: impl FnOnce(Python<'_>, &Py<RoutingContext>) -> PyResult<T>,
    ) -> T {
        Python::attach(|py| {
            if let Some(cx) = cx {
                self.view.borrow_mut(py).show(cx);
            }
            let answer = work(py, &self.view).and_then(|answer| {
                let mut view = self.view.borrow_mut(py);
                match take(&mut view.timers).is_empty() && take(&mut view.messages).is_empty() {
                    true => Ok(answer),
                    false => {
                        let fault = format!("{hook}: takes neither timers nor messages");
                        Err(PyValueError::new_err(fault))
                    }
                }
            });
            answer.unwrap_or_else(|error| raise(py, &self.name, Kind::Policy, error))
        })
    }

    /// Adds to `counts` what the object has counted.
    pub fn report(&self, counts: &mut Counts) {
        super::report(&self.object, &self.name, Kind::Policy, counts);
    }

    /// What a hook returns.
    pub fn call<'py>(
        &self,
        py: Python<'py>,
        hook: &str,
        with: impl PyCallArgs<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.object.bind(py).call_method1(hook, with)
    }

    /// What a hook returns that says yes or no.
    pub fn says<'py>(
        &self,
        py: Python<'py>,
        hook: &str,
        with: impl PyCallArgs<'py>,
    ) -> PyResult<bool> {
        let answer = self.call(py, hook, with)?;
        answer.extract::<bool>().map_err(|_| wrong(hook, "True or False", &answer))
    }
}

/// A hook returned `answer`.
pub(super) fn wrong(hook: &str, allowed: &str, answer: &Bound<'_, PyAny>) -> PyErr {
    let got = answer.repr().map_or_else(|_| "something else".to_owned(), |text| text.to_string());
    PyTypeError::new_err(format!("{hook}: must return {allowed} (got {got})"))
}
