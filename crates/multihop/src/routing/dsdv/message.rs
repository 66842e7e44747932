//! DSDV's updates. The paper gives their fields; sizes are those of ns-2.35's packets, 12 bytes a
//! route behind an IP header.

use crate::wire::put::Put;
use crate::wire::{IP_HEADER_BYTES, NodeId, Octets, Packet, Parts};

/// A route in an update \[bytes\].
const ROUTE_BYTES: u32 = 12;
/// The most routes in an update, so that it fits 1500 bytes.
pub const MOST_ROUTES: usize = ((1500 - IP_HEADER_BYTES) / ROUTE_BYTES) as usize;

/// A route as its sender has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// Where it leads.
    pub destination: NodeId,
    /// Hops from the sender; none if the route is broken.
    pub hops: Option<u16>,
    /// The destination's sequence number: even, or odd by who found the route broken.
    pub sequence: u32,
}

/// An update: some of the sender's routes, or all.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// The routes.
    pub routes: Vec<Told>,
    /// Whether these are all, as they are told periodically.
    pub is_full: bool,
}

impl Update {
    /// Its size with the IP header \[bytes\].
    pub fn bytes(&self) -> u32 {
        IP_HEADER_BYTES + ROUTE_BYTES * self.routes.len() as u32
    }
}

impl Octets for Update {
    const KIND: u8 = 141;
    const NAME: &'static str = "dsdv";

    fn write(&self, out: &mut Vec<u8>) {
        for route in &self.routes {
            out.put_node(route.destination);
            out.put32(route.hops.map_or(u32::MAX, u32::from));
            out.put32(route.sequence);
        }
    }

    fn parts(&self, _: &Packet) -> Parts {
        Parts { hello: self.is_full, ..Parts::default() }
    }
}
