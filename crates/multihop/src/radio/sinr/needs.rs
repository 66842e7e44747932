//! What a signal's mean power is enough for, alone on the air.

use super::Rules;
use crate::wire::Rate;

/// Of a frame of this share at least, a receiver gets what its power is enough for.
const SHARE: f64 = 0.5;
/// Payload of the frames that the basic rate is judged by, as requests to send and most broadcasts
/// \[bytes\].
const SMALL_BYTES: u32 = 20;
/// The same of data frames: the test frame of metrics by airtime.
const DATA_BYTES: u32 = 1024;

/// The least mean powers \[W\] for what a frame can do at a node while nothing else is on the air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Needs {
    /// Frames at the basic rate, as broadcasts and requests to send, are received.
    pub decoded_w: f64,
    /// So are those, and data frames at the lowest rate that they may go at.
    pub carried_w: f64,
    /// The medium is busy.
    pub sensed_w: f64,
}

impl Rules {
    /// What is needed where broadcasts go at `basic` and data at one of `data`.
    pub fn needs(&self, basic: Rate, data: &[Rate]) -> Needs {
        let of = |rate: Rate, bytes| {
            self.needed_w(rate, bytes, SHARE).max(self.forms[rate.index()].noticed_w)
        };
        let decoded_w = of(basic, SMALL_BYTES);
        let least_w = data.iter().map(|&rate| of(rate, DATA_BYTES)).fold(f64::INFINITY, f64::min);
        let noticed_w = self.forms[basic.index()].noticed_w;
        Needs {
            decoded_w,
            carried_w: decoded_w.max(least_w),
            sensed_w: noticed_w.min(self.levels.energy_detect_w),
        }
    }
}
