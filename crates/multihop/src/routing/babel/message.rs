//! A Babel packet as other layers see it: octets in UDP over IPv6.

use super::address::GROUP;
use super::tlv::{HEADER_BYTES, kind};
use crate::wire::{Octets, Packet, Parts};

/// The UDP port (section 5).
pub const PORT: u16 = 6696;
/// Bytes of the headers of IPv6 (RFC 8200) and UDP (RFC 768).
pub const HEADERS_BYTES: u32 = 40 + 8;

/// A Babel packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BabelPacket {
    /// All of it, header included.
    pub bytes: Vec<u8>,
}

impl Octets for BabelPacket {
    const KIND: u8 = 134;
    const NAME: &'static str = "babel";
    const PORT: Option<u16> = Some(PORT);
    const GROUP: Option<[u8; 16]> = Some(GROUP);

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(&self.bytes);
    }

    /// A packet with a Hello, which comes first, is a HELLO.
    fn parts(&self, _: &Packet) -> Parts {
        let hello = self.bytes.get(HEADER_BYTES) == Some(&kind::HELLO);
        Parts { hello, ..Parts::default() }
    }
}
