//! COPAS on DSR: two paths by contention.
//!
//! C. de M. Cordeiro, S. R. Das, D. P. Agrawal, "COPAS: Dynamic Contention-Balancing to Enhance the
//! Performance of TCP over Multi-hop Wireless Networks", section III. A [`Policy`] of DSR: requests
//! collect the relays' contention (`contention.rs`); their target collects the copies
//! (`collection.rs`) and replies with two paths that share no relay, one for data and one for
//! acknowledgments (`selection.rs`); each end node keeps both (`peer.rs`), monitors the one that it
//! receives on, and requests its replacement.
//!
//! Deviation, where the paper says nothing:
//! - Relays do not store a path's direction: with source routes it is not needed.
//! - If the two end nodes' requests for each other cross, only that of the lower-numbered node
//!   counts; otherwise each would use a different choice.
//! - An end node that is collecting copies of the other's request does not request a replacement
//!   itself.
//! - The transport is told of a broken route only when no path is left.

mod collection;
pub mod config;
mod contention;
mod peer;
mod record;
mod scheme;
mod selection;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::dsr::cache::{Found, PathCache};
use super::dsr::{Dsr, Order, Policy};
use super::{Context, Timer};
use crate::kernel::{Duration, Instant};
use crate::profile::Profile;
use crate::wire::dsr::{Direction, Header, Path, Replaces, Request};
use crate::wire::{NodeId, Packet};
use collection::Collection;
pub use config::{CopasConfig, CopasTable};
use config::{Paths, Repair};
use contention::ContentionMeter;
use peer::{Peer, direction_of, relays_of};
pub use record::{CandidateReport, ChoiceReport};
use selection::{
    Candidate, Choice, choose, choose_beside, choose_replacement, is_similar, path_contention,
};

/// Timer: the end of an interval of counting backoffs.
const BACKOFF_INTERVAL: &str = "backoff-interval";
/// Timer: the collection of a request's copies ends.
const COLLECTION_END: &str = "collection-end";

/// One node's COPAS.
#[derive(Debug)]
pub struct Copas {
    node: NodeId,
    config: CopasConfig,
    interval: Duration,
    collection_time: Duration,
    spacing: Duration,
    meter: ContentionMeter,
    collections: Vec<Collection>,
    peers: BTreeMap<NodeId, Peer>,
    counters: CopasCounters,
    /// Whether to record every choice.
    keeps_choices: bool,
}

/// Counters of COPAS, of one node or of all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CopasCounters {
    /// Requests answered with two paths.
    pub pairs_chosen: u64,
    /// Requests answered with one path because there were no two.
    pub single_paths_chosen: u64,
    /// Requests for the replacement of a contended path.
    pub replacement_requests: u64,
    /// Paths replaced.
    pub replacements: u64,
    /// Replacements by a path whose length is not similar to the old path's.
    pub replacements_of_other_length: u64,
    /// Replacements refused, because no path found was less contended or disjoint from the other
    /// path.
    pub replacements_refused: u64,
    /// Broken paths whose packets could take the other path at once.
    pub failovers: u64,
    /// Requests ignored because a request of the lower-numbered end node crossed them.
    pub crossed_requests: u64,
    /// Time from the first data packet to the end of the run, summed over the pairs of end nodes
    /// \[s\].
    pub connection_s: f64,
    /// Part of `connection_s` in which the data's source knew two paths that share no relay \[s\].
    pub two_paths_s: f64,
    /// Part of `connection_s` in which the data's source knew no path \[s\].
    pub no_path_s: f64,
    /// Every choice of paths, if recorded; in order of time in a result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<ChoiceReport>,
}

impl CopasCounters {
    /// Adds another node's counters.
    pub fn merge(&mut self, other: &CopasCounters) {
        self.pairs_chosen += other.pairs_chosen;
        self.single_paths_chosen += other.single_paths_chosen;
        self.replacement_requests += other.replacement_requests;
        self.replacements += other.replacements;
        self.replacements_of_other_length += other.replacements_of_other_length;
        self.replacements_refused += other.replacements_refused;
        self.failovers += other.failovers;
        self.crossed_requests += other.crossed_requests;
        self.connection_s += other.connection_s;
        self.two_paths_s += other.two_paths_s;
        self.no_path_s += other.no_path_s;
        self.choices.extend_from_slice(&other.choices);
    }
}

impl Dsr<Copas> {
    /// COPAS on `node`.
    pub fn contention_based(node: NodeId, table: &CopasTable, profile: Profile) -> Self {
        Dsr::with_policy(node, &table.dsr, profile, Copas::new(node, &table.copas, false))
    }
}

impl Copas {
    fn new(node: NodeId, config: &CopasConfig, keeps_choices: bool) -> Copas {
        Copas {
            node,
            interval: Duration::from_secs_f64(config.t_backoff_s),
            collection_time: Duration::from_secs_f64(config.t_collect_s),
            spacing: config.replacement_spacing(),
            meter: ContentionMeter::new(config),
            collections: Vec::new(),
            peers: BTreeMap::new(),
            counters: CopasCounters::default(),
            keeps_choices,
            config: config.clone(),
        }
    }

    fn note(&mut self, now: Instant, collection: &Collection, taken: [Option<usize>; 2]) {
        if self.keeps_choices {
            let report = ChoiceReport::new(now, self.node, collection, taken);
            self.counters.choices.push(report);
        }
    }

    /// This node's counters up to `now`.
    pub fn counters(&self, now: Instant) -> CopasCounters {
        let mut counters = self.counters.clone();
        for usage in self.peers.values().map(|peer| peer.usage(now)) {
            counters.connection_s += usage.total_s;
            counters.two_paths_s += usage.two_paths_s;
            counters.no_path_s += usage.no_path_s;
        }
        counters
    }

    /// The path of packets of `direction` to `destination`.
    pub fn path(&self, destination: NodeId, direction: Direction) -> Option<&Path> {
        self.peers.get(&destination)?.path(direction)
    }

    /// The path of the other end's packets of `direction` has broken: answers with one that fits
    /// the path of this node's own, which stays. If none does, that path serves all packets; if
    /// this node has none either, a pair is chosen.
    fn restore(
        &mut self,
        now: Instant,
        collection: &Collection,
        direction: Direction,
    ) -> Vec<Order> {
        let candidates = &collection.candidates;
        let peer = self.peers.entry(collection.originator).or_default();
        let Some(stays) = peer.opposite(direction).cloned() else {
            return self.establish(now, collection);
        };
        peer.be_quiet(now, self.spacing);
        let Some((place, for_all)) = choose_beside(candidates, relays_of(&stays), &self.config)
        else {
            self.note(now, collection, [None; 2]);
            return Vec::new();
        };
        let direction = if for_all { Direction::Both } else { direction };
        let Candidate { asked, .. } = &candidates[place];
        peer.set(now, direction, reverse_path(self.node, asked));
        self.note(now, collection, places_of(direction, place));
        vec![Order::answer(asked, direction)]
    }

    /// The collection time for a request is over.
    fn answer(&mut self, now: Instant, collection: Collection) -> Vec<Order> {
        if let Some(replaces) = collection.replaces {
            if replaces.is_broken() {
                return self.restore(now, &collection, replaces.direction);
            }
            let taken = self.replace(now, &collection, replaces);
            self.note(now, &collection, taken);
            return Vec::new();
        }
        self.establish(now, &collection)
    }

    /// Answers with the paths of a connection.
    fn establish(&mut self, now: Instant, collection: &Collection) -> Vec<Order> {
        let candidates = &collection.candidates;
        let Some(choice) = choose(candidates, &self.config) else { return Vec::new() };
        let chosen = match choice {
            Choice::One(path) => vec![(Direction::Both, path)],
            Choice::Two { forward, reverse } => {
                vec![(Direction::Forward, forward), (Direction::Reverse, reverse)]
            }
        };
        match choice {
            Choice::One(_) => self.counters.single_paths_chosen += 1,
            Choice::Two { .. } => self.counters.pairs_chosen += 1,
        }
        self.note(now, collection, choice.places());
        let peer = self.peers.entry(collection.originator).or_default();
        peer.be_quiet(now, self.spacing);
        let answer = |(direction, place): (Direction, usize)| {
            let Candidate { asked, .. } = &candidates[place];
            peer.set(now, direction, reverse_path(self.node, asked));
            Order::answer(asked, direction)
        };
        chosen.into_iter().map(answer).collect()
    }

    /// The other end node finds a path on which this node sends too contended: takes a better
    /// candidate, if there is one. Returns the indices of the paths taken for data and for
    /// acknowledgments.
    fn replace(
        &mut self,
        now: Instant,
        collection: &Collection,
        replaces: Replaces,
    ) -> [Option<usize>; 2] {
        const NONE: [Option<usize>; 2] = [None; 2];
        let direction = replaces.direction;
        let Some(peer) = self.peers.get_mut(&collection.originator) else { return NONE };
        let Some(old) = peer.path(direction).cloned() else { return NONE };
        if !peer.sends(direction) {
            return NONE;
        }
        let (candidates, hops) = (&collection.candidates, old.len() - 1);
        let stays = peer.opposite(direction).map_or(&[][..], |path| relays_of(path));
        let disjoint = match self.config.paths {
            Paths::Disjoint => choose_replacement(candidates, stays, hops, &self.config),
            Paths::Common => None,
        };
        // A common path may be replaced by another common path; acknowledgments follow data.
        let is_single = self.config.paths == Paths::Common || peer.has_common_path();
        let for_all = |_| match is_single && direction == Direction::Forward {
            true => choose_replacement(candidates, &[], hops, &self.config),
            false => None,
        };
        let found = disjoint.map(|place| (direction, place));
        let found = found.or_else(|| Some((Direction::Both, for_all(())?)));
        let is_better = |candidate: &Candidate| {
            let contention = path_contention(&candidate.contention, self.config.path_contention);
            !self.config.only_if_better || contention.unwrap_or(0.0) < replaces.contention
        };
        let found = found.filter(|&(_, place)| is_better(&candidates[place]));
        let Some((direction, place)) = found else {
            self.counters.replacements_refused += 1;
            return NONE;
        };
        let path = reverse_path(self.node, &candidates[place].asked);
        if path == old {
            self.counters.replacements_refused += 1;
            return NONE;
        }
        self.counters.replacements += 1;
        let similar = is_similar(candidates[place].hops(), hops, &self.config);
        self.counters.replacements_of_other_length += u64::from(!similar);
        peer.set(now, direction, path);
        peer.be_quiet(now, self.spacing);
        places_of(direction, place)
    }

    /// Whether the path of packets of `direction` from `source` should be replaced, given its
    /// relays' contention.
    fn watch(
        &mut self,
        now: Instant,
        source: NodeId,
        direction: Direction,
        relays: &[f32],
    ) -> Option<Order> {
        let is_watched = direction == Direction::Forward || self.config.paths == Paths::Disjoint;
        if !self.config.replacement || !is_watched {
            return None;
        }
        let contention = path_contention(relays, self.config.path_contention)?;
        if f64::from(contention) <= self.config.backoff_thres {
            return None;
        }
        let collects = self.collections.iter().any(|collection| collection.originator == source);
        let peer = self.peers.entry(source).or_default();
        if collects || now < peer.asking_until.max(peer.quiet_until) {
            return None;
        }
        peer.be_quiet(now, self.spacing);
        self.counters.replacement_requests += 1;
        let replaces = Replaces { direction, contention };
        Some(Order::AskToReplace { target: source, replaces })
    }
}

impl Policy for Copas {
    fn on_start(&mut self, cx: &mut Context) {
        cx.set_timer(Timer::of(BACKOFF_INTERVAL), cx.now + self.interval);
    }

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) -> Vec<Order> {
        match timer.kind {
            BACKOFF_INTERVAL => {
                self.meter.end_interval(cx.backoffs);
                cx.set_timer(Timer::of(BACKOFF_INTERVAL), cx.now + self.interval);
                Vec::new()
            }
            COLLECTION_END => {
                let due = (timer.node, timer.number);
                let is_due = |known: &Collection| (known.originator, known.id) == due;
                let Some(place) = self.collections.iter().position(is_due) else {
                    return Vec::new();
                };
                let collection = self.collections.remove(place);
                self.answer(cx.now, collection)
            }
            _ => Vec::new(),
        }
    }

    fn on_asking(&mut self, now: Instant, target: NodeId) {
        let peer = self.peers.entry(target).or_default();
        peer.asking_until = now + self.collection_time;
        peer.be_quiet(now, self.spacing);
    }

    fn gather(&mut self, _: &Context, request: &mut Request) {
        request.gathered.push(self.meter.mean());
    }

    fn answers(&mut self, cx: &mut Context, request: &Request, is_first: bool, _: bool) -> bool {
        let originator = request.path[0];
        let is_same =
            |known: &&mut Collection| (known.originator, known.id) == (originator, request.id);
        if let Some(collection) = self.collections.iter_mut().find(is_same) {
            collection.add(request);
        } else if is_first {
            let asking_until = self.peers.get(&originator).map(|peer| peer.asking_until);
            if self.node < originator && asking_until.is_some_and(|until| cx.now < until) {
                self.counters.crossed_requests += 1;
            } else {
                self.collections.push(Collection::new(request));
                let timer = Timer { kind: COLLECTION_END, node: originator, number: request.id };
                cx.set_timer(timer, cx.now + self.collection_time);
            }
        }
        false
    }

    fn pick(
        &mut self,
        cx: &Context,
        _: &mut PathCache,
        packet: &Packet,
        keep: bool,
    ) -> Option<Found> {
        let direction = direction_of(packet);
        let peer = self.peers.entry(packet.destination).or_default();
        if keep && packet.is_transport() {
            peer.send(cx.now, direction);
        }
        peer.path(direction).cloned().map(Found::from)
    }

    fn on_reply(&mut self, now: Instant, path: &Path, direction: Option<Direction>, _: &[f32]) {
        let (Some(&target), Some(direction)) = (path.last(), direction) else { return };
        let peer = self.peers.entry(target).or_default();
        peer.asking_until = now;
        peer.be_quiet(now, self.spacing);
        peer.hear(now, direction, path.clone());
    }

    fn piggyback(&self, _: &Context, _: NodeId) -> Option<f32> {
        Some(self.meter.mean())
    }

    fn sees_deliveries(&self) -> bool {
        true
    }

    fn on_delivered(
        &mut self,
        cx: &mut Context,
        packet: &Packet,
        header: &Header,
    ) -> Option<Order> {
        let route = header.route.as_ref()?;
        let direction = direction_of(packet);
        let path: Path = route.nodes.iter().rev().copied().collect();
        let follow = self.config.paths == Paths::Common;
        self.peers.entry(packet.source).or_default().see(cx.now, direction, path, follow);
        self.watch(cx.now, packet.source, direction, &header.gathered)
    }

    fn on_broken_link(&mut self, now: Instant, from: NodeId, to: NodeId) -> Vec<Order> {
        let mut orders = Vec::new();
        for (&target, peer) in &mut self.peers {
            if !peer.lose(now, from, to) {
                continue;
            }
            self.counters.failovers += u64::from(peer.path(Direction::Both).is_some());
            let wants_pair = |known: &Collection| known.replaces.is_none();
            let is_chosen_here = self
                .collections
                .iter()
                .any(|collection| collection.originator == target && wants_pair(collection));
            if is_chosen_here {
                continue;
            }
            let missing = peer.missing().filter(|_| self.config.repair == Repair::Broken);
            match missing.map(Replaces::broken) {
                Some(_) if now < peer.asking_until => {}
                Some(replaces) => orders.push(Order::AskToReplace { target, replaces }),
                None => orders.push(Order::Discover { target }),
            }
        }
        orders
    }

    fn tells_transport(&self, destination: NodeId, _: Option<&Packet>) -> bool {
        self.path(destination, Direction::Both).is_none()
    }
}

/// The places of the paths for data and for acknowledgments if packets of `direction` take that at
/// `place`.
fn places_of(direction: Direction, place: usize) -> [Option<usize>; 2] {
    [Direction::Forward, Direction::Reverse]
        .map(|packets| [packets, Direction::Both].contains(&direction).then_some(place))
}

/// The reverse path from `node`, which a request reached along `asked`, to the request's
/// originator.
fn reverse_path(node: NodeId, asked: &[NodeId]) -> Path {
    std::iter::once(node).chain(asked.iter().rev().copied()).collect()
}

#[cfg(test)]
mod tests;
