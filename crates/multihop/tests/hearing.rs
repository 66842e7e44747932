//! Who hears whom, as told to those who explain a run: what the medium of that run does.

use std::collections::{BTreeMap, BTreeSet};

use multihop::capture::{Detail, Happening, NONE, Row, Watch};
use multihop::kernel::Instant;
use multihop::scenario::Scenario;
use multihop::simulation::{Heard, Hearing, Recording, Simulation};
use multihop::wire::{FrameKind, NodeId};

const SINR: &str = "[radio]\nreception = \"sinr\"\n";
const MOVING: &str = "[mobility]\nkind = \"random-waypoint\"\nspeed_mps = [20, 20]\n";
const EVENTS: &str = "[[events]]\nkind = \"node-kill\"\nnode = 3\nat_s = 4\n\
                      [[events]]\nkind = \"link-cut\"\nnode = 0\nneighbour = 1\nat_s = 3.5\n\
                      [[events]]\nkind = \"node-restore\"\nnode = 3\nat_s = 8\n";

fn scenario(topology: &str, rest: &str) -> Scenario {
    let text = format!(
        "duration_s = 12\nseed = 5\n[topology]\n{topology}\n[routing]\nscheme = \"aodv\"\nhello_interval_s = 0.5\n\
         {rest}\n[[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = \"last\"\n"
    );
    Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn random(nodes: u32, side_m: u32) -> String {
    format!("kind = \"random\"\nnodes = {nodes}\narea_m = [{side_m}, {side_m}]\nconnected = false")
}

fn networks() -> Vec<(&'static str, Scenario)> {
    let phy = "[mac]\nphy = \"802.11a\"\ndata_rate_bps = 6e6\n";
    let shadowed = format!("{SINR}shadowing_db = 8\n{phy}");
    let chain = "kind = \"chain\"\nhops = 3\nspacing_m = 40";
    let links =
        "kind = \"links\"\nnodes = 5\nlinks = [[0, 1], [1, 2], [2, 3], [3, 4]]\nsensed = [[0, 2]]";
    let gains = "[radio]\nreception = \"sinr\"\npropagation = \"measured\"\n\
                 gains_db = [[0, 1, -90], [1, 0, -107], [1, 2, -95], [2, 3, -90], [0, 2, -112]]\n";
    vec![
        ("threshold", scenario(&random(25, 900), "")),
        ("threshold, moving", scenario(&random(25, 900), MOVING)),
        ("events", scenario(&random(25, 700), EVENTS)),
        ("events, moving", scenario(&random(25, 700), &format!("{MOVING}{EVENTS}"))),
        ("named links", scenario(links, "")),
        ("sinr", scenario(&random(20, 300), &format!("{SINR}{phy}"))),
        ("shadowing", scenario(&random(20, 300), &shadowed)),
        ("shadowing, moving", scenario(&random(20, 300), &format!("{MOVING}{shadowed}"))),
        ("events, sinr", scenario(&random(20, 300), &format!("{SINR}{phy}{EVENTS}"))),
        ("measured", scenario(chain, &format!("{gains}{phy}"))),
    ]
}

fn record(scenario: &Scenario) -> Vec<Row> {
    let recording = Recording { events: Some(Watch::default()), ..Recording::default() };
    let mut simulation = Simulation::new(scenario, None, &recording).expect("a network");
    while !simulation.advance(u64::MAX) {}
    simulation.take_events().expect("a record").rows().collect()
}

fn at(hearing: &mut Hearing, sender: u32, time_ns: u64) -> Vec<Heard> {
    let heard = hearing.at(Instant::from_nanos(time_ns)).into_iter();
    heard.filter(|heard| heard.sender == NodeId(sender)).collect()
}

#[test]
fn broadcasts_come_where_they_can_be_decoded_and_nowhere_else() {
    for (name, scenario) in networks() {
        let mut hearing = Hearing::new(&scenario, scenario.seed, None).expect("a network");
        let rows = record(&scenario);
        let mut came: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for row in &rows {
            if matches!(row.happening, Happening::Receive | Happening::Miss) {
                came.entry(row.frame).or_default().insert(row.node);
            }
        }
        let is_broadcast = |row: &&Row| {
            row.happening == Happening::Transmit
                && row.peer == NONE
                && row.kind == Some(FrameKind::Data)
                && row.time_ns < 11_900_000_000
        };
        let mut pairs = 0;
        for row in rows.iter().filter(is_broadcast) {
            let decoded: BTreeSet<u32> = at(&mut hearing, row.node, row.time_ns)
                .iter()
                .filter(|heard| heard.decodes)
                .map(|heard| heard.node.0)
                .collect();
            pairs += decoded.len();
            let came = came.remove(&row.frame).unwrap_or_default();
            assert_eq!(
                came, decoded,
                "{name}: frame {} of {} at {}",
                row.frame, row.node, row.time_ns
            );
        }
        assert!(pairs > 20, "{name}: {pairs} pairs");
    }
}

#[test]
fn frames_to_a_neighbour_are_out_of_range_where_it_does_not_decode_them() {
    for (name, scenario) in networks() {
        let mut hearing = Hearing::new(&scenario, scenario.seed, None).expect("a network");
        let rows = record(&scenario);
        let sent: BTreeMap<u32, &Row> = rows
            .iter()
            .filter(|row| row.happening == Happening::Transmit)
            .map(|row| (row.frame, row))
            .collect();
        for row in &rows {
            let Some(&&Row { node: sender, peer, time_ns, .. }) = sent.get(&row.frame) else {
                continue;
            };
            if row.happening != Happening::Miss || peer != row.node {
                continue;
            }
            let heard = at(&mut hearing, sender, time_ns);
            let heard = heard.iter().find(|heard| heard.node.0 == row.node);
            if row.detail == Detail::OutOfRange {
                assert!(!heard.is_some_and(|heard| heard.carries), "{name}: {row:?} {heard:?}");
            } else {
                assert!(heard.is_some_and(|heard| heard.decodes), "{name}: {row:?} {heard:?}");
            }
        }
    }
}

#[test]
fn it_may_be_asked_in_any_order() {
    for (name, scenario) in networks() {
        let new = || Hearing::new(&scenario, scenario.seed, None).expect("a network");
        let (mut forth, mut back) = (new(), new());
        let times: Vec<Instant> =
            (0..24).map(|half| Instant::from_secs_f64(f64::from(half) / 2.0)).collect();
        let forth: Vec<_> = times.iter().map(|&at| forth.at(at)).collect();
        for (expected, &at) in forth.iter().zip(&times).rev() {
            assert_eq!(&back.at(at), expected, "{name}");
        }
    }
}

#[test]
fn along_recorded_ways_it_is_the_same() {
    let scenario = scenario(&random(25, 900), MOVING);
    let mut drawn = Hearing::new(&scenario, 5, None).expect("a network");
    let ways = drawn.trails().to_vec();
    let mut given = Hearing::new(&scenario, 5, Some(ways)).expect("ways of 25 nodes");
    let ends = |heard: Vec<Heard>| -> Vec<_> {
        heard.iter().map(|heard| (heard.sender, heard.node, heard.decodes)).collect()
    };
    for tenth in 0..120 {
        let at = Instant::from_secs_f64(f64::from(tenth) / 10.0);
        assert_eq!(ends(given.at(at)).len(), ends(drawn.at(at)).len(), "at {tenth}");
    }
    let error = Hearing::new(&scenario, 5, Some(vec![vec![[0.0, 0.0, 0.0]]])).unwrap_err();
    assert_eq!(error.to_string(), "movement: must be a way for each of 25 nodes (got 1)");
}

/// 20 dBm over a gain: carrier sense from -82 dBm on; noise in 20 MHz is -94 dBm, and counts from
/// -100 dBm on.
#[test]
fn levels_by_hand() {
    let chain = "kind = \"chain\"\nhops = 3\nspacing_m = 40";
    let gains = "[radio]\nreception = \"sinr\"\npropagation = \"measured\"\ntransmit_power_dbm = 20\n\
                 gains_db = [[0, 1, -90], [1, 0, -101.9], [0, 2, -102.1], [2, 0, -119.9], [0, 3, -120.5]]\n\
                 [mac]\nphy = \"802.11a\"\ndata_rate_bps = 54e6\n";
    let mut hearing = Hearing::new(&scenario(chain, gains), 1, None).expect("a network");
    let mut found = Vec::new();
    for Heard { sender, node, power_w, decodes, carries, senses, .. } in hearing.at(Instant::ZERO) {
        let dbm = (100.0 * power_w.log10()).round() / 10.0 + 30.0;
        found.push(((sender.0, node.0), dbm, [decodes, carries, senses]));
    }
    // 54 Mbit/s need some 20 dB over noise: -70 dBm carry them, -81.9 dBm do not.
    assert_eq!(
        found,
        [
            ((0, 1), -70.0, [true, true, true]),
            ((0, 2), -82.1, [false, false, false]),
            ((1, 0), -81.9, [true, false, true]),
            ((2, 0), -99.9, [false, false, false]),
        ]
    );
}
