//! Access points and their clients: beacons, association, and how a client's packets go through its
//! access point into the mesh and out of it.
//!
//! The mesh carries what a client sends as if its access point sent it. What is for a client goes
//! to the access point that routing knows it behind: this one has told the others with the
//! protocol's own messages ([`Protocol::on_client`](crate::routing::Protocol::on_client)). An access
//! point knows a client from its association on, until too many packets to it were lost.
//!
//! Planned routes are as if a directory of all clients were in every node: what is for a client is
//! addressed to its access point, and dropped if there is none.

use schemars::JsonSchema;
use serde::Serialize;

use super::event::Event;
use super::{LINK_DELAY, Simulation};
use crate::capture::Detail;
use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::link::association::{Client, Clients};
use crate::radio::StationLayout;
use crate::routing::originated;
use crate::scenario::{Role, Scenario};
use crate::wire::management::{Management, TIME_UNIT_US};
use crate::wire::{Body, Extension, IP_HEADER_BYTES, NodeId, Packet};

/// What a station is in a cell.
#[derive(Clone, Debug)]
enum Member {
    /// An access point, the time between its beacons (TU), and its clients.
    AccessPoint(u16, Clients),
    /// A client, and the instant for which its timer is set.
    Client(Box<Client>, Instant),
}

/// The stations of all cells.
#[derive(Debug)]
pub struct Cells {
    /// By station; none for those of the mesh.
    members: Vec<Option<Member>>,
    /// Every node knows which client belongs where.
    has_directory: bool,
}

/// A client and its access point.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ClientReport {
    /// The client.
    pub node: u32,
    /// The access point that it belonged to at the end.
    pub access_point: Option<u32>,
    /// When it was associated first \[s\].
    pub associated_s: Option<f64>,
    /// How often it was associated.
    pub associations: u32,
    /// How often it lost its access point.
    pub losses: u32,
}

impl Cells {
    /// Those of `scenario`, if it has any.
    pub fn new(scenario: &Scenario, layout: &StationLayout, seed: u64) -> Option<Box<Cells>> {
        if !scenario.has_cells() {
            return None;
        }
        let mut all: Vec<Option<Member>> = vec![None; layout.count()];
        for (kind, table) in scenario.interfaces.iter().enumerate() {
            for (place, node) in scenario.members(table).into_iter().enumerate() {
                let kind = crate::wire::Interface(kind as u8);
                let station = layout.of(NodeId(node), kind);
                let given = || {
                    let given = table.access_point(place)?;
                    layout.on_channel(kind, given)
                };
                all[station.index()] = table.role.map(|role| match role {
                    Role::AccessPoint => Member::AccessPoint(table.beacon_tu(), Clients::default()),
                    Role::Client => {
                        let mut rng = stream(seed, station);
                        let begin = Instant::from_secs_f64(0.1 * rng.unit());
                        Member::Client(Box::new(Client::new(given(), begin)), begin)
                    }
                });
            }
        }
        let has_directory = scenario.routing.is_planned();
        Some(Box::new(Cells { members: all, has_directory }))
    }

    fn client(&self, station: NodeId) -> Option<&Client> {
        match self.members.get(station.index()) {
            Some(Some(Member::Client(client, _))) => Some(client),
            _ => None,
        }
    }

    fn clients(&mut self, station: NodeId) -> Option<&mut Clients> {
        match self.members.get_mut(station.index()) {
            Some(Some(Member::AccessPoint(_, clients))) => Some(clients),
            _ => None,
        }
    }

    /// Whether `station` is an access point that knows `client`.
    fn has(&self, station: NodeId, client: NodeId) -> bool {
        let member = self.members.get(station.index());
        matches!(member, Some(Some(Member::AccessPoint(_, clients))) if clients.has(client))
    }
}

/// When stations begin with what they repeat.
fn stream(seed: u64, station: NodeId) -> Rng {
    Rng::stream(seed, Purpose::Cells, u64::from(station.0))
}

impl Simulation {
    /// Access points begin to send beacons, each at an instant of its own, and clients to search.
    pub(super) fn start_cells(&mut self) {
        let Some(cells) = &self.cells else { return };
        for (station, member) in (0..).map(NodeId).zip(&cells.members) {
            let at = match member {
                None => continue,
                Some(Member::Client(_, at)) => *at,
                Some(Member::AccessPoint(tu, _)) => {
                    let interval_s = interval(*tu).as_secs_f64();
                    Instant::from_secs_f64(interval_s * stream(self.origin.seed, station).unit())
                }
            };
            self.clock.schedule(at, Event::Cell(station));
        }
    }

    /// Whether `node` is a client, whose routing is its access point's.
    #[inline]
    pub(super) fn is_client(&self, node: NodeId) -> bool {
        self.cells.as_ref().is_some_and(|cells| cells.client(node).is_some())
    }

    /// A beacon is due, or the time of a client's timer has come.
    #[cold]
    pub(super) fn on_cell(&mut self, station: NodeId) {
        let now = self.clock.now();
        let Some(cells) = &mut self.cells else { return };
        let Some(member) = &mut cells.members[station.index()] else { return };
        match member {
            &mut Member::AccessPoint(tu, _) => {
                self.clock.schedule(now + interval(tu), Event::Cell(station));
                self.manage(station, NodeId::BROADCAST, Management::Beacon(tu));
            }
            // It was set for another instant meanwhile.
            Member::Client(_, at) if *at != now => {}
            Member::Client(client, at) => {
                // Beacons only put it off.
                let is_due = client.deadline() <= now;
                let sent = if is_due { client.on_timer(now) } else { None };
                *at = client.deadline();
                self.clock.schedule(*at, Event::Cell(station));
                if let Some((to, frame)) = sent {
                    self.manage(station, to, frame);
                }
            }
        }
    }

    /// `station` sends a management frame.
    fn manage(&mut self, station: NodeId, to: NodeId, frame: Management) {
        let size_bytes = frame.bytes();
        let body = Body::Routing(Extension::new(frame));
        let packet =
            Packet { size_bytes, ttl: 1, ..Packet::new(station, to, self.clock.now(), body) };
        self.hand_over((station, to, packet), LINK_DELAY, Event::Down);
    }

    /// `station` has received a management frame of the station `from`.
    fn on_management(&mut self, station: NodeId, from: NodeId, frame: Management) {
        let now = self.clock.now();
        let power_w = self.stations.medium.hearers.power_w(from, station, now).unwrap_or(0.0);
        let Some(cells) = &mut self.cells else { return };
        let mut is_new = false;
        let answer = match &mut cells.members[station.index()] {
            None => return,
            Some(Member::AccessPoint(tu, clients)) => {
                clients.on_heard(from);
                is_new = frame == Management::AssociationRequest && clients.add(from);
                frame.answer(*tu).map(|answer| (from, answer))
            }
            Some(Member::Client(client, at)) => {
                let sent = client.on_frame(now, (from, power_w), frame);
                if client.deadline() < *at {
                    *at = client.deadline();
                    self.clock.schedule(*at, Event::Cell(station));
                }
                sent
            }
        };
        if let Some((to, frame)) = answer {
            self.manage(station, to, frame);
        }
        if is_new {
            self.tell_routing(station, from, true);
        }
    }

    /// The client `client` of the access point `station` has come or is gone.
    fn tell_routing(&mut self, station: NodeId, client: NodeId, is_here: bool) {
        let layout = &self.stations.layout;
        let (node, client) = (layout.node(station), layout.node(client));
        self.route(node, |protocol, cx| protocol.on_client(cx, client, is_here));
    }

    /// The station by which `node` is the access point of `client`.
    fn cell_of(&self, node: NodeId, client: NodeId) -> Option<NodeId> {
        let cells = self.cells.as_ref()?;
        if cells.has_directory {
            let own = self.access_point(client)?;
            return (self.stations.layout.node(own) == node).then_some(own);
        }
        self.stations.layout.all_of(node).find(|&station| cells.has(station, client))
    }

    /// Whether every node knows which client belongs where.
    fn has_directory(&self) -> bool {
        self.cells.as_ref().is_some_and(|cells| cells.has_directory)
    }

    /// A packet has come up from the link of `station`. Returns what is left to do with it as if
    /// there were no cells.
    #[cold]
    pub(super) fn in_cells(
        &mut self,
        station: NodeId,
        from: NodeId,
        mut packet: Packet,
    ) -> Option<Packet> {
        let node = self.stations.layout.node(station);
        if let Body::Routing(message) = &packet.body
            && let Some(&frame) = message.get::<Management>()
        {
            self.on_management(station, from, frame);
            return None;
        }
        if self.is_client(node) {
            let is_for_here = packet.is_transport() && packet.destination == node;
            return is_for_here.then_some(packet);
        }
        if !packet.is_transport() {
            return Some(packet);
        }
        if self.stations.layout.is_in_cell(station) {
            if !self.is_known(station, from) {
                self.drop_at(node, &packet, Detail::NotAssociated);
                return None;
            }
            if packet.destination == node {
                return Some(packet);
            }
            // The mesh's routing adds it again.
            if let Body::Udp(_) = packet.body {
                packet.size_bytes -= IP_HEADER_BYTES;
            }
            self.enter_mesh(node, packet);
            return None;
        }
        let is_for_client =
            !self.has_directory() && self.cell_of(node, packet.destination).is_some();
        if packet.destination != node && !is_for_client {
            return Some(packet);
        }
        (packet.source, packet.destination) = self.endpoints.ends_of_packet(&packet)?;
        if packet.destination == node {
            return Some(packet);
        }
        self.send_to_client(node, packet);
        None
    }

    /// Whether the access point `station` knows the client `from`, of which a frame has come; if not
    /// it tells it.
    fn is_known(&mut self, station: NodeId, from: NodeId) -> bool {
        let Some(cells) = self.cells.as_mut().filter(|cells| !cells.has_directory) else {
            return true;
        };
        let Some(clients) = cells.clients(station) else { return true };
        clients.on_heard(from);
        let is_known = clients.has(from);
        if !is_known {
            self.manage(station, from, Management::Deauthentication);
        }
        is_known
    }

    /// Transport at `node` sends `packet`.
    #[cold]
    pub(super) fn send_among_cells(&mut self, node: NodeId, packet: Packet) {
        if !self.is_client(node) {
            return self.enter_mesh(node, packet);
        }
        match self.access_point(node) {
            Some(to) => self.link_send(node, to, originated(packet)),
            None => self.drop_at(node, &packet, Detail::NotAssociated),
        }
    }

    /// The station of the access point that the client `node` belongs to.
    fn access_point(&self, node: NodeId) -> Option<NodeId> {
        self.cells.as_ref()?.client(node)?.access_point()
    }

    /// `packet`, as a transport made it, enters the mesh at `node`, and leaves it at its
    /// destination or at that one's access point.
    fn enter_mesh(&mut self, node: NodeId, mut packet: Packet) {
        let destination = packet.destination;
        if self.cell_of(node, destination).is_some() {
            return self.send_to_client(node, originated(packet));
        }
        if self.has_directory() && self.is_client(destination) {
            let Some(to) = self.access_point(destination) else {
                return self.drop_at(node, &packet, Detail::NotAssociated);
            };
            packet.destination = self.stations.layout.node(to);
        }
        packet.source = node;
        self.route(node, |protocol, cx| protocol.on_send(cx, packet));
    }

    /// The access point `node` sends `packet` to the client that it is for, if that still belongs
    /// to it.
    fn send_to_client(&mut self, node: NodeId, packet: Packet) {
        let client = packet.destination;
        match self.cell_of(node, client) {
            Some(own) => self.link_send(own, client, packet),
            None => self.drop_at(node, &packet, Detail::NotAssociated),
        }
    }

    /// Whether what `station` could not deliver is a cell's alone, so that no routing is told. It
    /// is dropped then.
    #[cold]
    pub(super) fn is_lost_in_cell(&mut self, station: NodeId, to: NodeId, packet: &Packet) -> bool {
        let is_lost = self.stations.layout.is_in_cell(station);
        if is_lost && packet.is_transport() {
            self.drop_at(station, packet, Detail::LinkFailure);
            let cells = self.cells.as_mut().filter(|cells| !cells.has_directory);
            let clients = cells.and_then(|cells| cells.clients(station));
            if clients.is_some_and(|clients| clients.on_lost(to)) {
                self.manage(station, to, Management::Deauthentication);
                self.tell_routing(station, to, false);
            }
        }
        is_lost
    }

    /// What became of the clients.
    pub(super) fn client_reports(&self) -> Vec<ClientReport> {
        let all = self.cells.iter().flat_map(|cells| (0..).map(NodeId).zip(&cells.members));
        let report = |(station, member): (NodeId, &Option<Member>)| {
            let Some(Member::Client(client, _)) = member else { return None };
            let layout = &self.stations.layout;
            Some(ClientReport {
                node: layout.node(station).0,
                access_point: client.access_point().map(|to| layout.node(to).0),
                associated_s: client.since.map(Instant::as_secs_f64),
                associations: client.associations,
                losses: client.losses,
            })
        };
        all.filter_map(report).collect()
    }
}

fn interval(tu: u16) -> Duration {
    Duration::from_micros(u64::from(tu) * TIME_UNIT_US)
}
