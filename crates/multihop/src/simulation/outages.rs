//! Links that are cut and nodes that are off, by the scenario's `[[events]]` or by programs' order.

use super::Simulation;
use super::event::Event;
use crate::kernel::Instant;
use crate::radio::{Cuts, Hearers, Neighbours, StationLayout};
use crate::scenario::EventTable;
use crate::wire::{Interface, NodeId};

/// A change of what no signal passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outage {
    /// The link between two nodes is cut (true) or restored.
    Link(NodeId, NodeId, bool),
    /// The wire between two nodes that has ports of this kind is cut (true) or restored.
    Wire([NodeId; 2], Interface, bool),
    /// The radio of a node is off (true) or on.
    Node(NodeId, bool),
}

/// What is cut, and the changes to come.
#[derive(Debug, Default)]
pub struct Outages {
    /// Those of the scenario, in its order.
    staged: Vec<(Instant, Outage)>,
    cuts: Cuts,
    /// Who hears whom without the cuts.
    whole: Option<Neighbours>,
    /// What leaks to other channels without them.
    whole_leaks: Option<Neighbours>,
}

impl Outages {
    /// Those among `events`, of nodes with these stations.
    pub fn new(events: &[EventTable], stations: &StationLayout) -> Outages {
        let link = |change: &crate::scenario::LinkChange, is_cut| {
            let ends = [change.node, change.neighbour].map(NodeId);
            let wire = change.wire.as_deref().and_then(|name| stations.named(name));
            let outage = match wire {
                None => Outage::Link(ends[0], ends[1], is_cut),
                Some(wire) => Outage::Wire(ends, wire, is_cut),
            };
            (change.at_s, outage)
        };
        let staged = events.iter().filter_map(|event| match event {
            EventTable::LinkFailure(_) => None,
            EventTable::LinkCut(change) => Some(link(change, true)),
            EventTable::LinkRestore(change) => Some(link(change, false)),
            EventTable::NodeKill(it) => Some((it.at_s, Outage::Node(NodeId(it.node), true))),
            EventTable::NodeRestore(it) => Some((it.at_s, Outage::Node(NodeId(it.node), false))),
        });
        let staged = staged.map(|(at_s, outage)| (Instant::from_secs_f64(at_s), outage)).collect();
        Outages { staged, cuts: Cuts::of(stations.clone()), whole: None, whole_leaks: None }
    }

    /// Those of the scenario, in the order of time.
    pub fn by_time(&self) -> Vec<(Instant, Outage)> {
        let mut staged = self.staged.clone();
        staged.sort_by_key(|&(at, _)| at);
        staged
    }

    /// Has `hearers` hear what passes after `outage`.
    pub fn change(&mut self, outage: Outage, hearers: &mut Hearers) {
        match outage {
            Outage::Link(a, b, is_cut) => self.cuts.set_link(a, b, is_cut),
            Outage::Wire([a, b], wire, is_cut) => self.cuts.set_wire((a, b), wire, is_cut),
            Outage::Node(node, is_off) => self.cuts.set_node(node, is_off),
        }
        hearers.cut(&self.cuts, &mut self.whole);
    }
}

impl Simulation {
    /// The scenario's changes, for who has to do something about them besides.
    pub fn staged_outages(&self) -> &[(Instant, Outage)] {
        &self.outages.staged
    }

    /// Cuts or restores a link, or switches a radio off or on, now. Frames on the air arrive.
    pub fn change(&mut self, outage: Outage) {
        if let Outage::Node(node, is_off) = outage {
            let is_empty = self.batteries.as_ref().is_some_and(|all| all.is_empty(node));
            if is_empty && !is_off {
                return;
            }
            let now = self.clock.now();
            let radios: Vec<NodeId> = self.stations.layout.all_of(node).collect();
            for radio in radios {
                self.stations.medium.switch(radio, is_off, now);
            }
        }
        self.outages.change(outage, &mut self.stations.medium.hearers);
        let Outages { cuts, whole_leaks, .. } = &mut *self.outages;
        self.stations.medium.cut_leaks(cuts, whole_leaks);
    }

    pub(super) fn schedule_outages(&mut self) {
        for (number, &(at, _)) in (0..).zip(&self.outages.staged) {
            self.clock.schedule(at, Event::Outage(number));
        }
    }

    #[cold]
    pub(super) fn on_outage(&mut self, number: u32) {
        if let Some(&(_, outage)) = self.outages.staged.get(number as usize) {
            self.change(outage);
        }
    }
}
