//! Several interfaces a node (RFC 3626 sections 3.4, 5, 6.2 and 8.3): who has which addresses,
//! HELLOs and relays by interface, and which link to a neighbour data take.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::links::Link;
use super::messages::{Content, LinkType, Listed, NeighbourType};
use super::{ALWAYS, Olsr, OlsrMetric, TC_TIME_TO_LIVE};
use crate::kernel::{Duration, Instant};
use crate::routing::Context;
use crate::routing::link_state::{Candidate, Duplicates, NEVER, TwoHop, select};
use crate::routing::neighbour_table::NeighbourTable;
use crate::wire::{Interface, NodeId};

/// The addresses of nodes besides their main ones.
#[derive(Debug)]
pub struct Addresses {
    nodes: usize,
    /// Whose they are, and until when (the interface association set, section 4.1).
    declared: BTreeMap<NodeId, (NodeId, Instant)>,
    /// By which of them neighbours were heard.
    heard: BTreeMap<NodeId, BTreeSet<NodeId>>,
    /// To which of them there were symmetric links when last looked, where nodes have several.
    symmetric: BTreeSet<NodeId>,
}

impl Addresses {
    /// None yet, in a network of so many nodes.
    pub fn new(nodes: usize) -> Addresses {
        let (declared, heard, symmetric) = Default::default();
        Addresses { nodes, declared, heard, symmetric }
    }

    /// The neighbour `main` was heard by `address`.
    pub fn meet(&mut self, main: NodeId, address: NodeId) {
        if main != address {
            self.heard.entry(main).or_default().insert(address);
        }
    }

    /// Whether a link has come or gone where its neighbour may have another.
    pub fn change(&mut self, cx: &Context, links: &NeighbourTable<Link>) -> bool {
        if !cx.stations.are_several() {
            return false;
        }
        let symmetric = links.current(cx.now).filter(|(_, link)| link.known.is_symmetric(cx.now));
        let symmetric: BTreeSet<NodeId> = symmetric.map(|(address, _)| address).collect();
        let is_change = symmetric != self.symmetric;
        self.symmetric = symmetric;
        is_change
    }

    /// A MID has come (section 5.4).
    pub fn declare(&mut self, main: NodeId, addresses: &[NodeId], until: Instant) {
        self.declared.extend(addresses.iter().map(|&address| (address, (main, until))));
    }

    /// The main address of who has `address`; none if no MID has told it.
    pub fn main(&self, now: Instant, address: NodeId) -> Option<NodeId> {
        if address.index() < self.nodes {
            return Some(address);
        }
        self.declared.get(&address).filter(|known| known.1 > now).map(|known| known.0)
    }

    /// The addresses by which the neighbour `main` may be heard.
    pub fn of(&self, main: NodeId) -> impl Iterator<Item = NodeId> + Clone {
        let others = self.heard.get(&main).into_iter().flatten().copied();
        std::iter::once(main).chain(others)
    }

    /// The nodes that the neighbour `main` reaches, by any of its interfaces, and at what cost.
    pub fn behind(
        &self,
        two_hop: &TwoHop<u32>,
        main: NodeId,
    ) -> impl Iterator<Item = (NodeId, u32)> + Clone {
        self.of(main).flat_map(|address| two_hop.behind(address))
    }
}

/// The flooded messages that were seen, and those passed on (the duplicate set, section 3.4).
#[derive(Debug, Default)]
pub struct Flooded {
    seen: Duplicates,
    /// Those seen by each interface, and those passed on, where there are several.
    by_interface: BTreeMap<Interface, Duplicates>,
    passed_on: Duplicates,
}

/// What a copy of a message is.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// The first.
    pub is_new: bool,
    /// The first by its interface, of a message that was not passed on.
    pub may_go_on: bool,
}

impl Flooded {
    /// A copy of message `number` of `originator` has come.
    pub fn note(&mut self, cx: &Context, originator: NodeId, number: u16, hold: Duration) -> Seen {
        let is_new = self.seen.is_new(cx.now, originator, number, hold);
        if !cx.stations.are_several() {
            return Seen { is_new, may_go_on: is_new };
        }
        let by = self.by_interface.entry(cx.interface).or_default();
        let is_first = by.is_new(cx.now, originator, number, hold);
        let went = self.passed_on.knows(cx.now, originator, number);
        Seen { is_new, may_go_on: is_first && !went }
    }

    /// It is passed on.
    pub fn pass_on(&mut self, cx: &Context, originator: NodeId, number: u16, hold: Duration) {
        if cx.stations.are_several() {
            self.passed_on.is_new(cx.now, originator, number, hold);
        }
    }
}

impl Olsr {
    /// The relays: those of each interface together (section 8.3).
    pub(super) fn choose_mprs(&mut self, cx: &Context) {
        let mut mprs = BTreeSet::new();
        for station in cx.stations.all_of(self.node) {
            let near: BTreeSet<NodeId> = self
                .links_of(cx, station)
                .map(|(_, link)| link.main)
                .filter(|main| self.symmetric.contains(main))
                .collect();
            let candidates: Vec<Candidate> = near
                .into_iter()
                .filter_map(|node| {
                    let willingness = self.best_link(cx.now, node)?.1.willingness;
                    let behind = self.addresses.behind(&self.two_hop, node).map(|(far, _)| far);
                    let behind: BTreeSet<NodeId> =
                        behind.filter(|far| !self.symmetric.contains(far)).collect();
                    let reaches = behind.into_iter().collect();
                    (willingness > NEVER).then_some(Candidate { node, willingness, reaches })
                })
                .collect();
            mprs.append(&mut select(&candidates, self.config.mpr_coverage, ALWAYS));
        }
        self.mprs = mprs;
    }

    /// The links of `station`, each with the neighbour's address.
    fn links_of<'a>(
        &'a self,
        cx: &Context<'a>,
        station: NodeId,
    ) -> impl Iterator<Item = (NodeId, &'a Link)> {
        let (stations, node) = (cx.stations, self.node);
        let links = self.links.current(cx.now).map(|(address, link)| (address, &link.known));
        links.filter(move |&(address, _)| stations.peer(address, node) == Some(station))
    }

    /// What a HELLO by `station` lists: its own links, then the neighbours that none of these
    /// leads to (section 6.2).
    pub(super) fn listed(&self, cx: &Context, station: NodeId) -> Vec<Listed> {
        let measured = |link: &Link| {
            (self.config.metric == OlsrMetric::Etx).then(|| link.both_ways(&self.config))
        };
        let neighbour = |main: &NodeId| match () {
            () if self.mprs.contains(main) => NeighbourType::Mpr,
            () if self.symmetric.contains(main) => NeighbourType::Symmetric,
            () => NeighbourType::Not,
        };
        let own = self.links_of(cx, station).filter_map(|(node, link)| {
            let quality = measured(link);
            let advertised = link.advertised(cx.now)?;
            let listed =
                Listed { node, link: advertised, neighbour: neighbour(&link.main), quality };
            Some((link.main, listed))
        });
        let (mains, mut all): (BTreeSet<NodeId>, Vec<Listed>) = own.unzip();
        if cx.stations.are_several() {
            let elsewhere = self.symmetric.iter().filter(|main| !mains.contains(main));
            all.extend(elsewhere.map(|main| Listed {
                node: *main,
                link: LinkType::Unspecified,
                neighbour: neighbour(main),
                quality: self.best_link(cx.now, *main).and_then(|(_, link)| measured(link)),
            }));
        }
        all
    }

    /// The link that data to the neighbour `main` take, and its station there: a symmetric one, of
    /// these the best if links are measured, of these the one of the first station.
    pub(super) fn best_link(&self, now: Instant, main: NodeId) -> Option<(NodeId, &Link)> {
        let links = self.addresses.of(main);
        let links =
            links.filter_map(|address| Some((address, &self.links.get(now, address)?.known)));
        let worth = |&(address, link): &(NodeId, &Link)| {
            let cost = match self.config.metric {
                OlsrMetric::Hops => Some(1),
                OlsrMetric::Etx => link.both_ways(&self.config).etx(),
            };
            (link.is_symmetric(now), Reverse(cost.unwrap_or(u32::MAX)), Reverse(address))
        };
        links.max_by_key(worth)
    }

    /// Tells all which addresses this node has, if several (section 5.2).
    pub(super) fn send_mid(&mut self, cx: &mut Context) {
        let others: Vec<NodeId> =
            cx.stations.all_of(self.node).filter(|&station| station != self.node).collect();
        if !others.is_empty() {
            let validity = self.config.top_hold_time();
            self.originate(cx, None, Content::Mid(others.into()), validity, TC_TIME_TO_LIVE);
            self.send(cx);
        }
    }
}
