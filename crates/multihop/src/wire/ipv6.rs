//! IPv6 packets (RFC 8200) with messages of routing schemes that travel over it in UDP, between
//! link-local addresses.

use super::checksum::{checksum, sum};
use super::put::Put;
use super::{Message, NodeId, Packet};

/// Type of IPv6 in Ethernet and SNAP headers.
pub const ETHER_TYPE: u16 = 0x86dd;
/// Bytes of the header.
const HEADER_BYTES: usize = 40;
/// Protocol number of UDP.
const UDP: u8 = 17;
/// fe80::/64.
const LINK_LOCAL: [u8; 8] = [0xfe, 0x80, 0, 0, 0, 0, 0, 0];

/// The link-local address made of the MAC address of `node` (RFC 4291, appendix A).
fn link_local(node: NodeId) -> [u8; 16] {
    let [a, b, c, d] = node.0.to_be_bytes();
    [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, a, 0xff, 0xfe, b, c, d]
}

/// Appends `packet` with `message`, which travels over IPv6: to `group` if it is for all.
pub fn put_message(out: &mut Vec<u8>, packet: &Packet, message: &dyn Message, group: [u8; 16]) {
    let source = link_local(packet.source);
    let is_for_all = packet.destination.is_broadcast();
    let destination = if is_for_all { group } else { link_local(packet.destination) };
    out.extend([0x60, 0, 0, 0, 0, 0, UDP, packet.ttl]);
    out.extend(source);
    out.extend(destination);
    let start = out.len();
    let port = message.port().unwrap_or(0);
    out.put16(port);
    out.put16(port);
    out.put32(0);
    message.write(packet, out);
    let length = out.len() - start;
    out.put16_at(start - HEADER_BYTES + 4, length as u16);
    out.put16_at(start + 4, length as u16);
    // The pseudo header of RFC 8200, section 8.1; 0 stands for none, which IPv6 does not allow.
    let pseudo = sum(&source) + sum(&destination) + u32::from(UDP) + length as u32;
    let sum = checksum(pseudo, &out[start..]);
    out.put16_at(start + 6, if sum == 0 { 0xffff } else { sum });
}

/// The port and payload of the datagram in `packet`, if it is one from a link-local address and
/// from and to the same port, as those of routing protocols are.
pub fn message(packet: &[u8]) -> Option<(u16, &[u8])> {
    let (header, payload) = packet.split_at_checked(HEADER_BYTES)?;
    let length = usize::from(u16::from_be_bytes([header[4], header[5]]));
    let is_local = header[8..16] == LINK_LOCAL;
    let datagram = payload.get(..length).filter(|_| header[6] == UDP && is_local)?;
    let (&[a, b, c, d, high, low, _, _], _) = datagram.split_first_chunk::<8>()?;
    let payload = datagram.get(8..usize::from(u16::from_be_bytes([high, low])))?;
    ([a, b] == [c, d]).then_some((u16::from_be_bytes([a, b]), payload))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Instant;
    use crate::wire::{Body, Extension, Octets};

    #[derive(Debug, PartialEq)]
    struct Odd;

    impl Octets for Odd {
        const KIND: u8 = 200;
        const PORT: Option<u16> = Some(6696);
        const GROUP: Option<[u8; 16]> = Some([0xff; 16]);

        fn write(&self, out: &mut Vec<u8>) {
            out.extend([1, 2, 3]);
        }
    }

    #[test]
    fn a_message_is_read_as_it_was_written_with_a_checksum_that_is_right() {
        for (to, expected) in [(NodeId::BROADCAST, [0xff; 16]), (NodeId(3), link_local(NodeId(3)))]
        {
            let body = Body::Routing(Extension::new(Odd));
            let packet = Packet { ttl: 1, ..Packet::new(NodeId(258), to, Instant::ZERO, body) };
            let mut out = Vec::new();
            let written = packet.message().expect("a message");
            put_message(&mut out, &packet, written, [0xff; 16]);
            let start = [0x60, 0, 0, 0, 0, 11, 17, 1, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff];
            assert_eq!((&out[..20], &out[20..24]), (&start[..], &[0xfe, 0, 1, 2][..]));
            assert_eq!(out[24..40], expected);
            // RFC 1071: the sum with the checksum in it is all ones.
            assert_eq!(checksum(sum(&out[8..40]) + 17 + 11, &out[40..]), 0);
            assert_eq!(message(&out), Some((6696, &[1, 2, 3][..])));
            for cut in 0..out.len() {
                assert_eq!(message(&out[..cut]), None);
            }
        }
    }
}
