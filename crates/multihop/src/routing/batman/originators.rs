//! The other nodes, and the neighbours over which their messages came: the originator list
//! (draft-wunderlich-openmesh-manet-routing-00 section 3.2), ranked by transmit quality
//! (open-mesh.org, "B.A.T.M.A.N. IV": Local TQ vs Global TQ).

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::message::Ogm;
use super::window::{Noted, Window};
use crate::kernel::Instant;
use crate::wire::NodeId;

/// The nodes that are known.
#[derive(Debug)]
pub struct Originators {
    /// The numbers over which qualities are averaged.
    window: u32,
    of: FxHashMap<NodeId, Originator>,
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
    /// The neighbours over which its messages came. Apart from what is kept of each, so that all
    /// are looked through in few cache lines.
    neighbours: Vec<NodeId>,
    /// What is kept of each, in the same order.
    via: Vec<Via>,
    router: Option<NodeId>,
}

/// A neighbour over which an originator's messages come.
#[derive(Debug, Default)]
struct Via {
    numbers: Window,
    /// The qualities by the latest numbers, those that came last behind. By default five.
    qualities: SmallVec<[(u32, u8); 5]>,
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
        Originators { window, of: FxHashMap::default(), changes: 0 }
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
        let noted = known.numbers.note(ogm.sequence);
        if noted == Noted::Anew {
            (known.neighbours, known.via) = Default::default();
        }
        let place = known.place(from);
        let before = known.quality_at(place, window);
        let Some(via) = known.via.get_mut(place) else { return false };
        if via.numbers.note(ogm.sequence) == Noted::Known {
            return false;
        }
        known.heard = now;
        via.qualities.push((ogm.sequence, tq));
        if via.qualities.len() > window as usize {
            via.qualities.remove(0);
        }
        // Without a newer number the qualities over all others are as they were.
        let is_newest = matches!(noted, Noted::Newer | Noted::Anew);
        let quality = known.quality_at(place, window);
        let is_changed = match known.router {
            Some(router) if router == from && quality >= before && !is_newest => false,
            router if router != Some(from) && !is_newest => {
                let is_better = quality > router.map_or(0, |it| known.quality_via(it, window));
                if is_better {
                    known.router = Some(from);
                }
                is_better
            }
            _ => known.choose(window),
        };
        self.changes += u64::from(is_changed);
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
            if !is_lost && known.forget(gone) {
                *changes += u64::from(known.choose(window));
            }
            *changes += u64::from(is_lost && known.router.is_some());
            !is_lost
        });
    }
}

impl Originator {
    /// The place of `neighbour`, which is made if it is new.
    fn place(&mut self, neighbour: NodeId) -> usize {
        let found = self.neighbours.iter().position(|&one| one == neighbour);
        found.unwrap_or_else(|| {
            self.neighbours.push(neighbour);
            self.via.push(Via::default());
            self.via.len() - 1
        })
    }

    /// Forgets the neighbours that are `gone`. Whether there was one.
    fn forget(&mut self, gone: &[NodeId]) -> bool {
        let before = self.via.len();
        for node in gone {
            if let Some(place) = self.neighbours.iter().position(|one| one == node) {
                self.neighbours.swap_remove(place);
                self.via.swap_remove(place);
            }
        }
        self.via.len() < before
    }

    fn quality_at(&self, place: usize, window: u32) -> u32 {
        let newest = self.numbers.newest().unwrap_or(0);
        self.via.get(place).map_or(0, |via| via.quality(newest, window))
    }

    fn quality_via(&self, neighbour: NodeId, window: u32) -> u32 {
        let place = self.neighbours.iter().position(|&one| one == neighbour);
        place.map_or(0, |place| self.quality_at(place, window))
    }

    /// Takes the best neighbour; of equal ones the present, then the first. Whether it is another.
    fn choose(&mut self, window: u32) -> bool {
        let newest = self.numbers.newest().unwrap_or(0);
        let ranked = self.neighbours.iter().zip(&self.via).map(|(&neighbour, via)| {
            let is_present = self.router == Some(neighbour);
            (via.quality(newest, window), is_present, Reverse(neighbour))
        });
        let best = ranked.max().filter(|&(quality, ..)| quality > 0).map(|(.., best)| best.0);
        std::mem::replace(&mut self.router, best) != best
    }
}
