//! Congestion window validation (New-CWV, RFC 7661): a window of which less than half has been used
//! of late neither grows nor shrinks, and a loss shows it to be too large.
//!
//! Use is pipeACK (section 4.2): the most segments acknowledged in a round trip, of those measured
//! in the last three, or the last second. Round trips are measured one after another, from an
//! acknowledgment on, by the smoothed round trip; after longer than that without acknowledgments
//! nothing is in use.
//!
//! Omitted: control of bursts (section 4.4.2), which `pacing.scheme` can do.

mod validated;

use std::collections::{BTreeSet, VecDeque};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::limited_by::LimitedBy;
use crate::kernel::{Duration, Instant};

/// What becomes of a congestion window that is not used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowValidation {
    /// What the rules of `profile` make of it.
    #[default]
    None,
    /// It stays as it is for five minutes, and a loss reduces it to half of what was used (RFC
    /// 7661).
    Rfc7661,
}

/// The nonvalidated period (NVP, section 4.4).
const PERIOD: Duration = Duration::from_secs(300);

/// The sampling period of pipeACK (section 4.2) is this at least, and as many round trips.
const LEAST_SAMPLING: Duration = Duration::from_secs(1);
const SAMPLING_ROUND_TRIPS: u64 = 3;

/// What a sender knows of the use of its window.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Validation {
    initial_window: u32,
    /// The round trip that is being measured: its end, and the first segment that counts.
    measuring: Option<(Instant, u32)>,
    /// Segments below this are acknowledged.
    acknowledged: u32,
    /// When a round trip ended in which so many segments were acknowledged; each has more than
    /// those after it.
    samples: VecDeque<(Instant, u32)>,
    /// One has been measured since the start or the last recovery.
    is_defined: bool,
    /// When the nonvalidated phase, or the last whole period of it, began.
    since: Option<Instant>,
    /// What kept the sender from sending more when it last heard or sent.
    limited_by: LimitedBy,
    repair: Option<Repair>,
}

/// Losses are being repaired.
#[derive(Clone, Debug, PartialEq)]
struct Repair {
    /// max(pipeACK, LossFlightSize) if the window was not validated.
    in_use: Option<u32>,
    /// Segments sent again.
    resent: BTreeSet<u32>,
}

impl Validation {
    fn new(initial_window: u32) -> Validation {
        Validation {
            initial_window,
            measuring: None,
            acknowledged: 1,
            samples: VecDeque::new(),
            is_defined: false,
            since: None,
            limited_by: LimitedBy::Window,
            repair: None,
        }
    }

    /// pipeACK; none while it is undefined.
    fn pipe_ack(&self) -> Option<u32> {
        self.is_defined.then(|| self.samples.front().map_or(0, |&(_, segments)| segments))
    }

    /// Whether the window must not grow.
    pub(super) fn holds(&self) -> bool {
        self.since.is_some() && self.limited_by.is_application_limited()
    }

    /// Measures until `now`, when segments from `first` on and below `below` are acknowledged.
    fn measure(&mut self, now: Instant, rtt: Duration, first: u32, below: u32) {
        if let Some((end, from)) = self.measuring.filter(|&(end, _)| end <= now) {
            let segments = self.acknowledged.saturating_sub(from);
            while self.samples.back().is_some_and(|&(_, fewer)| fewer <= segments) {
                self.samples.pop_back();
            }
            self.samples.push_back((end, segments));
            self.is_defined = true;
            self.measuring = None;
        }
        if below > first {
            self.measuring.get_or_insert((now + rtt, first));
            self.acknowledged = below;
        }
    }

    /// Forgets the samples older than the sampling period. Returns when the last of them that makes
    /// a window of `cwnd` a validated one did so.
    fn expire(&mut self, now: Instant, rtt: Duration, cwnd: f64) -> Option<Instant> {
        let period = (rtt * SAMPLING_ROUND_TRIPS).max(LEAST_SAMPLING);
        let mut until = None;
        while let Some(&(at, segments)) = self.samples.front()
            && at + period < now
        {
            self.samples.pop_front();
            until = is_used(segments, cwnd).then_some(at + period).or(until);
        }
        until
    }

    /// Nothing is known any more.
    fn forget(&mut self) {
        self.measuring = None;
        self.samples.clear();
        self.is_defined = false;
        self.since = None;
        self.repair = None;
    }
}

/// Whether a window of `cwnd` is validated by so many segments (section 4.3).
fn is_used(segments: u32, cwnd: f64) -> bool {
    2.0 * f64::from(segments) >= cwnd
}
