//! The route table (RFC 3561 sections 2 and 6.2): an entry for every node learned of.

use smallvec::SmallVec;

use super::places::Places;
use crate::kernel::{Duration, Instant};
use crate::profile::Profile;
use crate::wire::NodeId;
use crate::wire::aodv::SequenceNumber;

/// The hop count of a destination that cannot be reached.
pub const UNREACHABLE: u8 = 255;

/// Discoveries whose latency is remembered.
const LATENCIES: usize = 3;

/// A route that a message offers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offer {
    /// The destination's sequence number.
    pub sequence: SequenceNumber,
    /// Hops to the destination.
    pub hops: u8,
    /// What the message gathered on its way.
    pub metric: u32,
}

/// Whether a route can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteState {
    /// It cannot be used.
    Down,
    /// It can be used.
    Up,
    /// This node is searching for a new route: local repair.
    InRepair,
}

/// What a node knows of one destination.
#[derive(Clone, Debug)]
pub struct Route {
    /// The destination.
    pub destination: NodeId,
    /// The newest sequence number known for it.
    pub sequence: SequenceNumber,
    /// Whether that number is known for the present route; ns-2 has no such flag.
    pub has_sequence: bool,
    /// Hops to it, [`UNREACHABLE`] if there is no route.
    pub hops: u8,
    /// The metric of the message that brought it; `u32::MAX` if there is no route.
    pub metric: u32,
    /// Hops of the last route that worked.
    pub last_hops: u8,
    /// The next hop.
    pub next_hop: NodeId,
    /// When the route expires if it is not used.
    pub expires: Instant,
    /// Whether it can be used.
    pub state: RouteState,
    /// Time to live of the last request.
    pub last_ttl: u8,
    /// The discovery of it. Boxed because most destinations are never asked for here.
    discovery: Option<Box<Discovery>>,
    /// Neighbours that use this route through this node. Boxed because most routes are used by
    /// nobody else.
    precursors: Option<Box<Precursors>>,
}

type Precursors = SmallVec<[NodeId; 4]>;

/// A node's discovery of a route (RFC 3561 section 6.4).
#[derive(Clone, Debug, Default)]
pub struct Discovery {
    /// It is in progress.
    pub is_on: bool,
    /// Earliest time of the next request; zero if no request is outstanding.
    pub next_request: Instant,
    /// Network-wide requests since the last reply.
    pub network_requests: u32,
    /// Latencies per hop of the last three that were answered, newest first.
    pub latencies: SmallVec<[Duration; LATENCIES]>,
}

impl Route {
    fn new(destination: NodeId, profile: Profile) -> Route {
        Route {
            destination,
            sequence: SequenceNumber(0),
            has_sequence: false,
            hops: UNREACHABLE,
            metric: u32::MAX,
            // ns-2 starts from the "unreachable" value, so that a first request floods the network.
            last_hops: if profile == Profile::Ns2 { UNREACHABLE } else { 0 },
            next_hop: destination,
            expires: Instant::ZERO,
            state: RouteState::Down,
            last_ttl: 0,
            discovery: None,
            precursors: None,
        }
    }

    /// Whether packets can be sent over it.
    pub fn is_up(&self) -> bool {
        self.state == RouteState::Up
    }

    /// Takes the route that `next_hop` offers.
    pub fn set(&mut self, offer: &Offer, next_hop: NodeId, expires: Instant) {
        self.sequence = offer.sequence;
        self.has_sequence = true;
        self.metric = offer.metric;
        self.expires = expires;
        self.lead_over(offer.hops, next_hop);
    }

    /// Leads the route through `next_hop`, of which the scheme knows by itself that it is `hops`
    /// long.
    pub fn lead_over(&mut self, hops: u8, next_hop: NodeId) {
        self.hops = hops;
        self.next_hop = next_hop;
        self.state = RouteState::Up;
    }

    /// A message has come from the destination itself, a neighbour. Whether it had a longer route
    /// or none.
    pub fn meet(&mut self, expires: Instant) -> bool {
        let is_new = !(self.is_up() && self.hops == 1 && self.next_hop == self.destination);
        if is_new {
            self.has_sequence = false;
            self.metric = 0;
            self.lead_over(1, self.destination);
        }
        self.keep_until(expires);
        is_new
    }

    /// The route is in use: it lives at least until `expires`.
    pub fn keep_until(&mut self, expires: Instant) {
        self.expires = self.expires.max(expires);
    }

    /// The route is lost.
    pub fn take_down(&mut self) {
        if self.hops != UNREACHABLE {
            self.last_hops = self.hops;
        }
        self.hops = UNREACHABLE;
        self.metric = u32::MAX;
        self.state = RouteState::Down;
        self.expires = Instant::ZERO;
    }

    /// Its discovery here, which need not have begun.
    pub fn discovery(&mut self) -> &mut Discovery {
        self.discovery.get_or_insert_default()
    }

    /// Whether a discovery of it is in progress here.
    pub fn is_being_discovered(&self) -> bool {
        self.discovery.as_ref().is_some_and(|discovery| discovery.is_on)
    }

    /// Earliest time of the next request; zero if no request is outstanding.
    pub fn next_request(&self) -> Instant {
        self.discovery.as_ref().map_or(Instant::ZERO, |discovery| discovery.next_request)
    }

    /// The discovery is over: resets the state of the next one.
    pub fn end_discovery(&mut self) {
        if let Some(discovery) = &mut self.discovery {
            discovery.is_on = false;
            discovery.next_request = Instant::ZERO;
            discovery.network_requests = 0;
        }
        self.last_ttl = self.hops;
    }

    /// Neighbours that use this route through this node.
    pub fn precursors(&self) -> &[NodeId] {
        self.precursors.as_ref().map_or(&[], |precursors| precursors)
    }

    /// Adds a neighbour that uses this route.
    pub fn add_precursor(&mut self, neighbour: NodeId) {
        if !self.precursors().contains(&neighbour) {
            self.precursors.get_or_insert_default().push(neighbour);
        }
    }

    /// A neighbour no longer uses this route.
    pub fn remove_precursor(&mut self, neighbour: NodeId) {
        if let Some(precursors) = &mut self.precursors {
            precursors.retain(|precursor| *precursor != neighbour);
        }
    }

    /// Nobody uses this route any more.
    pub fn clear_precursors(&mut self) {
        self.precursors = None;
    }
}

impl Discovery {
    /// Records a discovery's latency per hop; the last three are kept.
    pub fn add_latency(&mut self, latency: Duration) {
        self.latencies.truncate(LATENCIES - 1);
        self.latencies.insert(0, latency);
    }
}

/// The table: entries are never removed.
#[derive(Debug)]
pub struct RouteTable {
    profile: Profile,
    routes: Vec<Route>,
    places: Places,
}

impl RouteTable {
    /// An empty table.
    pub fn new(profile: Profile) -> RouteTable {
        RouteTable { profile, routes: Vec::new(), places: Places::default() }
    }

    /// The entry of `destination`.
    pub fn get(&self, destination: NodeId) -> Option<&Route> {
        self.places.get(destination).map(|place| &self.routes[place as usize])
    }

    /// As [`RouteTable::get`], but mutable.
    pub fn get_mut(&mut self, destination: NodeId) -> Option<&mut Route> {
        self.places.get(destination).map(|place| &mut self.routes[place as usize])
    }

    /// The entry of `destination`; creates it if there is none.
    pub fn entry(&mut self, destination: NodeId) -> &mut Route {
        let place = self.places.get(destination).unwrap_or_else(|| self.add(destination));
        &mut self.routes[place as usize]
    }

    #[inline(never)]
    fn add(&mut self, destination: NodeId) -> u32 {
        if self.routes.len() == self.routes.capacity() {
            // Doubling would leave much of a large network's memory unused.
            self.routes.reserve_exact(self.routes.len() / 4 + 4);
        }
        let place = self.routes.len() as u32;
        self.routes.push(Route::new(destination, self.profile));
        self.places.insert(destination, place);
        place
    }

    /// The number of entries.
    pub fn count(&self) -> usize {
        self.routes.len()
    }

    /// The entry at `place`, in the order of creation.
    pub fn at(&mut self, place: usize) -> &mut Route {
        &mut self.routes[place]
    }

    /// All entries, in the order of creation.
    pub fn iter(&self) -> impl Iterator<Item = &Route> {
        self.routes.iter()
    }

    /// All entries, the newest first.
    pub fn newest_first(&mut self) -> impl Iterator<Item = &mut Route> {
        self.routes.iter_mut().rev()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A large network has heard of thousands of destinations at each of thousands of nodes.
    #[test]
    fn entries_stay_small() {
        assert_eq!(size_of::<Route>(), 48);
    }

    #[test]
    fn the_last_three_latencies_are_kept_newest_first() {
        let mut discovery = Discovery::default();
        for ms in 1..=5 {
            discovery.add_latency(Duration::from_millis(ms));
        }
        assert_eq!(discovery.latencies.to_vec(), [5, 4, 3].map(Duration::from_millis));
    }
}
