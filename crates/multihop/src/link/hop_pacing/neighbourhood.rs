//! How fast the flows go that a node hears, so that its own need not run away from them.
//!
//! Ours (docs/model/schemes/considerate.md). A flow advances when a packet of it with a higher
//! number than any before is sent within hearing, by whichever of its nodes; copies and further
//! hops of the same packet don't count.

use rustc_hash::FxHashMap;

use crate::kernel::Instant;
use crate::wire::FlowId;

/// Weight of a new gap in the mean.
const GAIN: f64 = 1.0 / 8.0;

/// The flows that one node has heard, its own among them.
#[derive(Clone, Debug, Default)]
pub struct Neighbourhood {
    flows: FxHashMap<FlowId, Heard>,
}

#[derive(Clone, Copy, Debug)]
struct Heard {
    highest: u32,
    last: Instant,
    /// Mean time from one new packet to the next \[s\]; none before the second.
    mean_s: Option<f64>,
}

impl Neighbourhood {
    /// Packet `number` of `flow` was sent within hearing.
    pub fn on_packet(&mut self, now: Instant, flow: FlowId, number: u32) {
        let fresh = Heard { highest: number, last: now, mean_s: None };
        let heard = self.flows.entry(flow).or_insert(fresh);
        if number <= heard.highest {
            return;
        }
        let gap_s = (now - heard.last).as_secs_f64();
        let mean_s = heard.mean_s.get_or_insert(gap_s);
        *mean_s += GAIN * (gap_s - *mean_s);
        heard.highest = number;
        heard.last = now;
    }

    /// The longest time between packets \[s\] of the flows but `flow` that advanced within
    /// `memory_s`; 0 without any. One that has stopped counts as slower the longer it stands.
    pub fn slowest_s(&self, now: Instant, flow: FlowId, memory_s: f64) -> f64 {
        let others = self.flows.iter().filter(|&(&other, _)| other != flow);
        others
            .map(|(_, heard)| (heard, (now - heard.last).as_secs_f64()))
            .filter(|&(_, silent_s)| silent_s <= memory_s)
            .map(|(heard, silent_s)| heard.mean_s.unwrap_or(0.0).max(silent_s))
            .fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn only_new_packets_of_a_flow_count_as_progress() {
        let mut heard = Neighbourhood::default();
        for (ms, number) in [(0, 1), (10, 1), (100, 2), (110, 2), (150, 1)] {
            heard.on_packet(at(ms), FlowId(7), number);
        }
        assert_eq!(heard.slowest_s(at(150), FlowId(8), 1.0), 0.1);
    }

    #[test]
    fn a_flow_that_stands_is_slower_the_longer_it_stands_and_then_forgotten() {
        let mut heard = Neighbourhood::default();
        heard.on_packet(at(0), FlowId(7), 1);
        heard.on_packet(at(100), FlowId(7), 2);
        assert_eq!(heard.slowest_s(at(500), FlowId(8), 0.5), 0.4);
        assert_eq!(heard.slowest_s(at(601), FlowId(8), 0.5), 0.0);
    }

    #[test]
    fn the_slowest_of_the_others_counts_and_never_the_flow_itself() {
        let mut heard = Neighbourhood::default();
        for (flow, gap) in [(7, 40), (8, 80), (9, 20)] {
            heard.on_packet(at(100 - gap), FlowId(flow), 1);
            heard.on_packet(at(100), FlowId(flow), 2);
        }
        assert_eq!(heard.slowest_s(at(100), FlowId(7), 1.0), 0.08);
        assert_eq!(heard.slowest_s(at(100), FlowId(8), 1.0), 0.04);
    }
}
