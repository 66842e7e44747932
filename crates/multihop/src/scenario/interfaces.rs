//! The scenario's `[[interfaces]]`: kinds of station, each a radio on a channel.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::Scenario;
use super::antenna_table::AntennaTable;
use super::interface_radio::InterfaceRadio;
use super::mobility::Mobility;
use super::remarks::Remarks;
use super::topology::Topology;
use super::wires::{self, WireTable};
use crate::config::Error;
use crate::config::document::read;
use crate::config::table::not_a_table;
use crate::link::config::Pacing;
use crate::mac::MacConfig;
use crate::mac::config::PhyName;
use crate::mac::phy::GuardInterval;
use crate::profile::Profile;
use crate::radio::config::{Propagation, Reception};
use crate::radio::{RadioConfig, StationLayout};

/// Kinds of station at most.
const MOST: usize = 32;
/// The highest number of a channel.
const HIGHEST_CHANNEL: u32 = 1000;

/// Keys that a table may have in place of those of `[mac]`, and these.
const OF_MAC: [(&str, &str); 5] = [
    ("width_mhz", "channel_mhz"),
    ("streams", "streams"),
    ("mcs", "mcs"),
    ("guard_interval", "guard_interval"),
    ("aggregate", "aggregate"),
];

/// What stations of a kind are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Access points: they send beacons, and take part in the mesh by their node's other stations.
    AccessPoint,
    /// Clients of an access point: they send and receive all by it, and pass nothing on.
    Client,
}

/// A kind of station: a radio on a channel, with its MAC and its queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InterfaceTable {
    /// What routes and results call it.
    pub name: String,
    /// The nodes that have one; all unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<u32>")]
    pub nodes: Option<Vec<u32>>,
    /// Its channel. Stations on different channels never hear each other.
    pub channel: u32,
    /// Its PHY with the PHY's own rates, slot, SIFS and contention window; that of `[mac]` unless
    /// given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PhyName")]
    pub phy: Option<PhyName>,
    /// Width of the channel (MHz), in place of `mac.channel_mhz`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub width_mhz: Option<u32>,
    /// In place of `mac.streams`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub streams: Option<u32>,
    /// In place of `mac.mcs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u8")]
    pub mcs: Option<u8>,
    /// In place of `mac.guard_interval`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "GuardInterval")]
    pub guard_interval: Option<GuardInterval>,
    /// In place of `mac.aggregate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub aggregate: Option<u32>,
    /// What its radios have otherwise than `[radio]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "InterfaceRadio")]
    pub radio: Option<InterfaceRadio>,
    /// What its stations are in an infrastructure cell; those of the mesh are in none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Role")]
    pub role: Option<Role>,
    /// The time between beacons (s); access points only, 0.1024 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub beacon_s: Option<f64>,
    /// The node that each of its clients has as access point, or all of them have; the one that is
    /// heard best unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<u32>")]
    pub access_points: Option<Vec<u32>>,
    /// Its antennas: of 0 dBi in every direction unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AntennaTable")]
    pub antenna: Option<AntennaTable>,
    /// The MAC of stations with a PHY of their own, or with keys of it.
    #[serde(skip)]
    mac: Option<Box<MacConfig>>,
    /// The whole radio of stations that have one of their own.
    #[serde(skip)]
    whole_radio: Option<Box<RadioConfig>>,
}

impl InterfaceTable {
    /// Reads the tables in `value` for a network of `nodes` nodes, whose stations have the tables
    /// `[mac]` and `[radio]` but for what these say.
    ///
    /// # Errors
    /// The first key that is unknown or of another type.
    pub fn read_all(
        value: Option<Value>,
        (mac, radio): (&Table, &Table),
        nodes: usize,
        remarks: &mut Remarks,
    ) -> Result<Vec<InterfaceTable>, Error> {
        let tables = match value {
            None => return Ok(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(_) => return Err(Error::new("interfaces", "must be tables: [[interfaces]]")),
        };
        let mut usual = mac.clone();
        MacConfig::fill_in_phy(&mut usual);
        let usual: MacConfig = read("mac", usual.into())?;
        let table = |(i, value)| {
            let place = format!("interfaces.{i}");
            let Value::Table(table) = value else { return Err(not_a_table(&place, &value)) };
            let mut own: Table = OF_MAC
                .iter()
                .filter_map(|&(key, of_mac)| Some((of_mac.to_owned(), table.get(key)?.clone())))
                .collect();
            let own_radio = match table.get("radio") {
                Some(Value::Table(own)) => Some(own.clone()),
                _ => None,
            };
            let mut it: InterfaceTable = read(&place, table.into())?;
            if let Some(phy) = it.phy {
                own.insert("phy".to_owned(), phy.name().into());
            }
            let own_mac = (!own.is_empty()).then(|| MacConfig::with_own(mac, own)).transpose()?;
            let whole = it.own_radio(&place, own_radio, (own_mac.as_ref(), &usual), radio)?;
            (it.radio, it.whole_radio) = whole.map(|(own, whole)| (own, Box::new(whole))).unzip();
            if let Some(antenna) = &mut it.antenna {
                let every: Vec<u32> = (0..nodes as u32).collect();
                let members = it.nodes.as_ref().unwrap_or(&every);
                antenna.resolve(&format!("{place}.antenna"), members, remarks)?;
            }
            Ok(InterfaceTable { mac: own_mac.map(Box::new), ..it })
        };
        tables.into_iter().enumerate().map(table).collect()
    }

    /// The radio of its stations if they have one of their own: the keys `own` in the place of
    /// those of `[radio]`, `usual`, and what their MAC needs where it is another than `usual_mac`.
    fn own_radio(
        &self,
        place: &str,
        own: Option<Table>,
        (own_mac, usual_mac): (Option<&MacConfig>, &MacConfig),
        usual: &Table,
    ) -> Result<Option<(InterfaceRadio, RadioConfig)>, Error> {
        let is = |key: &str, word: &str| usual.get(key).and_then(Value::as_str) == Some(word);
        let is_by_signal = is("reception", "sinr") && !is("propagation", "measured");
        let signal = own_mac.unwrap_or(usual_mac).signal();
        let is_other = own_mac.is_some_and(|own| !own.sends_as(usual_mac));
        let mut own = own;
        if let (true, Some(signal)) = (is_by_signal && is_other, signal) {
            // Another PHY has another band, and its signals another reach.
            let own = own.get_or_insert_default();
            if own_mac.is_some_and(|own| own.phy != usual_mac.phy) {
                let band = Value::from(signal.frequency_hz);
                own.entry("frequency_hz").or_insert(band);
            }
        }
        let place = format!("{place}.radio");
        own.map(|own| InterfaceRadio::read(&place, &own, usual, signal)).transpose()
    }

    /// The MAC of its stations, in a network whose others have `usual`.
    pub fn mac<'a>(&'a self, usual: &'a MacConfig) -> &'a MacConfig {
        self.mac.as_deref().filter(|own| own.phy != usual.phy || self.has_own()).unwrap_or(usual)
    }

    /// Whether it has keys that are in place of those of `[mac]`.
    fn has_own(&self) -> bool {
        self.own_keys() != (None, None, None, None, None)
    }

    #[expect(clippy::type_complexity, reason = "compared as a whole")]
    fn own_keys(
        &self,
    ) -> (Option<u32>, Option<u32>, Option<u8>, Option<GuardInterval>, Option<u32>) {
        (self.width_mhz, self.streams, self.mcs, self.guard_interval, self.aggregate)
    }

    /// The radio of its stations, in a network whose others have `usual`.
    pub fn radio<'a>(&'a self, usual: &'a RadioConfig) -> &'a RadioConfig {
        self.whole_radio.as_deref().unwrap_or(usual)
    }
}

impl Scenario {
    /// The MAC of each kind of station; that of `[mac]` stands for ports of wires, which have none.
    pub fn station_macs(&self) -> impl Iterator<Item = &MacConfig> {
        let only = self.interfaces.is_empty().then_some(&self.mac);
        let radios = self.interfaces.iter().map(|table| table.mac(&self.mac));
        only.into_iter().chain(radios).chain(self.wires.iter().map(|_| &self.mac))
    }

    /// The nodes' stations.
    ///
    /// # Errors
    /// The first key of `[[interfaces]]` that is out of bounds or contradicts another.
    pub fn stations(&self) -> Result<StationLayout, Error> {
        stations(&self.interfaces, &self.wires, self.topology.nodes())
    }

    /// Checks that access categories are only where they can be, as far as other tables decide.
    pub(super) fn check_classes(&self) -> Result<(), Error> {
        let has_edca = self.station_macs().any(|mac| mac.edca);
        for (key, is_wrong, fault) in [
            ("profile", self.profile != Profile::Standard, "\"standard\" with mac.edca = true"),
            ("mac.access", !self.mac.has_stations_of_any_kind(), "must be \"dcf\" or \"tdma\""),
            ("link.pacing", self.link.pacing != Pacing::None, "\"none\" with mac.edca = true"),
        ] {
            if has_edca && is_wrong {
                return Err(Error::new(key, format!("must be {fault}")));
            }
        }
        match self.flows.iter().position(|flow| flow.class().is_some()) {
            Some(place) if !has_edca => {
                let fault = "can be given only with mac.edca = true";
                Err(Error::new(format!("flows.{place}.class"), fault))
            }
            _ => Ok(()),
        }
    }

    /// Checks the nodes' stations, and that nothing else is chosen that cannot have them.
    pub(super) fn check_interfaces(&self) -> Result<StationLayout, Error> {
        let stations = self.stations()?;
        for (i, table) in self.interfaces.iter().enumerate() {
            let mac = table.mac(&self.mac);
            mac.check().map_err(|error| {
                let own = OF_MAC.iter().find(|(_, of_mac)| *of_mac == error.key);
                match own.filter(|_| table.has_own()) {
                    Some((key, _)) => Error::new(format!("interfaces.{i}.{key}"), error.fault),
                    None => {
                        let fault = format!("mac.{}: {}", error.key, error.fault);
                        Error::new(format!("interfaces.{i}.phy"), fault)
                    }
                }
            })?;
            if self.radio.reception == Reception::Sinr && mac.signal().is_none() {
                let fault = "must be one with known error rates with radio.reception \"sinr\"";
                return Err(Error::new(format!("interfaces.{i}.phy"), fault));
            }
        }
        self.check_equipment()?;
        if self.wires.is_empty() && !stations.share_a_channel() && self.mobility != Mobility::Static
        {
            let fault = "must be \"static\" where [[interfaces]] are on several channels";
            return Err(Error::new("mobility.kind", fault));
        }
        if stations.are_several() {
            self.check_several("where a node has several interfaces")?;
        }
        Ok(stations)
    }

    /// Checks that nothing is chosen that cannot have nodes with several stations; `when` there are
    /// some.
    pub(super) fn check_several(&self, when: &str) -> Result<(), Error> {
        if let Some(why) = self.routing.needs_one_interface() {
            let fault = format!(
                "must be one that sends by several interfaces, as nodes here have: {:?} does not, as \
                 {why}",
                self.routing.name()
            );
            return Err(Error::new("routing.scheme", fault));
        }
        for (key, is_wrong, fault) in [
            ("mac.scheme", self.mac.is_admitting(), "must be \"dcf\""),
            ("mac.access", !self.mac.has_stations_of_any_kind(), "must be \"dcf\" or \"tdma\""),
            ("link.pacing", self.link.pacing != Pacing::None, "must be \"none\""),
        ] {
            if is_wrong {
                return Err(Error::new(key, format!("{fault} {when}")));
            }
        }
        Ok(())
    }
}

impl Scenario {
    /// Whether some station has a radio or an antenna of its own.
    pub(super) fn has_equipment(&self) -> bool {
        self.interfaces.iter().any(|table| table.radio.is_some() || table.antenna.is_some())
    }

    /// Checks the radios and antennas of their own that interfaces have.
    fn check_equipment(&self) -> Result<(), Error> {
        for (i, table) in self.interfaces.iter().enumerate() {
            let key = match (&table.radio, &table.antenna) {
                (None, None) => continue,
                (Some(_), _) => "radio",
                (None, Some(_)) => "antenna",
            };
            let is_links = matches!(*self.topology, Topology::Links(_));
            let is_measured = self.radio.propagation == Propagation::Measured;
            for (is_wrong, fault) in [
                (
                    self.mobility != Mobility::Static,
                    "nodes that stand still: mobility.kind \"static\"",
                ),
                (is_links, "positions: given links have no power"),
                (is_measured, "a propagation by distance: measured gains have all in them"),
            ] {
                if is_wrong {
                    let key = format!("interfaces.{i}.{key}");
                    return Err(Error::new(key, format!("can be given only with {fault}")));
                }
            }
            table.radio(&self.radio).check().map_err(|error| {
                Error::new(format!("interfaces.{i}.radio.{}", error.key), error.fault)
            })?;
            let last = self.topology.nodes() as u32 - 1;
            let targets = table.antenna.iter().flat_map(AntennaTable::targets);
            if let Some(node) = targets.into_iter().find(|&&node| node > last) {
                let fault = format!("must be nodes, 0 to {last} (got {node})");
                return Err(Error::new(format!("interfaces.{i}.antenna.towards"), fault));
            }
        }
        Ok(())
    }
}

/// The only interface of nodes that have wires besides.
pub(super) fn radio() -> Value {
    let keys = [("name", Value::from("radio")), ("channel", Value::from(1))];
    let table = Table::from_iter(keys.map(|(key, value)| (key.to_owned(), value)));
    Value::Array(vec![table.into()])
}

/// The stations of `nodes` nodes with these interfaces and ports of these wires.
fn stations(
    tables: &[InterfaceTable],
    wires: &[WireTable],
    nodes: usize,
) -> Result<StationLayout, Error> {
    if tables.is_empty() {
        return Ok(StationLayout::alike(nodes));
    }
    if tables.len() > MOST {
        let fault = format!("must be {MOST} at most (got {})", tables.len());
        return Err(Error::new("interfaces", fault));
    }
    for (i, table) in tables.iter().enumerate() {
        let wrong =
            |key: &str, fault: String| Err(Error::new(format!("interfaces.{i}.{key}"), fault));
        if table.name.trim().is_empty() {
            return wrong("name", "must not be empty".to_owned());
        }
        if let Some(other) = tables[..i].iter().position(|other| other.name == table.name) {
            return wrong("name", format!("must be other than that of interface {other}"));
        }
        if table.channel > HIGHEST_CHANNEL {
            let got = table.channel;
            return wrong("channel", format!("must be 0 to {HIGHEST_CHANNEL} (got {got})"));
        }
        let mut members = table.nodes.clone().unwrap_or_default();
        if let Some(node) = members.iter().find(|&&node| node as usize >= nodes) {
            return wrong("nodes", format!("must be nodes, 0 to {} (got {node})", nodes - 1));
        }
        members.sort_unstable();
        if let Some(pair) = members.windows(2).find(|pair| pair[0] == pair[1]) {
            return wrong("nodes", format!("must name each node once (got {} twice)", pair[0]));
        }
        let is_same = |other: &&InterfaceTable| other.channel == table.channel;
        let other = tables[..i].iter().find(is_same);
        let kind = |it: &InterfaceTable| (it.phy, it.own_keys());
        if let Some(other) = other.filter(|&other| kind(other) != kind(table)) {
            let fault = format!("must be that of interface \"{}\" on the same channel", other.name);
            return wrong("phy", fault);
        }
    }
    let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    wires::check(wires, &names, nodes)?;
    let radios = tables.iter().map(|it| (it.name.clone(), it.channel, it.nodes.clone()));
    // Each wire is a channel of its own, above all others.
    let ports = (HIGHEST_CHANNEL + 1..)
        .zip(wires)
        .map(|(channel, it)| (it.name.clone(), channel, Some(it.nodes.clone())));
    let kinds: Vec<_> = radios.chain(ports).collect();
    let in_cells = tables.iter().map(|it| it.role.is_some()).collect();
    let stations =
        StationLayout::of_kinds(nodes, &kinds).map_err(|(place, fault)| match place {
            Some(place) => Error::new(format!("interfaces.{place}.channel"), fault),
            None => Error::new("interfaces", fault),
        })?;
    Ok(stations.with_cells(in_cells).with_wires(tables.len()))
}
