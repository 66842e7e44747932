//! CoDel, FQ-CoDel and ECN in a network.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::run;
use multihop::capture::{Detail, Happening, Watch};
use multihop::scenario::Scenario;
use multihop::simulation::{Recording, RunResult, Simulation};
use multihop::wire::Content;

/// CUBIC over a chain of four hops with routes that stand, and what else the scenario says.
fn chain(rest: &str) -> String {
    format!(
        "duration_s = 40\n[topology]\nkind = \"chain\"\nhops = 4\nspacing_m = 200\n\
         [routing]\nscheme = \"static\"\n{rest}\n\
         [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 4\n"
    )
}

const TCP: &str = "[transport]\nscheme = \"cubic\"\nwindow_segments = 64";
const CODEL: &str = "[link]\nqueue = \"codel\"";
const FAIR: &str = "[link]\nqueue = \"fq-codel\"";

fn plain(rest: &str, seed: u64) -> RunResult {
    run(&chain(rest), seed, &Recording::default())
}

#[test]
fn waits_become_short_and_marks_do_it_without_losses() {
    for seed in 1..=3 {
        let delay = |result: &RunResult| result.flows[0].mean_delay_s.unwrap();
        let tail = plain(TCP, seed);
        assert_eq!((tail.queue.codel_drops, tail.queue.ecn_marks), (0, 0));
        for queue in [CODEL, FAIR] {
            let dropping = plain(&format!("{TCP}\n{queue}"), seed);
            assert!(dropping.queue.codel_drops > 20, "{:?}", dropping.queue);
            assert_eq!((dropping.queue.ecn_marks, dropping.flows[0].ecn_reductions), (0, 0));
            assert!(delay(&dropping) < 0.9 * delay(&tail), "{queue}");
            let marking = plain(&format!("{TCP}\necn = true\n{queue}"), seed);
            let marks = marking.queue.ecn_marks;
            assert!(marks > 20, "{:?}", marking.queue);
            let reductions = marking.flows[0].ecn_reductions;
            assert!((10..=marks).contains(&reductions), "{reductions} for {marks} marks");
            assert!(delay(&marking) < 0.9 * delay(&tail), "{queue}");
            assert!(marking.flows[0].retransmits < dropping.flows[0].retransmits);
        }
    }
}

#[test]
fn where_nothing_marks_ecn_changes_nothing() {
    for queue in ["", "[link]\nqueue = \"codel\"\ncodel.ecn = false"] {
        let with = plain(&format!("{TCP}\necn = true\n{queue}"), 1);
        let without = plain(&format!("{TCP}\n{queue}"), 1);
        assert_eq!(with.engine.fingerprint, without.engine.fingerprint);
        assert_eq!((with.queue.ecn_marks, with.flows[0].ecn_reductions), (0, 0));
    }
}

#[test]
fn a_flow_of_few_packets_does_not_wait_behind_another() {
    let voice = "[[flows]]\nkind = \"cbr\"\nsource = 0\ndestination = 4\nrate_bps = 24000\n\
                 packet_bytes = 60\n";
    for seed in 1..=3 {
        let delay = |queue: &str| {
            let result = plain(&format!("{TCP}\n{voice}{queue}"), seed);
            result.flows[0].mean_delay_s.unwrap()
        };
        assert!(delay(CODEL) < 0.5 * delay(""));
        assert!(delay(FAIR) < 0.7 * delay(CODEL));
    }
}

#[test]
fn what_waits_is_what_joined_and_has_neither_left_nor_been_dropped() {
    let semi = "[mac]\nscheme = \"semi-tcp\"\n[transport]\nscheme = \"semi-tcp\"";
    let cross = "[[flows]]\nkind = \"cbr\"\nsource = 1\ndestination = 3\nrate_bps = 6e5\n\
                 packet_bytes = 1000";
    for (rest, drops) in [
        (format!("{TCP}\n{CODEL}"), true),
        (format!("{TCP}\n{FAIR}\n[mac]\nqueue_packets = 10\n{cross}"), true),
        (format!("{TCP}\n{CODEL}\npacing = \"hop-by-hop\"\n{cross}"), true),
        (format!("{TCP}\n{FAIR}\npacing = \"hop-by-hop\"\nhop_by_hop.keep_s = 1\n{cross}"), true),
        (format!("{semi}\n{FAIR}\n{cross}"), false),
    ] {
        let scenario = Scenario::from_toml(&chain(&rest), &[]).unwrap();
        let recording = Recording { events: Some(Watch::default()), ..Recording::default() };
        let mut simulation = Simulation::new(&scenario, Some(2), &recording).unwrap();
        while !simulation.advance(u64::MAX) {}
        let events = simulation.take_events().unwrap();
        let result = simulation.result();
        assert_eq!(result.queue.codel_drops > 0, drops, "{rest}");
        let mut waiting: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        let mut by_codel = 0;
        for row in events.rows() {
            let here = waiting.entry(row.node).or_default();
            match row.happening {
                Happening::Enqueue => assert!(here.insert(row.packet), "joins twice"),
                Happening::Serve => {
                    here.remove(&row.packet);
                    // What comes back to its queue is not told by name.
                    if !rest.contains("keep_s") {
                        assert_eq!(here.len() as u32, row.extent, "{row:?}");
                    }
                }
                Happening::Drop if row.detail == Detail::Codel => {
                    let is_transport = [Content::TcpData, Content::TcpAck, Content::Udp];
                    assert!(is_transport.contains(&row.content));
                    assert!(here.remove(&row.packet) || rest.contains("keep_s"), "{row:?}");
                    by_codel += 1;
                }
                Happening::Drop if row.detail == Detail::QueueFull => _ = here.remove(&row.packet),
                _ => {}
            }
        }
        assert_eq!(by_codel, result.queue.codel_drops);
    }
}
