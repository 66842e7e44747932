//! The record of events: it changes nothing, and what it says adds up.

use std::collections::{BTreeMap, BTreeSet};

use crate::common;
use multihop::capture::{Detail, Happening, NONE, Passage, Row, Watch};
use multihop::kernel::Duration;
use multihop::scenario::Scenario;
use multihop::simulation::{Recording, RunResult, Simulation};
use multihop::wire::{Content, FrameKind};

const AGGREGATES: &str =
    "[mac]\nphy = \"802.11n\"\naggregate = 16\n[transport]\nwindow_segments = 32";

/// Moving and static networks that lose frames in every way.
fn networks() -> Vec<(&'static str, String)> {
    let network = |scheme: &str, topology: &str, rest: &str| {
        format!(
            "duration_s = 20\nseed = 4\n[topology]\n{topology}\n[routing]\nscheme = \"{scheme}\"\n{rest}\n\
             [[flows]]\nkind = \"ftp\"\nsource = \"random\"\ndestination = \"random\"\ncount = 4\n"
        )
    };
    let random = "kind = \"random\"\nnodes = 40\narea_m = [1000, 1000]";
    let moving = "speed_mps = [5, 20]";
    vec![
        ("aodv", network("aodv", random, "")),
        (
            "moving dsr",
            network("dsr", random, &format!("[mobility]\nkind = \"random-waypoint\"\n{moving}")),
        ),
        ("standard", format!("profile = \"standard\"\n{}", network("aodv", random, ""))),
        ("codel", network("aodv", random, "[link]\nqueue = \"codel\"")),
        (
            "fq-codel",
            network(
                "dsr",
                random,
                "[link]\nqueue = \"fq-codel\"\n[transport]\nwindow_segments = 64\necn = true",
            ),
        ),
        (
            "semi",
            network(
                "aodv",
                random,
                "[transport]\nscheme = \"semi-tcp\"\n[mac]\nscheme = \"semi-tcp\"",
            ),
        ),
        ("aggregates", network("dsr", random, AGGREGATES)),
        (
            "aggregates by sinr",
            network(
                "aodv",
                "kind = \"random\"\nnodes = 30\narea_m = [200, 200]",
                &format!("{AGGREGATES}\n[radio]\nreception = \"sinr\""),
            ),
        ),
    ]
}

fn recorded(text: &str, watch: Watch) -> (RunResult, Vec<Row>) {
    let scenario = Scenario::from_toml(text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let recording = Recording { events: Some(watch), ..Recording::default() };
    let mut simulation = Simulation::new(&scenario, None, &recording).expect("a network");
    while !simulation.advance(u64::MAX) {}
    let events = simulation.take_events().expect("a record");
    assert_eq!(events.rows().count(), events.len());
    (simulation.result(), events.rows().collect())
}

#[test]
fn a_run_is_the_same_whether_it_is_recorded_or_not() {
    for (name, text) in networks() {
        let plain = common::run(&text, 4, &Recording::default());
        let (result, _) = recorded(&text, Watch::default());
        assert_eq!(result.engine.fingerprint, plain.engine.fingerprint, "{name}");
        let parts = |result: &RunResult| {
            let mac = serde_json::to_value(&result.mac).unwrap();
            (mac, serde_json::to_value(&result.flows).unwrap(), result.routing.packets_sent)
        };
        assert_eq!(parts(&result), parts(&plain), "{name}");
    }
}

#[test]
fn what_is_looked_at_in_parts_is_the_whole_record() {
    for (name, text) in networks() {
        let (result, whole) = recorded(&text, Watch::default());
        let scenario = Scenario::from_toml(&text, &[]).unwrap();
        let recording = Recording { events: Some(Watch::default()), ..Recording::default() };
        let mut simulation = Simulation::new(&scenario, None, &recording).expect("a network");
        let mut parts = Vec::new();
        // Of odd lengths, so that frames are in the air.
        while simulation.now() < simulation.end() {
            simulation.run_until(simulation.now() + Duration::from_micros(77_777));
            let now = simulation.now().as_nanos();
            let Passage { rows, senders } = simulation.look().expect("a record");
            let begun = parts.last().map_or(0, |row: &Row| row.time_ns);
            assert!(rows.is_sorted_by_key(|row| row.time_ns), "{name}");
            assert!(rows.iter().all(|row| (begun..=now).contains(&row.time_ns)), "{name}");
            for row in rows.iter().filter(|row| row.happening == Happening::Tcp) {
                assert!((row.extent as usize) < senders.len(), "{name}");
            }
            parts.extend(rows);
        }
        assert_eq!(simulation.result().engine.fingerprint, result.engine.fingerprint, "{name}");
        let sorted = |rows: Vec<Row>| -> Vec<String> {
            let mut rows: Vec<_> = rows
                .into_iter()
                .map(|row| match row.happening {
                    Happening::Tcp => Row { extent: NONE, ..row },
                    _ => row,
                })
                .map(|row| (row.time_ns, format!("{row:?}")))
                .collect();
            rows.sort();
            rows.into_iter().map(|(_, row)| row).collect()
        };
        let last = parts.last().unwrap().time_ns;
        assert!(last + 10_000_000 > simulation.end().as_nanos(), "{name}");
        let whole = whole.into_iter().filter(|row| row.time_ns <= last).collect();
        assert_eq!(sorted(parts), sorted(whole), "{name}");
    }
}

#[test]
fn a_packet_that_goes_round_is_dropped_at_its_source_or_when_it_has_no_hop_left() {
    // Datagrams from node 0 to node 3 of a chain, in which a node turns back.
    let turning = |routes: &str| {
        let text = format!(
            "duration_s = 3\n[topology]\nkind = \"chain\"\nhops = 3\n\
             [routing]\nscheme = \"static\"\nroutes = [{routes}]\n\
             [[flows]]\nkind = \"cbr\"\nsource = 0\ndestination = 3\nstart_s = 1\nstop_s = 2\n\
             packet_bytes = 100\nrate_bps = 1600\n"
        );
        let (result, events) = recorded(&text, Watch::default());
        let dropped = |why| events.iter().filter(|row| row.detail == why).count();
        let delivered = result.flows[0].delivered_bytes;
        (delivered, [Detail::Loop, Detail::TimeToLive].map(dropped))
    };
    assert_eq!(turning(""), (200, [0, 0]));
    assert_eq!(turning("{ node = 1, destination = 3, next_hop = 0 }"), (0, [2, 0]));
    assert_eq!(turning("{ node = 2, destination = 3, next_hop = 1 }"), (0, [0, 2]));
}

#[test]
fn every_unicast_frame_is_received_or_lost_once_at_its_addressee() {
    for (name, text) in networks() {
        let (result, events) = recorded(&text, Watch::default());
        let mut ends: BTreeMap<u32, (u32, Vec<&Row>)> = BTreeMap::new();
        for row in &events {
            match row.happening {
                Happening::Transmit if row.peer != NONE => {
                    ends.insert(row.frame, (row.peer, Vec::new()));
                }
                Happening::Receive | Happening::Miss => {
                    if let Some((addressee, ends)) = ends.get_mut(&row.frame) {
                        assert_eq!(row.node, *addressee, "{name}");
                        ends.push(row);
                    }
                }
                _ => {}
            }
        }
        let last = events.last().unwrap().time_ns;
        let open: Vec<u32> =
            ends.iter().filter(|(_, (_, ends))| ends.len() != 1).map(|(&frame, _)| frame).collect();
        assert!(open.len() < 20, "{name}: {} of {} frames", open.len(), ends.len());
        for frame in open {
            let sent = events.iter().find(|row| row.frame == frame).unwrap();
            assert!(sent.time_ns + 20_000_000 > last, "{name}: frame {frame} has no end");
        }
        let collided = events
            .iter()
            .filter(|row| row.happening == Happening::Miss && row.detail == Detail::Collided);
        assert!(collided.count() > 0, "{name}");
        assert_eq!(
            events.iter().filter(|row| row.happening == Happening::Transmit).count() as u64,
            // Of an A-MPDU each frame has events of its own.
            result.engine.transmissions + result.mac.aggregated_sent - result.mac.aggregates_sent,
            "{name}"
        );
    }
}

#[test]
fn counters_and_record_agree() {
    for (name, text) in networks() {
        let (result, events) = recorded(&text, Watch::default());
        let count =
            |wanted: &dyn Fn(&Row) -> bool| events.iter().filter(|row| wanted(row)).count() as u64;
        let is = |happening| move |row: &Row| row.happening == happening;
        assert_eq!(
            count(&|row| is(Happening::Transmit)(row) && row.kind == Some(FrameKind::Rts)),
            result.mac.rts_sent,
            "{name}"
        );
        assert_eq!(count(&is(Happening::Discovery)), result.routing.discoveries, "{name}");
        assert_eq!(
            count(&|row| is(Happening::Drop)(row) && row.detail == Detail::QueueFull),
            result.queue.drops,
            "{name}"
        );
        let by_codel = count(&|row| is(Happening::Drop)(row) && row.detail == Detail::Codel);
        assert_eq!(by_codel, result.queue.codel_drops, "{name}");
        assert_eq!(by_codel > 0, name.contains("codel"), "{name}");
        let delivered = |flow: u32| {
            let data = |row: &&Row| {
                is(Happening::Deliver)(row) && row.flow == flow && row.content == Content::TcpData
            };
            events.iter().filter(data).map(|row| row.number).collect::<BTreeSet<u32>>().len()
        };
        for flow in &result.flows {
            // The SYN carries nothing.
            let unique = flow.unique_segments as usize;
            assert!([unique, unique + 1].contains(&delivered(flow.id)), "{name}, flow {}", flow.id);
        }
    }
}

#[test]
fn a_packet_can_be_followed_from_end_to_end() {
    let (_, events) = recorded(&networks()[0].1, Watch::default());
    let delivered = events.iter().filter(|row| row.happening == Happening::Deliver);
    let mut followed = 0;
    for end in delivered {
        let way: Vec<&Row> = events.iter().filter(|row| row.packet == end.packet).collect();
        assert_eq!(way[0].happening, Happening::Send, "packet {}", end.packet);
        let mut at = way[0].node;
        for row in way
            .iter()
            .filter(|row| row.happening == Happening::Receive && row.kind == Some(FrameKind::Data))
        {
            if row.peer == at {
                at = row.node;
            }
        }
        assert_eq!(at, end.node, "packet {}", end.packet);
        followed += 1;
        if followed == 200 {
            return;
        }
    }
    panic!("only {followed} packets delivered");
}

#[test]
fn a_window_of_time_nodes_and_flows_keeps_what_is_in_it() {
    let text = &networks()[0].1;
    let (_, all) = recorded(text, Watch::default());
    let mut counts = BTreeMap::new();
    all.iter()
        .filter(|row| row.flow == 1)
        .for_each(|row| *counts.entry(row.node).or_insert(0) += 1);
    let mut busy: Vec<u32> = counts.keys().copied().collect();
    busy.sort_by_key(|node| std::cmp::Reverse(counts[node]));
    busy.truncate(2);
    let watch = Watch {
        from_s: 5.0,
        to_s: Some(8.0),
        nodes: busy.clone(),
        flows: vec![1],
        ..Watch::default()
    };
    let (_, part) = recorded(text, watch);
    let is_in = |row: &&Row| {
        let to_here = row.happening == Happening::Transmit && busy.contains(&row.peer);
        (5_000_000_000..8_000_000_000).contains(&row.time_ns)
            && (busy.contains(&row.node) || to_here)
            && [NONE, 1].contains(&row.flow)
    };
    let key = |row: &Row| (row.time_ns, row.happening as u8, row.node, row.frame, row.packet);
    let wanted: Vec<_> = all.iter().filter(is_in).map(key).collect();
    assert!(wanted.len() > 50);
    assert_eq!(part.iter().map(key).collect::<Vec<_>>(), wanted);
}

#[test]
fn a_watch_names_what_there_is() {
    let scenario = Scenario::from_toml(&networks()[0].1, &[]).unwrap();
    let fault = |watch| {
        let recording = Recording { events: Some(watch), ..Recording::default() };
        Simulation::new(&scenario, None, &recording).unwrap_err().to_string()
    };
    let node = fault(Watch { nodes: vec![40], ..Watch::default() });
    assert_eq!(node, "events.nodes: must be a node, 0 to 39 (got 40)");
    let flow = fault(Watch { flows: vec![9], ..Watch::default() });
    assert_eq!(flow, "events.flows: must be a flow, 0 to 3 (got 9)");
    let time = fault(Watch { from_s: 3.0, to_s: Some(3.0), ..Watch::default() });
    assert_eq!(time, "events.from_s: must be a span of time: 0 or later, and to_s after from_s");
}

#[test]
fn a_datagram_that_arrives_twice_counts_once() {
    // DSR salvages what had arrived where the acknowledgments were lost.
    let network = |seed: u32| {
        format!(
            "duration_s = 20\nseed = {seed}\n[topology]\nkind = \"random\"\nnodes = 30\narea_m = [2500, 2500]\n\
             connected = false\n[mobility]\nkind = \"random-waypoint\"\nspeed_mps = [10, 20]\n\
             [mac]\nphy = \"802.11b\"\n[radio]\nreception = \"sinr\"\nfading = \"rayleigh\"\n[routing]\nscheme = \"dsr\"\n\
             [[flows]]\nkind = \"cbr\"\nsource = \"random\"\ndestination = \"random\"\ncount = 10\n\
             packet_bytes = 512\nrate_bps = 3e4\n"
        )
    };
    let mut copies = 0;
    for seed in 1..=3 {
        let (result, events) = recorded(&network(seed), Watch::default());
        for (flow, report) in result.flows.iter().enumerate() {
            let is_ours =
                |row: &&Row| row.happening == Happening::Deliver && row.flow as usize == flow;
            let numbers: Vec<u32> = events.iter().filter(is_ours).map(|row| row.number).collect();
            let once = numbers.iter().collect::<BTreeSet<_>>().len() as u64;
            copies += numbers.len() as u64 - once;
            assert_eq!(report.received_packets, Some(once), "flow {flow} of seed {seed}");
            assert_eq!((report.unique_segments, report.delivered_bytes), (once, once * 512));
            assert_eq!(report.arrived_segments, once);
            assert!(report.sent_segments >= once);
        }
        assert!(result.data.dropping_ratio <= 1.0, "{}", result.data.dropping_ratio);
    }
    assert!(copies > 0, "no datagram arrived twice: the test shows nothing");
}
