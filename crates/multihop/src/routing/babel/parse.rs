//! Octets to TLVs (section 4). Nothing about them is taken for granted: what is malformed is left
//! out and counted, and no octets can do more than that.

use super::address::{Address, Prefix, RouterId};
use super::diversity::Channels;
use super::seqno::Seqno;
use super::tlv::{
    HEADER_BYTES, Hello, MAGIC, SeqnoRequest, Tlv, Update, encoding, flag, kind, sub,
};

/// Bit of sub-TLV types that says: ignore the TLV if this sub-TLV is unknown (section 4.4).
const MANDATORY: u8 = 0x80;

/// Calls `take` for each TLV of a packet that `source` has sent, in order, except Pad1, PadN,
/// Router-Id and Next Hop, and those that are to be ignored. Returns how many were malformed; a
/// packet that is not of Babel, version 2, counts as one.
pub fn parse(bytes: &[u8], source: Address, mut take: impl FnMut(Tlv)) -> u32 {
    let Some((header, rest)) = bytes.split_first_chunk::<HEADER_BYTES>() else { return 1 };
    let [magic, version, high, low] = *header;
    let length = usize::from(u16::from_be_bytes([high, low]));
    // What follows the body is the trailer, in which no TLV of this document has a meaning.
    let Some(body) = rest.get(..length).filter(|_| [magic, version] == MAGIC) else { return 1 };
    let mut next_hop = [None; 2];
    next_hop[usize::from(source.is_ipv6())] = Some(source);
    let mut parser = Parser { router_id: None, next_hop, default_prefix: [None; 2] };
    let mut malformed = 0;
    let mut at = body;
    while let Some((&kind, rest)) = at.split_first() {
        if kind == kind::PAD1 {
            at = rest;
            continue;
        }
        // A TLV that is longer than the packet leaves nothing that could be read.
        let Some((&length, rest)) = rest.split_first() else { return malformed + 1 };
        let Some((payload, rest)) = rest.split_at_checked(length.into()) else {
            return malformed + 1;
        };
        match parser.tlv(kind, Octets(payload)) {
            Some(Read::Tlv(tlv)) => take(tlv),
            Some(Read::Nothing) => {}
            None => malformed += 1,
        }
        at = rest;
    }
    malformed
}

/// What a TLV is.
enum Read {
    Tlv(Tlv),
    /// Of a type that is unknown, or says nothing by itself, or that is to be ignored.
    Nothing,
}

/// The parser's state (section 4.5); next hops and prefixes of IPv4 and IPv6.
struct Parser {
    router_id: Option<RouterId>,
    next_hop: [Option<Address>; 2],
    default_prefix: [Option<Prefix>; 2],
}

/// What is left of a TLV.
struct Octets<'a>(&'a [u8]);

impl<'a> Octets<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn take_slice(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take::<1>().map(|[octet]| octet)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_be_bytes)
    }

    /// An address, which is not compressed; `Some(None)` for any.
    fn address(&mut self, encoding: u8) -> Option<Option<Address>> {
        Some(match encoding {
            encoding::WILDCARD => None,
            encoding::IPV4 => Some(Address::V4(self.take()?)),
            encoding::IPV6 => Some(Address::V6(self.take()?)),
            _ => Some(Address::link_local(self.take()?)),
        })
    }

    /// A prefix of `length` bits, which is not compressed.
    fn prefix(&mut self, encoding: u8, length: u8) -> Option<Prefix> {
        let mut octets = [0; 16];
        let significant = self.take_slice(usize::from(length).div_ceil(8))?;
        octets.get_mut(..significant.len())?.copy_from_slice(significant);
        match encoding {
            encoding::IPV4 => Prefix::new(&octets[..4], length),
            encoding::IPV6 => Prefix::new(&octets, length),
            _ => {
                let Address::V6(octets) = Address::link_local(*octets.first_chunk()?) else {
                    return None;
                };
                Prefix::new(&octets, length.checked_add(64)?)
            }
        }
    }

    /// Reads what is left as sub-TLVs. Returns whether the TLV counts: not with a mandatory one, as
    /// none of those is known; none if they are malformed.
    fn counts(self) -> Option<bool> {
        self.sub_tlvs(|_, _| {})
    }

    /// The same; each is handed to `each`.
    fn sub_tlvs(mut self, mut each: impl FnMut(u8, &[u8])) -> Option<bool> {
        let mut counts = true;
        while let Some(kind) = self.u8() {
            if kind != kind::PAD1 {
                let length = self.u8()?;
                each(kind, self.take_slice(length.into())?);
                counts &= kind & MANDATORY == 0;
            }
        }
        Some(counts)
    }
}

/// A sub-TLV of `update` may name its channels.
fn read_channels(update: &mut Update, kind: u8, body: &[u8]) {
    match kind {
        sub::CHANNELS => body.iter().for_each(|&channel| update.channels.push(channel, 0)),
        sub::CHANNEL_COSTS => {
            for one in body.chunks_exact(3) {
                update.channels.push(one[0], u16::from_be_bytes([one[1], one[2]]));
            }
        }
        _ => {}
    }
}

fn is_known(encoding: u8) -> bool {
    encoding <= encoding::LINK_LOCAL
}

fn is_router_id(id: RouterId) -> bool {
    id != [0; 8] && id != [0xff; 8]
}

impl Parser {
    /// Reads a TLV; none if it is malformed.
    fn tlv(&mut self, kind: u8, mut octets: Octets) -> Option<Read> {
        let tlv = match kind {
            kind::ACK_REQUEST => {
                octets.u16()?;
                let (opaque, interval) = (octets.u16()?, octets.u16()?);
                (interval != 0).then_some(Tlv::AckRequest { opaque, interval })?
            }
            kind::ACK => Tlv::Ack { opaque: octets.u16()? },
            kind::HELLO => {
                let is_unicast = octets.u16()? & flag::UNICAST != 0;
                let seqno = Seqno(octets.u16()?);
                Tlv::Hello(Hello { is_unicast, seqno, interval: octets.u16()? })
            }
            kind::IHU => {
                let [encoding, _] = octets.take()?;
                let (rxcost, interval) = (octets.u16()?, octets.u16()?);
                if !is_known(encoding) {
                    return Some(Read::Nothing);
                }
                let address = octets.address(encoding)?;
                (interval != 0).then_some(Tlv::Ihu { address, rxcost, interval })?
            }
            kind::ROUTER_ID => {
                octets.u16()?;
                self.router_id = Some(octets.take().filter(|id| is_router_id(*id))?);
                return octets.counts().map(|_| Read::Nothing);
            }
            kind::NEXT_HOP => {
                let [encoding, _] = octets.take()?;
                if !is_known(encoding) {
                    return Some(Read::Nothing);
                }
                let address = octets.address(encoding)??;
                self.next_hop[usize::from(address.is_ipv6())] = Some(address);
                return octets.counts().map(|_| Read::Nothing);
            }
            kind::UPDATE => match self.update(&mut octets)? {
                Some(mut update) => {
                    let counts =
                        octets.sub_tlvs(|kind, body| read_channels(&mut update, kind, body));
                    let tlv = Tlv::Update(update);
                    return Some(if counts? { Read::Tlv(tlv) } else { Read::Nothing });
                }
                None => return Some(Read::Nothing),
            },
            kind::ROUTE_REQUEST => {
                let [encoding, length] = octets.take()?;
                let prefix = match (encoding, length) {
                    (encoding::WILDCARD, 0) => None,
                    (encoding::WILDCARD, _) => return None,
                    (encoding, _) if !is_known(encoding) => return Some(Read::Nothing),
                    (encoding, length) => Some(octets.prefix(encoding, length)?),
                };
                Tlv::RouteRequest { prefix }
            }
            kind::SEQNO_REQUEST => {
                let [encoding, length] = octets.take()?;
                let seqno = Seqno(octets.u16()?);
                let [hop_count, _] = octets.take()?;
                let router_id = octets.take().filter(|id| is_router_id(*id))?;
                if !is_known(encoding) {
                    return Some(Read::Nothing);
                }
                if encoding == encoding::WILDCARD || hop_count == 0 {
                    return None;
                }
                let prefix = octets.prefix(encoding, length)?;
                Tlv::SeqnoRequest(SeqnoRequest { prefix, router_id, seqno, hop_count })
            }
            _ => return Some(Read::Nothing),
        };
        Some(if octets.counts()? { Read::Tlv(tlv) } else { Read::Nothing })
    }

    /// Reads an Update up to its sub-TLVs; `Some(None)` if it is to be ignored. The state follows
    /// its flags in any case.
    fn update(&mut self, octets: &mut Octets) -> Option<Option<Update>> {
        let [encoding, flags, length, omitted] = octets.take()?;
        let (interval, seqno) = (octets.u16()?, Seqno(octets.u16()?));
        let metric = octets.u16()?;
        if !is_known(encoding) {
            return Some(None);
        }
        let channels = Channels::default();
        let (prefix, router_id, next_hop) = (None, None, None);
        let of_all = Update { prefix, router_id, next_hop, interval, seqno, metric, channels };
        let is_retraction = of_all.is_retraction();
        if encoding == encoding::WILDCARD {
            let is_valid = is_retraction && length == 0 && omitted == 0 && interval != 0;
            return is_valid.then_some(Some(of_all));
        }
        let prefix = self.prefix(octets, encoding, length, omitted)?;
        let family = usize::from(prefix.is_ipv6());
        if flags & flag::PREFIX != 0 && encoding != encoding::LINK_LOCAL {
            self.default_prefix[family] = Some(prefix);
        }
        if flags & flag::ROUTER_ID != 0 {
            self.router_id = Some(prefix.router_id()).filter(|id| is_router_id(*id));
        }
        if interval == 0 {
            return None;
        }
        let (router_id, next_hop) = (self.router_id, self.next_hop[family]);
        if !is_retraction && (router_id.is_none() || next_hop.is_none()) {
            return Some(None);
        }
        Some(Some(Update { prefix: Some(prefix), router_id, next_hop, ..of_all }))
    }

    /// The prefix of an Update, whose first `omitted` octets are those of the default.
    fn prefix(&self, octets: &mut Octets, encoding: u8, length: u8, omitted: u8) -> Option<Prefix> {
        if omitted == 0 {
            return octets.prefix(encoding, length);
        }
        let size = match encoding {
            encoding::IPV4 => 4,
            encoding::IPV6 => 16,
            _ => return None,
        };
        let default = self.default_prefix[usize::from(size == 16)]?;
        let omitted = usize::from(omitted);
        let rest = usize::from(length).div_ceil(8).saturating_sub(omitted);
        let mut whole = [0; 16];
        whole.get_mut(..omitted)?.copy_from_slice(default.octets().get(..omitted)?);
        whole.get_mut(omitted..omitted + rest)?.copy_from_slice(octets.take_slice(rest)?);
        Prefix::new(&whole[..size], length)
    }
}
