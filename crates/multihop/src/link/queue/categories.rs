//! The queue of a station with access categories: one queue for each.

use super::{InterfaceQueue, Waiting};
use crate::mac::categories::CATEGORIES;
use crate::mac::{Category, Classes};
use crate::wire::Packet;

/// One queue a category, the highest first.
#[derive(Debug)]
pub(super) struct ByCategory {
    classes: Classes,
    queues: [InterfaceQueue; CATEGORIES],
}

impl ByCategory {
    pub fn new(classes: Classes, queue: impl FnMut(usize) -> InterfaceQueue) -> ByCategory {
        ByCategory { classes, queues: std::array::from_fn(queue) }
    }

    /// That of `packet`.
    pub fn queue_of(&mut self, packet: &Packet) -> &mut InterfaceQueue {
        &mut self.queues[self.classes.of(packet).index()]
    }

    pub fn of(&mut self, category: Category) -> &mut InterfaceQueue {
        &mut self.queues[category.index()]
    }

    pub fn all(&self) -> &[InterfaceQueue] {
        &self.queues
    }

    pub fn all_mut(&mut self) -> &mut [InterfaceQueue] {
        &mut self.queues
    }

    /// How many packets wait.
    #[cold]
    pub fn packets(&self) -> usize {
        self.queues.iter().map(|queue| queue.lines.packets()).sum()
    }

    #[cold]
    pub fn have_dropped(&self) -> bool {
        self.queues.iter().any(|queue| !queue.dropped.is_empty())
    }

    /// What waits in any of them.
    pub fn waiting(&self) -> impl Iterator<Item = &Waiting> {
        self.queues.iter().flat_map(|queue| queue.lines.iter().flat_map(|line| line.packets()))
    }
}
