//! Numbers of packets: a packet is found by what does not change on its way.

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::wire::{Identity, Packet};

/// How many are looked for first. Enough for those on their way, and few enough to stay near the
/// processor.
const RECENT: usize = 256;

/// The packets so far.
#[derive(Debug)]
pub struct Numbers {
    all: FxHashMap<Identity, u32>,
    /// By hash, the last of them.
    recent: Box<[Option<(Identity, u32)>; RECENT]>,
}

impl Default for Numbers {
    fn default() -> Numbers {
        Numbers { all: FxHashMap::default(), recent: Box::new([None; RECENT]) }
    }
}

impl Numbers {
    /// The number of `packet`, in the order in which they are first asked for.
    pub fn of(&mut self, packet: &Packet) -> u32 {
        let identity = packet.identity();
        // The upper bits of this hash are the better ones.
        let place = (FxBuildHasher.hash_one(identity) >> 32) as usize % RECENT;
        match self.recent[place] {
            Some((known, number)) if known == identity => number,
            _ => {
                let next = self.all.len() as u32;
                let number = *self.all.entry(identity).or_insert(next);
                self.recent[place] = Some((identity, number));
                number
            }
        }
    }
}
