//! What stations are in infrastructure cells: access points and clients, by `[[interfaces]]`.

use super::Scenario;
use super::interfaces::{InterfaceTable, Role};
use super::mobility::Mobility;
use crate::config::{Error, within};
use crate::link::config::Pacing;
use crate::mac::config::AccessKind;
use crate::radio::{Neighbours, Position, StationLayout};
use crate::wire::NodeId;
use crate::wire::management::TIME_UNIT_US;

/// The usual time between beacons: 100 TU.
const BEACON_S: f64 = 0.1024;

impl InterfaceTable {
    /// The time between beacons of its access points (TU).
    pub fn beacon_tu(&self) -> u16 {
        let seconds = self.beacon_s.unwrap_or(BEACON_S);
        (seconds * 1e6 / TIME_UNIT_US as f64).round() as u16
    }

    /// The access point that its client number `place` is to have, if it is given.
    pub fn access_point(&self, place: usize) -> Option<NodeId> {
        let given = self.access_points.as_deref()?;
        given.get(if given.len() == 1 { 0 } else { place }).map(|&node| NodeId(node))
    }
}

impl Scenario {
    /// Whether there are access points and clients.
    pub fn has_cells(&self) -> bool {
        self.interfaces.iter().any(|table| table.role.is_some())
    }

    /// The nodes that have a station of this kind.
    pub fn members(&self, table: &InterfaceTable) -> Vec<u32> {
        let every = || (0..self.topology.nodes() as u32).collect();
        table.nodes.clone().unwrap_or_else(every)
    }

    /// Who hears whom among nodes by stations that are in no cell; `neighbours` has that of nodes.
    /// None if there are no cells.
    pub fn mesh_neighbours(
        &self,
        stations: &StationLayout,
        neighbours: &Neighbours,
        positions: &[Position],
        seed: u64,
    ) -> Option<Neighbours> {
        if !self.has_cells() {
            return None;
        }
        let is_of_mesh = |a, b| !stations.is_in_cell(a) && !stations.is_in_cell(b);
        let of_stations = self.station_neighbours(stations, neighbours, positions, seed);
        let of_stations = of_stations.as_ref().unwrap_or(neighbours);
        Some(of_stations.among(is_of_mesh).of_nodes(stations))
    }

    /// Of `neighbours` among nodes, those between which traffic may go: clients and access points,
    /// and nodes that have a channel of the mesh in common.
    pub(super) fn passing(&self, neighbours: Neighbours) -> Neighbours {
        let (true, Ok(stations)) = (self.has_cells(), self.stations()) else { return neighbours };
        let of_role = |role: Role| {
            let mut has_it = vec![false; stations.nodes()];
            let tables = self.interfaces.iter().filter(|table| table.role == Some(role));
            for node in tables.flat_map(|table| self.members(table)) {
                has_it[node as usize] = true;
            }
            has_it
        };
        let [clients, access] = [Role::Client, Role::AccessPoint].map(of_role);
        neighbours.among(|a, b| match (clients[a.index()], clients[b.index()]) {
            (false, false) => stations.shared(a, b).is_some(),
            (true, false) => access[b.index()],
            (false, true) => access[a.index()],
            (true, true) => false,
        })
    }

    /// Checks the access points and clients, and that nothing else is chosen that cannot have them.
    pub(super) fn check_cells(&self, stations: &StationLayout) -> Result<(), Error> {
        for (i, table) in self.interfaces.iter().enumerate() {
            self.check_role(i, table, stations)?;
        }
        if !self.has_cells() {
            return Ok(());
        }
        if !self.routing.carries_clients() {
            let fault = format!(
                "must be one that carries packets of access points' clients as they are: {:?} does \
                 not; docs/model/model.md has those that do",
                self.routing.name()
            );
            return Err(Error::new("routing.scheme", fault));
        }
        for (key, is_wrong, fault) in [
            ("mobility.kind", self.mobility != Mobility::Static, "\"static\""),
            ("mac.scheme", self.mac.is_admitting(), "\"dcf\""),
            ("mac.access", self.mac.access != AccessKind::Dcf, "\"dcf\""),
            ("link.pacing", self.link.pacing != Pacing::None, "\"none\""),
        ] {
            if is_wrong {
                let fault = format!("must be {fault} with access points and clients");
                return Err(Error::new(key, fault));
            }
        }
        Ok(())
    }

    fn check_role(
        &self,
        place: usize,
        table: &InterfaceTable,
        stations: &StationLayout,
    ) -> Result<(), Error> {
        let wrong =
            |key: &str, fault: String| Err(Error::new(format!("interfaces.{place}.{key}"), fault));
        if let Some(beacon_s) = table.beacon_s {
            if table.role != Some(Role::AccessPoint) {
                let fault = "can be given only with role = \"access-point\"";
                return wrong("beacon_s", fault.to_owned());
            }
            if let Err(error) = within("beacon_s", beacon_s, 0.01, 10.0) {
                return wrong("beacon_s", error.fault);
            }
        }
        if table.access_points.is_some() && table.role != Some(Role::Client) {
            let fault = "can be given only with role = \"client\"";
            return wrong("access_points", fault.to_owned());
        }
        let others = |role: Option<Role>| {
            let same =
                move |other: &&InterfaceTable| other.channel == table.channel && other.role == role;
            self.interfaces.iter().filter(same)
        };
        if table.role.is_some()
            && let Some(other) = others(None).next()
        {
            let fault = format!(
                "must be another than that of the mesh's interface \"{}\": a cell has its own (got \
                 {})",
                other.name, table.channel
            );
            return wrong("channel", fault);
        }
        if table.role != Some(Role::Client) {
            return Ok(());
        }
        let members = self.members(table);
        if let Some(&node) =
            members.iter().find(|&&node| stations.all_of(NodeId(node)).nth(1).is_some())
        {
            let fault = format!("must be nodes with no other interface: clients (got {node})");
            return wrong("nodes", fault);
        }
        let access: Vec<u32> =
            others(Some(Role::AccessPoint)).flat_map(|other| self.members(other)).collect();
        if access.is_empty() {
            let fault = "must be that of an interface with role = \"access-point\"";
            return wrong("channel", format!("{fault} (got {})", table.channel));
        }
        let Some(given) = &table.access_points else { return Ok(()) };
        if given.len() != 1 && given.len() != members.len() {
            let fault = format!(
                "must be one access point, or one for each of its {} nodes (got {})",
                members.len(),
                given.len()
            );
            return wrong("access_points", fault);
        }
        match given.iter().find(|node| !access.contains(node)) {
            None => Ok(()),
            Some(node) => {
                let fault = format!("must be access points on channel {}", table.channel);
                wrong("access_points", format!("{fault} (got {node})"))
            }
        }
    }
}
