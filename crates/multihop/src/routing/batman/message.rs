//! Originator messages, as batman-adv has them in frames of their own (compatibility version 15, as
//! Wireshark's reference of `batadv.iv_ogm` lists the fields).

use crate::wire::put::Put;
use crate::wire::{Carrier, NodeId, Octets, Packet, Parts, ethernet};

/// EtherType of batman-adv.
const ETHER_TYPE: u16 = 0x4305;
/// Packet type of originator messages of B.A.T.M.A.N. IV.
const IV_OGM: u8 = 0;
/// The version that all of a mesh have.
const VERSION: u8 = 15;
/// Bits of flags.
const NOT_BEST_NEXT_HOP: u8 = 0x01;
const DIRECT_LINK: u8 = 0x04;
/// An originator message without TVLVs \[bytes\].
pub const OGM_BYTES: u32 = 24;
/// The most bytes that are sent together.
pub const MOST_BYTES: u32 = 512;

/// An originator message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ogm {
    /// Hops that it may still go.
    pub ttl: u8,
    /// Its sender passes it on although it came from no best neighbour: it tells the originator of
    /// the link, and is no route.
    pub is_echo_only: bool,
    /// Its sender got it from its originator.
    pub is_direct: bool,
    /// The originator's number for it.
    pub sequence: u32,
    /// Who wrote it.
    pub originator: NodeId,
    /// Whom its sender got it from; the originator itself at first.
    pub previous: NodeId,
    /// Transmit quality from its sender to the originator, in 255ths.
    pub tq: u8,
}

impl Ogm {
    fn write(&self, out: &mut Vec<u8>) {
        let echo = if self.is_echo_only { NOT_BEST_NEXT_HOP } else { 0 };
        let direct = if self.is_direct { DIRECT_LINK } else { 0 };
        out.extend([IV_OGM, VERSION, self.ttl, echo | direct]);
        out.put32(self.sequence);
        out.extend(ethernet::mac(self.originator));
        out.extend(ethernet::mac(self.previous));
        out.extend([0, self.tq]);
        // No TVLVs.
        out.put16(0);
    }
}

/// Originator messages that travel together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OgmFrame(pub Vec<Ogm>);

impl OgmFrame {
    /// Its size \[bytes\].
    pub fn bytes(&self) -> u32 {
        OGM_BYTES * self.0.len() as u32
    }
}

impl Octets for OgmFrame {
    const KIND: u8 = 143;
    const NAME: &'static str = "batman-ogm";

    fn carrier(&self) -> Option<Carrier> {
        Some(Carrier::EtherType(ETHER_TYPE))
    }

    fn write(&self, out: &mut Vec<u8>) {
        for ogm in &self.0 {
            ogm.write(out);
        }
    }

    fn parts(&self, packet: &Packet) -> Parts {
        let hello = self.0.iter().any(|ogm| ogm.originator == packet.source);
        Parts { hello, ..Parts::default() }
    }

    fn number(&self) -> Option<u32> {
        self.0.first().map(|ogm| ogm.sequence)
    }
}
