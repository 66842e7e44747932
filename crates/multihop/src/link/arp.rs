//! Address resolution (RFC 826) of one node, as ns-2.35 runs it.
//!
//! Deviation: no entry ever expires; there is no retry timer, only another packet triggers another
//! request; one packet is held an address, a new one pushes the old one out; after three requests the
//! next packet finds the address unreachable.

use rustc_hash::FxHashMap;

use crate::wire::{NodeId, Packet};

/// Requests for one address before it counts as unreachable.
const MAX_REQUESTS: u8 = 3;

/// One node's ARP table.
#[derive(Debug, Default)]
pub struct Arp {
    entries: FxHashMap<NodeId, Entry>,
    /// Packets held.
    held: u32,
}

#[derive(Debug)]
enum Entry {
    Resolved,
    Asking { requests: u8, held: Option<Packet> },
}

/// What becomes of a packet that needs an address.
#[derive(Debug, PartialEq)]
pub enum ArpAction {
    /// The address is known: send it.
    Ready(Packet),
    /// The packet is held: broadcast a request, and drop the packet held before.
    Request {
        /// Held before, now dropped.
        dropped: Option<Packet>,
    },
    /// The address cannot be resolved: both packets have failed.
    Failed {
        /// Held before.
        held: Option<Packet>,
        /// The one that was to be sent.
        packet: Packet,
    },
}

impl Arp {
    /// `packet` is to go to `neighbour`.
    pub fn resolve(&mut self, neighbour: NodeId, packet: Packet) -> ArpAction {
        let entry =
            self.entries.entry(neighbour).or_insert(Entry::Asking { requests: 0, held: None });
        match entry {
            Entry::Resolved => ArpAction::Ready(packet),
            Entry::Asking { requests, held } if *requests >= MAX_REQUESTS => {
                *requests = 0;
                let held = held.take();
                self.held -= u32::from(held.is_some());
                ArpAction::Failed { held, packet }
            }
            Entry::Asking { requests, held } => {
                *requests += 1;
                let dropped = held.replace(packet);
                self.held += u32::from(dropped.is_none());
                ArpAction::Request { dropped }
            }
        }
    }

    /// How many packets wait for an address.
    pub fn held(&self) -> u32 {
        self.held
    }

    /// An ARP message from `neighbour` has been heard: its address is known from now on. Returns the
    /// packet that was waiting for it.
    pub fn learn(&mut self, neighbour: NodeId) -> Option<Packet> {
        match self.entries.insert(neighbour, Entry::Resolved) {
            Some(Entry::Asking { held, .. }) => {
                self.held -= u32::from(held.is_some());
                held
            }
            Some(Entry::Resolved) | None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Instant;
    use crate::wire::{Body, FlowId, udp};

    const B: NodeId = NodeId(1);

    fn packet(number: u32) -> Packet {
        let datagram = udp::Datagram { flow: FlowId(0), number, payload_bytes: 100 };
        Packet {
            source: NodeId(0),
            destination: NodeId(2),
            size_bytes: 120,
            ttl: 30,
            hops: 0,
            created: Instant::ZERO,
            queued: Instant::FAR,
            dsr: None,
            route_id: None,
            body: Body::Udp(datagram),
        }
    }

    #[test]
    fn a_new_packet_pushes_out_the_one_held() {
        let mut arp = Arp::default();
        assert_eq!(arp.resolve(B, packet(0)), ArpAction::Request { dropped: None });
        assert_eq!(arp.resolve(B, packet(1)), ArpAction::Request { dropped: Some(packet(0)) });
        assert_eq!(arp.learn(B), Some(packet(1)));
        assert_eq!(arp.resolve(B, packet(2)), ArpAction::Ready(packet(2)));
    }

    #[test]
    fn the_fourth_packet_finds_the_address_unreachable_and_counting_starts_again() {
        let mut arp = Arp::default();
        for i in 0..3 {
            assert!(matches!(arp.resolve(B, packet(i)), ArpAction::Request { .. }));
        }
        let failed = ArpAction::Failed { held: Some(packet(2)), packet: packet(3) };
        assert_eq!(arp.resolve(B, packet(3)), failed);
        assert_eq!(arp.resolve(B, packet(4)), ArpAction::Request { dropped: None });
    }

    #[test]
    fn hearing_a_message_resolves_an_address_never_asked_for() {
        let mut arp = Arp::default();
        assert_eq!(arp.learn(B), None);
        assert_eq!(arp.resolve(B, packet(0)), ArpAction::Ready(packet(0)));
    }
}
