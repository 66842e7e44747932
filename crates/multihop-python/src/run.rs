//! One run in bounded chunks: the GIL is free while the engine works, and between chunks Python gets
//! to see signals (Ctrl-C) and the progress.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use multihop::config::json::read_json;
use multihop::scenario::{Error, Scenario};
use multihop::schemes::Schemes;
use multihop::simulation::Simulation;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::document::{self, Syntax};
use crate::scenario_error;

/// Events between two looks at the clock: some milliseconds of work.
const CHUNK_EVENTS: u64 = 20_000;

/// Wall-clock time between two returns to Python: quick to interrupt, cheap to take the GIL.
const CHUNK_TIME: Duration = Duration::from_millis(50);

/// Runs a scenario to its end and returns the result as JSON text.
///
/// `recording` is what to record, as a JSON object. `progress` is called with the finished share (0 to 1) at
/// most every 50 ms; what it raises ends the run.
#[pyfunction]
#[pyo3(signature = (text, overrides, *, syntax, recording, seed=None, progress=None))]
pub(crate) fn run(
    py: Python<'_>,
    text: &str,
    overrides: &str,
    syntax: Syntax,
    recording: &str,
    seed: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let (text, overrides) = (text.to_owned(), overrides.to_owned());
    let recording = recording.to_owned();
    let progress = progress.as_ref();
    let mut simulation = abandonable(py, progress, move || -> Result<Simulation, Error> {
        let recording = read_json(&recording)?;
        let document = document::read(&text, syntax, &overrides)?;
        let scenario = Scenario::from_document(&Schemes::standard(), &document)?;
        let simulation = Simulation::new(&scenario, seed, &recording);
        simulation.map_err(|error| document.locate(error))
    })?
    .map_err(scenario_error)?;
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
