//! Ethernet frames of programs: where each goes, and the answers to those that ask for addresses.
//!
//! Where routing makes the mesh one link, a node's ARP requests (RFC 826) and neighbour
//! solicitations (RFC 4861, section 7.2) are answered on the spot, and what only concerns routers
//! and snooping switches (router solicitations, MLD, IGMP) goes nowhere. With no routing every
//! frame travels as it is.

use std::net::{Ipv4Addr, Ipv6Addr};

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    ArpOperation, ArpPacket, ArpRepr, EthernetAddress, EthernetFrame, EthernetProtocol,
    EthernetRepr, Icmpv6Message, Icmpv6Packet, Icmpv6Repr, IpProtocol, Ipv4Packet, Ipv6Packet,
    Ipv6Repr, NdiscNeighborFlags, NdiscRepr, RawHardwareAddress,
};

/// The largest frame \[bytes\]: an Ethernet header, and what 802.11 carries at most (2304 bytes).
pub const MAX_FRAME_BYTES: usize = 14 + 2304;

/// What becomes of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It travels to a node.
    To(u32),
    /// It travels to all nodes.
    ToAll,
    /// The sender gets this answer at once.
    Answer(Vec<u8>),
    /// It concerns nobody here.
    Ignored,
    /// It is for an address that no node has.
    Unknown,
    /// It is no Ethernet frame, or too long.
    Malformed,
}

/// The link that programs see.
#[derive(Clone, Debug)]
pub struct Link {
    /// Whether each station has a device; a node has one station, unless its scenario says so.
    pub has_device: Vec<bool>,
    /// The channel of each station, where nodes have several.
    pub channels: Vec<u32>,
    /// Routing makes the mesh one link; without, nodes see their radio neighbours.
    pub is_one: bool,
}

/// The MAC address of a station's device: 02:00 and its number, which is that of the node where
/// that has one.
pub fn mac_of(station: u32) -> [u8; 6] {
    let [a, b, c, d] = station.to_be_bytes();
    [2, 0, a, b, c, d]
}

/// The station that sent `frame`, by its source address.
pub fn sender_of(frame: &[u8]) -> Option<u32> {
    let ethernet = EthernetFrame::new_checked(frame).ok()?;
    node_of_mac(ethernet.src_addr().0)
}

/// The addresses of `node` on its interface number `interface`, a network each: 10.0.0.0 and
/// fd00::, with the number in the second octet or group, + node + 1.
pub fn addresses_on(node: u32, interface: u8) -> (Ipv4Addr, Ipv6Addr) {
    let ipv4 = u32::from(ipv4_of(node)) | u32::from(interface) << 16;
    let mut groups = ipv6_of(node).segments();
    groups[1] = interface.into();
    (Ipv4Addr::from(ipv4), Ipv6Addr::from(groups))
}

/// Its IPv4 address: 10.0.0.0 + node + 1.
pub fn ipv4_of(node: u32) -> Ipv4Addr {
    Ipv4Addr::from(u32::from_be_bytes([10, 0, 0, 0]).wrapping_add(node).wrapping_add(1))
}

/// Its IPv6 address: fd00:: + node + 1.
pub fn ipv6_of(node: u32) -> Ipv6Addr {
    let [high, low] = [(node + 1) >> 16, (node + 1) & 0xffff].map(|part| part as u16);
    Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, high, low)
}

impl Link {
    /// Whether a frame from one station may come to the other: they have a channel in common.
    fn meet(&self, one: u32, other: u32) -> bool {
        let channel = |station: u32| self.channels.get(station as usize);
        channel(one) == channel(other)
    }

    /// What becomes of `frame` from the device of the station `node`. Nothing about it is taken for
    /// granted.
    pub fn fate(&self, node: u32, frame: &[u8]) -> Fate {
        if frame.len() > MAX_FRAME_BYTES {
            return Fate::Malformed;
        }
        let Ok(ethernet) = EthernetFrame::new_checked(frame) else { return Fate::Malformed };
        let to = ethernet.dst_addr();
        if !to.is_multicast() {
            let may_get = |&to: &u32| to != node && self.has(to) && self.meet(node, to);
            return match node_of_mac(to.0).filter(may_get) {
                Some(to) => Fate::To(to),
                None => Fate::Unknown,
            };
        }
        if !self.is_one {
            return Fate::ToAll;
        }
        let ours = match ethernet.ethertype() {
            EthernetProtocol::Arp => self.answer_arp(ethernet.payload()),
            EthernetProtocol::Ipv6 => self.answer_ipv6(ethernet.payload()),
            EthernetProtocol::Ipv4 => match Ipv4Packet::new_checked(ethernet.payload()) {
                Ok(packet) if packet.next_header() == IpProtocol::Igmp => Some(Fate::Ignored),
                _ => None,
            },
            EthernetProtocol::Unknown(_) => None,
        };
        ours.unwrap_or(Fate::ToAll)
    }

    fn has(&self, node: u32) -> bool {
        self.has_device.get(node as usize).copied().unwrap_or(false)
    }

    /// What becomes of an ARP message; none if it travels.
    fn answer_arp(&self, payload: &[u8]) -> Option<Fate> {
        let packet = ArpPacket::new_checked(payload).ok()?;
        let ArpRepr::EthernetIpv4 {
            operation: ArpOperation::Request,
            source_hardware_addr: asker,
            source_protocol_addr: from,
            target_protocol_addr: wanted,
            ..
        } = ArpRepr::parse(&packet).ok()?
        else {
            return Some(Fate::Ignored);
        };
        // A question for its own address, whose answer would mean that another has it.
        let Some(owner) = self.owner(u32::from(wanted)).filter(|_| wanted != from) else {
            return Some(Fate::Ignored);
        };
        let reply = ArpRepr::EthernetIpv4 {
            operation: ArpOperation::Reply,
            source_hardware_addr: owner,
            source_protocol_addr: wanted,
            target_hardware_addr: asker,
            target_protocol_addr: from,
        };
        let mut out = ethernet(owner, asker, EthernetProtocol::Arp, reply.buffer_len());
        reply.emit(&mut ArpPacket::new_unchecked(&mut out[14..]));
        Some(Fate::Answer(out))
    }

    fn owner(&self, address: u32) -> Option<EthernetAddress> {
        let node = address.checked_sub(u32::from(ipv4_of(0)))?;
        self.has(node).then(|| EthernetAddress(mac_of(node)))
    }

    /// What becomes of an IPv6 packet to a group; none if it travels.
    fn answer_ipv6(&self, payload: &[u8]) -> Option<Fate> {
        let packet = Ipv6Packet::new_checked(payload).ok()?;
        // Reports of group membership come behind a hop-by-hop header (RFC 3810, section 5).
        if packet.next_header() == IpProtocol::HopByHop {
            return Some(Fate::Ignored);
        }
        if packet.next_header() != IpProtocol::Icmpv6 {
            return None;
        }
        let (from, to) = (packet.src_addr(), packet.dst_addr());
        let icmp = Icmpv6Packet::new_checked(packet.payload()).ok()?;
        match icmp.msg_type() {
            Icmpv6Message::RouterSolicit | Icmpv6Message::RouterAdvert => Some(Fate::Ignored),
            Icmpv6Message::NeighborSolicit | Icmpv6Message::NeighborAdvert => {
                let parsed = Icmpv6Repr::parse(&from, &to, &icmp, &ChecksumCapabilities::default());
                let Ok(Icmpv6Repr::Ndisc(NdiscRepr::NeighborSolicit { target_addr, lladdr })) =
                    parsed
                else {
                    return Some(Fate::Ignored);
                };
                Some(self.answer_solicitation(from, target_addr, lladdr))
            }
            _ => None,
        }
    }

    fn answer_solicitation(
        &self,
        asker: Ipv6Addr,
        wanted: Ipv6Addr,
        mac: Option<RawHardwareAddress>,
    ) -> Fate {
        let owner = node_of_ipv6(wanted).filter(|&node| self.has(node));
        let asker_mac = mac.and_then(|mac| <[u8; 6]>::try_from(mac.as_bytes()).ok());
        // Without a source it is a test whether another has the address (RFC 4862, section 5.4):
        // none has.
        let (Some(owner), Some(asker_mac), false) = (owner, asker_mac, asker.is_unspecified())
        else {
            return Fate::Ignored;
        };
        let (owner, asker_mac) = (EthernetAddress(mac_of(owner)), EthernetAddress(asker_mac));
        let advert = Icmpv6Repr::Ndisc(NdiscRepr::NeighborAdvert {
            flags: NdiscNeighborFlags::SOLICITED | NdiscNeighborFlags::OVERRIDE,
            target_addr: wanted,
            lladdr: Some(RawHardwareAddress::from(owner)),
        });
        let header = Ipv6Repr {
            src_addr: wanted,
            dst_addr: asker,
            next_header: IpProtocol::Icmpv6,
            payload_len: advert.buffer_len(),
            hop_limit: 255,
        };
        let length = header.buffer_len() + advert.buffer_len();
        let mut out = ethernet(owner, asker_mac, EthernetProtocol::Ipv6, length);
        let mut packet = Ipv6Packet::new_unchecked(&mut out[14..]);
        header.emit(&mut packet);
        let mut icmp = Icmpv6Packet::new_unchecked(packet.payload_mut());
        advert.emit(&wanted, &asker, &mut icmp, &ChecksumCapabilities::default());
        Fate::Answer(out)
    }
}

/// A frame with room for `length` bytes after its header.
fn ethernet(
    from: EthernetAddress,
    to: EthernetAddress,
    ethertype: EthernetProtocol,
    length: usize,
) -> Vec<u8> {
    let mut out = vec![0; EthernetFrame::<&[u8]>::header_len() + length];
    EthernetRepr { src_addr: from, dst_addr: to, ethertype }
        .emit(&mut EthernetFrame::new_unchecked(&mut out));
    out
}

fn node_of_mac(mac: [u8; 6]) -> Option<u32> {
    let [2, 0, a, b, c, d] = mac else { return None };
    Some(u32::from_be_bytes([a, b, c, d]))
}

/// The node that has `address`: of the mesh, or of the link, made of the MAC address (RFC 4291,
/// appendix A).
fn node_of_ipv6(address: Ipv6Addr) -> Option<u32> {
    match address.octets() {
        [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, a, b, c, d] => {
            u32::from_be_bytes([a, b, c, d]).checked_sub(1)
        }
        [0xfe, 0x80, 0, 0, 0, 0, 0, 0, x, y, a, 0xff, 0xfe, b, c, d] => {
            node_of_mac([x ^ 2, y, a, b, c, d])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
