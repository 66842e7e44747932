use super::*;
use crate::config::document::Document;
use crate::scenario::Scenario;
use crate::schemes::Schemes;
use crate::simulation::{Outage, Recording};

fn chain(hops: u32, routing: &str) -> Simulation {
    let text = format!(
        "duration_s = 10\n[topology]\nkind = \"chain\"\nhops = {hops}\n\
         [routing]\nscheme = \"{routing}\"\n"
    );
    let document = Document::from_toml(&text).unwrap();
    let scenario = Scenario::for_programs(&Schemes::standard(), &document, false).unwrap();
    Simulation::for_programs(&scenario, None, &Recording::default()).unwrap()
}

fn at_ms(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

/// What has arrived by `ms`: the nodes, with the first byte of each frame.
fn arrived(simulation: &mut Simulation, ms: u64) -> Vec<(u32, u8)> {
    simulation.run_until(at_ms(ms));
    let mut all = Vec::new();
    simulation.take_arrived(&mut all);
    assert!(all.iter().all(|frame| frame.at <= at_ms(ms)));
    all.iter().map(|frame| (frame.node.0, frame.bytes[0])).collect()
}

#[test]
fn a_frame_crosses_the_network_by_every_routing() {
    for routing in ["static", "aodv", "dsr"] {
        let mut simulation = chain(4, routing);
        simulation.run_until(at_ms(1000));
        assert_eq!(simulation.now(), at_ms(1000));
        simulation.send(NodeId(0), NodeId(4), vec![7; 1000].into());
        assert_eq!(arrived(&mut simulation, 1004), [], "before it can have");
        assert_eq!(arrived(&mut simulation, 2000), [(4, 7)], "{routing}");
        simulation.end_now();
        let flow = &simulation.result().flows[0];
        assert_eq!((flow.kind, flow.source, flow.destination), ("programs", 0, 4));
        assert_eq!((flow.sent_segments, flow.delivered_bytes), (1, 986));
        assert_eq!(flow.mean_hops, Some(4.0));
    }
}

#[test]
fn without_routing_a_frame_reaches_neighbours_only() {
    let mut simulation = chain(3, "none");
    simulation.send(NodeId(0), NodeId(1), vec![1; 100].into());
    simulation.send(NodeId(0), NodeId(2), vec![2; 100].into());
    simulation.send(NodeId(1), NodeId::BROADCAST, vec![3; 100].into());
    let mut got = arrived(&mut simulation, 1000);
    got.sort_unstable();
    assert_eq!(got, [(0, 3), (1, 1), (2, 3)]);
}

#[test]
fn with_routing_a_broadcast_reaches_every_node_once() {
    let mut simulation = chain(5, "aodv");
    for number in 0..3 {
        simulation.run_until(at_ms(1000 * number));
        simulation.send(NodeId(2), NodeId::BROADCAST, vec![9; 100].into());
    }
    let mut got = arrived(&mut simulation, 4000);
    got.sort_unstable();
    let expected: Vec<_> = [0, 1, 3, 4, 5].into_iter().flat_map(|node| [(node, 9); 3]).collect();
    assert_eq!(got, expected);
}

/// An Ethernet frame with a TCP segment of `payload` bytes behind an acknowledgment, marked with
/// `first`.
fn segment(first: u8, payload: u16) -> Arc<[u8]> {
    let mut frame = vec![0; 54 + usize::from(payload)];
    frame[0] = first;
    frame[12..15].copy_from_slice(&[0x08, 0x00, 0x45]);
    frame[16..18].copy_from_slice(&(40 + payload).to_be_bytes());
    (frame[23], frame[46], frame[47]) = (6, 0x50, 0x10);
    frame.into()
}

#[test]
fn acknowledgments_of_programs_pace_the_last_hop() {
    let text = "duration_s = 10\n[topology]\nkind = \"chain\"\nhops = 1\n[routing]\nscheme = \"static\"\n\
                [link]\npacing = \"hop-by-hop\"\nhop_by_hop = { rest = 0 }\n";
    let document = Document::from_toml(text).unwrap();
    let scenario = Scenario::for_programs(&Schemes::standard(), &document, false).unwrap();
    let mut simulation = Simulation::for_programs(&scenario, None, &Recording::default()).unwrap();
    let (a, b) = (NodeId(0), NodeId(1));
    // ARP keeps one packet only while it asks.
    simulation.send(a, b, vec![7; 100].into());
    assert_eq!(arrived(&mut simulation, 20), [(1, 7)]);
    for first in 1..=3 {
        simulation.send(a, b, segment(first, 1000));
    }
    assert_eq!(arrived(&mut simulation, 40), [(1, 1)]);
    for (number, acknowledgment) in [(2, 8), (3, 9)] {
        simulation.send(b, a, segment(acknowledgment, 0));
        let now = 20 * u64::from(number + 1);
        assert_eq!(arrived(&mut simulation, now), [(0, acknowledgment), (1, number)]);
    }
}

#[test]
fn nothing_passes_a_cut_until_it_is_restored() {
    for movement in [
        "",
        "[mobility]\nkind = \"random-waypoint\"\nspeed_mps = [0.1, 0.2]\npause_s = 0\narea_m = [240, 10]\n",
    ] {
        let text = format!(
            "duration_s = 10\n[topology]\nkind = \"chain\"\nhops = 1\n[routing]\nscheme = \"none\"\n{movement}"
        );
        let document = Document::from_toml(&text).unwrap();
        let scenario = Scenario::for_programs(&Schemes::standard(), &document, false).unwrap();
        let recording = Recording::default();
        let mut simulation = Simulation::for_programs(&scenario, None, &recording).unwrap();
        let (a, b) = (NodeId(0), NodeId(1));
        let changes = [
            Outage::Link(b, a, false),
            Outage::Link(b, a, true),
            Outage::Link(a, b, false),
            Outage::Node(b, true),
            Outage::Node(b, false),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            simulation.change(change);
            simulation.send(a, b, vec![number as u8; 100].into());
            let expected = if number % 2 == 0 { vec![(1, number as u8)] } else { vec![] };
            assert_eq!(arrived(&mut simulation, 1000 * (number as u64 + 1)), expected);
        }
    }
}
