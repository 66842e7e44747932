//! One run in bounded chunks: the GIL is free while the engine works, and between chunks Python
//! gets to see signals (Ctrl-C) and the progress.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use multihop::api::capture::{self, COLUMNS, Events, Row, SenderState, Type};
use multihop::api::config::json::read_json;
use multihop::api::scenario::{Error, Scenario};
use multihop::api::simulation::{Recording, Simulation};
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::document::{self, Syntax};
use crate::panics::guarded;
use crate::{about, prototype, scenario_error};

/// Events between two looks at the clock: some milliseconds of work.
const CHUNK_EVENTS: u64 = 20_000;

/// Wall-clock time between two returns to Python: quick to interrupt, cheap to take the GIL.
const CHUNK_TIME: Duration = Duration::from_millis(50);

/// Rows of the record of events that are handed over together.
const BLOCK_ROWS: usize = 1 << 15;

/// A column of the record of events: its name, the type of its values (as numpy calls it), and
/// these as they lie in memory.
pub(crate) type Column = (&'static str, &'static str, Py<PyBytes>);

/// The record of events of a run.
#[pyclass(frozen)]
pub(crate) struct Record(pub(crate) Events);

#[pymethods]
impl Record {
    /// Blocks of rows, each as columns. A block fits into nearby memory, so that its rows are
    /// fetched once for all columns.
    fn blocks(&self, py: Python<'_>) -> PyResult<Vec<Vec<Column>>> {
        blocks(py, self.0.rows(), self.0.len(), self.0.senders())
    }

    /// Writes it to the file at `path` as a timeline for Perfetto.
    fn write_perfetto(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let write = || -> io::Result<()> { self.0.write_perfetto(File::create(path)?) };
        Ok(py.detach(|| guarded(write))??)
    }
}

/// Runs a scenario to its end and returns the result as JSON text, and the record of events if
/// asked for.
///
/// `recording` is what to record, and `events` what events, as JSON objects. A file `pcap` gets the
/// frames among them; without `rows` the events are not returned. `progress` is called with the
/// finished share (0 to 1) at most every 50 ms; what it raises ends the run.
#[pyfunction]
#[pyo3(signature = (
    text, overrides, *, syntax, recording, events=None, rows=true, pcap=None, seed=None, progress=None
))]
#[allow(clippy::too_many_arguments)] // one for each keyword of Python's call
pub(crate) fn run(
    py: Python<'_>,
    text: &str,
    overrides: &str,
    syntax: Syntax,
    recording: &str,
    events: Option<String>,
    rows: bool,
    pcap: Option<PathBuf>,
    seed: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Option<Record>)> {
    let (text, overrides) = (text.to_owned(), overrides.to_owned());
    let recording = recording.to_owned();
    let progress = progress.as_ref();
    let mut simulation = abandonable(py, progress, move || -> Result<Simulation, Error> {
        let recording: Recording = read_json(&recording)?;
        let events = events.map(|events| read_json(&events)).transpose()?;
        let recording = Recording { events, ..recording };
        let document = document::read(&text, syntax, &overrides)?;
        let scenario = Scenario::from_document(&document::schemes(), &document)?;
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
    let text = py.detach(|| {
        let text = guarded(|| {
            let mut result = simulation.result();
            result.engine.crates = about::crates();
            serde_json::to_string(&result)
        })?;
        text.map_err(|error| PyRuntimeError::new_err(format!("result can't be written: {error}")))
    })?;
    let events = py.detach(|| guarded(|| simulation.take_events()))?;
    if let (Some(events), Some(pcap)) = (&events, pcap) {
        py.detach(|| guarded(|| write_pcap(events, &pcap)))?.map_err(os_error)?;
    }
    Ok((text, events.filter(|_| rows).map(Record)))
}

/// `error` as Python's own have it.
pub(crate) fn os_error(error: io::Error) -> PyErr {
    let text = error.to_string();
    let reason = text.split(" (os error").next().unwrap_or_default().to_owned();
    PyOSError::new_err((error.raw_os_error(), reason))
}

pub(crate) fn write_pcap(events: &Events, path: &Path) -> io::Result<()> {
    events.write_pcap(BufWriter::with_capacity(1 << 20, File::create(path)?))
}

/// `count` rows as blocks, at least one. `senders` are the states that they tell of.
pub(crate) fn blocks(
    py: Python<'_>,
    mut rows: impl Iterator<Item = Row>,
    count: usize,
    senders: &[SenderState],
) -> PyResult<Vec<Vec<Column>>> {
    let mut blocks = Vec::new();
    while blocks.is_empty() || blocks.len() * BLOCK_ROWS < count {
        let block: Vec<Row> = rows.by_ref().take(BLOCK_ROWS).collect();
        let column = |column: &capture::Column| {
            let kind = match column.kind() {
                Type::Time => "<u8",
                Type::Number => "<u4",
                Type::Real => "<f4",
                Type::Word => "|u1",
            };
            let bytes = PyBytes::new_with(py, block.len() * column.kind().bytes(), |place| {
                column.write(senders, &block, place);
                Ok(())
            })?;
            Ok((column.name, kind, bytes.unbind()))
        };
        blocks.push(COLUMNS.iter().map(column).collect::<PyResult<_>>()?);
    }
    Ok(blocks)
}

/// Does `work` in a thread of its own, so that what `progress` raises and Ctrl-C end the wait for
/// it: dense networks of many nodes take minutes to build. An abandoned thread ends by itself.
fn abandonable<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = mpsc::channel();
    let context = prototype::context(py)?;
    thread::spawn(move || {
        prototype::enter(context);
        sender.send(guarded(work))
    });
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
