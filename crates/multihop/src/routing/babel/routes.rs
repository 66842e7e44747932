//! The route table and the source table (sections 3.2.5 and 3.2.6), by destination.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::address::{Address, Prefix, RouterId};
use super::diversity::Channels;
use super::seqno::{Distance, INFINITY, Seqno};
use super::tlv::Centiseconds;
use crate::kernel::{Duration, Instant};
use crate::wire::NodeId;

/// A time in the tables: hundredths of a second, as the protocol has them, and in half the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tick(u32);

impl Tick {
    /// Never.
    pub const NEVER: Tick = Tick(u32::MAX);
    const NANOS: u64 = 10_000_000;

    /// The first that is not before `at`.
    pub fn at(at: Instant) -> Tick {
        Tick(u32::try_from(at.as_nanos().div_ceil(Self::NANOS)).unwrap_or(u32::MAX))
    }

    /// Its instant; [`Instant::FAR`] of [`Tick::NEVER`].
    pub fn instant(self) -> Instant {
        match self {
            Tick::NEVER => Instant::FAR,
            Tick(ticks) => Instant::from_nanos(u64::from(ticks) * Self::NANOS),
        }
    }

    /// So much later, rounded up.
    #[must_use]
    pub fn after(self, duration: Duration) -> Tick {
        let ticks = u32::try_from(duration.as_nanos().div_ceil(Self::NANOS)).unwrap_or(u32::MAX);
        Tick(self.0.saturating_add(ticks))
    }

    /// So much earlier, at most the beginning.
    #[must_use]
    pub fn before(self, ticks: u32) -> Tick {
        Tick(self.0.saturating_sub(ticks))
    }

    /// The time from `earlier` to this \[s\].
    pub fn seconds_since(self, earlier: Tick) -> f64 {
        f64::from(self.0.saturating_sub(earlier.0)) / 100.0
    }
}

/// A route to a prefix over a neighbour. A large network has many: its fields are small.
#[derive(Clone, Debug)]
pub struct Route {
    /// Who announced it.
    pub neighbour: NodeId,
    /// Where data go.
    pub next_hop: NodeId,
    /// Who originates it.
    pub router_id: RouterId,
    /// Its sequence number.
    pub seqno: Seqno,
    /// The metric that the neighbour announced; infinite if it was retracted.
    pub advertised: u16,
    /// That and the cost of the link.
    pub metric: u16,
    /// The interval at which it is announced.
    pub interval: Centiseconds,
    /// When it has not been announced for too long.
    pub expires: Tick,
    /// The smoothed metric, as it was at `smoothed_at`.
    smoothed: f32,
    smoothed_at: Tick,
}

impl Route {
    /// A route with an infinite metric, whose other fields are still to be set.
    pub fn new(neighbour: NodeId) -> Route {
        Route {
            neighbour,
            next_hop: neighbour,
            router_id: [0; 8],
            seqno: Seqno(0),
            advertised: INFINITY,
            metric: INFINITY,
            interval: 0,
            expires: Tick::NEVER,
            smoothed: 0.0,
            smoothed_at: Tick::NEVER,
        }
    }

    /// What was announced.
    pub fn distance(&self) -> Distance {
        Distance { seqno: self.seqno, metric: self.advertised }
    }

    /// The metric is this one from `now` on. The smoothed one begins with the first finite metric
    /// (section A.3 does not say), and follows with the time constant `constant_s`.
    pub fn set_metric(&mut self, now: Tick, metric: u16, constant_s: f64) {
        if metric == self.metric {
            return;
        }
        self.smoothed = match self.metric == INFINITY {
            true => f32::from(metric),
            false => self.smoothed(now, constant_s),
        };
        self.smoothed_at = now;
        self.metric = metric;
    }

    /// The smoothed metric at `now`.
    pub fn smoothed(&self, now: Tick, constant_s: f64) -> f32 {
        let (metric, passed) = (f32::from(self.metric), now.seconds_since(self.smoothed_at));
        if constant_s <= 0.0 || metric == self.smoothed {
            return metric;
        }
        metric + (self.smoothed - metric) * libm::exp(-passed / constant_s) as f32
    }
}

/// The feasibility distance of a source.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Who originates it.
    pub router_id: RouterId,
    /// The best that this node has announced.
    pub distance: Distance,
    /// When it is forgotten.
    pub until: Tick,
}

/// All that is known of a prefix.
#[derive(Clone, Debug)]
pub struct Destination {
    /// The prefix.
    pub prefix: Prefix,
    /// Whether this node originates it.
    pub is_own: bool,
    /// The routes, one a neighbour.
    pub routes: Vec<Route>,
    /// The channels that neighbours announced, where metrics ask for them.
    channels: Vec<(NodeId, Channels)>,
    /// The sources: one as a rule, and kept beside the rest for that reason.
    pub sources: SmallVec<[Source; 1]>,
    /// The neighbour of the selected route.
    pub selected: Option<NodeId>,
    /// The metric that was announced last.
    pub announced: u16,
    /// When it has to be looked at, at the latest.
    pub due: Tick,
}

impl Destination {
    fn new(prefix: Prefix) -> Destination {
        let (routes, channels, sources) = Default::default();
        let due = Tick::NEVER;
        Destination {
            prefix,
            is_own: false,
            routes,
            channels,
            sources,
            selected: None,
            announced: INFINITY,
            due,
        }
    }

    /// The route over `neighbour`.
    pub fn route(&self, neighbour: NodeId) -> Option<&Route> {
        self.routes.iter().find(|route| route.neighbour == neighbour)
    }

    /// The same, to be changed.
    pub fn route_mut(&mut self, neighbour: NodeId) -> Option<&mut Route> {
        self.routes.iter_mut().find(|route| route.neighbour == neighbour)
    }

    /// The selected route.
    pub fn selected(&self) -> Option<&Route> {
        self.route(self.selected?)
    }

    /// The channels that `neighbour` announced.
    pub fn channels(&self, neighbour: NodeId) -> Option<&Channels> {
        self.channels.iter().find(|one| one.0 == neighbour).map(|one| &one.1)
    }

    /// `neighbour` has announced these channels.
    pub fn set_channels(&mut self, neighbour: NodeId, channels: Channels) {
        self.channels.retain(|one| one.0 != neighbour);
        self.channels.push((neighbour, channels));
    }

    /// Forgets the channels of routes that are gone.
    pub fn forget_channels(&mut self) {
        let routes = &self.routes;
        self.channels.retain(|one| routes.iter().any(|route| route.neighbour == one.0));
    }

    /// The source that `router_id` is.
    pub fn source(&self, router_id: RouterId) -> Option<&Source> {
        self.sources.iter().find(|source| source.router_id == router_id)
    }

    /// The feasibility condition (section 3.5.1).
    pub fn is_feasible(&self, router_id: RouterId, distance: Distance) -> bool {
        distance.metric == INFINITY
            || self.source(router_id).is_none_or(|source| distance.is_better_than(source.distance))
    }

    /// Whether `route` may be selected (section 3.6).
    pub fn may_select(&self, route: &Route) -> bool {
        route.metric != INFINITY && self.is_feasible(route.router_id, route.distance())
    }

    /// `distance` of `router_id` is about to be announced: it becomes the feasibility distance if
    /// it is better (section 3.7.3), and the source is remembered until `until`.
    pub fn note_announced(&mut self, router_id: RouterId, distance: Distance, until: Tick) {
        match self.sources.iter_mut().find(|source| source.router_id == router_id) {
            Some(source) => {
                if distance.is_better_than(source.distance) {
                    source.distance = distance;
                }
                source.until = until;
            }
            None => self.sources.push(Source { router_id, distance, until }),
        }
    }

    /// The route to select now (appendix A.3): the best, but another one than at present only if it
    /// is better both now and smoothed.
    pub fn best(&self, now: Tick, constant_s: f64) -> Option<&Route> {
        let may = |route: &&Route| self.may_select(route);
        match self.selected().filter(may) {
            None => self.routes.iter().filter(may).min_by_key(|route| route.metric),
            Some(current) => {
                let better = |route: &&Route| {
                    route.metric < current.metric
                        && route.smoothed(now, constant_s) < current.smoothed(now, constant_s)
                        && self.may_select(route)
                };
                let best = self.routes.iter().filter(better).min_by_key(|route| route.metric);
                best.or(Some(current))
            }
        }
    }
}

/// The destinations of one node.
#[derive(Debug, Default)]
pub struct Table {
    /// All of them, in the order in which they became known.
    pub all: Vec<Destination>,
    by_prefix: FxHashMap<Prefix, u32>,
}

impl Table {
    /// The place of `prefix`, if anything is known of it.
    pub fn find(&self, prefix: &Prefix) -> Option<usize> {
        self.by_prefix.get(prefix).map(|&place| place as usize)
    }

    /// The place of `prefix`, which is made if nothing was known of it.
    pub fn place(&mut self, prefix: Prefix) -> usize {
        let next = self.all.len() as u32;
        let place = *self.by_prefix.entry(prefix).or_insert(next);
        if place == next {
            self.all.push(Destination::new(prefix));
        }
        place as usize
    }

    /// What is known of `address` alone.
    pub fn host(&self, address: Address) -> Option<&Destination> {
        self.find(&Prefix::host(address)).and_then(|place| self.all.get(place))
    }
}
