//! Messages on their way out, and the packets that carry them (RFC 3626 sections 3.3 and 3.5).

use super::messages::{MOST_BYTES, OlsrMessage, OlsrPacket};
use crate::kernel::Instant;
use crate::routing::Context;
use crate::wire::Extension;

/// What a node is about to send. A packet takes everything that waits, due or not.
#[derive(Debug, Default)]
pub struct Outgoing {
    waiting: Vec<(Instant, OlsrMessage)>,
    packets: u16,
    messages: u16,
}

impl Outgoing {
    /// The number of the node's next message.
    pub fn next_message(&mut self) -> u16 {
        self.messages = self.messages.wrapping_add(1);
        self.messages
    }

    /// Keeps `message` until `at`, or until another is sent before.
    pub fn hold(&mut self, message: OlsrMessage, at: Instant) {
        self.waiting.push((at, message));
    }

    /// Whether a message has waited long enough.
    pub fn are_due(&self, now: Instant) -> bool {
        self.waiting.iter().any(|(at, _)| *at <= now)
    }

    /// Broadcasts all that waits, in as many packets as it needs.
    pub fn send(&mut self, cx: &mut Context) {
        let mut messages = self.waiting.drain(..).map(|(_, message)| message).peekable();
        while let Some(first) = messages.next() {
            let mut bytes = first.bytes();
            let mut together = vec![first];
            while let Some(next) = messages.next_if(|next| bytes + next.bytes() <= MOST_BYTES) {
                bytes += next.bytes();
                together.push(next);
            }
            self.packets = self.packets.wrapping_add(1);
            let packet = OlsrPacket { number: self.packets, messages: together };
            let size_bytes = packet.bytes();
            cx.broadcast(Extension::new(packet), size_bytes);
        }
    }
}
