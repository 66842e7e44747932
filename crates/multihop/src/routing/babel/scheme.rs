//! Babel as a routing scheme: its named variants, and its report in a result.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::message::BabelPacket;
use super::tlv::Tlv;
use super::{Babel, BabelConfig};
use crate::config::document::read;
use crate::config::{ConfigError, Error, Named};
use crate::measure::Counts;
use crate::profile::Profile;
use crate::routing::metric::{LinkMetric, Metric};
use crate::routing::outside::TakesPolicy;
use crate::routing::{Layer, Nodes, Scheme, Setting, World};
use crate::wire::{Interface, NodeId, Octets};

/// The highest channel that an update can name in an octet; 255 stands for all above.
const HIGHEST_CHANNEL: u32 = 254;

/// What Babel did, all nodes together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BabelReport {
    /// Packets sent.
    pub packets_sent: u64,
    /// Their size, IPv6 and UDP headers included \[bytes\].
    pub bytes_sent: u64,
    /// Hellos sent.
    pub hellos_sent: u64,
    /// Hellos received.
    pub hellos_received: u64,
    /// IHUs sent.
    pub ihus_sent: u64,
    /// Acknowledgments sent.
    pub acks_sent: u64,
    /// Updates sent, retractions included.
    pub updates_sent: u64,
    /// Retractions sent.
    pub retractions_sent: u64,
    /// Updates received, retractions included.
    pub updates_received: u64,
    /// Retractions received.
    pub retractions_received: u64,
    /// Updates received that were not feasible.
    pub infeasible_updates: u64,
    /// Route requests sent, wildcard requests included.
    pub route_requests_sent: u64,
    /// Seqno requests originated; repetitions do not count.
    pub seqno_requests_originated: u64,
    /// Seqno requests forwarded.
    pub seqno_requests_forwarded: u64,
    /// Seqno requests received.
    pub seqno_requests_received: u64,
    /// Increases of nodes' own sequence numbers.
    pub seqno_increases: u64,
    /// Changes of selected routes: another neighbour, a first route or the loss of the last.
    pub route_changes: u64,
    /// Losses of the last route that could be used.
    pub routes_lost: u64,
    /// Neighbours of whom no Hello was left.
    pub neighbours_lost: u64,
    /// Malformed TLVs and packets received.
    pub malformed: u64,
    /// Data packets dropped because they had gone round: they came back to their source, or their
    /// time to live was over.
    pub looped_packets: u64,
    /// Routes selected at the end of the run, one for each node and prefix of another.
    pub routes_selected: u64,
    /// Routes known at the end of the run.
    pub routes_known: u64,
}

impl BabelReport {
    /// Counts a TLV that is sent.
    pub(super) fn note_sent(&mut self, tlv: &Tlv) {
        match tlv {
            Tlv::Hello(_) => self.hellos_sent += 1,
            Tlv::Ihu { .. } => self.ihus_sent += 1,
            Tlv::Ack { .. } => self.acks_sent += 1,
            Tlv::Update(update) => {
                self.updates_sent += 1;
                self.retractions_sent += u64::from(update.is_retraction());
            }
            Tlv::RouteRequest { .. } => self.route_requests_sent += 1,
            Tlv::AckRequest { .. } | Tlv::SeqnoRequest(_) => {}
        }
    }
}

impl Babel {
    /// What this node has counted, and the routes that it has.
    fn report(&self) -> BabelReport {
        let all = self.table.all.iter().filter(|known| !known.is_own);
        BabelReport {
            routes_selected: all.clone().filter(|known| known.selected.is_some()).count() as u64,
            routes_known: all.map(|known| known.routes.len() as u64).sum(),
            ..self.counts.clone()
        }
    }
}

impl Scheme for BabelConfig {
    const NAME: &'static str = "babel";
    const ABOUT: &'static str =
        "Babel (RFC 8966) by expected transmissions or, of links that are up, by hops.";
    const MESSAGES: &'static [(&'static str, &'static str)] =
        &[(BabelPacket::NAME, "A packet of Babel.")];
    const NAMED: &'static [Named] = &[
        Named::new(
            "babel",
            "Babel by expected transmissions, TCP NewReno",
            &[("routing", "{scheme = \"babel\"}"), ("transport.scheme", "\"newreno\"")],
        ),
        Named::new(
            "babel-hops",
            "Babel by hops over links that are up (2-out-of-3 sensing), TCP NewReno",
            &[
                ("routing", "{scheme = \"babel\", metric = \"k-out-of-j\"}"),
                ("transport.scheme", "\"newreno\""),
            ],
        ),
    ];

    const KEEPS_ROUTES: bool = true;

    fn read(table: Table) -> Result<BabelConfig, Error> {
        read("routing", table.into())
    }

    fn check(&self, setting: &Setting) -> Result<(), ConfigError> {
        BabelConfig::check(self)?;
        if setting.stations.have_wires() && !self.diversity.is_none() {
            let fault = "must be \"none\" with [[wires]], which are on no channel";
            return Err(ConfigError::new("diversity", fault));
        }
        let far = setting.stations.channels().find(|&channel| channel > HIGHEST_CHANNEL);
        match far.filter(|_| !self.diversity.is_none()) {
            None => Ok(()),
            Some(channel) => {
                let fault = format!(
                    "must be \"none\" with channels above {HIGHEST_CHANNEL}, which an octet holds \
                     (got channel {channel})"
                );
                Err(ConfigError::new("diversity", fault))
            }
        }
    }

    fn resolved(&self, _: Profile) -> BabelConfig {
        BabelConfig::resolved(self)
    }

    fn carries_clients(&self) -> bool {
        true
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        None
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        Box::new(Nodes::new(world, self.node(world)).summing(Babel::report))
    }

    fn report_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<BabelReport>())
    }
}

impl BabelConfig {
    /// Makes the protocol of each node.
    fn node(&self, world: &World) -> impl Fn(NodeId) -> Babel + use<> {
        let (config, stations, is_open) = (self.clone(), world.stations.count(), world.is_open);
        let radios = world
            .test_attempts
            .iter()
            .zip(0..)
            .filter(|&(_, kind)| !world.stations.is_wire_kind(Interface(kind)));
        let attempts: Vec<_> = radios.map(|(attempt, _)| *attempt).collect();
        move |node| Babel::new(node, stations, &config, is_open).with_attempts(&attempts)
    }
}

impl TakesPolicy for BabelConfig {
    type Policy = dyn LinkMetric;
    type Node = Babel;

    fn make(&self, world: &World) -> impl Fn(NodeId, Box<dyn LinkMetric>) -> Babel {
        let made = self.node(world);
        move |node, metric| made(node).with_metric(Metric::outside(metric))
    }

    fn counts(node: &Babel) -> Counts {
        node.metric.counts()
    }
}
