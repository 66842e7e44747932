//! Today's TCP in networks: every congestion control with every recovery, and the papers' schemes
//! over them.

use crate::common::run;
use multihop::simulation::{Recording, RunResult};

/// Two flows among twelve moving nodes, whose routes break, with these lines of `[transport]` and
/// `[link]`.
fn moving(transport: &str, link: &str) -> RunResult {
    let text = format!(
        "duration_s = 60\n[topology]\nkind = \"random\"\nnodes = 12\narea_m = [700, 300]\nconnected = true\n\
         [mobility]\nkind = \"random-waypoint\"\nspeed_mps = [5, 15]\npause_s = 0\nconnected = true\n\
         [routing]\nscheme = \"aodv\"\n[link]\n{link}\n[transport]\nwindow_segments = 32\n{transport}\n\
         [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 11\n\
         [[flows]]\nkind = \"file\"\nsource = 3\ndestination = 8\nbytes = 100_000\n"
    );
    run(&text, 7, &Recording::default())
}

fn delivers(what: &str, result: &RunResult) {
    let endless = result.flows[0].delivered_segments;
    assert!(endless > 100, "{what}: {endless} segments arrived in order");
    let file = result.flows[1].delivered_segments;
    assert_eq!(file, 69, "{what}: the file is complete");
}

const CONTROLS: [&str; 7] = ["reno", "newreno", "cubic", "vegas", "westwood", "bbr", "bbr1"];

#[test]
fn every_congestion_control_goes_with_every_recovery_and_reaction_to_broken_routes() {
    for control in CONTROLS {
        for recovery in ["duplicate-acks", "sack", "rack-tlp"] {
            if control.starts_with("bbr") && recovery == "duplicate-acks" {
                continue;
            }
            for reaction in ["ignore", "standby", "elfn"] {
                let transport = format!(
                    "scheme = \"{control}\"\nlink_failure = \"{reaction}\"\nrecovery.scheme = \"{recovery}\""
                );
                let what = format!("{control}, {recovery}, {reaction}");
                delivers(&what, &moving(&transport, ""));
            }
        }
    }
}

#[test]
fn the_papers_pacing_goes_with_today_s_congestion_controls() {
    for control in CONTROLS {
        for (pacing, link) in [("tcp-ap", ""), ("rate", ""), ("none", "pacing = \"hop-by-hop\"")] {
            let transport = format!(
                "profile = \"linux\"\nscheme = \"{control}\"\npacing.scheme = \"{pacing}\""
            );
            let what = format!("{control}, {pacing}, {link}");
            delivers(&what, &moving(&transport, link));
        }
    }
}

/// Acknowledgments sent by one flow over a chain of four hops, and the segments that it delivered.
fn acknowledgments(transport: &str) -> (u64, u64) {
    let text = format!(
        "duration_s = 30\n[topology]\nkind = \"chain\"\nhops = 4\nspacing_m = 200\n\
         [routing]\nscheme = \"aodv\"\n[transport]\nwindow_segments = 16\n{transport}\n\
         [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 4\n"
    );
    let flow = &run(&text, 3, &Recording::default()).flows[0];
    (flow.acks_sent.unwrap(), flow.delivered_segments)
}

#[test]
fn delayed_acknowledgments_are_about_half_as_many_and_leave_more_room_for_data() {
    let every = acknowledgments("recovery.scheme = \"rack-tlp\"");
    let delayed = acknowledgments("recovery.scheme = \"rack-tlp\"\nacks.delayed = true");
    let share = |(acks, segments): (u64, u64)| acks as f64 / segments as f64;
    assert!(share(every) > 0.95, "{every:?}");
    assert!((0.45..0.75).contains(&share(delayed)), "{delayed:?}");
    assert!(delayed.1 > every.1, "{delayed:?} against {every:?}");
}
