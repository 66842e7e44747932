//! Packets for others that a routing protocol of another crate overhears, and messages of its own.

use multihop::capture::{COLUMNS, Happening, Row, Watch};
use multihop::config::document::read;
use multihop::config::{ConfigError, Error};
use multihop::kernel::Duration;
use multihop::routing::{Context, Layer, Nodes, Protocol, Scheme, Setting, Shared, Timer, World};
use multihop::scenario::Scenario;
use multihop::schemes::Schemes;
use multihop::simulation::{Recording, RunResult, Simulation};
use multihop::wire::{Content, Extension, IP_HEADER_BYTES, NodeId, Octets, Packet, Parts};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use toml::Table;

/// The keys of a scheme that sends each packet straight to its destination.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Listening {
    /// The nodes that overhear data packets.
    listeners: Vec<u32>,
    /// How often node 0 tells its neighbours that it is there.
    beacons: u32,
    /// How often it tells them that it leaves.
    farewells: u32,
}

/// The number of a beacon, as its protocol writes it down.
#[derive(Debug, PartialEq)]
struct Beacon(u32);

impl Octets for Beacon {
    const KIND: u8 = 222;
    const NAME: &'static str = "listening-beacon";
    const PORT: Option<u16> = Some(698);

    fn write(&self, out: &mut Vec<u8>) {
        out.extend([0xbe, 0xac, 0x07]);
        out.extend(self.0.to_be_bytes());
    }

    fn parts(&self, _: &Packet) -> Parts {
        Parts { hello: true, ..Parts::default() }
    }

    fn number(&self) -> Option<u32> {
        Some(self.0)
    }
}

/// A message that is no request, reply, error or HELLO.
#[derive(Debug, PartialEq)]
struct Farewell;

impl Octets for Farewell {
    const KIND: u8 = 223;
    const NAME: &'static str = "listening-farewell";

    fn write(&self, _: &mut Vec<u8>) {}
}

/// What each node has overheard, and what of it was for itself.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct ListeningReport {
    overheard: Vec<u64>,
    own: u64,
}

impl Scheme for Listening {
    const NAME: &'static str = "listening";
    const ABOUT: &'static str = "One hop, overheard by others.";
    const MESSAGES: &'static [(&'static str, &'static str)] =
        &[(Beacon::NAME, "A beacon."), (Farewell::NAME, "A farewell.")];

    fn read(table: Table) -> Result<Listening, Error> {
        read("routing", table.into())
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        Ok(())
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let node = |node: NodeId| Listener {
            node,
            listens: self.listeners.contains(&node.0),
            beacons: if node == NodeId(0) { self.beacons } else { 0 },
            farewells: if node == NodeId(0) { self.farewells } else { 0 },
            overheard: 0,
            own: 0,
        };
        let report = |nodes: &[Listener], _: &Shared, _| ListeningReport {
            overheard: nodes.iter().map(|node| node.overheard).collect(),
            own: nodes.iter().map(|node| node.own).sum(),
        };
        Box::new(Nodes::new(world, node).reporting(report))
    }

    fn report_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<ListeningReport>())
    }
}

#[derive(Debug)]
struct Listener {
    node: NodeId,
    listens: bool,
    beacons: u32,
    farewells: u32,
    overheard: u64,
    own: u64,
}

impl Protocol for Listener {
    fn on_start(&mut self, cx: &mut Context) {
        for number in 0..self.beacons {
            cx.broadcast(Extension::new(Beacon(number)), IP_HEADER_BYTES + 8 + 7);
        }
        for _ in 0..self.farewells {
            cx.broadcast(Extension::new(Farewell), IP_HEADER_BYTES + 4);
        }
    }

    fn on_send(&mut self, cx: &mut Context, mut packet: Packet) {
        packet.size_bytes += IP_HEADER_BYTES;
        packet.ttl = 1;
        let next_hop = packet.destination;
        cx.send(packet, next_hop, Duration::ZERO);
    }

    fn on_receive(&mut self, _: &mut Context, _: Packet, _: NodeId) {}

    fn on_link_failure(&mut self, _: &mut Context, _: Packet, _: NodeId) {}

    fn on_timer(&mut self, _: &mut Context, _: Timer) {}

    fn overhears(&self, packet: &Packet) -> bool {
        self.listens && packet.is_transport()
    }

    fn on_overheard(&mut self, _: &mut Context, packet: &Packet, receiver: NodeId) {
        assert!(packet.is_transport(), "only what it overhears");
        self.overheard += 1;
        self.own += u64::from(receiver == self.node);
    }
}

/// Node 1 and 2 are 10 m and 20 m from the source 0; node 3 is out of range.
const LINE: &str = "duration_s = 10\n[topology]\nkind = \"positions\"\n\
                    positions_m = [[0, 0], [10, 0], [20, 0], [2000, 0]]\n\
                    [routing]\nscheme = \"listening\"\n\
                    [[flows]]\nkind = \"cbr\"\nsource = 0\ndestination = 1\nstart_s = 1\nstop_s = 9\n\
                    packet_bytes = 500\nrate_bps = 40000\n";

fn network(overrides: &[(&str, &str)], recording: &Recording) -> Simulation {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    let schemes = Schemes::standard().with_routing::<Listening>();
    let scenario = Scenario::with_schemes(&schemes, LINE, &overrides).expect("a scenario");
    Simulation::new(&scenario, Some(1), recording).expect("a network")
}

fn run(overrides: &[(&str, &str)]) -> RunResult {
    network(overrides, &Recording::default()).run()
}

fn overheard(overrides: &[(&str, &str)]) -> Vec<u64> {
    let result = run(overrides);
    assert_eq!(result.flows[0].received_packets, Some(80), "{:?}", result.mac);
    let report: ListeningReport = result.scheme("listening").expect("its report");
    assert_eq!(report.own, 0, "what is for itself is not overheard");
    report.overheard
}

#[test]
fn a_protocol_of_another_crate_overhears_what_it_says_and_no_other_node_does() {
    assert_eq!(overheard(&[]), [0; 4]);
    assert_eq!(
        overheard(&[("routing.listeners", "[2]")]),
        [0, 0, 80, 0],
        "not node 0 alone is asked"
    );
    assert_eq!(overheard(&[("routing.listeners", "[0, 1]")]), [0; 4], "the ends overhear nothing");
    assert_eq!(overheard(&[("routing.listeners", "[0, 1, 2, 3]")]), [0, 0, 80, 0]);
}

#[test]
fn it_overhears_under_reception_by_signal_and_noise_and_where_macs_overhear_too() {
    let by_sinr = [("mac.phy", "\"802.11g\""), ("radio.reception", "\"sinr\"")];
    for keys in [&by_sinr[..], &[("mac.scheme", "\"semi-tcp\"")]] {
        let listening = [&[("routing.listeners", "[2]")], keys].concat();
        assert_eq!(overheard(&listening), [0, 0, 80, 0], "{keys:?}");
        assert_eq!(overheard(keys), [0; 4], "{keys:?}");
    }
}

#[test]
fn it_overhears_the_packets_of_an_a_mpdu_one_by_one() {
    let keys = [
        ("mac.phy", "\"802.11n\""),
        ("mac.aggregate", "16"),
        ("flows.0.rate_bps", "4e7"),
        ("flows.0.stop_s", "2"),
    ];
    for reception in ["threshold", "sinr"] {
        let reception: &str = &format!("\"{reception}\"");
        let with = |listeners: &str| {
            let more = [("routing.listeners", listeners), ("radio.reception", reception)];
            run(&[&keys[..], &more].concat())
        };
        let result = with("[2]");
        assert!(result.mac.aggregates_sent > 100, "{:?}", result.mac);
        let report: ListeningReport = result.scheme("listening").expect("its report");
        let received = result.flows[0].received_packets.expect("of CBR");
        assert!(report.overheard[2] * 10 > received * 9, "{report:?} of {received}");
        let deaf: ListeningReport = with("[]").scheme("listening").expect("its report");
        assert_eq!(deaf.overheard, [0; 4]);
    }
}

#[test]
fn its_messages_are_counted_recorded_and_captured_as_it_says() {
    let events = Some(Watch { snap_bytes: Some(0), ..Watch::default() });
    let recording = Recording { events, ..Recording::default() };
    let mut simulation = network(&[("routing.beacons", "3")], &recording);
    while !simulation.advance(u64::MAX) {}
    let counted = simulation.result().routing;
    let beacons = counted.messages["listening-beacon"];
    assert_eq!((beacons.packets, beacons.bytes), (3, 3 * 35));
    assert_eq!((counted.hello_packets, counted.packets_sent, counted.requests_sent), (3, 3, 0));
    let events = simulation.take_events().expect("a record");
    let sent = events.rows().filter(|row| row.happening == Happening::Transmit);
    let mut numbers: Vec<u32> =
        sent.filter(|row| row.content == Content::Hello).map(|row| row.number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 1, 2]);
    let mut file = Vec::new();
    events.write_pcap(&mut file).expect("a file in memory");
    // UDP with a port of its own and 8 + 7 bytes, the checksum, and then what the protocol wrote.
    let udp = [2, 186, 2, 186, 0, 15];
    let is_beacon = |bytes: &[u8]| bytes[..6] == udp && bytes[8..] == [0xbe, 0xac, 7, 0, 0, 0, 1];
    // Of the second, where it is sent and at both neighbours.
    assert_eq!(file.windows(15).filter(|bytes| is_beacon(bytes)).count(), 3);
    let name = b"listening-beacon";
    assert_eq!(file.windows(name.len()).filter(|bytes| bytes == name).count(), 9);
}

#[test]
fn the_record_of_events_has_the_words_of_its_messages() {
    let recording = Recording { events: Some(Watch::default()), ..Recording::default() };
    let mut simulation =
        network(&[("routing.beacons", "3"), ("routing.farewells", "2")], &recording);
    while !simulation.advance(u64::MAX) {}
    let events = simulation.take_events().expect("a record");
    let rows: Vec<Row> = events.rows().filter(|row| row.happening == Happening::Transmit).collect();
    let column = COLUMNS.iter().find(|column| column.name == "content").expect("a column");
    let mut codes = vec![0; rows.len()];
    column.write(events.senders(), &rows, &mut codes);
    let messages = Schemes::standard().with_routing::<Listening>().messages();
    let words = column.words(&messages).expect("words");
    let sent = |word| codes.iter().filter(|&&code| words[usize::from(code)].0 == word).count();
    // A beacon is a HELLO, as it says of itself.
    assert_eq!(["hello", "listening-farewell", "routing"].map(sent), [3, 2, 0]);
    assert_eq!(words.last(), Some(&("listening-farewell", "A farewell.")));
    let mut file = Vec::new();
    events.write_perfetto(&mut file).expect("a file in memory");
    let name = b"listening-farewell";
    assert!(file.windows(name.len()).any(|bytes| bytes == name));
}

#[test]
fn results_of_protocols_that_name_no_messages_stay_without_them() {
    let result = serde_json::to_value(run(&[])).expect("numbers");
    assert!(result["routing"].get("messages").is_none(), "{}", result["routing"]);
}
