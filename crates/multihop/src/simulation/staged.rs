//! Link failures that the scenario asks for.

use crate::kernel::Instant;
use crate::scenario::{EventTable, LinkFailure};
use crate::wire::{NodeId, Packet};

/// The failures that have not happened yet.
#[derive(Debug)]
pub struct StagedFailures(Vec<(Instant, NodeId, NodeId)>);

impl StagedFailures {
    /// Those among `events`.
    pub fn new(events: &[EventTable]) -> StagedFailures {
        let failure = |event: &EventTable| {
            let EventTable::LinkFailure(LinkFailure { node, next_hop, at_s }) = event else {
                return None;
            };
            Some((Instant::from_secs_f64(*at_s), NodeId(*node), NodeId(*next_hop)))
        };
        StagedFailures(events.iter().filter_map(failure).collect())
    }

    /// Whether the first of `ends` is to fail at `now` to deliver `packet` to the second. A failure
    /// happens once.
    #[inline]
    pub fn take(&mut self, now: Instant, ends: [NodeId; 2], packet: &Packet) -> bool {
        if self.0.is_empty() || !packet.is_transport() {
            return false;
        }
        let is_due = |&(at, from, to): &_| at <= now && [from, to] == ends;
        let due = self.0.iter().position(is_due);
        due.map(|place| self.0.swap_remove(place)).is_some()
    }
}
