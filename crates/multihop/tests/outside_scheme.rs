//! A routing scheme from outside the engine: what another crate writes to add its own.

use multihop::api::config::document::read;
use multihop::api::config::{ConfigError, Error, Named, within};
use multihop::api::kernel::Duration;
use multihop::api::routing::{
    Context, DropReason, Layer, Nodes, Protocol, Scheme, Setting, Shared, Timer, World,
};
use multihop::api::scenario::Scenario;
use multihop::api::schemes::Schemes;
use multihop::api::simulation::{Recording, RunResult, Simulation};
use multihop::api::wire::{Body, IP_HEADER_BYTES, NodeId, Packet};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use toml::Table;

/// The keys of a scheme that sends each packet to every neighbour, which pass it on once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Gossip {
    /// Links that a packet may cross.
    reach_hops: u8,
}

impl Default for Gossip {
    fn default() -> Self {
        Gossip { reach_hops: 8 }
    }
}

/// What it adds to a result.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct GossipReport {
    /// Packets passed on.
    passed_on: u64,
}

impl Scheme for Gossip {
    const NAME: &'static str = "gossip";
    const ABOUT: &'static str = "Every packet to everyone.";
    const NAMED: &'static [Named] = &[Named::new(
        "gossip",
        "every packet to everyone, TCP Reno",
        &[("routing", "{scheme = \"gossip\"}"), ("transport.scheme", "\"reno\"")],
    )];

    fn read(table: Table) -> Result<Gossip, Error> {
        read("routing", table.into())
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        within("reach_hops", f64::from(self.reach_hops), 1.0, 64.0)
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let node = |node| Gossiper { node, reach: self.reach_hops, seen: Vec::new(), passed_on: 0 };
        let report = |nodes: &[Gossiper], _: &Shared, _| GossipReport {
            passed_on: nodes.iter().map(|node| node.passed_on).sum(),
        };
        Box::new(Nodes::new(world, node).reporting(report))
    }

    fn report_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<GossipReport>())
    }
}

/// One node's gossip.
#[derive(Debug)]
struct Gossiper {
    node: NodeId,
    reach: u8,
    /// Datagrams seen, by their numbers.
    seen: Vec<u64>,
    passed_on: u64,
}

impl Protocol for Gossiper {
    fn on_send(&mut self, cx: &mut Context, mut packet: Packet) {
        packet.size_bytes += IP_HEADER_BYTES;
        packet.ttl = self.reach;
        self.is_new(&packet);
        cx.send(packet, NodeId::BROADCAST, Duration::ZERO);
    }

    fn on_receive(&mut self, cx: &mut Context, mut packet: Packet, _: NodeId) {
        packet.ttl -= 1;
        if packet.ttl == 0 {
            cx.drop(packet, DropReason::TimeToLive);
        } else if self.is_new(&packet) && packet.destination != self.node {
            self.passed_on += 1;
            let jitter = cx.rng.duration_below(Duration::from_millis(10));
            cx.send(packet, NodeId::BROADCAST, jitter);
        }
    }

    fn on_link_failure(&mut self, _: &mut Context, _: Packet, _: NodeId) {}

    fn on_timer(&mut self, _: &mut Context, _: Timer) {}
}

impl Gossiper {
    fn is_new(&mut self, packet: &Packet) -> bool {
        let Body::Udp(datagram) = &packet.body else { return false };
        let is_new = !self.seen.contains(&u64::from(datagram.number));
        self.seen.push(u64::from(datagram.number));
        is_new
    }
}

const CHAIN: &str = "duration_s = 20\n[topology]\nkind = \"chain\"\nhops = 3\n[routing]\n\
                     scheme = \"gossip\"\n[[flows]]\nkind = \"cbr\"\nsource = 0\ndestination = 3\n\
                     packet_bytes = 100\nrate_bps = 8000\n";

fn schemes() -> Schemes {
    Schemes::standard().with_routing::<Gossip>()
}

fn run(overrides: &[(&str, &str)]) -> Result<RunResult, Error> {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    let scenario = Scenario::with_schemes(&schemes(), CHAIN, &overrides)?;
    Ok(Simulation::new(&scenario, Some(1), &Recording::default()).expect("a network").run())
}

#[test]
fn a_scheme_of_another_crate_runs_and_reports() {
    let result = run(&[]).unwrap();
    let flow = &result.flows[0];
    assert!(flow.received_packets > Some(150), "{:?}", flow.received_packets);
    let report: GossipReport = result.scheme("gossip").expect("its report");
    assert!(report.passed_on >= 2 * 150, "{report:?}");
    let short = run(&[("routing.reach_hops", "2")]).unwrap();
    assert_eq!(short.flows[0].received_packets, Some(0), "three hops are out of reach");
}

#[test]
fn its_keys_are_checked_as_any_others() {
    let fault = |keys| run(keys).unwrap_err().to_string();
    assert_eq!(
        fault(&[("routing.reach_hop", "2")]),
        "routing.reach_hop: unknown key; did you mean `reach_hops`?"
    );
    assert_eq!(
        fault(&[("routing.reach_hops", "0")]),
        "routing.reach_hops: must be 1 to 64 (got 0)"
    );
}

#[test]
fn it_is_known_by_name_and_in_the_schemas() {
    assert!(schemes().routing_names().contains(&"gossip"));
    assert!(schemes().overrides("gossip").is_some());
    let scenario = multihop::api::scenario::schema(&schemes()).to_string();
    assert!(scenario.contains("Links that a packet may cross."));
    let result = multihop::api::simulation::schema(&schemes());
    assert!(result.to_string().contains("Packets passed on."));
    assert!(Scenario::from_toml(CHAIN, &[]).is_err(), "the standard schemes do not have it");
}
