//! Congestion controls written in Python: a class with the hooks of [`CongestionControl`].

use multihop::api::kernel::Duration;
use multihop::api::measure::Counts;
use multihop::api::transport::Rules;
use multihop::api::transport::congestion::{self as engine, CongestionControl, Outside};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::events::{Ack, Loss, Sent, Window};
use super::{Kept, Kind, hooks_of, raise};

static FOUND: Kept<Outside> = Kept::new();

/// Finds the congestion control that a scenario calls `FILE.py:CLASS`.
pub(crate) fn find(name: &str) -> Option<Result<Outside, String>> {
    FOUND.find(name, Kind::CongestionControl, |_, of| {
        let name = of.0.clone();
        Ok(Outside::new(&name, move || Box::new(Prototype::new(&of.0, &of.1))))
    })
}

/// Hooks that a class need not have, and whether it has them: the others cost nothing.
#[derive(Clone, Copy, Debug)]
struct Has {
    partial_ack: bool,
    duplicate_ack: bool,
    congestion: bool,
    resume: bool,
    recovered: bool,
    undo: bool,
    send: bool,
    pacing: bool,
    counters: bool,
}

/// The congestion control of a flow.
#[derive(Debug)]
struct Prototype {
    name: String,
    object: Py<PyAny>,
    /// What the hooks get; filled before each.
    window: Py<Window>,
    has: Has,
    rules_recovery: bool,
}

impl Prototype {
    fn new(name: &str, class: &Py<PyAny>) -> Prototype {
        Python::attach(|py| {
            Prototype::try_new(py, name, class)
                .unwrap_or_else(|error| raise(py, name, Kind::CongestionControl, error))
        })
    }

    fn try_new(py: Python<'_>, name: &str, class: &Py<PyAny>) -> PyResult<Prototype> {
        let object = class.call0(py)?;
        let hooks = hooks_of(py, class)?;
        let has = |hook: &str| hooks.iter().any(|known| known == hook);
        let has = Has {
            partial_ack: has("on_partial_ack"),
            duplicate_ack: has("on_duplicate_ack"),
            congestion: has("on_congestion"),
            resume: has("on_resume"),
            recovered: has("on_recovered"),
            undo: has("on_undo"),
            send: has("on_send"),
            pacing: has("pacing_interval_s"),
            counters: has("counters"),
        };
        let window = Py::new(py, Window(engine::Window::new(1, 1, Rules::Standard)))?;
        let rules_recovery = object.getattr(py, intern!(py, "rules_recovery"))?.extract(py)?;
        Ok(Prototype { name: name.to_owned(), object, window, has, rules_recovery })
    }

    /// Calls hook `hook` with the window, which it may change, and `what` happened.
    fn call(
        &self,
        hook: fn(Python<'_>) -> &Bound<'_, PyString>,
        window: &mut engine::Window,
        what: impl for<'py> IntoPyObject<'py>,
    ) {
        Python::attach(|py| {
            self.window.borrow_mut(py).0 = window.clone();
            let called = self.object.call_method1(py, hook(py), (&self.window, what));
            self.take(py, called, window);
        });
    }

    /// The same for a hook that gets the window alone.
    fn call_alone(
        &self,
        hook: fn(Python<'_>) -> &Bound<'_, PyString>,
        window: &mut engine::Window,
    ) {
        Python::attach(|py| {
            self.window.borrow_mut(py).0 = window.clone();
            let called = self.object.call_method1(py, hook(py), (&self.window,));
            self.take(py, called, window);
        });
    }

    fn take(&self, py: Python<'_>, called: PyResult<Py<PyAny>>, window: &mut engine::Window) {
        match called {
            Ok(_) => *window = self.window.borrow(py).0.clone(),
            Err(error) => raise(py, &self.name, Kind::CongestionControl, error),
        }
    }
}

macro_rules! hook {
    ($name:literal) => {
        |py| intern!(py, $name)
    };
}

impl CongestionControl for Prototype {
    fn on_ack(&mut self, window: &mut engine::Window, ack: &engine::Ack) {
        self.call(hook!("on_ack"), window, Ack(*ack));
    }

    fn on_partial_ack(&mut self, window: &mut engine::Window, ack: &engine::Ack) {
        if self.has.partial_ack {
            self.call(hook!("on_partial_ack"), window, Ack(*ack));
        }
    }

    fn on_duplicate_ack(&mut self, window: &mut engine::Window, ack: &engine::Ack) {
        if self.has.duplicate_ack {
            self.call(hook!("on_duplicate_ack"), window, Ack(*ack));
        }
    }

    fn on_loss(&mut self, window: &mut engine::Window, loss: &engine::Loss) {
        self.call(hook!("on_loss"), window, Loss(*loss));
    }

    fn on_congestion(&mut self, window: &mut engine::Window, loss: &engine::Loss) {
        match self.has.congestion {
            true => self.call(hook!("on_congestion"), window, Loss(*loss)),
            false => self.on_loss(window, loss),
        }
    }

    fn on_timeout(&mut self, window: &mut engine::Window, loss: &engine::Loss) {
        self.call(hook!("on_timeout"), window, Loss(*loss));
    }

    fn on_resume(&mut self, suspended: Duration) {
        if self.has.resume {
            Python::attach(|py| {
                let told = (suspended.as_secs_f64(),);
                let called = self.object.call_method1(py, intern!(py, "on_resume"), told);
                called
                    .unwrap_or_else(|error| raise(py, &self.name, Kind::CongestionControl, error));
            });
        }
    }

    fn rules_recovery(&self) -> bool {
        self.rules_recovery
    }

    fn on_undo(&mut self, window: &mut engine::Window) {
        if self.has.undo {
            self.call_alone(hook!("on_undo"), window);
        }
    }

    fn on_recovered(&mut self, window: &mut engine::Window) {
        if self.has.recovered {
            self.call_alone(hook!("on_recovered"), window);
        }
    }

    fn on_send(&mut self, sent: &engine::Sent) {
        if self.has.send {
            Python::attach(|py| {
                let called = self.object.call_method1(py, intern!(py, "on_send"), (Sent(*sent),));
                called
                    .unwrap_or_else(|error| raise(py, &self.name, Kind::CongestionControl, error));
            });
        }
    }

    fn pacing_interval(
        &self,
        window: &engine::Window,
        smoothed_rtt: Option<Duration>,
    ) -> Option<Duration> {
        if !self.has.pacing {
            return engine::spread(window, smoothed_rtt);
        }
        Python::attach(|py| {
            self.window.borrow_mut(py).0 = window.clone();
            let told = (&self.window, smoothed_rtt.map(Duration::as_secs_f64));
            let called = self.object.call_method1(py, intern!(py, "pacing_interval_s"), told);
            let interval = called.and_then(|interval| interval.extract::<Option<f64>>(py));
            match interval {
                Ok(Some(seconds)) if !(0.0..=3600.0).contains(&seconds) => {
                    let fault = format!("pacing_interval_s: must be 0 to 3600 (got {seconds})");
                    raise(py, &self.name, Kind::CongestionControl, PyValueError::new_err(fault))
                }
                Ok(interval) => interval.map(Duration::from_secs_f64),
                Err(error) => raise(py, &self.name, Kind::CongestionControl, error),
            }
        })
    }

    fn report(&self, counts: &mut Counts) {
        if self.has.counters {
            super::report(&self.object, &self.name, Kind::CongestionControl, counts);
        }
    }
}
