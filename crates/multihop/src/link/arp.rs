//! Address resolution (RFC 826) of one node, as ns-2.35 runs it.
//!
//! Deviation: entries never expire. There is no retry timer: only another packet triggers another
//! request. One packet is held per address, and a new one replaces it. After three requests the
//! next packet finds the address unreachable. Under back-pressure the packet held may be what keeps
//! the next one from coming, so there the caller runs a timer ([`ASK_AGAIN`]).

use rustc_hash::FxHashMap;

use crate::kernel::Duration;
use crate::wire::{NodeId, Packet};

/// Requests for one address before it counts as unreachable.
const MAX_REQUESTS: u8 = 3;

/// The time between requests where a timer repeats them (RFC 1122, section 2.3.2.1: at most one a
/// second).
pub const ASK_AGAIN: Duration = Duration::from_secs(1);

/// One node's ARP table.
#[derive(Debug, Default)]
pub struct Arp {
    entries: FxHashMap<NodeId, Entry>,
    /// Packets held, over all addresses.
    held: u32,
}

#[derive(Debug)]
enum Entry {
    Resolved,
    Asking { requests: u8, held: Option<Packet> },
}

/// What follows when a request's timer expires.
#[derive(Debug, PartialEq)]
pub enum Again {
    /// Broadcast another request.
    Request,
    /// The address cannot be resolved: the held packet is undeliverable.
    Failed(Packet),
    /// No packet waits for the address any more.
    Over,
}

/// What becomes of a packet that needs an address.
#[derive(Debug, PartialEq)]
pub enum ArpAction {
    /// The address is known: send it.
    Ready(Packet),
    /// The packet is held: broadcast a request, and drop the packet that it replaces.
    Request {
        /// Held before, now dropped.
        dropped: Option<Packet>,
    },
    /// The address cannot be resolved: both packets are undeliverable.
    Failed {
        /// Held before.
        held: Option<Packet>,
        /// The new one.
        packet: Packet,
    },
}

impl Arp {
    /// Resolves the address of `neighbour`, to send `packet` to it.
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

    /// A request for the address of `neighbour` was not answered in time.
    pub fn ask_again(&mut self, neighbour: NodeId) -> Again {
        let Some(Entry::Asking { requests, held }) = self.entries.get_mut(&neighbour) else {
            return Again::Over;
        };
        if *requests < MAX_REQUESTS && held.is_some() {
            *requests += 1;
            return Again::Request;
        }
        match held.take() {
            Some(packet) => {
                *requests = 0;
                self.held -= 1;
                Again::Failed(packet)
            }
            None => Again::Over,
        }
    }

    /// How many packets wait for an address.
    pub fn held(&self) -> u32 {
        self.held
    }

    /// The packet that waits for the address of `neighbour`, if one does.
    pub fn held_for(&self, neighbour: NodeId) -> Option<&Packet> {
        match self.entries.get(&neighbour) {
            Some(Entry::Asking { held, .. }) => held.as_ref(),
            _ => None,
        }
    }

    /// An ARP message from `neighbour` was received: its address is known from now on. Returns the
    /// packet held for it.
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
        let datagram = udp::Datagram::zeros(FlowId(0), number, 100);
        Packet {
            size_bytes: 120,
            ttl: 30,
            ..Packet::new(NodeId(0), NodeId(2), Instant::ZERO, Body::Udp(datagram))
        }
    }

    #[test]
    fn a_new_packet_replaces_the_one_held() {
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
    fn the_timer_repeats_the_request_twice_and_then_returns_the_packet() {
        let mut arp = Arp::default();
        assert_eq!(arp.ask_again(B), Again::Over);
        arp.resolve(B, packet(0));
        assert_eq!(arp.ask_again(B), Again::Request);
        assert_eq!(arp.resolve(B, packet(1)), ArpAction::Request { dropped: Some(packet(0)) });
        assert_eq!((arp.ask_again(B), arp.held()), (Again::Failed(packet(1)), 0));
        assert_eq!(arp.ask_again(B), Again::Over);
        assert_eq!(arp.resolve(B, packet(2)), ArpAction::Request { dropped: None });
        assert_eq!(arp.learn(B), Some(packet(2)));
        assert_eq!(arp.ask_again(B), Again::Over);
    }

    #[test]
    fn a_message_received_resolves_an_address_never_requested() {
        let mut arp = Arp::default();
        assert_eq!(arp.learn(B), None);
        assert_eq!(arp.resolve(B, packet(0)), ArpAction::Ready(packet(0)));
    }
}
