//! Panics within the engine as Python's exceptions: one line, with the place in the sources.

use std::any::Any;
use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::env;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::path::PathBuf;

use pyo3::exceptions::PyRuntimeError;
use pyo3::import_exception;
use pyo3::prelude::*;

use crate::about::About;

import_exception!(multihop.errors, SchemeError);

/// What a panic says.
enum Said {
    /// Of the engine.
    Engine(String),
    /// Of the crate with schemes of its own.
    Scheme(String),
}

thread_local! {
    /// Where and why this thread panicked last.
    static LAST: RefCell<Option<Said>> = const { RefCell::new(None) };
}

/// Keeps what a panic says for the exception instead of printing it.
pub(crate) fn keep_quiet() {
    std::panic::set_hook(Box::new(|info| {
        let said = told(info);
        LAST.with(|last| *last.borrow_mut() = Some(said));
    }));
}

/// Turns a panic, which is a defect of the engine or of the crate whose schemes it has, into a
/// Python `RuntimeError`. What a class of Python raised within the engine is raised again.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match payload.downcast::<PyErr>() {
        Ok(raised) => *raised,
        Err(_) => match LAST.with(RefCell::take) {
            Some(Said::Scheme(text)) => SchemeError::new_err(text),
            Some(Said::Engine(text)) => PyRuntimeError::new_err(text),
            None => PyRuntimeError::new_err("the engine failed"),
        },
    })
}

fn told(info: &PanicHookInfo<'_>) -> Said {
    let said = said(info.payload());
    let about = crate::ABOUT.get().filter(|about| about.build.is_some());
    let own = about.and_then(|about| {
        let place = place_in(about, &Backtrace::force_capture().to_string())?;
        Some(Said::Scheme(format!("{}: {place}: {said}", about.name)))
    });
    own.unwrap_or_else(|| {
        let place = info.location().map(|place| format!("panicked at {place}: "));
        Said::Engine(format!("the engine failed: {}{said}", place.unwrap_or_default()))
    })
}

fn said(payload: &dyn Any) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The innermost place of a backtrace that is in the sources of the crate, as file and line.
fn place_in(about: &About, backtrace: &str) -> Option<String> {
    // Backtraces shorten what is below the present folder.
    let here = env::current_dir().unwrap_or_default();
    backtrace.lines().find_map(|line| {
        let mut parts = line.trim().strip_prefix("at ")?.rsplitn(3, ':').skip(1);
        let (number, file) = (parts.next()?, here.join(parts.next()?));
        let normal: PathBuf = file.components().collect();
        let file = normal.strip_prefix(about.folder).ok()?;
        Some(format!("{}: line {number}", file.display()))
    })
}
