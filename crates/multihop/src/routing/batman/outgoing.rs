//! Messages on their way out, several in a frame (open-mesh.org, "B.A.T.M.A.N. IV": Packet
//! Aggregation).

use super::message::{MOST_BYTES, OGM_BYTES, Ogm, OgmFrame};
use crate::kernel::Instant;

/// What a node is about to send. A frame takes everything that waits, due or not.
#[derive(Debug, Default)]
pub struct Outgoing {
    waiting: Vec<(Instant, Ogm)>,
}

impl Outgoing {
    /// Keeps `ogm` until `at`, or until another is sent before.
    pub fn hold(&mut self, ogm: Ogm, at: Instant) {
        self.waiting.push((at, ogm));
    }

    /// The frames to send at `now`: none unless something is due. Without aggregation a frame has
    /// one message, and what is not due stays.
    pub fn take(&mut self, now: Instant, aggregates: bool) -> Vec<OgmFrame> {
        let is_due = |(at, _): &(Instant, Ogm)| *at <= now;
        if !self.waiting.iter().any(is_due) {
            return Vec::new();
        }
        let (due, later): (Vec<_>, Vec<_>) =
            self.waiting.drain(..).partition(|one| aggregates || is_due(one));
        self.waiting = later;
        let most = if aggregates { (MOST_BYTES / OGM_BYTES) as usize } else { 1 };
        let frame = |part: &[(Instant, Ogm)]| OgmFrame(part.iter().map(|one| one.1).collect());
        due.chunks(most).map(frame).collect()
    }
}
