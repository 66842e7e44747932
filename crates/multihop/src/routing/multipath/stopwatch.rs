//! Round-trip times of paths, measured by the packet-scheduling layer: from sending a segment on a
//! path to an acknowledgment that covers it and arrives on the same path (Ye, Krishnamurthy and
//! Tripathi, section III-B). Retransmitted segments are not measured (Karn's rule).

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::kernel::{Duration, Instant};
use crate::wire::{FlowId, RouteId};

/// A segment in flight.
#[derive(Clone, Copy, Debug)]
struct Departure {
    number: u32,
    id: RouteId,
    at: Instant,
    is_retransmission: bool,
}

/// The segments in flight of one node's flows.
#[derive(Debug, Default)]
pub struct Stopwatch {
    flows: FxHashMap<FlowId, VecDeque<Departure>>,
}

impl Stopwatch {
    /// Segment `number` leaves on path `id`.
    pub fn on_departure(
        &mut self,
        now: Instant,
        flow: FlowId,
        number: u32,
        retransmission: bool,
        id: RouteId,
    ) {
        let departures = self.flows.entry(flow).or_default();
        match departures.iter_mut().find(|departure| departure.number == number) {
            Some(departure) => {
                let is_retransmission = departure.is_retransmission || retransmission;
                *departure = Departure { number, id, at: now, is_retransmission };
            }
            None if retransmission => {}
            None => {
                departures.push_back(Departure { number, id, at: now, is_retransmission: false })
            }
        }
    }

    /// An acknowledgment up to segment `number` has arrived on path `id`. Returns a sample of that
    /// path's round-trip time, if there is one: that of the last covered segment sent on the path.
    pub fn on_ack(
        &mut self,
        now: Instant,
        flow: FlowId,
        number: u32,
        id: RouteId,
    ) -> Option<Duration> {
        let departures = self.flows.get_mut(&flow)?;
        let covered = departures.iter().take_while(|departure| departure.number <= number).count();
        let last = departures.drain(..covered).rfind(|departure| departure.id == id)?;
        (!last.is_retransmission).then(|| now - last.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{DiscoveryId, NodeId};

    const FLOW: FlowId = FlowId(3);

    fn id(path: u32) -> RouteId {
        RouteId::new(DiscoveryId { originator: NodeId(0), request: 1 }, path)
    }

    fn at(millis: u64) -> Instant {
        Instant::from_nanos(millis * 1_000_000)
    }

    /// Segments 1 to 4 leave at 1 to 4 ms, on paths 1 and 2 by turns.
    fn four_on_two_paths() -> Stopwatch {
        let mut stopwatch = Stopwatch::default();
        for number in 1..=4 {
            let path = id(2 - number % 2);
            stopwatch.on_departure(at(number.into()), FLOW, number, false, path);
        }
        stopwatch
    }

    #[test]
    fn the_last_covered_segment_of_the_path_gives_the_sample() {
        let mut stopwatch = four_on_two_paths();
        let millis = |n| Some(Duration::from_millis(n));
        assert_eq!(stopwatch.on_ack(at(50), FLOW, 3, id(1)), millis(47));
        assert_eq!(stopwatch.on_ack(at(51), FLOW, 3, id(2)), None, "2 was covered before");
        assert_eq!(stopwatch.on_ack(at(60), FLOW, 4, id(2)), millis(56));
        assert_eq!(stopwatch.on_ack(at(61), FLOW, 4, id(2)), None, "a duplicate");
    }

    #[test]
    fn an_acknowledgment_on_another_path_gives_no_sample() {
        let mut stopwatch = four_on_two_paths();
        assert_eq!(stopwatch.on_ack(at(50), FLOW, 1, id(2)), None);
        assert_eq!(stopwatch.on_ack(at(50), FlowId(8), 1, id(2)), None);
    }

    #[test]
    fn retransmitted_segments_are_not_measured() {
        let mut stopwatch = four_on_two_paths();
        stopwatch.on_departure(at(20), FLOW, 1, true, id(2));
        assert_eq!(stopwatch.on_ack(at(50), FLOW, 1, id(2)), None);
        stopwatch.on_departure(at(60), FLOW, 1, true, id(2));
        assert_eq!(stopwatch.on_ack(at(70), FLOW, 2, id(2)), Some(Duration::from_millis(68)));
    }

    #[test]
    fn a_segment_moved_to_another_path_counts_from_then() {
        let mut stopwatch = four_on_two_paths();
        stopwatch.on_departure(at(20), FLOW, 1, false, id(2));
        assert_eq!(stopwatch.on_ack(at(50), FLOW, 1, id(2)), Some(Duration::from_millis(30)));
    }
}
