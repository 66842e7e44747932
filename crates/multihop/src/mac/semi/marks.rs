//! The neighbours that a node knows to be congested (section 3.2 of the paper).
//!
//! An RTSC or CTSC sets a mark. It is cleared by k data frames of the marked node or at the end of
//! its lifetime, whichever comes first. A new RTSC or CTSC of the node restarts both.

use super::config::{MarkMemory, Rules};
use crate::kernel::{Duration, Instant};
use crate::wire::NodeId;

/// The marks of one node.
#[derive(Clone, Debug)]
pub struct Marks {
    memory: MarkMemory,
    release_frames: u32,
    life: Duration,
    marks: Vec<Mark>,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    node: NodeId,
    ends: Instant,
    frames: u32,
}

impl Marks {
    /// No marks.
    pub fn new(rules: &Rules) -> Marks {
        Marks {
            memory: rules.marks,
            release_frames: rules.release_frames,
            life: rules.mark_lifetime,
            marks: Vec::new(),
        }
    }

    /// `node` has announced that it is congested.
    pub fn set(&mut self, now: Instant, node: NodeId) {
        let node = self.key(node);
        self.marks.retain(|mark| mark.node != node && mark.ends > now);
        self.marks.push(Mark { node, ends: now + self.life, frames: 0 });
    }

    /// `node` has sent a data frame.
    pub fn on_data(&mut self, node: NodeId) {
        let node = self.key(node);
        let enough = self.release_frames;
        self.marks.retain_mut(|mark| {
            mark.frames += u32::from(mark.node == node);
            mark.frames < enough
        });
    }

    /// Clears all marks.
    pub fn clear(&mut self) {
        self.marks.clear();
    }

    /// Whether there are no marks. Expired marks count, too, until data frames clear them.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Until when `node` is marked, if it is at `now`; data frames may clear the mark earlier.
    pub fn end_of(&self, now: Instant, node: NodeId) -> Option<Instant> {
        let node = self.key(node);
        self.lasting(now).filter(|mark| mark.node == node).map(|mark| mark.ends).max()
    }

    /// The end of the mark that lasts longest.
    pub fn last_end(&self, now: Instant) -> Option<Instant> {
        self.lasting(now).map(|mark| mark.ends).max()
    }

    fn lasting(&self, now: Instant) -> impl Iterator<Item = &Mark> {
        self.marks.iter().filter(move |mark| mark.ends > now)
    }

    fn key(&self, node: NodeId) -> NodeId {
        match self.memory {
            MarkMemory::PerNeighbour => node,
            MarkMemory::Common => NodeId::BROADCAST,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::semi::config::{SemiConfig, SemiProfile};

    const B: NodeId = NodeId(1);
    const C: NodeId = NodeId(2);

    fn marks(profile: SemiProfile, k: u32) -> Marks {
        let config = SemiConfig { profile, release_frames: k, ..SemiConfig::default() };
        Marks::new(&config.rules())
    }

    fn at_ms(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn k_data_frames_of_its_node_clear_a_mark() {
        for k in 1..=3 {
            let mut marks = marks(SemiProfile::Paper, k);
            marks.set(at_ms(0), B);
            for _ in 1..k {
                marks.on_data(B);
                marks.on_data(C);
                assert!(marks.end_of(at_ms(1), B).is_some(), "k = {k}");
            }
            marks.on_data(B);
            assert_eq!(marks.end_of(at_ms(1), B), None, "k = {k}");
        }
    }

    #[test]
    fn a_mark_lasts_k_lifetimes_from_the_last_notice_of_its_node() {
        for (profile, life_ms) in [(SemiProfile::Paper, 20), (SemiProfile::Author, 6)] {
            let mut marks = marks(profile, 2);
            marks.set(at_ms(0), B);
            marks.on_data(B);
            marks.set(at_ms(5), B);
            assert_eq!(marks.end_of(at_ms(5), B), Some(at_ms(5 + 2 * life_ms)));
            marks.on_data(B);
            assert!(marks.end_of(at_ms(6), B).is_some(), "the count restarts");
            assert_eq!(marks.end_of(at_ms(5 + 2 * life_ms), B), None);
        }
    }

    #[test]
    fn a_common_mark_is_for_all_neighbours() {
        let mut marks = marks(SemiProfile::Author, 1);
        marks.set(at_ms(0), B);
        assert_eq!(marks.end_of(at_ms(1), C), Some(at_ms(6)));
        marks.on_data(C);
        assert_eq!(marks.last_end(at_ms(1)), None);
    }
}
