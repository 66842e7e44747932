//! What radios use, against arithmetic.

use crate::common::run;
use crate::spoilt::{Case, check};
use multihop::simulation::{EnergyReport, Recording};

/// One hop of 200 m, and a third node that hears node 1 but not node 0, with this `[radio.energy]`.
fn hop(energy: &str, more: &str) -> String {
    format!(
        "duration_s = 21\nprofile = \"standard\"\n[topology]\nkind = \"positions\"\n\
         positions_m = [[0, 0], [200, 0], [600, 0]]\n[radio.energy]\n{energy}\n[link]\narp = false\n\
         [routing]\nscheme = \"static\"\n[[flows]]\nkind = \"cbr\"\npacket_bytes = 1000\n\
         rate_bps = 80000\nstart_s = 1\nstop_s = 21\nsource = 0\ndestination = 1\n{more}"
    )
}

fn energy(text: &str) -> Vec<EnergyReport> {
    run(text, 1, &Recording::default()).energy
}

const POWERS: &str = "transmit_w = 2\nreceive_w = 1\nidle_w = 0.5";

/// Ten packets a second for 20 s: RTS, data of 1048 bytes at 2 Mbit/s; CTS and ACK.
const SENT_S: f64 = 200.0 * (352e-6 + 4384e-6);
const ANSWERED_S: f64 = 200.0 * (304e-6 + 304e-6);

#[test]
fn each_state_takes_its_time_and_its_power() {
    let found = energy(&hop(POWERS, ""));
    let near = |found: f64, wanted: f64| {
        assert!((found - wanted).abs() < 0.01 * wanted, "{found} {wanted}")
    };
    near(found[0].sending_s, SENT_S);
    near(found[0].receiving_s, ANSWERED_S);
    near(found[1].sending_s, ANSWERED_S);
    near(found[1].receiving_s, SENT_S);
    // 400 m from node 1 the medium is busy, too; 600 m from node 0 it is not.
    near(found[2].receiving_s, ANSWERED_S);
    for node in &found {
        let all_s = node.sending_s + node.receiving_s + node.idle_s;
        assert!((all_s - 21.0).abs() < 1e-9, "{node:?}");
        near(node.used_j, 2.0 * node.sending_s + node.receiving_s + 0.5 * node.idle_s);
    }
}

#[test]
fn counting_changes_nothing_else() {
    let counted = run(&hop(POWERS, ""), 1, &Recording::default());
    let without = run(&hop("", "").replace("[radio.energy]\n", ""), 1, &Recording::default());
    assert_eq!(counted.engine.fingerprint, without.engine.fingerprint);
    assert!(without.energy.is_empty());
}

#[test]
fn a_node_is_off_from_when_its_battery_is_empty() {
    // Idle alone, 5 J last 10 s; the receiver has somewhat less.
    let found = energy(&hop(&format!("{POWERS}\nbattery_j = [1e9, 5, 5]"), ""));
    assert_eq!(found[0].empty_at_s, None);
    let [first, second] = [1, 2].map(|node| found[node].empty_at_s.expect("empty"));
    assert!(first < second && second < 10.0, "{first} {second}");
    for node in &found[1..] {
        assert!((node.used_j - 5.0).abs() < 0.005, "{node:?}");
        let on_s = node.sending_s + node.receiving_s + node.idle_s;
        assert!((on_s - node.empty_at_s.unwrap()).abs() < 0.01, "{node:?}");
    }
    // What the battery gives to the end: power times time up to then.
    let sent_s = first - 1.0;
    let used_j = 0.5 * first + 10.0 * sent_s * (0.5 * 4736e-6 + 1.5 * 608e-6);
    assert!((used_j - 5.0).abs() < 0.05, "{used_j}");
}

#[test]
fn a_node_that_is_off_uses_nothing() {
    let off = "[[events]]\nkind = \"node-kill\"\nnode = 2\nat_s = 5\n\
               [[events]]\nkind = \"node-restore\"\nnode = 2\nat_s = 15\n";
    let found = energy(&hop(POWERS, off));
    let on_s = found[2].sending_s + found[2].receiving_s + found[2].idle_s;
    assert!((on_s - 11.0).abs() < 1e-6, "{on_s}");
    // A battery that is empty stays so.
    let found = energy(&hop(&format!("{POWERS}\nbattery_j = [1e9, 1e9, 1]"), off));
    assert!(found[2].empty_at_s.unwrap() < 2.01);
    assert!(found[2].used_j < 1.01);
}

#[test]
fn wrong_energy() {
    check(WRONG);
}

#[rustfmt::skip]
const WRONG: &[Case] = &[
    ("[mac]", "[radio.energy]\ntransmit_w = -1\n[mac]",
     "line 10: radio.energy.transmit_w: must be 0 to 10000 (got -1)"),
    ("[mac]", "[radio.energy]\nsleep_w = 1\n[mac]",
     "line 10: radio.energy.sleep_w: unknown key; allowed: transmit_w, receive_w, idle_w, battery_j"),
    ("[mac]", "[radio.energy]\nbattery_j = [1, 2]\n[mac]",
     "line 10: radio.energy.battery_j: must be one value or 3, one for each node (got 2)"),
    ("[mac]", "[radio.energy]\nbattery_j = \"full\"\n[mac]",
     "line 10: radio.energy.battery_j: must be a number or a list of numbers, one for each node"),
    ("[mac]", "[radio.energy]\nbattery_j = nan\n[mac]",
     "line 10: radio.energy.battery_j: must be 0 to 1000000000000 (got NaN)"),
];
