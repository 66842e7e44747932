//! OLSR's messages and the packets that carry them (RFC 3626 sections 3.3, 6.1 and 9.1), and the
//! form in which they state times (section 18.3).

use std::sync::Arc;

use crate::kernel::Duration;
use crate::routing::link_state;
use crate::wire::put::Put;
use crate::wire::udp::UDP_HEADER_BYTES;
use crate::wire::{IP_HEADER_BYTES, NodeId, Octets, Packet, Parts};

/// The port assigned to OLSR (section 3.1).
const PORT: u16 = 698;
/// Packet header: length and sequence number (section 3.3) \[bytes\].
const PACKET_HEADER_BYTES: u32 = 4;
/// Message header (section 3.3) \[bytes\].
const MESSAGE_HEADER_BYTES: u32 = 12;
/// What a HELLO has before its links (section 6.1) \[bytes\].
const HELLO_BYTES: u32 = 4;
/// What stands before the neighbours of one link code (section 6.1) \[bytes\].
const LINK_HEADER_BYTES: u32 = 4;
/// What a TC has before its neighbours (section 9.1) \[bytes\].
const TC_BYTES: u32 = 4;
/// An address, and the qualities beside it in the extension that measures links \[bytes\].
const ADDRESS_BYTES: u32 = 4;
/// The most bytes of messages in a packet, so that it fits 1500 bytes with its headers.
pub const MOST_BYTES: u32 = 1500 - IP_HEADER_BYTES - UDP_HEADER_BYTES - PACKET_HEADER_BYTES;

/// Message types (section 18.4), and those of olsrd's link quality extension.
const HELLO_MESSAGE: u8 = 1;
const TC_MESSAGE: u8 = 2;
const MID_MESSAGE: u8 = 3;
const HNA_MESSAGE: u8 = 4;
const LQ_HELLO_MESSAGE: u8 = 201;
const LQ_TC_MESSAGE: u8 = 202;

/// What a HELLO says of the link to a neighbour (section 18.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkType {
    /// Nothing: the neighbour is known by another interface.
    Unspecified = 0,
    /// Heard, and not known to hear.
    Asymmetric = 1,
    /// Works both ways.
    Symmetric = 2,
    /// Worked, and no longer does.
    Lost = 3,
}

/// What a HELLO says of the neighbour itself (section 18.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NeighbourType {
    /// No symmetric neighbour.
    Not = 0,
    /// A symmetric neighbour.
    Symmetric = 1,
    /// A symmetric neighbour, chosen as multipoint relay.
    Mpr = 2,
}

/// A neighbour in a HELLO.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Listed {
    /// The address of its station; of one known by another interface its main address.
    pub node: NodeId,
    /// The link to it.
    pub link: LinkType,
    /// What it is to the sender.
    pub neighbour: NeighbourType,
    /// How well the link carries OLSR's packets; none without the extension.
    pub quality: Option<Quality>,
}

/// How large a share of OLSR's packets a link carries, in 255ths: the link quality extension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quality {
    /// Towards the sender of the message.
    pub received: u8,
    /// Away from it, as the neighbour says.
    pub sent: u8,
}

impl Quality {
    /// Expected transmissions over the link, in thousandths; none if a direction carries nothing.
    pub fn etx(self) -> Option<u32> {
        let product = u32::from(self.received) * u32::from(self.sent);
        (product > 0).then(|| (1000 * 255 * 255_u32).div_ceil(product))
    }
}

/// A HELLO (section 6).
#[derive(Clone, Debug, PartialEq)]
pub struct Hello {
    /// The time to the sender's next HELLO.
    pub interval: TimeCode,
    /// How willing the sender is to relay, 0 to 7.
    pub willingness: u8,
    /// The sender's links.
    pub links: Vec<Listed>,
}

/// A topology control message (section 9): each link with its quality where the extension measures
/// it.
pub type Tc = link_state::Tc<Option<Quality>>;

/// What a message says. Relays share it.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Links of the sender.
    Hello(Arc<Hello>),
    /// Links of the originator.
    Tc(Arc<Tc>),
    /// The originator's addresses besides its main address (section 5.1).
    Mid(Arc<[NodeId]>),
    /// Nodes without OLSR that are reached by the originator, each a network of one address
    /// (section 12.1).
    Hna(Arc<[NodeId]>),
}

/// A message with its header (section 3.3.2).
#[derive(Clone, Debug, PartialEq)]
pub struct OlsrMessage {
    /// How long it is valid.
    pub validity: TimeCode,
    /// Who wrote it.
    pub originator: NodeId,
    /// Hops that it may still go.
    pub ttl: u8,
    /// Hops that it has gone.
    pub hops: u8,
    /// Its number among the originator's.
    pub number: u16,
    /// What it says.
    pub content: Content,
}

impl OlsrMessage {
    /// Its size with its header \[bytes\].
    pub fn bytes(&self) -> u32 {
        let rest = match &self.content {
            Content::Hello(hello) => {
                let codes = hello.groups().len() as u32;
                let each = address_bytes(hello.links.first().and_then(|link| link.quality));
                HELLO_BYTES + codes * LINK_HEADER_BYTES + each * hello.links.len() as u32
            }
            Content::Tc(tc) => {
                let each = address_bytes(tc.neighbours.first().and_then(|listed| listed.1));
                TC_BYTES + each * tc.neighbours.len() as u32
            }
            Content::Mid(addresses) => ADDRESS_BYTES * addresses.len() as u32,
            Content::Hna(nodes) => 2 * ADDRESS_BYTES * nodes.len() as u32,
        };
        MESSAGE_HEADER_BYTES + rest
    }

    fn write(&self, out: &mut Vec<u8>) {
        let kind = match &self.content {
            Content::Hello(hello) if hello.links.iter().any(|link| link.quality.is_some()) => {
                LQ_HELLO_MESSAGE
            }
            Content::Hello(_) => HELLO_MESSAGE,
            Content::Tc(tc) if tc.neighbours.iter().any(|listed| listed.1.is_some()) => {
                LQ_TC_MESSAGE
            }
            Content::Tc(_) => TC_MESSAGE,
            Content::Mid(_) => MID_MESSAGE,
            Content::Hna(_) => HNA_MESSAGE,
        };
        out.extend([kind, self.validity.0]);
        out.put16(self.bytes() as u16);
        out.put_node(self.originator);
        out.extend([self.ttl, self.hops]);
        out.put16(self.number);
        match &self.content {
            Content::Hello(hello) => hello.write(out),
            Content::Tc(tc) => write_tc(tc, out),
            Content::Mid(addresses) => addresses.iter().for_each(|&node| out.put_node(node)),
            Content::Hna(nodes) => nodes.iter().for_each(|&node| {
                out.put_node(node);
                out.put32(u32::MAX);
            }),
        }
    }
}

impl Hello {
    /// The links by link code, in the order of the codes: each code is written once.
    fn groups(&self) -> Vec<(u8, Vec<&Listed>)> {
        let mut groups: Vec<(u8, Vec<&Listed>)> = Vec::new();
        for listed in &self.links {
            let code = (listed.neighbour as u8) << 2 | listed.link as u8;
            match groups.iter_mut().find(|group| group.0 == code) {
                Some(group) => group.1.push(listed),
                None => groups.push((code, vec![listed])),
            }
        }
        groups
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend([0, 0, self.interval.0, self.willingness]);
        for (code, links) in self.groups() {
            let each = address_bytes(links[0].quality);
            out.extend([code, 0]);
            out.put16((LINK_HEADER_BYTES + each * links.len() as u32) as u16);
            for listed in links {
                put_address(out, listed.node, listed.quality);
            }
        }
    }
}

fn write_tc(tc: &Tc, out: &mut Vec<u8>) {
    out.put16(tc.ansn);
    out.put16(0);
    for &(node, quality) in &tc.neighbours {
        put_address(out, node, quality);
    }
}

fn address_bytes(quality: Option<Quality>) -> u32 {
    if quality.is_some() { 2 * ADDRESS_BYTES } else { ADDRESS_BYTES }
}

fn put_address(out: &mut Vec<u8>, node: NodeId, quality: Option<Quality>) {
    out.put_node(node);
    if let Some(quality) = quality {
        out.extend([quality.received, quality.sent, 0, 0]);
    }
}

/// Messages that travel together (section 3.3).
#[derive(Clone, Debug, PartialEq)]
pub struct OlsrPacket {
    /// Its number among the sender's packets.
    pub number: u16,
    /// The messages.
    pub messages: Vec<OlsrMessage>,
}

impl OlsrPacket {
    /// Its size with the headers of IP and UDP \[bytes\].
    pub fn bytes(&self) -> u32 {
        IP_HEADER_BYTES + UDP_HEADER_BYTES + self.length()
    }

    fn length(&self) -> u32 {
        PACKET_HEADER_BYTES + self.messages.iter().map(OlsrMessage::bytes).sum::<u32>()
    }
}

impl Octets for OlsrPacket {
    const KIND: u8 = 140;
    const NAME: &'static str = "olsr";
    const PORT: Option<u16> = Some(PORT);

    fn write(&self, out: &mut Vec<u8>) {
        out.put16(self.length() as u16);
        out.put16(self.number);
        for message in &self.messages {
            message.write(out);
        }
    }

    fn parts(&self, _: &Packet) -> Parts {
        let is_hello = |message: &OlsrMessage| matches!(message.content, Content::Hello(_));
        let hello = self.messages.iter().any(is_hello);
        Parts { hello, ..Parts::default() }
    }

    fn number(&self) -> Option<u32> {
        Some(self.number.into())
    }
}

/// A time as messages state it: `C (1 + a / 16) 2^b` seconds, `a` in the four highest bits and `b`
/// in the four lowest, C a sixteenth of a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeCode(pub u8);

impl TimeCode {
    /// The least that can be stated and is not below `time`; the greatest if none is.
    pub fn of(time: Duration) -> TimeCode {
        let least = |code: &u8| TimeCode(code.rotate_left(4)).time() >= time;
        // Rotated, codes are in the order of their times.
        TimeCode((0..=u8::MAX).find(least).unwrap_or(u8::MAX).rotate_left(4))
    }

    /// The time that it states.
    pub fn time(self) -> Duration {
        let (a, b) = (u64::from(self.0 >> 4), u64::from(self.0 & 0xf));
        Duration::from_nanos(((16 + a) << b) * (1_000_000_000 / 256))
    }
}
