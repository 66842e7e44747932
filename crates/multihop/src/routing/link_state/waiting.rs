//! Messages on their way out (RFC 3626 section 3.5, RFC 7181 section 13.2).

use crate::kernel::Instant;

/// What a node is about to send. A packet takes everything that waits, due or not.
#[derive(Debug)]
pub struct Waiting<M>(Vec<(Instant, M)>);

impl<M> Default for Waiting<M> {
    fn default() -> Self {
        Waiting(Vec::new())
    }
}

impl<M> Waiting<M> {
    /// Keeps `message` until `at`, or until another is sent before.
    pub fn hold(&mut self, message: M, at: Instant) {
        self.0.push((at, message));
    }

    /// Whether a message has waited long enough.
    pub fn are_due(&self, now: Instant) -> bool {
        self.0.iter().any(|(at, _)| *at <= now)
    }

    /// All that waits.
    pub fn take(&mut self) -> Vec<M> {
        self.0.drain(..).map(|(_, message)| message).collect()
    }
}

/// `messages` in as many packets as they need: those of a packet have `most` \[bytes\] at most by
/// their sizes `bytes`, unless one alone has more.
pub fn packed<M>(
    messages: impl Iterator<Item = M>,
    most: u32,
    bytes: impl Fn(&M) -> u32,
) -> Vec<Vec<M>> {
    let mut packets = Vec::new();
    let mut messages = messages.peekable();
    while let Some(first) = messages.next() {
        let mut sum = bytes(&first);
        let mut together = vec![first];
        while let Some(next) = messages.next_if(|next| sum + bytes(next) <= most) {
            sum += bytes(&next);
            together.push(next);
        }
        packets.push(together);
    }
    packets
}
