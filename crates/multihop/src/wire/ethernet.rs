//! Ethernet frames of programs: the TCP that any node on the way can read in them, where they go,
//! and frames for programs that route for themselves.

use super::{NodeId, Packet, ipv6};

const TYPE_AT: usize = 12;
const HEADER_BYTES: usize = 14;
const IPV4: u16 = 0x0800;
const TCP: u8 = 6;
/// Bits of TCP's flags (RFC 9293, section 3.1).
const FIN: u8 = 1;
const SYN: u8 = 2;
const RST: u8 = 4;
const ACK: u8 = 16;

/// The MAC address of a node: 02:00 and its number.
pub fn mac(node: NodeId) -> [u8; 6] {
    let [a, b, c, d] = node.0.to_be_bytes();
    [2, 0, a, b, c, d]
}

/// The node of `nodes` whose address is the destination of the IP packet in `frame`: 10.0.0.1 or
/// fd00::1 and its number.
pub fn destination(frame: &[u8], nodes: usize) -> Option<NodeId> {
    let (kind, packet) = (u16_at(frame, TYPE_AT)?, frame.get(HEADER_BYTES..)?);
    let number = match kind {
        IPV4 => u32::from_be_bytes(*packet.get(16..20)?.first_chunk()?)
            .checked_sub(u32::from_be_bytes([10, 0, 0, 1]))?,
        ipv6::ETHER_TYPE => {
            let (prefix, number) = packet.get(24..40)?.split_last_chunk::<4>()?;
            let is_ours = prefix == [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            u32::from_be_bytes(*number).checked_sub(1).filter(|_| is_ours)?
        }
        _ => return None,
    };
    Some(NodeId(number)).filter(|node| node.index() < nodes)
}

/// The port and payload of a message of routing in `frame` (see [`ipv6::message`]).
pub fn message(frame: &[u8]) -> Option<(u16, &[u8])> {
    let kind = u16_at(frame, TYPE_AT)?;
    ipv6::message(frame.get(HEADER_BYTES..).filter(|_| kind == ipv6::ETHER_TYPE)?)
}

/// The frame in which `packet`, a message of routing over IPv6, reaches the device of `to` from
/// `from`; none if it is not one.
pub fn frame_of(packet: &Packet, from: NodeId, to: NodeId) -> Option<Vec<u8>> {
    let message = packet.message()?;
    let group = message.group()?;
    let mut out = match packet.destination.is_broadcast() {
        // RFC 2464, section 7.
        true => [[0x33; 2].as_slice(), &group[12..]].concat(),
        false => mac(to).to_vec(),
    };
    out.extend(mac(from));
    out.extend(ipv6::ETHER_TYPE.to_be_bytes());
    ipv6::put_message(&mut out, packet, message, group);
    Some(out)
}

/// `frame` from `from` to `to`, on the last of several links.
pub fn readdressed(frame: &[u8], from: NodeId, to: NodeId) -> Vec<u8> {
    let mut frame = frame.to_vec();
    if let Some(addresses) = frame.first_chunk_mut::<12>() {
        addresses[..6].copy_from_slice(&mac(to));
        addresses[6..].copy_from_slice(&mac(from));
    }
    frame
}

/// What a segment is to its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Data, or what opens or ends a connection: its receiver acknowledges it.
    Acknowledged,
    /// An acknowledgment and nothing else.
    Acknowledgment,
}

/// What segment `frame` carries in IPv4 (RFC 791). None for all else, and for a reset, which nobody
/// answers.
pub fn segment(frame: &[u8]) -> Option<Segment> {
    let (kind, packet) = (u16_at(frame, TYPE_AT)?, frame.get(HEADER_BYTES..)?);
    let &[versioned, _, _, _, _, _, _, _, _, protocol, ..] = packet else { return None };
    let is_later_fragment = u16_at(packet, 6)? & 0x1fff != 0;
    if kind != IPV4 || versioned >> 4 != 4 || protocol != TCP || is_later_fragment {
        return None;
    }
    let ends = usize::from(u16_at(packet, 2)?);
    let segment = packet.get(4 * usize::from(versioned & 15)..ends)?;
    let &[offset, flags] = segment.get(12..14)? else { return None };
    let payload = segment.get(4 * usize::from(offset >> 4)..)?;
    match flags & (FIN | SYN | RST | ACK) {
        ACK if payload.is_empty() => Some(Segment::Acknowledgment),
        flags if flags & RST != 0 => None,
        _ => Some(Segment::Acknowledged),
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let [high, low] = *bytes.get(at..at + 2)? else { return None };
    Some(u16::from_be_bytes([high, low]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A frame of TCP with `options` words of IP and TCP each, `flags`, `payload` bytes and the
    /// padding of short frames.
    fn frame(options: u8, flags: u8, payload: usize) -> Vec<u8> {
        let header = 20 + 4 * usize::from(options);
        let mut frame = vec![2; TYPE_AT];
        frame.extend(IPV4.to_be_bytes());
        let mut packet = vec![0; 2 * header + payload];
        packet[0] = 0x45 + options;
        packet[2..4].copy_from_slice(&((2 * header + payload) as u16).to_be_bytes());
        packet[9] = TCP;
        packet[header + 12] = (5 + options) << 4;
        packet[header + 13] = flags;
        frame.extend(packet);
        frame.resize(frame.len().max(60), 0);
        frame
    }

    #[test]
    fn bare_acknowledgments_are_told_from_what_is_acknowledged() {
        for options in 0..=3 {
            let of = |flags, payload| segment(&frame(options, flags, payload));
            assert_eq!(of(ACK, 0), Some(Segment::Acknowledgment));
            for (flags, payload) in
                [(ACK, 1), (ACK | 8, 1448), (SYN, 0), (SYN | ACK, 0), (FIN | ACK, 0)]
            {
                assert_eq!(of(flags, payload), Some(Segment::Acknowledged), "{flags} {payload}");
            }
            assert_eq!((of(RST, 0), of(RST | ACK, 0)), (None, None));
        }
    }

    #[test]
    fn what_is_not_tcp_in_ipv4_is_no_segment() {
        let changed = |at: usize, byte: u8| {
            let mut frame = frame(0, ACK, 100);
            frame[at] = byte;
            segment(&frame)
        };
        assert_eq!(changed(12, 0x86), None, "another type");
        assert_eq!(changed(HEADER_BYTES, 0x65), None, "another version");
        assert_eq!(changed(HEADER_BYTES + 9, 17), None, "UDP");
        assert_eq!(changed(HEADER_BYTES + 7, 1), None, "a later fragment");
        assert_eq!(changed(HEADER_BYTES + 6, 0x40), Some(Segment::Acknowledged), "not to be cut");
        assert_eq!(changed(HEADER_BYTES + 2, 9), None, "longer than the frame");
        assert_eq!(changed(HEADER_BYTES + 32, 0xf0), Some(Segment::Acknowledged), "long options");
    }

    proptest! {
        #[test]
        fn no_frame_is_too_odd(
            mut bytes in prop::collection::vec(any::<u8>(), 0..100),
            looks_like_tcp in any::<bool>(),
        ) {
            if looks_like_tcp && bytes.len() > 24 {
                bytes[TYPE_AT..HEADER_BYTES].copy_from_slice(&IPV4.to_be_bytes());
                bytes[HEADER_BYTES] = 0x40 | bytes[HEADER_BYTES] & 15;
                bytes[HEADER_BYTES + 9] = TCP;
            }
            let _ = segment(&bytes);
        }
    }
}
