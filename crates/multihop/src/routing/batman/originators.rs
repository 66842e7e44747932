//! The other nodes, and the neighbours over which their messages came: the originator list
//! (draft-wunderlich-openmesh-manet-routing-00 section 3.2), ranked by transmit quality
//! (open-mesh.org, "B.A.T.M.A.N. IV": Local TQ vs Global TQ).

use std::collections::{BTreeMap, VecDeque};

use super::message::Ogm;
use super::window::{Noted, Window};
use crate::kernel::Instant;
use crate::wire::NodeId;

/// The nodes that are known.
#[derive(Debug)]
pub struct Originators {
    /// The numbers over which qualities are averaged.
    window: u32,
    of: BTreeMap<NodeId, Originator>,
    /// Routes that came, changed their next hop, or went.
    pub changes: u64,
}

#[derive(Debug, Default)]
struct Originator {
    heard: Instant,
    /// All of its messages, by whichever neighbour.
    numbers: Window,
    /// The number that was passed on last.
    passed_on: Window,
    via: BTreeMap<NodeId, Via>,
    router: Option<NodeId>,
}

/// A neighbour over which an originator's messages come.
#[derive(Debug, Default)]
struct Via {
    numbers: Window,
    /// The qualities by the latest numbers.
    qualities: VecDeque<(u32, u8)>,
}

impl Via {
    /// The average quality of those that came, of the last `window` numbers up to `newest`.
    fn quality(&self, newest: u32, window: u32) -> u32 {
        let is_recent = |&&(number, _): &&(u32, u8)| newest.wrapping_sub(number) < window;
        let (mut sum, mut count) = (0_u32, 0);
        for &(_, tq) in self.qualities.iter().filter(is_recent) {
            sum += u32::from(tq);
            count += 1;
        }
        sum.checked_div(count).unwrap_or(0)
    }
}

impl Originators {
    /// Nobody yet; qualities are averaged over `window` numbers.
    pub fn new(window: u32) -> Originators {
        Originators { window, of: BTreeMap::new(), changes: 0 }
    }

    /// The next hop to `originator`.
    pub fn next_hop(&self, originator: NodeId) -> Option<NodeId> {
        self.of.get(&originator)?.router
    }

    /// Transmit quality to `originator` over its best neighbour, in 255ths.
    pub fn quality(&self, originator: NodeId) -> u32 {
        let Some(known) = self.of.get(&originator) else { return 0 };
        known.router.map_or(0, |router| known.quality_via(router, self.window))
    }

    /// How many nodes there is a route to.
    pub fn reached(&self) -> usize {
        self.of.values().filter(|known| known.router.is_some()).count()
    }

    /// Neighbour `from` has passed `ogm` on, which makes a quality of `tq` over it. Whether that is
    /// news: it has not come over this neighbour before.
    pub fn hear(&mut self, now: Instant, from: NodeId, ogm: &Ogm, tq: u8) -> bool {
        let window = self.window;
        let known = self.of.entry(ogm.originator).or_default();
        if known.numbers.note(ogm.sequence) == Noted::Anew {
            known.via.clear();
        }
        let via = known.via.entry(from).or_default();
        if via.numbers.note(ogm.sequence) == Noted::Known {
            return false;
        }
        known.heard = now;
        via.qualities.push_back((ogm.sequence, tq));
        while via.qualities.len() > window as usize {
            via.qualities.pop_front();
        }
        self.changes += u64::from(known.choose(window));
        true
    }

    /// Whether message `sequence` of `originator` has not been passed on yet. It is, now.
    pub fn passes_on(&mut self, originator: NodeId, sequence: u32) -> bool {
        let Some(known) = self.of.get_mut(&originator) else { return false };
        matches!(known.passed_on.note(sequence), Noted::Newer | Noted::Anew)
    }

    /// Forgets who has not been heard since `before`, and the links to neighbours that are `gone`.
    pub fn purge(&mut self, before: Instant, gone: &[NodeId]) {
        let (window, changes) = (self.window, &mut self.changes);
        self.of.retain(|_, known| {
            let is_lost = known.heard <= before;
            if !is_lost && gone.iter().filter(|node| known.via.remove(node).is_some()).count() > 0 {
                *changes += u64::from(known.choose(window));
            }
            *changes += u64::from(is_lost && known.router.is_some());
            !is_lost
        });
    }
}

impl Originator {
    fn quality_via(&self, neighbour: NodeId, window: u32) -> u32 {
        let newest = self.numbers.newest().unwrap_or(0);
        self.via.get(&neighbour).map_or(0, |via| via.quality(newest, window))
    }

    /// Takes the best neighbour; of equal ones the present, then the first. Whether it is another.
    fn choose(&mut self, window: u32) -> bool {
        let rank = |&neighbour: &NodeId| {
            let is_present = self.router == Some(neighbour);
            (self.quality_via(neighbour, window), is_present, std::cmp::Reverse(neighbour))
        };
        let best = self.via.keys().copied().max_by_key(rank);
        let best = best.filter(|&neighbour| self.quality_via(neighbour, window) > 0);
        std::mem::replace(&mut self.router, best) != best
    }
}
