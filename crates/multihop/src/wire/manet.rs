//! Packets and messages of routing protocols for mobile ad hoc networks (RFC 5444), and the form in
//! which they state times (RFC 5497).

use super::NodeId;
use super::put::Put;
use crate::kernel::Duration;

/// The UDP port "manet" (RFC 5498).
pub const PORT: u16 = 269;
/// Packet header: version, flags and a sequence number (section 5.1) \[bytes\].
pub const PACKET_HEADER_BYTES: u32 = 3;
/// The most addresses of a block (section 5.3).
pub const MOST_ADDRESSES: usize = 255;

/// Octets of an IPv4 address.
const ADDRESS_BYTES: usize = 4;
/// Flags of packets, messages, address blocks and TLVs.
const PACKET_HAS_NUMBER: u8 = 0x8;
const MESSAGE_HAS_ORIGINATOR: u8 = 0x8;
const MESSAGE_HAS_HOP_LIMIT: u8 = 0x4;
const MESSAGE_HAS_HOP_COUNT: u8 = 0x2;
const MESSAGE_HAS_NUMBER: u8 = 0x1;
const BLOCK_HAS_HEAD: u8 = 0x80;
const TLV_HAS_SINGLE_INDEX: u8 = 0x40;
const TLV_HAS_MULTI_INDEX: u8 = 0x20;
const TLV_HAS_VALUE: u8 = 0x10;
const TLV_HAS_EXTENDED_LENGTH: u8 = 0x08;
const TLV_IS_MULTI_VALUE: u8 = 0x04;

/// What a message that is passed on has in its header besides its type (section 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flooded {
    /// Who wrote it.
    pub originator: NodeId,
    /// Hops that it may still go.
    pub hop_limit: u8,
    /// Hops that it has gone.
    pub hop_count: u8,
    /// Its number among the originator's.
    pub number: u16,
}

/// The header of packet `number`.
pub fn put_packet_header(out: &mut Vec<u8>, number: u16) {
    out.push(PACKET_HAS_NUMBER);
    out.put16(number);
}

/// A message of type `kind`, with the parts that `body` writes: a block of TLVs, then blocks of
/// addresses, each with its TLVs.
pub fn put_message(
    out: &mut Vec<u8>,
    kind: u8,
    flooded: Option<&Flooded>,
    body: impl FnOnce(&mut Vec<u8>),
) {
    let start = out.len();
    let all =
        MESSAGE_HAS_ORIGINATOR | MESSAGE_HAS_HOP_LIMIT | MESSAGE_HAS_HOP_COUNT | MESSAGE_HAS_NUMBER;
    let flags = if flooded.is_some() { all } else { 0 };
    out.extend([kind, flags << 4 | (ADDRESS_BYTES as u8 - 1), 0, 0]);
    if let Some(header) = flooded {
        out.put_node(header.originator);
        out.extend([header.hop_limit, header.hop_count]);
        out.put16(header.number);
    }
    body(out);
    out.put16_at(start + 2, (out.len() - start) as u16);
}

/// A block of the TLVs that `tlvs` writes (section 5.4).
pub fn put_tlvs(out: &mut Vec<u8>, tlvs: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend([0, 0]);
    tlvs(out);
    out.put16_at(start, (out.len() - start - 2) as u16);
}

/// A TLV of a message (section 5.4.1).
pub fn put_tlv(out: &mut Vec<u8>, kind: u8, value: &[u8]) {
    out.extend([kind, TLV_HAS_VALUE, value.len() as u8]);
    out.extend(value);
}

/// A TLV of the addresses of a block from the `first` on, with a value each: written once if they
/// are all the same. The block has so many `addresses`.
pub fn put_address_tlv<const N: usize>(
    out: &mut Vec<u8>,
    kind: u8,
    (first, addresses): (usize, usize),
    values: &[[u8; N]],
) {
    let Some(one) = values.first() else { return };
    let is_same = values.iter().all(|value| value == one);
    let (index, places): (u8, &[usize]) = match values.len() {
        all if all == addresses => (0, &[]),
        1 => (TLV_HAS_SINGLE_INDEX, &[first]),
        some => (TLV_HAS_MULTI_INDEX, &[first, first + some - 1]),
    };
    let written = if is_same { &values[..1] } else { values };
    let length = written.len() * N;
    let is_long = length > usize::from(u8::MAX);
    let long = if is_long { TLV_HAS_EXTENDED_LENGTH } else { 0 };
    let multiple = if is_same { 0 } else { TLV_IS_MULTI_VALUE };
    out.extend([kind, index | TLV_HAS_VALUE | long | multiple]);
    out.extend(places.iter().map(|&place| place as u8));
    match is_long {
        true => out.put16(length as u16),
        false => out.push(length as u8),
    }
    out.extend(written.iter().flatten());
}

/// A block of addresses, at most [`MOST_ADDRESSES`]: what all begin with is written once (section
/// 5.3).
pub fn put_addresses(out: &mut Vec<u8>, nodes: impl ExactSizeIterator<Item = NodeId> + Clone) {
    let count = nodes.len();
    let addresses = nodes.map(NodeId::address);
    let mut head: Vec<u8> = addresses.clone().next().map_or(Vec::new(), |first| first.to_vec());
    for address in addresses.clone() {
        let common = head.iter().zip(address).take_while(|(a, b)| **a == *b).count();
        // A single address has no head: it would be all of it.
        head.truncate(common.min(ADDRESS_BYTES - 1));
    }
    out.push(count as u8);
    if count == 1 || head.is_empty() {
        head.clear();
        out.push(0);
    } else {
        out.extend([BLOCK_HAS_HEAD, head.len() as u8]);
        out.extend(&head);
    }
    addresses.for_each(|address| out.extend(&address[head.len()..]));
}

/// A time as messages state it: `(1 + a / 8) 2^b C`, `a` in the three lowest bits and `b` in the
/// five highest, C 1/1024 s (RFC 5497 section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeCode(pub u8);

impl TimeCode {
    /// The least that can be stated and is not below `time`; the greatest if none is. The codes of
    /// no time and of infinite time are left out.
    pub fn of(time: Duration) -> TimeCode {
        let least = (1..u8::MAX).find(|&code| TimeCode(code).time() >= time);
        TimeCode(least.unwrap_or(u8::MAX - 1))
    }

    /// The time that it states.
    pub fn time(self) -> Duration {
        let (a, b) = (u128::from(self.0 & 0b111), self.0 >> 3);
        Duration::from_nanos((((8 + a) << b) * 1_000_000_000).div_ceil(8 * 1024) as u64)
    }
}
