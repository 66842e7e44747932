//! Links longer than the PHY's own timeouts allow for.

use crate::common::run;
use multihop::scenario::Scenario;
use multihop::simulation::{Recording, RunResult};

const DSSS: &str = "";
const OFDM: &str = "phy = \"802.11a\"\ndata_rate_bps = 6e6\nbasic_rate_bps = 6e6\n";

/// Two nodes so far apart, in range of each other.
fn pair(apart_m: f64, profile: &str, mac: &str) -> RunResult {
    let text = format!(
        "duration_s = 5\nprofile = \"{profile}\"\n[topology]\nkind = \"positions\"\n\
         positions_m = [[0, 0], [{apart_m}, 0]]\n[radio]\nreceive_range_m = 20000\n\
         sense_range_m = 20000\n[mac]\n{mac}[routing]\nscheme = \"static\"\n[[flows]]\n\
         kind = \"ftp\"\nsource = 0\ndestination = 1\n"
    );
    run(&text, 1, &Recording::default())
}

/// Whether segments are delivered, and the warning of a long link.
fn found(result: &RunResult) -> (bool, Option<&str>) {
    let [flow] = result.flows.as_slice() else { panic!("one flow") };
    let warning = result.warnings.iter().find(|text| text.contains("answers"));
    (flow.delivered_segments > 100, warning.map(String::as_str))
}

#[test]
fn stations_of_the_standard_wait_for_answers_over_their_longest_link() {
    for (mac, kilometres) in [(DSSS, [0.59, 0.61, 1.0, 13.0]), (OFDM, [1.3, 1.4, 5.0, 13.0])] {
        for km in kilometres {
            assert_eq!(found(&pair(km * 1e3, "standard", mac)), (true, None), "{km} km, {mac}");
        }
    }
}

#[test]
fn those_of_ns2_do_not_unless_told_and_say_so() {
    assert_eq!(found(&pair(590.0, "ns2", DSSS)), (true, None));
    let late = "the link from node 0 to node 1 is 610 m long: answers over 600 m or more come after their \
                timeout, so that every frame to one neighbour fails; mac.coverage_m = 611 waits for them";
    assert_eq!(found(&pair(610.0, "ns2", DSSS)), (false, Some(late)));
    assert_eq!(found(&pair(610.0, "ns2", "coverage_m = 610\n")), (true, None));
    let (works, warning) = (found(&pair(1400.0, "ns2", OFDM)).0, "over 1350 m or more");
    assert!(!works);
    assert!(found(&pair(1400.0, "ns2", OFDM)).1.is_some_and(|text| text.contains(warning)));
}

#[test]
fn a_distance_given_too_short_is_told_in_every_profile() {
    let result = pair(2000.0, "standard", "coverage_m = 700\n");
    let (works, warning) = found(&result);
    assert!(
        !works && warning.is_some_and(|text| text.contains("mac.coverage_m = 200")),
        "{warning:?}"
    );
}

#[test]
fn at_the_very_edge_the_warning_is_what_happens() {
    for apart_m in [599.0, 599.9, 600.0, 600.1, 601.0] {
        let result = pair(apart_m, "ns2", DSSS);
        let (works, warning) = found(&result);
        assert_eq!(works, warning.is_none(), "{apart_m} m: {warning:?}");
    }
}

#[test]
fn moving_nodes_are_told_how_far_apart_they_may_come() {
    let warnings = |side_m: f64, range_m: f64, profile: &str| {
        let text = format!(
            "duration_s = 50\nprofile = \"{profile}\"\n[topology]\nkind = \"random\"\nnodes = 9\n\
             area_m = [{side_m}, {side_m}]\nconnected = false\n[mobility]\nkind = \"random-waypoint\"\n\
             speed_mps = [5, 20]\n[radio]\nreceive_range_m = {range_m}\nsense_range_m = {range_m}\n\
             [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 1\n"
        );
        Scenario::from_toml(&text, &[]).unwrap().network(1).unwrap().warnings
    };
    assert_eq!(warnings(3000.0, 550.0, "ns2"), Vec::<String>::new());
    assert_eq!(warnings(300.0, 5000.0, "ns2"), Vec::<String>::new(), "the area is small");
    let warning = warnings(3000.0, 800.0, "ns2");
    assert!(
        warning[0].starts_with("nodes may be 800 m apart and in range: answers over 600 m or more")
    );
    assert_eq!(warnings(3000.0, 800.0, "standard"), Vec::<String>::new());
}

#[test]
fn beyond_the_highest_class_nothing_helps() {
    assert_eq!(found(&pair(13_950.0, "ns2", "coverage_m = 13950\n")), (true, None));
    let result = pair(16_000.0, "standard", OFDM);
    let (works, warning) = found(&result);
    assert!(
        !works && warning.is_some_and(|text| text.ends_with("; no mac.coverage_m allows for that"))
    );
}
