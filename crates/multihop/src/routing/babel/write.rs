//! TLVs to octets (section 4): with the Router-Id and Next Hop TLVs that updates need, and with
//! prefixes compressed (section 4.5).

use super::address::{Address, Prefix, RouterId};
use super::diversity::Channels;
use super::tlv::{
    HEADER_BYTES, Hello, MAGIC, SeqnoRequest, Tlv, Update, encoding, flag, kind, sub,
};
use crate::wire::put::Put;

/// A packet in the making.
#[derive(Debug)]
pub struct Writer {
    bytes: Vec<u8>,
    /// The most that it may have, header included \[bytes\].
    limit: usize,
    /// What a parser knows behind the last TLV.
    state: State,
}

/// The parser's state (section 4.5).
#[derive(Clone, Copy, Debug)]
struct State {
    router_id: Option<RouterId>,
    /// Of IPv4 and IPv6.
    next_hop: [Option<Address>; 2],
    default_prefix: [Option<Prefix>; 2],
}

impl Writer {
    /// An empty packet of at most `limit` bytes, which `source` sends.
    pub fn new(limit: usize, source: Address) -> Writer {
        let mut bytes = MAGIC.to_vec();
        bytes.put16(0);
        let mut next_hop = [None; 2];
        next_hop[usize::from(source.is_ipv6())] = Some(source);
        let state = State { router_id: None, next_hop, default_prefix: [None; 2] };
        Writer { bytes, limit, state }
    }

    /// Whether it has no TLV.
    pub fn is_empty(&self) -> bool {
        self.bytes.len() == HEADER_BYTES
    }

    /// Appends `tlv`, with what it needs before it. Returns false, and appends nothing, if there is
    /// no room.
    pub fn push(&mut self, tlv: &Tlv) -> bool {
        let (length, state) = (self.bytes.len(), self.state);
        self.put(tlv);
        if self.bytes.len() <= self.limit {
            return true;
        }
        self.bytes.truncate(length);
        self.state = state;
        false
    }

    /// The packet.
    pub fn finish(mut self) -> Vec<u8> {
        let body = self.bytes.len() - HEADER_BYTES;
        self.bytes.put16_at(2, body as u16);
        self.bytes
    }

    fn put(&mut self, tlv: &Tlv) {
        match tlv {
            Tlv::Update(update) => self.put_update(update),
            Tlv::AckRequest { opaque, interval } => self.tlv(kind::ACK_REQUEST, |out| {
                out.put16(0);
                out.put16(*opaque);
                out.put16(*interval);
            }),
            Tlv::Ack { opaque } => self.tlv(kind::ACK, |out| out.put16(*opaque)),
            Tlv::Hello(Hello { is_unicast, seqno, interval }) => self.tlv(kind::HELLO, |out| {
                out.put16(if *is_unicast { flag::UNICAST } else { 0 });
                out.put16(seqno.0);
                out.put16(*interval);
            }),
            Tlv::Ihu { address, rxcost, interval } => self.tlv(kind::IHU, |out| {
                out.extend([address.map_or(encoding::WILDCARD, encoding_of), 0]);
                out.put16(*rxcost);
                out.put16(*interval);
                out.extend(address.iter().flat_map(|&address| octets(address)));
            }),
            Tlv::RouteRequest { prefix } => self.tlv(kind::ROUTE_REQUEST, |out| {
                out.push(prefix.map_or(encoding::WILDCARD, |prefix| encoding_of_prefix(&prefix)));
                out.push(prefix.map_or(0, |prefix| prefix.length()));
                out.extend(prefix.iter().flat_map(|prefix| prefix.significant().to_vec()));
            }),
            Tlv::SeqnoRequest(SeqnoRequest { prefix, router_id, seqno, hop_count }) => {
                self.tlv(kind::SEQNO_REQUEST, |out| {
                    out.extend([encoding_of_prefix(prefix), prefix.length()]);
                    out.put16(seqno.0);
                    out.extend([*hop_count, 0]);
                    out.extend(router_id);
                    out.extend(prefix.significant());
                });
            }
        }
    }

    fn put_update(&mut self, update: &Update) {
        let Some(prefix) = update.prefix else {
            return self.put_update_tlv(update, (encoding::WILDCARD, 0, 0), &[], 0);
        };
        let mut flags = 0;
        if let Some(id) = update.router_id.filter(|_| !update.is_retraction())
            && self.state.router_id != Some(id)
        {
            // A prefix that has the router-id spares its TLV; of IPv4, which section 4.6.9 allows,
            // bird 2.0 does not take it.
            if prefix.is_ipv6() && prefix.router_id() == id {
                flags |= flag::ROUTER_ID;
            } else {
                self.tlv(kind::ROUTER_ID, |out| {
                    out.put16(0);
                    out.extend(id);
                });
            }
            self.state.router_id = Some(id);
        }
        let family = usize::from(prefix.is_ipv6());
        if let Some(next_hop) = update.next_hop.filter(|_| !update.is_retraction())
            && self.state.next_hop[family] != Some(next_hop)
        {
            self.tlv(kind::NEXT_HOP, |out| {
                out.extend([encoding_of(next_hop), 0]);
                out.extend(octets(next_hop));
            });
            self.state.next_hop[family] = Some(next_hop);
        }
        let all = prefix.significant();
        let default = &mut self.state.default_prefix[family];
        let alike = default.map_or(0, |default| {
            all.iter().zip(default.octets()).take_while(|(a, b)| a == b).count()
        });
        // A prefix that shares less with the default than most of it becomes the default.
        if alike + 1 < all.len() {
            flags |= flag::PREFIX;
            *default = Some(prefix);
        }
        let form = (encoding_of_prefix(&prefix), prefix.length(), alike as u8);
        self.put_update_tlv(update, form, &all[alike..], flags);
    }

    fn put_update_tlv(
        &mut self,
        update: &Update,
        (encoding, length, omitted): (u8, u8, u8),
        rest: &[u8],
        flags: u8,
    ) {
        self.tlv(kind::UPDATE, |out| {
            out.extend([encoding, flags, length, omitted]);
            out.put16(update.interval);
            out.put16(update.seqno.0);
            out.put16(update.metric);
            out.extend(rest);
            put_channels(out, &update.channels);
        });
    }

    fn tlv(&mut self, kind: u8, body: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        self.bytes.extend([kind, 0]);
        body(&mut self.bytes);
        self.bytes[start + 1] = (self.bytes.len() - start - 2) as u8;
    }
}

/// The sub-TLV of these channels, if there are any.
fn put_channels(out: &mut Vec<u8>, channels: &Channels) {
    let all: Vec<(u8, u16)> = channels.iter().collect();
    if all.iter().any(|one| one.1 > 0) {
        out.extend([sub::CHANNEL_COSTS, 3 * all.len() as u8]);
        for (channel, cost) in all {
            out.push(channel);
            out.put16(cost);
        }
    } else if !all.is_empty() {
        out.extend([sub::CHANNELS, all.len() as u8]);
        out.extend(all.iter().map(|one| one.0));
    }
}

fn encoding_of(address: Address) -> u8 {
    match address {
        Address::V4(_) => encoding::IPV4,
        Address::V6(_) if address.interface().is_some() => encoding::LINK_LOCAL,
        Address::V6(_) => encoding::IPV6,
    }
}

fn octets(address: Address) -> Vec<u8> {
    match (address, address.interface()) {
        (_, Some(interface)) => interface.to_vec(),
        (Address::V4(octets), None) => octets.to_vec(),
        (Address::V6(octets), None) => octets.to_vec(),
    }
}

fn encoding_of_prefix(prefix: &Prefix) -> u8 {
    if prefix.is_ipv6() { encoding::IPV6 } else { encoding::IPV4 }
}
