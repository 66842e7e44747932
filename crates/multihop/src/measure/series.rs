//! Time series, sampled at a fixed interval, as columns.

use schemars::JsonSchema;
use serde::Serialize;

/// The series of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Series {
    /// One row for each flow and sample.
    pub flows: FlowSeries,
    /// One row for each recorded queue and sample.
    pub queues: QueueSeries,
}

/// How far a flow is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Segments in order, or packets, at the receiver.
    pub packets: u64,
    /// Their payload \[bytes\].
    pub bytes: u64,
    /// Congestion window \[segments\]; 0 without one.
    pub cwnd: f64,
}

/// Columns of the flows' series.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct FlowSeries {
    /// Time \[s\].
    pub time_s: Vec<f64>,
    /// Flow.
    pub flow: Vec<u32>,
    /// Highest segment received in order, or packets received.
    pub sequence: Vec<u64>,
    /// Congestion window \[segments\]; 0 for CBR.
    pub cwnd: Vec<f64>,
    /// Goodput since the previous sample \[bit/s\].
    pub goodput_bps: Vec<f64>,
}

/// Columns of the queues' series.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct QueueSeries {
    /// Time \[s\].
    pub time_s: Vec<f64>,
    /// Node.
    pub node: Vec<u32>,
    /// Packets waiting.
    pub packets: Vec<u32>,
    /// Routing packets among them.
    pub routing: Vec<u32>,
    /// TCP acknowledgments among them.
    pub acks: Vec<u32>,
    /// All other packets among them: data and ARP.
    pub data: Vec<u32>,
}

impl QueueSeries {
    /// Keeps only the samples of the nodes for which `keep` returns true.
    pub fn retain(&mut self, keep: impl Fn(u32) -> bool) {
        let kept: Vec<bool> = self.node.iter().map(|&node| keep(node)).collect();
        retain(&mut self.time_s, &kept);
        for column in
            [&mut self.node, &mut self.packets, &mut self.routing, &mut self.acks, &mut self.data]
        {
            retain(column, &kept);
        }
    }
}

fn retain<T>(column: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    column.retain(|_| kept.next().is_none_or(|&kept| kept));
}
