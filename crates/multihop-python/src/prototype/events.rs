//! What the hooks of a congestion control in Python get: the window, and what has happened. Times
//! are in seconds.

use multihop::api::kernel::{Duration, Instant};
use multihop::api::transport::Rules;
use multihop::api::transport::congestion::{self as engine, LimitedBy};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The longest time that an event tried by hand may have \[s\].
const MAX_TIME_S: f64 = 1e7;

/// The window that a hook gets, and changes.
#[pyclass]
pub(crate) struct Window(pub(super) engine::Window);

#[pymethods]
impl Window {
    /// A window as a hook gets it, to try one by hand.
    #[new]
    #[pyo3(signature = (cwnd=1.0, ssthresh=f64::INFINITY, limit=1_000_000))]
    fn new(cwnd: f64, ssthresh: f64, limit: u32) -> PyResult<Window> {
        let mut window = Window(engine::Window::new(1, limit, Rules::Standard));
        window.set_cwnd(cwnd)?;
        window.set_ssthresh(ssthresh)?;
        Ok(window)
    }

    /// Congestion window [segments].
    #[getter]
    fn cwnd(&self) -> f64 {
        self.0.cwnd
    }

    #[setter]
    fn set_cwnd(&mut self, segments: f64) -> PyResult<()> {
        if !(segments.is_finite() && segments >= 1.0) {
            let fault = format!("cwnd: must be a number of at least 1 (got {segments})");
            return Err(PyValueError::new_err(fault));
        }
        self.0.cwnd = segments;
        Ok(())
    }

    /// Slow-start threshold [segments]; 2**32 - 1 if there is none.
    #[getter]
    fn ssthresh(&self) -> u32 {
        self.0.ssthresh
    }

    #[setter]
    fn set_ssthresh(&mut self, segments: f64) -> PyResult<()> {
        if segments.is_nan() || segments < 1.0 {
            let fault = format!("ssthresh: must be a number of at least 1 (got {segments})");
            return Err(PyValueError::new_err(fault));
        }
        self.0.ssthresh = segments as u32;
        Ok(())
    }

    /// The receiver's window [segments].
    #[getter]
    fn limit(&self) -> u32 {
        self.0.limit
    }

    /// Whether the window is below the slow-start threshold.
    #[getter]
    fn is_in_slow_start(&self) -> bool {
        self.0.is_in_slow_start()
    }

    /// Grows for an acknowledgment of `segments`, in slow start or in congestion avoidance (RFC
    /// 5681 section 3.1).
    fn grow(&mut self, segments: u32) {
        self.0.grow(segments);
    }

    /// Halves what is in use after a loss (RFC 5681 section 3.2).
    fn halve(&mut self, in_flight: u32) {
        self.0.halve(in_flight);
    }

    /// One segment, and half of what is in use as threshold, after a timeout (RFC 5681 section
    /// 3.1).
    fn collapse(&mut self, in_flight: u32) {
        self.0.collapse(in_flight);
    }
}

/// An acknowledgment.
#[pyclass(frozen)]
pub(crate) struct Ack(pub(super) engine::Ack);

#[pymethods]
impl Ack {
    /// An acknowledgment as a hook gets it, to try one by hand.
    #[new]
    #[pyo3(signature = (
        *, now_s=0.0, rtt_s=None, smoothed_rtt_s=None, min_rtt_s=None, delivered=1, delivered_total=1, in_flight=0,
        duplicates=0
    ))]
    #[allow(clippy::too_many_arguments)] // one for each keyword
    fn new(
        now_s: f64,
        rtt_s: Option<f64>,
        smoothed_rtt_s: Option<f64>,
        min_rtt_s: Option<f64>,
        delivered: u32,
        delivered_total: u32,
        in_flight: u32,
        duplicates: u32,
    ) -> PyResult<Ack> {
        Ok(Ack(engine::Ack {
            now: instant("now_s", now_s)?,
            rtt: rtt_s.map(|rtt| time("rtt_s", rtt)).transpose()?,
            smoothed_rtt: smoothed_rtt_s.map(|rtt| time("smoothed_rtt_s", rtt)).transpose()?,
            min_rtt: min_rtt_s.map(|rtt| time("min_rtt_s", rtt)).transpose()?,
            delivered,
            delivered_total,
            in_flight,
            duplicates,
            limited_by: LimitedBy::Window,
        }))
    }

    #[getter]
    fn now_s(&self) -> f64 {
        seconds(self.0.now)
    }

    #[getter]
    fn rtt_s(&self) -> Option<f64> {
        self.0.rtt.map(Duration::as_secs_f64)
    }

    #[getter]
    fn smoothed_rtt_s(&self) -> Option<f64> {
        self.0.smoothed_rtt.map(Duration::as_secs_f64)
    }

    #[getter]
    fn min_rtt_s(&self) -> Option<f64> {
        self.0.min_rtt.map(Duration::as_secs_f64)
    }

    #[getter]
    fn delivered(&self) -> u32 {
        self.0.delivered
    }

    #[getter]
    fn delivered_total(&self) -> u32 {
        self.0.delivered_total
    }

    #[getter]
    fn in_flight(&self) -> u32 {
        self.0.in_flight
    }

    #[getter]
    fn duplicates(&self) -> u32 {
        self.0.duplicates
    }

    #[getter]
    fn limited_by(&self) -> &'static str {
        match self.0.limited_by {
            LimitedBy::Window => "window",
            LimitedBy::Receiver => "receiver",
            LimitedBy::Application => "application",
            LimitedBy::Pacing => "pacing",
        }
    }
}

/// A loss.
#[pyclass(frozen)]
pub(crate) struct Loss(pub(super) engine::Loss);

#[pymethods]
impl Loss {
    /// A loss as a hook gets it, to try one by hand.
    #[new]
    #[pyo3(signature = (*, now_s=0.0, in_flight=1, duplicates=0))]
    fn new(now_s: f64, in_flight: u32, duplicates: u32) -> PyResult<Loss> {
        Ok(Loss(engine::Loss { now: instant("now_s", now_s)?, in_flight, duplicates }))
    }

    #[getter]
    fn now_s(&self) -> f64 {
        seconds(self.0.now)
    }

    #[getter]
    fn in_flight(&self) -> u32 {
        self.0.in_flight
    }

    #[getter]
    fn duplicates(&self) -> u32 {
        self.0.duplicates
    }
}

/// A segment that leaves.
#[pyclass(frozen)]
pub(crate) struct Sent(pub(super) engine::Sent);

#[pymethods]
impl Sent {
    #[getter]
    fn now_s(&self) -> f64 {
        seconds(self.0.now)
    }

    #[getter]
    fn number(&self) -> u32 {
        self.0.number
    }

    #[getter]
    fn retransmission(&self) -> bool {
        self.0.retransmission
    }

    #[getter]
    fn in_flight(&self) -> u32 {
        self.0.in_flight
    }
}

fn seconds(instant: Instant) -> f64 {
    instant.as_secs_f64()
}

fn instant(key: &str, seconds: f64) -> PyResult<Instant> {
    Ok(Instant::ZERO + time(key, seconds)?)
}

fn time(key: &str, seconds: f64) -> PyResult<Duration> {
    match (0.0..=MAX_TIME_S).contains(&seconds) {
        true => Ok(Duration::from_secs_f64(seconds)),
        false => {
            Err(PyValueError::new_err(format!("{key}: must be 0 to {MAX_TIME_S} (got {seconds})")))
        }
    }
}
