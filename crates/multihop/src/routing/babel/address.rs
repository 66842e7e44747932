//! Addresses and prefixes, and those of the nodes.
//!
//! Packets go over IPv6 between link-local addresses made of the MAC addresses (RFC 4291, appendix
//! A), whose last 8 octets are the router-ids, as section 3 suggests. A node announces the IPv4
//! address that its packets have in captures; where programs outside the simulation may send, the
//! IPv4 and IPv6 addresses that these have.

use crate::wire::NodeId;

/// The group of all Babel routers, ff02::1:6 (section 5).
pub const GROUP: [u8; 16] = [0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 6];

/// fe80::/64.
const LINK_LOCAL: [u8; 8] = [0xfe, 0x80, 0, 0, 0, 0, 0, 0];

/// An address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// IPv4.
    V4([u8; 4]),
    /// IPv6.
    V6([u8; 16]),
}

/// Who originates a route.
pub type RouterId = [u8; 8];

/// Addresses that begin alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Prefix {
    /// The first address; of IPv4 the first four octets count. All bits beyond the length are 0.
    octets: [u8; 16],
    length: u8,
    is_ipv6: bool,
}

impl Address {
    /// The link-local IPv6 address with this interface identifier.
    pub fn link_local(interface: [u8; 8]) -> Address {
        let mut octets = [0; 16];
        octets[..8].copy_from_slice(&LINK_LOCAL);
        octets[8..].copy_from_slice(&interface);
        Address::V6(octets)
    }

    /// The interface identifier, if it is a link-local IPv6 address.
    pub fn interface(self) -> Option<[u8; 8]> {
        let Address::V6(octets) = self else { return None };
        let (prefix, interface) = octets.split_first_chunk::<8>()?;
        (*prefix == LINK_LOCAL).then(|| interface.try_into().ok()).flatten()
    }

    /// Whether it is an IPv6 address.
    pub fn is_ipv6(self) -> bool {
        matches!(self, Address::V6(_))
    }
}

impl Prefix {
    /// The prefix of `length` bits of these octets, 4 for IPv4 or 16 for IPv6; none if it is longer
    /// than an address. Bits beyond the length are cleared.
    pub fn new(octets: &[u8], length: u8) -> Option<Prefix> {
        let bits = octets.len() * 8;
        if !matches!(bits, 32 | 128) || usize::from(length) > bits {
            return None;
        }
        let mut kept = [0; 16];
        kept[..octets.len()].copy_from_slice(octets);
        for (place, octet) in (0..).zip(&mut kept) {
            let significant = usize::from(length).saturating_sub(8 * place).min(8);
            *octet &= !(0xff_u16 >> significant) as u8;
        }
        Some(Prefix { octets: kept, length, is_ipv6: bits == 128 })
    }

    /// The one address.
    pub fn host(address: Address) -> Prefix {
        let mut octets = [0; 16];
        let length = match address {
            Address::V4(four) => {
                octets[..4].copy_from_slice(&four);
                32
            }
            Address::V6(all) => {
                octets = all;
                128
            }
        };
        Prefix { octets, length, is_ipv6: address.is_ipv6() }
    }

    /// The one address that it is, if it is of one.
    pub fn address(&self) -> Option<Address> {
        match (self.is_ipv6, self.length) {
            (true, 128) => Some(Address::V6(self.octets)),
            (false, 32) => self.octets.first_chunk().copied().map(Address::V4),
            _ => None,
        }
    }

    /// The first address, 4 or 16 octets.
    pub fn octets(&self) -> &[u8] {
        if self.is_ipv6 { &self.octets } else { &self.octets[..4] }
    }

    /// The octets that hold its bits.
    pub fn significant(&self) -> &[u8] {
        &self.octets[..usize::from(self.length).div_ceil(8)]
    }

    /// Its length \[bits\].
    pub fn length(&self) -> u8 {
        self.length
    }

    /// Whether it is of IPv6.
    pub fn is_ipv6(&self) -> bool {
        self.is_ipv6
    }

    /// The router-id that an Update with the Router-Id flag takes from it (section 4.6.9).
    pub fn router_id(&self) -> RouterId {
        let mut id = [0; 8];
        match self.is_ipv6 {
            true => id.copy_from_slice(&self.octets[8..]),
            false => id[4..].copy_from_slice(&self.octets[..4]),
        }
        id
    }

    /// Whether a route to it may be learnt (appendix C): fe80::/64, ff00::/8, 127.0.0.1/32,
    /// 0.0.0.0/32 and 224.0.0.0/8, and what is within them, may not.
    pub fn may_be_learnt(&self) -> bool {
        let begins = |octets: &[u8]| {
            usize::from(self.length) >= 8 * octets.len() && self.octets.starts_with(octets)
        };
        match self.is_ipv6 {
            true => !begins(&LINK_LOCAL) && !begins(&[0xff]),
            false => !begins(&[127, 0, 0, 1]) && !begins(&[0; 4]) && !begins(&[224]),
        }
    }
}

/// The interface identifier made of the MAC address of `node`, 02:00 and its number.
pub fn interface(node: NodeId) -> RouterId {
    let [a, b, c, d] = node.0.to_be_bytes();
    [0, 0, a, 0xff, 0xfe, b, c, d]
}

/// The node with this interface identifier.
pub fn node_of_interface(interface: RouterId) -> Option<NodeId> {
    let [0, 0, a, 0xff, 0xfe, b, c, d] = interface else { return None };
    Some(NodeId(u32::from_be_bytes([a, b, c, d])))
}

/// Which addresses nodes have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// 10.1.0.0 + node, as in captures.
    Simulated,
    /// 10.0.0.1 + node and fd00::1 + node, as programs have.
    Programs,
}

impl Plan {
    fn first(self) -> u32 {
        match self {
            Plan::Simulated => u32::from_be_bytes([10, 1, 0, 0]),
            Plan::Programs => u32::from_be_bytes([10, 0, 0, 1]),
        }
    }

    /// The IPv4 address of `node`.
    pub fn ipv4(self, node: NodeId) -> Address {
        Address::V4(self.first().wrapping_add(node.0).to_be_bytes())
    }

    /// What `node` announces, the address that data go to first.
    pub fn prefixes(self, node: NodeId) -> Vec<Prefix> {
        let mut prefixes = vec![Prefix::host(self.ipv4(node))];
        if self == Plan::Programs {
            let mut octets = [0; 16];
            octets[0] = 0xfd;
            octets[12..].copy_from_slice(&node.0.wrapping_add(1).to_be_bytes());
            prefixes.push(Prefix::host(Address::V6(octets)));
        }
        prefixes
    }

    /// The node that has `address`, by its form: whether there is such a node is not known here.
    pub fn node_of(self, address: Address) -> Option<NodeId> {
        match address {
            Address::V4(octets) => {
                Some(NodeId(u32::from_be_bytes(octets).checked_sub(self.first())?))
            }
            Address::V6([0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, a, b, c, d]) => {
                u32::from_be_bytes([a, b, c, d]).checked_sub(1).map(NodeId)
            }
            Address::V6(_) => node_of_interface(address.interface()?),
        }
    }
}
