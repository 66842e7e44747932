//! HELLOs, TCs and the packets that carry them (RFC 6130 section 11, RFC 7181 sections 13 to 16).
//!
//! A HELLO has no originator: a node's only address is that of the datagram. All TCs are complete.

use std::sync::Arc;

use super::metric::compressed;
use crate::routing::link_state;
use crate::wire::manet::{
    Flooded, MOST_ADDRESSES, PACKET_HEADER_BYTES, PORT, TimeCode, put_address_tlv, put_addresses,
    put_message, put_packet_header, put_tlv, put_tlvs,
};
use crate::wire::udp::UDP_HEADER_BYTES;
use crate::wire::{IP_HEADER_BYTES, NodeId, Octets, Packet, Parts};

/// The most bytes of messages in a packet, so that it fits 1500 bytes with its headers.
pub const MOST_BYTES: u32 = 1500 - IP_HEADER_BYTES - UDP_HEADER_BYTES - PACKET_HEADER_BYTES;

/// Message types.
const HELLO: u8 = 0;
const TC: u8 = 1;
/// TLVs of messages (RFC 5497 section 8, RFC 7181 section 24.4).
const INTERVAL_TIME: u8 = 0;
const VALIDITY_TIME: u8 = 1;
const MPR_WILLING: u8 = 7;
/// Of a complete message: without a type extension it is 0.
const CONT_SEQ_NUM: u8 = 8;
/// TLVs of addresses (RFC 6130 section 18.5, RFC 7181 section 24.5).
const LINK_STATUS: u8 = 3;
const LINK_METRIC: u8 = 7;
const MPR: u8 = 8;
const NBR_ADDR_TYPE: u8 = 9;
/// An address of a neighbour that is both an originator's and one that routes lead to.
const ROUTABLE_ORIG: u8 = 3;
/// What a metric is of (RFC 7181 section 13.3.2).
const LINK_INCOMING: u16 = 1 << 15;
const LINK_OUTGOING: u16 = 1 << 14;
const NEIGHBOUR_INCOMING: u16 = 1 << 13;
const NEIGHBOUR_OUTGOING: u16 = 1 << 12;

/// The state of a link (RFC 6130 section 18.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    Lost = 0,
    Symmetric = 1,
    Heard = 2,
}

/// Whether a neighbour is chosen as relay, of messages to all and of data: bits since RFC 7188
/// section 4.3.2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mprs {
    pub flooding: bool,
    pub routing: bool,
}

impl Mprs {
    fn bits(self) -> u8 {
        u8::from(self.flooding) | u8::from(self.routing) << 1
    }
}

/// A neighbour in a HELLO.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Listed {
    pub node: NodeId,
    pub status: Status,
    pub mprs: Mprs,
    /// The metric towards the sender, of a link that is heard or symmetric.
    pub in_metric: Option<u32>,
    /// The metric away from it, of a symmetric link.
    pub out_metric: Option<u32>,
}

/// A HELLO.
#[derive(Clone, Debug, PartialEq)]
pub struct Hello {
    /// How willing the sender is to pass messages on, and data, 0 to 15.
    pub will_flooding: u8,
    pub will_routing: u8,
    /// The sender's links: symmetric ones first, those to its relays before others, then those that
    /// are heard, then lost ones.
    pub links: Vec<Listed>,
}

/// A TC: each link with its metric away from the originator.
pub type Tc = link_state::Tc<u32>;

/// What a message says. Relays share it.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    Hello(Arc<Hello>),
    /// With what its header has.
    Tc(Flooded, Arc<Tc>),
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub struct Olsr2Message {
    /// The time to the next one of its kind.
    pub interval: TimeCode,
    /// How long it is valid.
    pub validity: TimeCode,
    /// What it says.
    pub content: Content,
    bytes: u32,
}

impl Olsr2Message {
    /// A message that says this.
    pub fn new(interval: TimeCode, validity: TimeCode, content: Content) -> Olsr2Message {
        let mut message = Olsr2Message { interval, validity, content, bytes: 0 };
        let mut out = Vec::new();
        message.write(&mut out);
        message.bytes = out.len() as u32;
        message
    }

    /// Its size \[bytes\].
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// The same TC a hop later (RFC 7181 section 14.3).
    pub fn passed_on(&self) -> Option<Olsr2Message> {
        let Content::Tc(header, tc) = &self.content else { return None };
        let (hop_limit, hop_count) = (header.hop_limit - 1, header.hop_count + 1);
        let content = Content::Tc(Flooded { hop_limit, hop_count, ..*header }, Arc::clone(tc));
        Some(Olsr2Message { content, ..*self })
    }

    fn write(&self, out: &mut Vec<u8>) {
        let times = |out: &mut Vec<u8>| {
            put_tlv(out, INTERVAL_TIME, &[self.interval.0]);
            put_tlv(out, VALIDITY_TIME, &[self.validity.0]);
        };
        match &self.content {
            Content::Hello(hello) => put_message(out, HELLO, None, |out| {
                put_tlvs(out, |out| {
                    times(out);
                    put_tlv(out, MPR_WILLING, &[hello.will_flooding << 4 | hello.will_routing]);
                });
                hello.links.chunks(MOST_ADDRESSES).for_each(|links| put_links(out, links));
            }),
            Content::Tc(header, tc) => put_message(out, TC, Some(header), |out| {
                put_tlvs(out, |out| {
                    times(out);
                    put_tlv(out, CONT_SEQ_NUM, &tc.ansn.to_be_bytes());
                });
                tc.neighbours.chunks(MOST_ADDRESSES).for_each(|links| put_advertised(out, links));
            }),
        }
    }
}

/// A metric with what it is of.
fn metric(of: u16, metric: u32) -> [u8; 2] {
    (of | compressed(metric)).to_be_bytes()
}

/// Links in a HELLO.
fn put_links(out: &mut Vec<u8>, links: &[Listed]) {
    put_addresses(out, links.iter().map(|listed| listed.node));
    put_tlvs(out, |out| {
        let all = links.len();
        let status: Vec<[u8; 1]> = links.iter().map(|listed| [listed.status as u8]).collect();
        put_address_tlv(out, LINK_STATUS, (0, all), &status);
        let mprs = links.iter().map(|listed| [listed.mprs.bits()]);
        let mprs: Vec<[u8; 1]> = mprs.take_while(|&[bits]| bits > 0).collect();
        put_address_tlv(out, MPR, (0, all), &mprs);
        let symmetric = links.partition_point(|listed| listed.status == Status::Symmetric);
        let (symmetric, others) = links.split_at(symmetric);
        let incoming = |links: &[Listed], of: u16| -> Vec<[u8; 2]> {
            links.iter().map_while(|listed| Some(metric(of, listed.in_metric?))).collect()
        };
        // With one link to a neighbour the metric of the neighbour is that of the link.
        let both = incoming(symmetric, LINK_INCOMING | NEIGHBOUR_INCOMING);
        put_address_tlv(out, LINK_METRIC, (0, all), &both);
        let outgoing =
            |listed: &Listed| Some(metric(LINK_OUTGOING | NEIGHBOUR_OUTGOING, listed.out_metric?));
        let outgoing: Vec<[u8; 2]> = symmetric.iter().map_while(outgoing).collect();
        put_address_tlv(out, LINK_METRIC, (0, all), &outgoing);
        let heard = incoming(others, LINK_INCOMING);
        put_address_tlv(out, LINK_METRIC, (symmetric.len(), all), &heard);
    });
}

/// Links in a TC.
fn put_advertised(out: &mut Vec<u8>, links: &[(NodeId, u32)]) {
    put_addresses(out, links.iter().map(|link| link.0));
    put_tlvs(out, |out| {
        let all = links.len();
        put_address_tlv(out, NBR_ADDR_TYPE, (0, all), &vec![[ROUTABLE_ORIG]; all]);
        let metrics = links.iter().map(|link| metric(NEIGHBOUR_OUTGOING, link.1));
        put_address_tlv(out, LINK_METRIC, (0, all), &metrics.collect::<Vec<_>>());
    });
}

/// Messages that travel together.
#[derive(Clone, Debug, PartialEq)]
pub struct Olsr2Packet {
    /// Its number among the sender's packets.
    pub number: u16,
    /// The messages.
    pub messages: Vec<Olsr2Message>,
}

impl Olsr2Packet {
    /// Its size with the headers of IP and UDP \[bytes\].
    pub fn bytes(&self) -> u32 {
        let messages: u32 = self.messages.iter().map(Olsr2Message::bytes).sum();
        IP_HEADER_BYTES + UDP_HEADER_BYTES + PACKET_HEADER_BYTES + messages
    }
}

impl Octets for Olsr2Packet {
    const KIND: u8 = 144;
    const NAME: &'static str = "olsrv2";
    const PORT: Option<u16> = Some(PORT);

    fn write(&self, out: &mut Vec<u8>) {
        put_packet_header(out, self.number);
        self.messages.iter().for_each(|message| message.write(out));
    }

    fn parts(&self, _: &Packet) -> Parts {
        let is_hello = |message: &Olsr2Message| matches!(message.content, Content::Hello(_));
        let hello = self.messages.iter().any(is_hello);
        Parts { hello, ..Parts::default() }
    }

    fn number(&self) -> Option<u32> {
        Some(self.number.into())
    }
}
