//! The link to one neighbour: how well it receives, and from that how well it sends (open-mesh.org,
//! "B.A.T.M.A.N. IV": The Transmit Quality, Handling Asymmetric Links).

use super::window::{Noted, Window};

/// A quality of one.
pub const BEST: u32 = 255;

/// A link.
#[derive(Clone, Copy, Debug, Default)]
pub struct Link {
    /// The neighbour's own messages that came from it.
    received: Window,
    /// This node's that came back from it.
    echoed: Window,
}

impl Link {
    /// The neighbour's own message `sequence` has come from it.
    pub fn receive(&mut self, sequence: u32) -> Noted {
        self.received.note(sequence)
    }

    /// This node's message `sequence` has come back.
    pub fn echo(&mut self, sequence: u32) {
        self.echoed.note(sequence);
    }

    /// How many of the neighbour's last `size` messages came.
    pub fn received(&self, size: u32) -> u32 {
        self.received.newest().map_or(0, |newest| self.received.count(newest, size))
    }

    /// How many of this node's last `size`, up to `own`, came back.
    pub fn echoed(&self, own: u32, size: u32) -> u32 {
        self.echoed.count(own, size)
    }

    /// Transmit quality in 255ths: echo quality over receive quality, TQ = EQ / RQ. Whose messages
    /// do not come back has none.
    pub fn tq(&self, own: u32, size: u32) -> u32 {
        let (received, echoed) = (self.received(size), self.echoed(own, size));
        (BEST * echoed).checked_div(received).unwrap_or(0).min(BEST)
    }

    /// What a poor way back costs, in 255ths: 1 - (1 - RQ)^3.
    pub fn penalty(&self, size: u32) -> u32 {
        let missing = u64::from(size - self.received(size));
        let cube = u64::from(size).pow(3);
        (u64::from(BEST) * (cube - missing.pow(3)) / cube) as u32
    }
}
