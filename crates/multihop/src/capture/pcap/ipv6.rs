//! IPv6 packets (RFC 8200) with messages of routing schemes that travel over it, between link-local
//! addresses.

use super::ipv4::{SCHEME_PORT, checksum, protocol, sum};
use crate::wire::put::Put;
use crate::wire::{NodeId, Packet};

/// Bytes of the header.
const HEADER_BYTES: usize = 40;

/// The link-local address made of the MAC address of `node` (RFC 4291, appendix A).
fn link_local(node: NodeId) -> [u8; 16] {
    let [a, b, c, d] = node.0.to_be_bytes();
    [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, a, 0xff, 0xfe, b, c, d]
}

/// Appends `packet`, whose message goes to `group` if it is for all.
pub fn put_packet(out: &mut Vec<u8>, packet: &Packet, group: [u8; 16]) {
    let Some(message) = packet.message() else { return };
    let source = link_local(packet.source);
    let is_for_all = packet.destination.is_broadcast();
    let destination = if is_for_all { group } else { link_local(packet.destination) };
    out.extend([0x60, 0, 0, 0, 0, 0, protocol::UDP, packet.ttl]);
    out.extend(source);
    out.extend(destination);
    let start = out.len();
    let port = message.port().unwrap_or(SCHEME_PORT);
    out.put16(port);
    out.put16(port);
    out.put32(0);
    message.write(packet, out);
    let length = out.len() - start;
    out.put16_at(start - HEADER_BYTES + 4, length as u16);
    out.put16_at(start + 4, length as u16);
    // The pseudo header of RFC 8200, section 8.1; 0 stands for none, which IPv6 does not allow.
    let pseudo = sum(&source) + sum(&destination) + u32::from(protocol::UDP) + length as u32;
    let sum = checksum(pseudo, &out[start..]);
    out.put16_at(start + 6, if sum == 0 { 0xffff } else { sum });
}
