//! One node's routes by DSDV.

use std::collections::BTreeMap;

use super::message::Told;
use crate::kernel::{Duration, Instant};
use crate::wire::NodeId;

/// A route, working or broken.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// The neighbour that it leads over.
    pub next_hop: NodeId,
    /// How far it is; none if it is broken.
    pub hops: Option<u16>,
    /// The destination's sequence number.
    pub sequence: u32,
    /// When it may be told.
    pub tell_at: Instant,
    /// It has changed, and no update has said so yet.
    pub is_news: bool,
    /// When the first route of this sequence number came, and the best.
    first: Instant,
    best: Instant,
    /// Mean time from the first to the best.
    settling: Duration,
}

/// How new routes wait for better ones.
#[derive(Clone, Copy, Debug)]
pub struct Settling {
    /// The mean before anything is known.
    pub initial: Duration,
    /// The weight of the past.
    pub weight: f64,
    /// Whether a new sequence number alone is news.
    pub sequence_is_news: bool,
}

/// What an update's route did to the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// The route is there as before, by a newer number.
    Renewed,
    /// The route is another one.
    Changed,
    /// A node believes a route broken that this node knows a newer one of, or as new a one.
    Contradicted,
}

/// The routes of a node.
#[derive(Debug, Default)]
pub struct Table {
    routes: BTreeMap<NodeId, Route>,
}

impl Table {
    /// The next hop to `destination`, if a route works.
    pub fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        self.routes.get(&destination).filter(|route| route.hops.is_some()).map(|one| one.next_hop)
    }

    /// All routes, broken ones too.
    pub fn routes(&self) -> impl Iterator<Item = (NodeId, &Route)> {
        self.routes.iter().map(|(&destination, route)| (destination, route))
    }

    /// The same, to be changed.
    pub fn routes_mut(&mut self) -> impl Iterator<Item = (NodeId, &mut Route)> {
        self.routes.iter_mut().map(|(&destination, route)| (destination, route))
    }

    /// Neighbour `from` has told of a route.
    pub fn hear(&mut self, now: Instant, from: NodeId, told: &Told, rule: Settling) -> Effect {
        let hops = told.hops.map(|hops| hops.saturating_add(1));
        let Some(route) = self.routes.get_mut(&told.destination) else {
            if hops.is_none() {
                return Effect::None;
            }
            let route = Route {
                next_hop: from,
                hops,
                sequence: told.sequence,
                tell_at: now + rule.initial * 2,
                is_news: true,
                first: now,
                best: now,
                settling: rule.initial,
            };
            self.routes.insert(told.destination, route);
            return Effect::Changed;
        };
        if is_newer(told.sequence, route.sequence) {
            return route.renew(now, from, hops, told.sequence, rule);
        }
        let is_closer = match (hops, route.hops) {
            (Some(new), Some(old)) => new < old,
            (Some(_), None) => true,
            (None, _) => false,
        };
        if told.sequence == route.sequence && is_closer {
            (route.next_hop, route.hops, route.best, route.is_news) = (from, hops, now, true);
            return Effect::Changed;
        }
        if hops.is_none() && route.hops.is_some() {
            (route.tell_at, route.is_news) = (route.tell_at.min(now), true);
            return Effect::Contradicted;
        }
        Effect::None
    }

    /// The link to `neighbour` is broken, and with it all routes over it: each gets the next
    /// number, an odd one. Returns their destinations.
    pub fn lose(&mut self, now: Instant, neighbour: NodeId) -> Vec<NodeId> {
        let over = self.routes.iter_mut().filter(|(_, route)| route.next_hop == neighbour);
        let works = over.filter(|(_, route)| route.hops.is_some());
        works
            .map(|(&destination, route)| {
                route.hops = None;
                route.sequence = route.sequence.wrapping_add(1);
                (route.tell_at, route.is_news) = (now, true);
                destination
            })
            .collect()
    }
}

impl Route {
    /// A newer number replaces what was known, even by a worse route.
    fn renew(
        &mut self,
        now: Instant,
        from: NodeId,
        hops: Option<u16>,
        sequence: u32,
        rule: Settling,
    ) -> Effect {
        let was = self.best.saturating_since(self.first).as_secs_f64();
        let past = rule.weight * self.settling.as_secs_f64();
        self.settling = Duration::from_secs_f64(past + (1.0 - rule.weight) * was);
        let is_change = (hops, from) != (self.hops, self.next_hop);
        let is_break = hops.is_none() || self.hops.is_none();
        // What was news by the old number waits with the new one.
        self.is_news = hops != self.hops || rule.sequence_is_news;
        // A broken route, and the first after one, wait for nothing better.
        self.tell_at = if is_break { now } else { now + self.settling * 2 };
        (self.next_hop, self.hops, self.sequence) = (from, hops, sequence);
        (self.first, self.best) = (now, now);
        if is_change { Effect::Changed } else { Effect::Renewed }
    }
}

/// Whether sequence number `a` is newer than `b`, as they wrap around.
pub fn is_newer(a: u32, b: u32) -> bool {
    a != b && a.wrapping_sub(b) <= u32::MAX / 2
}
