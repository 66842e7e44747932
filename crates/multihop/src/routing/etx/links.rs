//! The links of one node, measured by probes (section 4.1: delivery ratios, window, counts in
//! probes).

use std::collections::VecDeque;

use crate::kernel::{Duration, Instant};
use crate::routing::neighbour_table::NeighbourTable;
use crate::wire::NodeId;

/// Thousandths in one transmission.
const ONE: u64 = 1000;

/// What a node knows of its links.
#[derive(Debug)]
pub struct Links {
    window: Duration,
    /// Probes that a neighbour sends within the window.
    expected: u32,
    of: NeighbourTable<Link>,
}

#[derive(Debug, Default)]
struct Link {
    /// When the neighbour's probes came, oldest first; those before the window may still be there.
    arrivals: VecDeque<Instant>,
    /// How many of this node's probes the neighbour had received, by its last probe.
    reported: u32,
}

impl Links {
    /// No links yet; probes count for `window`, in which `expected` are sent.
    pub fn new(window: Duration, expected: u32) -> Links {
        Links { window, expected, of: NeighbourTable::default() }
    }

    /// A probe of `neighbour` has come: it had received `reported` of this node's.
    pub fn hear(&mut self, now: Instant, neighbour: NodeId, reported: u32) {
        let link = self.of.hear(now, neighbour, now + self.window);
        link.arrivals.push_back(now);
        link.reported = reported;
        while link.arrivals.front().is_some_and(|at| *at + self.window <= now) {
            link.arrivals.pop_front();
        }
    }

    /// Each neighbour heard within the window, and how many of its probes came. Forgets the others.
    pub fn received(&mut self, now: Instant) -> Vec<(NodeId, u32)> {
        self.of.expire(now);
        let links = self.of.current(now);
        links.map(|(neighbour, link)| (neighbour, self.received_of(now, &link.known))).collect()
    }

    /// The ETX of the link to `neighbour`, in thousandths, rounded; none if either direction
    /// delivered nothing.
    pub fn etx(&self, now: Instant, neighbour: NodeId) -> Option<u32> {
        self.etx_of(now, &self.of.get(now, neighbour)?.known)
    }

    /// The ETX of every link that has one.
    pub fn known(&self, now: Instant) -> impl Iterator<Item = u32> {
        self.of.current(now).filter_map(move |(_, link)| self.etx_of(now, &link.known))
    }

    fn etx_of(&self, now: Instant, link: &Link) -> Option<u32> {
        let delivered = u64::from(self.received_of(now, link)) * u64::from(link.reported);
        let sent = u64::from(self.expected).pow(2);
        (delivered > 0).then(|| ((ONE * sent + delivered / 2) / delivered) as u32)
    }

    /// Probes within the window before `now`; jitter can bring one more than were expected, which
    /// counts as all.
    fn received_of(&self, now: Instant, link: &Link) -> u32 {
        let recent = link.arrivals.iter().rev().take_while(|at| **at + self.window > now);
        (recent.count() as u32).min(self.expected)
    }
}
