//! Wires between nodes, against arithmetic.

use crate::common::run;
use crate::spoilt::message;
use multihop::capture::{Happening, Watch};
use multihop::scenario::Scenario;
use multihop::simulation::{Recording, RunResult, Simulation};

/// Nodes 0, 1 and 2 far apart, with a wire of these keys and this more, until 11 s.
fn far(wire: &str, more: &str) -> String {
    format!(
        "duration_s = 11\nprofile = \"standard\"\n[topology]\nkind = \"positions\"\n\
         positions_m = [[0, 0], [9000, 0], [18000, 0]]\n[[wires]]\nname = \"cable\"\n{wire}\n\
         [link]\narp = false\n{more}\n"
    )
}

/// Packets of 1000 bytes, so many a second, from a node to another.
fn cbr(source: u32, destination: u32, packets_per_s: f64) -> String {
    format!(
        "[[flows]]\nkind = \"cbr\"\npacket_bytes = 1000\nrate_bps = {}\nsource = {source}\n\
         destination = {destination}\nstart_s = 1\nstop_s = 11\n",
        packets_per_s * 8000.0
    )
}

fn flows(result: &RunResult, key: &str) -> Vec<f64> {
    let json = serde_json::to_value(result).expect("a result");
    let flows = json["flows"].as_array().expect("flows");
    flows.iter().map(|flow| flow[key].as_f64().unwrap_or(f64::NAN)).collect()
}

const STATIC: &str = "[routing]\nscheme = \"static\"";
const CABLE: &str = "nodes = [0, 1]\nrate_bps = 1e6\ndelay_s = 0.002";

/// Bytes of 1000 of CBR on a wire: IP's header, and 38 of Ethernet.
const ON_WIRE: f64 = 1000.0 + 20.0 + 38.0;

#[test]
fn a_wire_carries_its_rate_both_ways_at_once() {
    let both = [cbr(0, 1, 1000.0), cbr(1, 0, 1000.0)].concat();
    let result = run(&far(CABLE, &format!("{STATIC}\n{both}")), 1, &Recording::default());
    let most = 10.0 * 1e6 / (ON_WIRE * 8.0);
    for received in flows(&result, "received_packets") {
        // The last one that has begun is not there yet.
        assert!((most - 2.0..=most).contains(&received), "{received} of {most}");
    }
    assert_eq!(result.mac.data_sent + result.mac.collisions, 0, "nothing is on the air");
    let shares: Vec<f64> = result.wires.iter().map(|port| port.busy_share).collect();
    assert!(shares.iter().all(|share| (share - 10.0 / 11.0).abs() < 1e-3), "{shares:?}");
}

#[test]
fn a_packet_takes_its_time_on_the_wire_and_the_delay() {
    let result =
        run(&far(CABLE, &format!("{STATIC}\n{}", cbr(0, 1, 10.0))), 1, &Recording::default());
    // Without the gap of 12 bytes, and with 25 us down and up in the nodes.
    let expected = (ON_WIRE - 12.0) * 8.0 / 1e6 + 0.002 + 2.0 * 25e-6;
    let [delay] = flows(&result, "mean_delay_s")[..] else { panic!("one flow") };
    assert!((delay - expected).abs() < 1e-9, "{delay} s instead of {expected} s");
}

// Two ports send to the third at once, each at the rate of the wire: half of each goes on.
#[test]
fn a_switch_passes_on_what_a_port_takes_and_loses_the_rest() {
    let wire = "nodes = [0, 1, 2]\nrate_bps = 1e6\nqueue_packets = 5";
    let both = [cbr(0, 2, 118.0), cbr(1, 2, 118.0)].concat();
    let result = run(&far(wire, &format!("{STATIC}\n{both}")), 1, &Recording::default());
    let received: f64 = flows(&result, "received_packets").iter().sum();
    let most = 10.0 * 1e6 / (ON_WIRE * 8.0);
    assert!((received / most - 1.0).abs() < 0.01, "{received} of {most}");
    let lost: u64 = result.wires.iter().map(|port| port.lost).sum();
    let sent = 2.0 * 118.0 * 10.0;
    assert!((lost as f64 - (sent - most)).abs() < 10.0, "{lost} of {sent}");
    // Alone each gets through.
    let one = run(&far(wire, &format!("{STATIC}\n{}", cbr(0, 2, 118.0))), 1, &Recording::default());
    assert_eq!(flows(&one, "received_packets"), [1180.0]);
}

#[test]
fn a_wire_loses_the_share_that_it_is_told_to() {
    let wire = format!("{CABLE}\nloss = 0.25");
    let text = far(&wire, &format!("{STATIC}\n{}", cbr(0, 1, 100.0)));
    let [received] = flows(&run(&text, 1, &Recording::default()), "received_packets")[..] else {
        panic!("one flow")
    };
    // Four deviations of a binomial distribution of 1000.
    assert!((received - 750.0).abs() < 4.0 * (1000.0 * 0.25 * 0.75f64).sqrt(), "{received}");
}

/// Two sites of two nodes 200 m apart, nine kilometres from each other, joined by a wire.
fn sites(routing: &str, more: &str) -> String {
    format!(
        "duration_s = 80\nprofile = \"standard\"\n[topology]\nkind = \"positions\"\n\
         positions_m = [[0, 0], [200, 0], [9000, 0], [9200, 0]]\n[[wires]]\nname = \"cable\"\n\
         nodes = [1, 2]\nrate_bps = 1e8\n[routing]\nscheme = \"{routing}\"\n{more}\n\
         [[flows]]\nkind = \"cbr\"\npacket_bytes = 500\nrate_bps = 4e4\nsource = 0\n\
         destination = 3\nstart_s = 70\nstop_s = 80\n"
    )
}

#[test]
fn routing_goes_over_the_wire_between_two_sites() {
    for routing in ["static", "aodv", "dsr", "babel", "olsr", "batman"] {
        let result = run(&sites(routing, ""), 1, &Recording::default());
        let [received] = flows(&result, "received_packets")[..] else { panic!("one flow") };
        assert!(received >= 98.0, "{routing}: {received} of 100");
        assert_eq!(flows(&result, "mean_hops"), [3.0], "{routing}");
    }
}

// Appendix B of RFC 8966: wires cost 96 by 2-out-of-3, other links 256 or more by ETX.
#[test]
fn babel_takes_two_wires_rather_than_one_link_on_the_air() {
    let text = "duration_s = 60\n[topology]\nkind = \"positions\"\n\
         positions_m = [[0, 0], [200, 0], [100, 100]]\n\
         [[wires]]\nname = \"a\"\nnodes = [0, 2]\nrate_bps = 1e8\n\
         [[wires]]\nname = \"b\"\nnodes = [2, 1]\nrate_bps = 1e8\n[routing]\nscheme = \"babel\"\n\
         [[flows]]\nkind = \"cbr\"\npacket_bytes = 500\nrate_bps = 4e4\nsource = 0\n\
         destination = 1\nstart_s = 40\nstop_s = 50\n";
    let result = run(text, 1, &Recording::default());
    assert_eq!(flows(&result, "mean_hops"), [2.0]);
    assert_eq!(flows(&result, "received_packets"), [100.0]);
}

#[test]
fn what_a_cut_wire_does_not_carry_comes_back_at_once_and_routing_goes_round() {
    // Round by the air is one hop longer.
    let text = "duration_s = 20\n[topology]\nkind = \"positions\"\n\
         positions_m = [[0, 0], [300, 0], [150, 100]]\n\
         [[wires]]\nname = \"cable\"\nnodes = [0, 1]\nrate_bps = 1e8\n\
         [routing]\nscheme = \"aodv\"\n\
         [[events]]\nkind = \"link-cut\"\nnode = 0\nneighbour = 1\nwire = \"cable\"\nat_s = 10\n\
         [[events]]\nkind = \"link-restore\"\nnode = 0\nneighbour = 1\nwire = \"cable\"\nat_s = 15\n\
         [[flows]]\nkind = \"cbr\"\npacket_bytes = 500\nrate_bps = 4e4\nsource = 0\n\
         destination = 1\nstart_s = 1\nstop_s = 20\n";
    let recording = Recording { links: true, ..Recording::default() };
    let result = run(text, 1, &recording);
    assert!(flows(&result, "received_packets")[0] >= 188.0, "{:?}", result.flows);
    assert_eq!(result.routing.link_failures, 1, "the first packet tells of it");
    assert!((1..5).contains(&result.wires[0].cut), "that and broadcasts");
    let by = |from, to| {
        let of = |link: &&multihop::simulation::LinkReport| (link.from, link.to) == (from, to);
        result.links.iter().find(of).map_or(0, |link| link.packets)
    };
    assert!(by(0, 1) >= 85 && by(0, 2) > 90, "by the wire until 10 s, then by node 2");
}

#[test]
fn frames_of_wires_are_in_the_record_with_what_became_of_them() {
    let events = "[[events]]\nkind = \"node-kill\"\nnode = 1\nat_s = 6\n";
    let text = far(CABLE, &format!("{STATIC}\n{events}{}", cbr(0, 1, 10.0)));
    let scenario = Scenario::from_toml(&text, &[]).expect("a valid scenario");
    let recording = Recording { events: Some(Watch::default()), ..Recording::default() };
    let mut simulation = Simulation::new(&scenario, None, &recording).expect("a network");
    while !simulation.advance(u64::MAX) {}
    let events = simulation.take_events().expect("a record");
    let count = |happening, detail: &str| {
        let is = |row: &multihop::capture::Row| {
            row.happening == happening && format!("{:?}", row.detail) == detail
        };
        events.rows().filter(is).count()
    };
    assert_eq!(count(Happening::Transmit, "None"), 100);
    assert_eq!(count(Happening::Receive, "None"), 50);
    assert_eq!(count(Happening::Miss, "Cut"), 50);
    assert_eq!(count(Happening::GiveUp, "None"), 50);
    assert_eq!(count(Happening::LinkFailure, "OutOfRange"), 50);
    let mut sent = events.rows().filter(|row| row.happening == Happening::Transmit);
    let is_of_wire = |row: multihop::capture::Row| (row.interface, row.peer) == (1, 1);
    assert!(sent.all(is_of_wire), "by the second interface, to node 1");
}

/// (keys of the wire, more, the message).
#[rustfmt::skip]
const WRONG: &[(&str, &str, &str)] = &[
    ("nodes = [0]\nrate_bps = 1e6", "",
     "line 8: wires.0.nodes: must be two or more (got 1)"),
    ("nodes = [0, 3]\nrate_bps = 1e6", "",
     "line 8: wires.0.nodes: must be nodes, 0 to 2 (got 3)"),
    ("nodes = [0, 1, 0]\nrate_bps = 1e6", "",
     "line 8: wires.0.nodes: must name each node once (got 0 twice)"),
    ("nodes = [0, 1]", "",
     "line 6: wires.0.rate_bps: is missing"),
    ("nodes = [0, 1]\nrate_bps = 0", "",
     "line 9: wires.0.rate_bps: must be 1000 to 1000000000000 (got 0)"),
    ("nodes = [0, 1]\nrate_bps = 1e6\ndelay_s = -1", "",
     "line 10: wires.0.delay_s: must be 0 to 10 (got -1)"),
    ("nodes = [0, 1]\nrate_bps = 1e6\nqueue_packets = 0", "",
     "line 10: wires.0.queue_packets: must be above 0 and at most 1000000 (got 0)"),
    ("nodes = [0, 1]\nrate_bps = 1e6\nloss = 1", "",
     "line 10: wires.0.loss: must be 0 or more and below 1 (got 1)"),
    ("nodes = [0, 1]\nrate_bps = 1e6\nlose = 1", "",
     "line 10: wires.0.lose: unknown key; did you mean `loss`?"),
    ("nodes = [0, 1]\nrate_bps = 1e6", "[[wires]]\nname = \"cable\"\nnodes = [1, 2]\nrate_bps = 1e6",
     "line 13: wires.1.name: must be other than that of wire 0"),
    ("nodes = [0, 1]\nrate_bps = 1e6", "[[interfaces]]\nname = \"cable\"\nchannel = 1",
     "line 7: wires.0.name: must be other than that of interface 0"),
    ("nodes = [0, 1]\nrate_bps = 1e6", "[[events]]\nkind = \"link-cut\"\nnode = 0\nneighbour = 1\nwire = \"rope\"\nat_s = 2",
     "line 16: events.0.wire: must be a wire between its nodes: allowed: \"cable\" (got \"rope\")"),
    ("nodes = [0, 1]\nrate_bps = 1e6", "[[events]]\nkind = \"link-cut\"\nnode = 0\nneighbour = 2\nwire = \"cable\"\nat_s = 2",
     "line 16: events.0.wire: must be a wire between its nodes: no wire joins them (got \"cable\")"),
    ("nodes = [0, 1]\nrate_bps = 1e6", "[routing]\nscheme = \"dcar\"",
     "line 13: routing.scheme: must be one that sends by several interfaces, as nodes here have: \"dcar\" does not, as "),
    ("nodes = [0, 1]\nrate_bps = 1e6", "[routing]\nscheme = \"babel\"\ndiversity = \"path\"",
     "line 14: routing.diversity: must be \"none\" with [[wires]], which are on no channel"),
    ("nodes = [0, 1]\nrate_bps = 1e6", "[mac]\nscheme = \"semi-tcp\"",
     "line 13: mac.scheme: must be \"dcf\" where a node has several interfaces"),
    ("nodes = [0, 1]\nrate_bps = 1e6", "[mobility]\nkind = \"random-waypoint\"\nspeed_mps = [1, 2]\narea_m = [20000, 100]",
     "line 13: mobility.kind: must be \"static\" with [[wires]], which tie nodes down"),
];

#[test]
fn wires_that_cannot_be_have_an_error_of_one_line() {
    let flow = "[[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 1\nstart_s = 1\nstop_s = 9";
    let got = |wire: &str, more: &str| message(&far(wire, &format!("{more}\n{flow}")), &[]);
    let wrong: Vec<String> = WRONG
        .iter()
        .map(|&(wire, more, expected)| (got(wire, more), expected))
        .filter(|(got, expected)| !got.starts_with(expected) || got.lines().count() != 1)
        .map(|(got, expected)| format!("  got      {got}\n  expected {expected}"))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    let many = "[[wires]]\nname = \"x\"\nnodes = [1, 2]\nrate_bps = 1e6\n".replace("x", "x0");
    let many: String = (0..200).map(|i| many.replace("x0", &format!("x{i}"))).collect();
    assert_eq!(got(CABLE, &many), "line 6: wires: must be 200 at most (got 201)");
    assert_eq!(
        message(&format!("wires = 3\n{}", crate::spoilt::GOOD), &[]),
        "line 1: wires: must be tables: [[wires]]"
    );
}

#[test]
fn programs_are_refused() {
    let text = far(CABLE, &format!("{STATIC}\n{}", cbr(0, 1, 1.0)));
    let scenario = Scenario::from_toml(&text, &[]).expect("a valid scenario");
    let error = Simulation::for_programs(&scenario, None, &Recording::default());
    let message = error.expect_err("not built").to_string();
    assert_eq!(message, "wires: must be none: programs cannot run over wires yet");
}
