//! Nodes with two stations on two channels, against arithmetic.

use crate::common::run;
use crate::spoilt::{Case, check};
use multihop::capture::{Happening, Watch};
use multihop::config::document::read;
use multihop::config::{ConfigError, Error};
use multihop::kernel::Duration;
use multihop::routing::{
    Context, DropReason, Layer, Nodes, Protocol, Scheme, Setting, Shared, Timer, World,
};
use multihop::scenario::Scenario;
use multihop::schemes::Schemes;
use multihop::simulation::{Recording, RunResult, Simulation};
use multihop::wire::{Body, Extension, FrameKind, Interface, NodeId, Octets, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Table;

/// Two stations a node, on channels that do not hear each other.
const TWO: &str =
    "[[interfaces]]\nname = \"a\"\nchannel = 1\n[[interfaces]]\nname = \"b\"\nchannel = 6\n";

/// A chain of two hops of 200 m with this table of interfaces, these keys of `[routing]` and these
/// flows, until 21 s.
fn chain(interfaces: &str, routes: &str, flows: &[&str]) -> String {
    let flows = flows.iter().map(|flow| {
        format!(
            "[[flows]]\nkind = \"cbr\"\npacket_bytes = 1000\nrate_bps = 1e7\nstart_s = 1\nstop_s = 21\n\
             {flow}\n"
        )
    });
    format!(
        "duration_s = 21\nprofile = \"standard\"\n[topology]\nkind = \"chain\"\nhops = 2\n{interfaces}\
         [link]\narp = false\n[routing]\nscheme = \"static\"\n{routes}\n{}",
        flows.collect::<String>()
    )
}

fn received(result: &RunResult) -> Vec<u64> {
    let json = serde_json::to_value(result).expect("a result");
    let flows = json["flows"].as_array().expect("flows");
    flows.iter().map(|flow| flow["received_packets"].as_u64().expect("a CBR flow")).collect()
}

/// Packets of a saturated hop in 20 s: DIFS, 15.5 slots on average, RTS, CTS, 1000 + 20 + 28 bytes
/// at 2 Mbit/s and ACK, SIFS between them, and 667 ns on the way for each.
fn one_hop() -> f64 {
    let airtimes = 352 + 304 + 192 + 4192 + 304;
    20.0 / ((50.0 + 15.5 * 20.0 + f64::from(airtimes) + 3.0 * 10.0 + 4.0 * 0.667) / 1e6)
}

const ALONG: &str = "source = 0\ndestination = 2";

/// The second hop of the chain goes by another interface than the first.
const ON_B: &str = "routes = [{ node = 1, destination = 2, next_hop = 2, interface = \"b\" }]";

#[test]
fn a_chain_on_two_channels_carries_as_much_as_one_hop() {
    let one = run(&chain("", "", &[ALONG]), 1, &Recording::default());
    let two = run(&chain(TWO, ON_B, &[ALONG]), 1, &Recording::default());
    let ([one_channel], [two_channels]) = (&received(&one)[..], &received(&two)[..]) else {
        panic!("one flow each")
    };
    let share = |packets: &u64| *packets as f64 / one_hop();
    // On one channel each packet takes the air of all three nodes twice.
    assert!((share(one_channel) - 0.5).abs() < 0.05, "{one_channel} of {:.0}", one_hop());
    assert!((share(two_channels) - 1.0).abs() < 0.005, "{two_channels} of {:.0}", one_hop());
    assert_eq!(two.mac.collisions, 0, "each channel has one sender of data");
    // What both stations of node 1 have sent is its share: CTS and ACK, and RTS and data.
    let relay = two.bottleneck.expect("a relay");
    let busy =
        (304.0 + 304.0 + 352.0 + 4384.0) / 1e6 * f64::from(u32::try_from(*two_channels).unwrap());
    assert_eq!(relay.node, 1);
    assert!((relay.sending_share / (busy / 20.0) - 1.0).abs() < 0.02, "{}", relay.sending_share);
}

// On each channel, hops two apart sense each other (400 m), and those four apart do not: two share
// what one has.
#[test]
fn longer_chains_on_two_channels_carry_half_of_one_hop() {
    for hops in [3, 5, 8] {
        let route = |node: u32| {
            let name = ["a", "b"][node as usize % 2];
            let next = node + 1;
            format!(
                "{{ node = {node}, destination = {hops}, next_hop = {next}, interface = \"{name}\" }}"
            )
        };
        let routes = format!("routes = [{}]", (0..hops).map(route).collect::<Vec<_>>().join(", "));
        let along = format!("source = 0\ndestination = {hops}");
        let rate = format!("rate_bps = {:.0}", 0.475 * one_hop() / 20.0 * 8000.0);
        let text = chain(TWO, &routes, &[&along])
            .replace("hops = 2", &format!("hops = {hops}"))
            .replace("rate_bps = 1e7", &rate);
        let share = received(&run(&text, 1, &Recording::default()))[0] as f64 / one_hop();
        assert!((0.46..0.476).contains(&share), "{hops} hops: {share}");
    }
}

#[test]
fn flows_on_two_channels_are_as_if_each_were_alone() {
    // From 0 to 1 by a and from 1 to 0 by b: each hears the other's node, on another channel.
    let forth = "source = 0\ndestination = 1";
    let back = "source = 2\ndestination = 1";
    let routes = "routes = [{ node = 2, destination = 1, next_hop = 1, interface = \"b\" }]";
    let one = |flows: &[&str]| run(&chain(TWO, routes, flows), 1, &Recording::default());
    let (first, second, both) = (one(&[forth]), one(&[back]), one(&[forth, back]));
    assert_eq!(received(&both), [received(&first), received(&second)].concat());
    let delays = |result: &RunResult| {
        let json = serde_json::to_value(result).expect("a result");
        let flows = json["flows"].as_array().expect("flows").clone();
        flows.into_iter().map(|flow| flow["mean_delay_s"].as_f64()).collect::<Vec<_>>()
    };
    assert_eq!(delays(&both), [delays(&first), delays(&second)].concat());
    let sum = |of: fn(&RunResult) -> u64| of(&first) + of(&second) == of(&both);
    assert!(sum(|result| result.mac.rts_sent) && sum(|result| result.mac.backoffs));
    assert!(sum(|result| result.mac.backoff_freezes) && sum(|result| result.queue.drops));
    // The first is what it is without a second station, bit by bit.
    let alone = run(&chain("", "", &[forth]), 1, &Recording::default());
    assert_eq!(alone.engine.fingerprint, first.engine.fingerprint);
    // On one channel they share what they have each.
    let shared = run(&chain("", "", &[forth, back]), 1, &Recording::default());
    assert!(received(&shared).iter().sum::<u64>() * 10 < received(&both).iter().sum::<u64>() * 6);
}

#[test]
fn routes_that_are_not_given_go_by_the_first_interface_that_reaches_the_next_hop() {
    // Node 0 has a alone and node 2 has b alone: paths lead over node 1, which has both.
    let interfaces = "[[interfaces]]\nname = \"a\"\nchannel = 1\nnodes = [0, 1]\n\
                      [[interfaces]]\nname = \"b\"\nchannel = 6\nnodes = [1, 2]\n";
    let by_itself = run(&chain(interfaces, "", &[ALONG]), 1, &Recording::default());
    assert!((received(&by_itself)[0] as f64 / one_hop() - 1.0).abs() < 0.005);
    // With ARP, which goes by station too.
    let with_arp = chain(interfaces, "", &[ALONG]).replace("arp = false", "arp = true");
    let with_arp = run(&with_arp, 1, &Recording::default());
    assert!((received(&with_arp)[0] as f64 / one_hop() - 1.0).abs() < 0.01);
    assert!(with_arp.mac.broadcast_sent >= 2, "a request on each channel at least");
    let links = run(
        &chain(interfaces, "", &[ALONG]),
        1,
        &Recording { links: true, ..Recording::default() },
    );
    let links: Vec<(u32, u32)> = links.links.iter().map(|link| (link.from, link.to)).collect();
    assert_eq!(links, [(0, 1), (1, 2)], "links are between nodes");
}

#[test]
fn an_interface_may_have_a_phy_of_its_own() {
    let fast = TWO.replace("channel = 6", "channel = 6\nphy = \"802.11a\"");
    let forth = "source = 0\ndestination = 1";
    let by_b = "routes = [{ node = 0, destination = 1, next_hop = 1, interface = \"b\" }]";
    let slow = received(&run(&chain(&fast, "", &[forth]), 1, &Recording::default()))[0];
    assert!((slow as f64 / one_hop() - 1.0).abs() < 0.005);
    let fast = received(&run(&chain(&fast, by_b, &[forth]), 1, &Recording::default()))[0];
    // As a network whose only PHY it is.
    let mac = "[mac]\nphy = \"802.11a\"\n";
    let only = received(&run(&chain(mac, "", &[forth]), 1, &Recording::default()))[0];
    assert!((fast as f64 / only as f64 - 1.0).abs() < 0.005, "{fast} and {only}");
}

#[test]
fn an_interface_may_have_width_and_streams_of_its_own() {
    let forth = "source = 0\ndestination = 1";
    // More than a link carries, for a second.
    let run = |interfaces: &str, routes: &str| {
        let text = chain(interfaces, routes, &[forth]);
        let text = text.replace("1e7", "3e8").replace("= 21", "= 2");
        received(&run(&text, 1, &Recording::default()))[0]
    };
    let by_b = "routes = [{ node = 0, destination = 1, next_hop = 1, interface = \"b\" }]";
    let keys = "streams = 2\nmcs = 7\naggregate = 32";
    let wide = format!("channel = 6\nphy = \"802.11ac\"\nwidth_mhz = 80\n{keys}");
    let queue = "[mac]\nqueue_packets = 100\n";
    let wide = TWO.replace("channel = 6", &wide) + queue;
    let wide = run(&wide, by_b);
    // As a network whose only PHY it is.
    let mac = format!("{queue}phy = \"802.11ac\"\nchannel_mhz = 80\n{keys}\n");
    let only = run(&mac, "");
    assert!((wide as f64 / only as f64 - 1.0).abs() < 0.005, "{wide} and {only}");
}

#[test]
fn a_node_that_is_off_is_so_on_all_channels() {
    let event = "[[events]]\nkind = \"node-kill\"\nnode = 1\nat_s = 11\n";
    let text = chain(TWO, ON_B, &[ALONG]) + event;
    let share = received(&run(&text, 1, &Recording::default()))[0] as f64 / one_hop();
    assert!((share - 0.5).abs() < 0.01, "{share}");
}

#[test]
fn what_is_not_built_for_several_stations_is_refused_in_a_line() {
    let scenario = Scenario::from_toml(&chain(TWO, ON_B, &[ALONG]), &[]).expect("a scenario");
    let error = Simulation::for_programs(&scenario, None, &Recording::default());
    assert_eq!(
        error.expect_err("not built").to_string(),
        "interfaces: must give each node one station: with several programs run only \
         with routing.scheme \"none\", yet"
    );
}

/// Node 0 has a alone and node 2 has b alone.
const HALVES: &str = "[[interfaces]]\nname = \"a\"\nchannel = 1\nnodes = [0, 1]\n\
                      [[interfaces]]\nname = \"b\"\nchannel = 6\nnodes = [1, 2]\n";

#[test]
fn every_scheme_that_takes_several_stations_finds_a_way_over_two_channels() {
    // A twentieth waits in the relay's queue at the end. B.A.T.M.A.N. adds 24 bytes to each packet.
    for (scheme, least) in [
        ("scheme = \"aodv\"", 0.93),
        ("scheme = \"aodv-etx\"", 0.93),
        ("scheme = \"aodv-iru\"", 0.93),
        ("scheme = \"babel\"", 0.93),
        ("scheme = \"babel\"\ndiversity = \"path\"", 0.93),
        ("scheme = \"batman\"", 0.92),
        ("scheme = \"dsdv\"", 0.93),
        ("scheme = \"dsr\"", 0.92),
        ("scheme = \"hwmp\"", 0.93),
        ("scheme = \"olsr\"", 0.93),
    ] {
        let text = chain(HALVES, "", &[ALONG])
            .replace("scheme = \"static\"", scheme)
            .replace("duration_s = 21", "duration_s = 46")
            .replace("start_s = 1\nstop_s = 21", "start_s = 41\nstop_s = 46");
        let result = run(&text, 1, &Recording::default());
        let share = received(&result)[0] as f64 / (one_hop() / 4.0);
        assert!((least..1.001).contains(&share), "{scheme}: {share}");
    }
}

#[test]
fn the_record_of_events_says_which_station_it_was() {
    let scenario = Scenario::from_toml(&chain(TWO, ON_B, &[ALONG]), &[]).expect("a scenario");
    let watch = Watch { to_s: Some(2.0), snap_bytes: Some(100), ..Watch::default() };
    let recording = Recording { frames: true, events: Some(watch), ..Recording::default() };
    let mut simulation = Simulation::new(&scenario, Some(1), &recording).expect("a network");
    while !simulation.advance(u64::MAX) {}
    let events = simulation.take_events().expect("a record");
    let mut data = std::collections::BTreeSet::new();
    for row in events.rows() {
        assert!(row.node < 3, "{row:?}");
        if row.happening == Happening::Transmit && row.kind == Some(FrameKind::Data) {
            data.insert((row.node, row.peer, row.interface));
        }
    }
    assert_eq!(data.into_iter().collect::<Vec<_>>(), [(0, 1, 0), (1, 2, 1)]);
    let mut pcap = Vec::new();
    events.write_pcap(&mut pcap).expect("a capture");
    for name in ["node-0.a", "node-0.b", "node-2.b"] {
        assert!(pcap.windows(name.len()).any(|text| text == name.as_bytes()), "{name}");
    }
    let mut timeline = Vec::new();
    events.write_perfetto(&mut timeline).expect("a timeline");
    let track = b"node 1 b";
    assert!(timeline.windows(track.len()).any(|text| text == track));
}

/// A scheme whose first node calls its neighbours by each station, and that notes by which station
/// calls come and fail.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Calling {}

/// A call, by the station of this kind.
#[derive(Debug, PartialEq)]
struct Call(u8);

impl Octets for Call {
    const KIND: u8 = 224;

    fn write(&self, out: &mut Vec<u8>) {
        out.push(self.0);
    }
}

#[derive(Debug, Default)]
struct Caller {
    calls: u8,
    /// Calls that have come, and the station by which each did.
    came: Vec<(u8, u8)>,
    /// The stations by which calls could not be delivered.
    failed: Vec<u8>,
}

impl Scheme for Calling {
    const NAME: &'static str = "calling";
    const ABOUT: &'static str = "Calls by each station.";

    fn read(table: Table) -> Result<Calling, Error> {
        read("routing", table.into())
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        Ok(())
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        None
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let calls = |node| if node == NodeId(0) { world.stations.kinds() as u8 } else { 0 };
        let nodes = Nodes::new(world, |node| Caller { calls: calls(node), ..Caller::default() });
        let report = |nodes: &[Caller], _: &Shared, _| {
            nodes.iter().map(|node| (node.came.clone(), node.failed.clone())).collect::<Vec<_>>()
        };
        Box::new(nodes.reporting(report))
    }
}

impl Protocol for Caller {
    fn on_start(&mut self, cx: &mut Context) {
        for kind in 0..self.calls {
            // Node 2 is out of reach.
            for to in [NodeId::BROADCAST, NodeId(2)] {
                let body = Body::Routing(Extension::new(Call(kind)));
                let packet =
                    Packet { size_bytes: 30, ttl: 1, ..Packet::new(cx.node, to, cx.now, body) };
                cx.send_by(Interface(kind), packet, to, Duration::ZERO);
            }
        }
    }

    fn on_send(&mut self, cx: &mut Context, packet: Packet) {
        cx.drop(packet, DropReason::NoRoute);
    }

    fn on_receive(&mut self, cx: &mut Context, packet: Packet, _: NodeId) {
        if let Body::Routing(message) = &packet.body
            && let Some(Call(kind)) = message.get()
        {
            self.came.push((*kind, cx.interface.0));
        }
    }

    fn on_link_failure(&mut self, cx: &mut Context, _: Packet, _: NodeId) {
        self.failed.push(cx.interface.0);
    }

    fn on_timer(&mut self, _: &mut Context, _: Timer) {}
}

#[test]
fn a_protocol_learns_by_which_station_packets_come_and_fail() {
    let text = chain(TWO, "", &[ALONG]).replace("\"static\"", "\"calling\"");
    let schemes = Schemes::standard().with_routing::<Calling>();
    let scenario = Scenario::with_schemes(&schemes, &text, &[]).expect("a scenario");
    let result = Simulation::new(&scenario, Some(1), &Recording::default()).expect("nodes").run();
    type Noted = (Vec<(u8, u8)>, Vec<u8>);
    let [mut caller, mut called, _]: [Noted; 3] = result.scheme("calling").expect("its report");
    called.0.sort_unstable();
    assert_eq!(called, (vec![(0, 0), (1, 1)], vec![]), "each by the station that heard it");
    caller.1.sort_unstable();
    assert_eq!(caller, (vec![], vec![0, 1]), "each by the station that sent it");
}

#[test]
fn interfaces_that_cannot_be() {
    check(INTERFACES);
}

/// In place of `[mac]`.
const MAC: &str = "[mac]";

#[rustfmt::skip]
const INTERFACES: &[Case] = &[
    (MAC, "[[interfaces]]\nname = \"a\"\n[mac]",
     "line 9: interfaces.0.channel: is missing"),
    (MAC, "[[interfaces]]\nname = \"a\"\nchannel = 1\nwidth = 80\n[mac]",
     "line 12: interfaces.0.width: unknown key; did you mean `width_mhz`?"),
    (MAC, "[[interfaces]]\nname = \"a\"\nchannel = 1\nwidth_mhz = 80\n[mac]",
     "line 12: interfaces.0.width_mhz: can be given only with phy \"802.11n\" or \"802.11ac\" or \"802.11ax\" (got \"dsss-1999\")"),
    (MAC, "[[interfaces]]\nname = \"a\"\nchannel = 1\nphy = \"802.11ac\"\nmcs = 9\n[mac]",
     "line 13: interfaces.0.mcs: must be 0 to 8 with channel_mhz = 20 and streams = 1 (got 9)"),
    (MAC, "[[interfaces]]\nname = \"a\"\nchannel = 1\nphy = \"802.11ac\"\nnodes = [0]\n[[interfaces]]\nname = \"b\"\nchannel = 1\nphy = \"802.11ac\"\nwidth_mhz = 80\nnodes = [1, 2]\n[mac]",
     "line 17: interfaces.1.phy: must be that of interface \"a\" on the same channel"),
    (MAC, "[interfaces]\nname = \"a\"\nchannel = 1\n[mac]",
     "line 9: interfaces: must be tables: [[interfaces]]"),
    (MAC, "[[interfaces]]\nname = \"a\"\nchannel = 1\nnodes = [0, 1]\n[mac]",
     "line 9: interfaces: must give every node one (none for node 2)"),
    (MAC, "[[interfaces]]\nname = \"a\"\nchannel = 1\nnodes = [0, 1, 3]\n[mac]",
     "line 12: interfaces.0.nodes: must be nodes, 0 to 2 (got 3)"),
    (MAC, "[[interfaces]]\nname = \"a\"\nchannel = 1\n[[interfaces]]\nname = \"b\"\nchannel = 1\nnodes = [2]\n[mac]",
     "line 14: interfaces.1.channel: must be other than that of interface \"a\", which node 2 has too (got 1)"),
    (MAC, "[[interfaces]]\nname = \"a\"\nchannel = 1\n[[interfaces]]\nname = \"a\"\nchannel = 2\n[mac]",
     "line 13: interfaces.1.name: must be other than that of interface 0"),
    (MAC, "[[interfaces]]\nname = \"a\"\nchannel = 1\nphy = \"802.11z\"\n[mac]",
     "line 12: interfaces.0.phy: must be one of \"dsss-1999\", \"802.11b\", \"802.11a\", \"802.11g\", \"802.11n\", \"802.11ac\", \"802.11ax\" (got \"802.11z\")"),
    (MAC, "[[interfaces]]\nname = \"a\"\nchannel = 1\n[[interfaces]]\nname = \"b\"\nchannel = 2\n[routing]\nscheme = \"dcar\"\n[mac]",
     "line 16: routing.scheme: must be one that sends by several interfaces, as nodes here have: \"dcar\" does not, as a node's weight is that of one medium"),
    (MAC, "[[interfaces]]\nname = \"a\"\nchannel = 1\n[[interfaces]]\nname = \"b\"\nchannel = 300\n[routing]\nscheme = \"babel\"\ndiversity = \"path\"\n[mac]",
     "line 17: routing.diversity: must be \"none\" with channels above 254, which an octet holds (got channel 300)"),
    (MAC, "[routing]\nscheme = \"babel\"\ndiversity = \"half\"\n[mac]",
     "line 11: routing.diversity: must be one of \"none\", \"channel\", \"path\", \"wcett\" (got \"half\")"),
    (MAC, "[routing]\nscheme = \"babel\"\ndiversity_factor = 0.5\n[mac]",
     "line 11: routing.diversity_factor: has no effect unless diversity = \"channel\" or \"path\""),
    (MAC, "[routing]\nscheme = \"babel\"\ndiversity = \"path\"\ndiversity_factor = 0\n[mac]",
     "line 12: routing.diversity_factor: must be 0.00390625 to 1 (got 0)"),
    (MAC, "[routing]\nscheme = \"babel\"\ndiversity = \"path\"\nwcett_beta = 0.1\n[mac]",
     "line 12: routing.wcett_beta: has no effect unless diversity = \"wcett\""),
    (MAC, "[routing]\nscheme = \"babel\"\ndiversity = \"wcett\"\nwcett_beta = 2\n[mac]",
     "line 12: routing.wcett_beta: must be 0 to 1 (got 2)"),
    (MAC, "[[interfaces]]\nname = \"a\"\nchannel = 1\n[[interfaces]]\nname = \"b\"\nchannel = 2\n[routing]\nscheme = \"static\"\n[link]\npacing = \"hop-by-hop\"\n[mac]",
     "line 18: link.pacing: must be \"none\" where a node has several interfaces"),
    (MAC, "[routing]\nscheme = \"static\"\nroutes = [{ node = 0, destination = 2, next_hop = 1, interface = \"c\" }]\n[mac]",
     "line 11: routing.routes: route 0: node 0 has no interface \"c\""),
    (MAC, "[routing]\nscheme = \"static\"\nroutes = [{ node = 0, destination = 2, next_hop = 7 }]\n[mac]",
     "line 11: routing.routes: route 0: must be of nodes, 0 to 2 (got 7)"),
    (MAC, "[routing]\nscheme = \"static\"\nroutes = [{ node = 0, destination = 2 }]\n[mac]",
     "line 11: routing.routes.0.next_hop: is missing"),
];
