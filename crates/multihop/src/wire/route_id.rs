//! ROUTE_ID: the name of one of several paths between two nodes (multipath AODV).

use std::num::NonZeroU32;

use super::NodeId;
use super::aodv::Request;

/// Bits of a path's number within its discovery.
const PATH_BITS: u32 = 4;

/// One route discovery: a request with all its copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DiscoveryId {
    /// The originator of its request.
    pub originator: NodeId,
    /// The number of its request.
    pub request: u32,
}

impl DiscoveryId {
    /// The discovery that `request` belongs to.
    pub fn of(request: &Request) -> DiscoveryId {
        DiscoveryId {
            originator: request.originator,
            request: request.id & (u32::MAX >> PATH_BITS),
        }
    }
}

/// Identifies one path among those of all discoveries. The originator is one of the two ends that
/// the packet carries anyway, so four bytes are enough on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouteId {
    originator: NodeId,
    number: NonZeroU32,
}

impl RouteId {
    /// Bytes of the field in route replies, route errors, data and acknowledgments.
    pub const BYTES: u32 = 4;

    /// Distinguishable paths of one discovery.
    pub const MAX_PATHS: u32 = (1 << PATH_BITS) - 1;

    /// The `path`-th path of `discovery`, from 1 to [`RouteId::MAX_PATHS`].
    pub fn new(discovery: DiscoveryId, path: u32) -> RouteId {
        let path = path.clamp(1, RouteId::MAX_PATHS);
        let number = NonZeroU32::MIN.saturating_add((discovery.request << PATH_BITS | path) - 1);
        RouteId { originator: discovery.originator, number }
    }

    /// The discovery that found the path.
    pub fn discovery(self) -> DiscoveryId {
        DiscoveryId { originator: self.originator, request: self.number.get() >> PATH_BITS }
    }

    /// The field: the number of the request, and in the last 4 bits that of the path.
    pub fn bits(self) -> u32 {
        self.discovery().request << PATH_BITS | self.path()
    }

    /// Which of the discovery's paths it is, from 1.
    pub fn path(self) -> u32 {
        self.number.get() & RouteId::MAX_PATHS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_id_says_which_path_of_which_discovery() {
        let top = u32::MAX >> PATH_BITS;
        for (request, path) in [(0, 1), (1, 15), (7, 3), (top, 15)] {
            let discovery = DiscoveryId { originator: NodeId(9), request };
            let id = RouteId::new(discovery, path);
            assert_eq!((id.discovery(), id.path()), (discovery, path));
        }
    }

    #[test]
    fn a_packet_without_one_pays_eight_bytes_of_memory_for_it() {
        assert_eq!(size_of::<Option<RouteId>>(), 8);
    }
}
