//! Rate controls written in Python: a class with the hooks of [`RateRule`], in a file that a
//! scenario names.

use multihop::api::kernel::{Instant, Rng};
use multihop::api::mac::RateSet;
use multihop::api::mac::rates::{Outside, RateRule, Step};
use multihop::api::measure::Counts;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::{Kept, Kind, MODULE, hooks_of};

static FOUND: Kept<Outside> = Kept::new();

/// Finds the rate control that a scenario calls `FILE.py:CLASS`.
pub(crate) fn find(name: &str) -> Option<Result<Outside, String>> {
    FOUND.find(name, Kind::RateControl, |_, of| {
        let name = of.0.clone();
        Ok(Outside::new(&name, move |rate_set| Box::new(Rule::new(&of.0, &of.1, rate_set))))
    })
}

/// The rate control of a link.
#[derive(Debug)]
struct Rule {
    name: String,
    object: Py<PyAny>,
    /// How many rates there are.
    rates: usize,
    /// Whether it has these hooks of its own: the others cost nothing.
    hears_results: bool,
    counts_aggregates: bool,
    hears_powers: bool,
    reports: bool,
}

impl Rule {
    fn new(name: &str, class: &Py<PyAny>, rate_set: &RateSet) -> Rule {
        Python::attach(|py| {
            Rule::try_new(py, name, class, rate_set).unwrap_or_else(|error| raise(py, name, error))
        })
    }

    fn try_new(
        py: Python<'_>,
        name: &str,
        class: &Py<PyAny>,
        rate_set: &RateSet,
    ) -> PyResult<Rule> {
        let module = py.import(MODULE)?;
        let step = |step: &Step| (step.rate_bps / 1e6, step.exchange.as_secs_f64());
        let steps: Vec<(f64, f64)> = rate_set.iter().map(step).collect();
        let rates = steps.len();
        let rate_set = module.call_method1(intern!(py, "ladder"), (steps,))?;
        let object = class.call1(py, (rate_set,))?;
        let hooks = hooks_of(py, class)?;
        let has = |hook: &str| hooks.iter().any(|known| known == hook);
        Ok(Rule {
            name: name.to_owned(),
            object,
            rates,
            hears_results: has("on_result"),
            counts_aggregates: has("on_aggregate"),
            hears_powers: has("on_heard"),
            reports: has("counters"),
        })
    }

    /// The place that hook `hook` returned.
    fn place(&self, hook: &Bound<'_, PyString>, returned: PyResult<Py<PyAny>>) -> usize {
        let py = hook.py();
        let place = returned.and_then(|returned| match returned.extract::<usize>(py) {
            Ok(place) if place < self.rates => Ok(place),
            _ => Err(self.misplaced(hook, &returned).unwrap_or_else(|failure| failure)),
        });
        place.unwrap_or_else(|error| raise(py, &self.name, error))
    }

    /// The error for what hook `hook` returned, with the hook's line.
    #[cold]
    fn misplaced(&self, hook: &Bound<'_, PyString>, returned: &Py<PyAny>) -> PyResult<PyErr> {
        let py = hook.py();
        let told = (&self.name, self.object.getattr(py, hook)?, returned, self.rates);
        let error = py.import(MODULE)?.call_method1(intern!(py, "misplaced"), told)?;
        Ok(PyErr::from_value(error))
    }
}

fn raise(py: Python<'_>, name: &str, error: PyErr) -> ! {
    super::raise(py, name, Kind::RateControl, error)
}

impl RateRule for Rule {
    fn first(&mut self, now: Instant, _: &mut Rng) -> usize {
        Python::attach(|py| {
            let hook = intern!(py, "first");
            self.place(hook, self.object.call_method1(py, hook, (now.as_secs_f64(),)))
        })
    }

    fn again(&mut self) -> usize {
        Python::attach(|py| {
            let hook = intern!(py, "again");
            self.place(hook, self.object.call_method0(py, hook))
        })
    }

    fn on_result(&mut self, place: usize, is_good: bool) {
        if self.hears_results {
            Python::attach(|py| {
                let called =
                    self.object.call_method1(py, intern!(py, "on_result"), (place, is_good));
                called.unwrap_or_else(|error| raise(py, &self.name, error));
            });
        }
    }

    fn on_aggregate(&mut self, place: usize, sent: u32, delivered: u32) -> bool {
        if self.counts_aggregates {
            Python::attach(|py| {
                let told = (place, sent, delivered);
                let called = self.object.call_method1(py, intern!(py, "on_aggregate"), told);
                called.unwrap_or_else(|error| raise(py, &self.name, error));
            });
        }
        self.counts_aggregates
    }

    fn on_heard(&mut self, power_w: f64) {
        if self.hears_powers {
            Python::attach(|py| {
                let called = self.object.call_method1(py, intern!(py, "on_heard"), (power_w,));
                called.unwrap_or_else(|error| raise(py, &self.name, error));
            });
        }
    }

    fn report(&self, counts: &mut Counts) {
        if self.reports {
            super::report(&self.object, &self.name, Kind::RateControl, counts);
        }
    }
}
