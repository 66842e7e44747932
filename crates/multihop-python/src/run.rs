//! One run in bounded chunks: the GIL is free while the engine works, and between chunks Python gets
//! to see signals (Ctrl-C) and the progress.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use multihop::config::document::Document;
use multihop::scenario::{Error, Scenario};
use multihop::simulation::{Recording, Simulation};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::ScenarioError;

/// Events between two looks at the clock: some milliseconds of work.
const CHUNK_EVENTS: u64 = 20_000;

/// Wall-clock time between two returns to Python: quick to interrupt, cheap to take the GIL.
const CHUNK_TIME: Duration = Duration::from_millis(50);

/// Runs a scenario to its end and returns the result as JSON text.
///
/// `progress` is called with the finished share (0 to 1) at most every 50 ms; what it raises ends
/// the run.
#[pyfunction]
#[pyo3(signature = (toml_text, overrides, *, seed=None, series_interval_s=None, queues=None,
                    queue_classes=false, links=false, routes_interval_s=None, paths=false, frames=false, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of the Python function")]
pub(crate) fn run(
    py: Python<'_>,
    toml_text: &str,
    overrides: Vec<(String, String)>,
    seed: Option<u64>,
    series_interval_s: Option<f64>,
    queues: Option<Vec<u32>>,
    queue_classes: bool,
    links: bool,
    routes_interval_s: Option<f64>,
    paths: bool,
    frames: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let queues = queues.unwrap_or_default();
    let recording = Recording {
        series_interval_s,
        queues,
        queue_classes,
        links,
        routes_interval_s,
        paths,
        frames,
    };
    let text = toml_text.to_owned();
    let progress = progress.as_ref();
    let mut simulation = abandonable(py, progress, move || {
        let scenario = Scenario::from_toml(&text, &overrides)?;
        Simulation::new(&scenario, seed, &recording)
            .map_err(|error| located(&text, &overrides, error))
    })?
    .map_err(|error| ScenarioError::new_err(error.to_string()))?;
    while !py.detach(|| guarded(|| advance_for(&mut simulation, CHUNK_TIME)))? {
        py.check_signals()?;
        if let Some(progress) = progress {
            progress.call1(py, (simulation.progress(),))?;
        }
    }
    py.detach(|| {
        let text = guarded(|| serde_json::to_string(&simulation.result()))?;
        text.map_err(|error| PyRuntimeError::new_err(format!("result can't be written: {error}")))
    })
}

/// `error` with its line: what only shows when a network is built stands in the file too.
pub(crate) fn located(text: &str, overrides: &[(String, String)], error: Error) -> Error {
    match Document::parse(text, overrides) {
        Ok(document) => document.locate(error),
        Err(_) => error,
    }
}

/// Does `work` in a thread of its own, so that what `progress` raises and Ctrl-C end the wait for it:
/// dense networks of many nodes take minutes to build. An abandoned thread ends by itself.
fn abandonable<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = mpsc::channel();
    thread::spawn(move || sender.send(guarded(work)));
    loop {
        let waiting = &mut receiver;
        match py.detach(move || waiting.recv_timeout(CHUNK_TIME)) {
            Ok(done) => return done,
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals()?;
                if let Some(progress) = progress {
                    progress.call1(py, (0.0,))?;
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the engine failed while it was building"));
            }
        }
    }
}

/// Advances for about `time`; true when the simulation has finished.
fn advance_for(simulation: &mut Simulation, time: Duration) -> bool {
    let begun = Instant::now();
    loop {
        if simulation.advance(CHUNK_EVENTS) {
            return true;
        }
        if begun.elapsed() >= time {
            return false;
        }
    }
}

thread_local! {
    /// Where and why this thread panicked last.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps what a panic says for the exception instead of printing it.
pub(crate) fn keep_panics_quiet() {
    std::panic::set_hook(Box::new(|info| {
        let text = info.to_string().replace('\n', " ");
        LAST_PANIC.with(|last| *last.borrow_mut() = text);
    }));
}

/// Turns a panic of the engine, which is always a defect of ours, into a Python `RuntimeError`.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let text = LAST_PANIC.with(RefCell::take);
        PyRuntimeError::new_err(format!("the engine failed: {text}"))
    })
}
