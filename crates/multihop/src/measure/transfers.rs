//! What users wait for: files, responses, pages, messages.

use schemars::JsonSchema;
use serde::Serialize;

use crate::kernel::{Duration, Instant};

/// The transfers of a flow, in the order in which they began, which is that in which they end.
#[derive(Clone, Debug, Default)]
pub struct Transfers {
    all: Vec<(u64, Instant)>,
    times: Vec<Duration>,
}

/// The transfers of a flow, as columns: one place for each, in the order in which they began.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TransferReport {
    /// Bytes that were waited for: of the file, the response, all objects of the page, the message.
    pub bytes: Vec<u64>,
    /// When they were asked for \[s\]: a file when its flow starts, so that its time includes
    /// opening the connection.
    pub start_s: Vec<f64>,
    /// Time until the last byte had arrived in order \[s\]; none if that was not before the flow's
    /// stop.
    pub time_s: Vec<Option<f64>>,
}

impl Transfers {
    /// A transfer of `bytes` begins.
    pub fn begin(&mut self, now: Instant, bytes: u64) {
        self.all.push((bytes, now));
    }

    /// The earliest that has not ended does.
    pub fn complete(&mut self, now: Instant) {
        if let Some(&(_, start)) = self.all.get(self.times.len()) {
            self.times.push(now - start);
        }
    }

    /// How long the first took \[s\]; none if it has not ended.
    pub fn first_time_s(&self) -> Option<f64> {
        self.times.first().map(|time| time.as_secs_f64())
    }

    /// The transfers; none if there were none.
    pub fn report(&self) -> Option<TransferReport> {
        let times = self.times.iter().map(|time| Some(time.as_secs_f64()));
        let unfinished = self.all.len() - self.times.len();
        (!self.all.is_empty()).then(|| TransferReport {
            bytes: self.all.iter().map(|&(bytes, _)| bytes).collect(),
            start_s: self.all.iter().map(|&(_, start)| start.as_secs_f64()).collect(),
            time_s: times.chain(std::iter::repeat_n(None, unfinished)).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfers_end_in_the_order_in_which_they_began() {
        let at = |s| Instant::from_secs_f64(s);
        let mut transfers = Transfers::default();
        assert_eq!(transfers.report(), None);
        transfers.begin(at(1.0), 10);
        transfers.begin(at(2.0), 20);
        transfers.complete(at(2.5));
        let report = transfers.report().unwrap();
        assert_eq!((report.bytes, report.start_s), (vec![10, 20], vec![1.0, 2.0]));
        assert_eq!(report.time_s, [Some(1.5), None]);
    }
}
