//! What a DCF with A-MPDUs keeps.

use crate::kernel::{Duration, Instant};
use crate::mac::aggregation::{Reorder, Several, Window};
use crate::mac::repeats::Origin;
use crate::wire::{NodeId, Packet};

/// What a station that aggregates has beside DCF's own.
#[derive(Debug, Default)]
pub struct Aggregating {
    pub window: Window,
    /// What has come from each neighbour.
    pub reorders: Vec<(Origin, Reorder)>,
    /// Packets on their way up, a list to be used again.
    pub up: Vec<Packet>,
    pub several: Several,
    /// How long an A-MPDU of the present turn may last, if turns are limited.
    pub most_time: Option<Duration>,
}

impl Aggregating {
    /// The packets of `origin`, whose window starts at `start`.
    pub fn reorder(&mut self, origin: Origin, start: u16) -> &mut Reorder {
        let known = self.reorders.iter().position(|(known, _)| *known == origin);
        let place = known.unwrap_or_else(|| {
            self.reorders.push((origin, Reorder::new(start)));
            self.reorders.len() - 1
        });
        &mut self.reorders[place].1
    }

    /// What is in `up` has come from `neighbour`; others are held until `due`.
    pub fn hand_up(&mut self, neighbour: NodeId, due: Option<Instant>) {
        let Several { received, hold_until, .. } = &mut self.several;
        received.extend(self.up.drain(..).map(|packet| (packet, neighbour)));
        *hold_until = hold_until.iter().copied().chain(due).min();
    }

    /// Whether the present frame is an A-MPDU.
    pub fn is_aggregate(&self) -> bool {
        self.window.in_frame > 1
    }

    /// Data packets beside the first in service.
    pub fn data_packets(&self) -> u32 {
        self.window.others.iter().filter(|other| other.packet.is_transport()).count() as u32
    }
}
