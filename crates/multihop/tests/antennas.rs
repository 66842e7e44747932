//! Stations with powers, frequencies and antennas of their own, in whole networks.

use crate::common::run;
use crate::spoilt::{Case, check};
use multihop::kernel::Instant;
use multihop::scenario::Scenario;
use multihop::simulation::{Hearing, Recording, RunResult};
use multihop::wire::NodeId;

/// Four nodes at the corners of a square of 200 m, with this `[radio]` and this table of
/// interfaces. Nodes 0 and 2 send north at the same time, as much as goes.
fn square(radio: &str, interfaces: &str) -> String {
    let flow = |source: u32| {
        format!(
            "[[flows]]\nkind = \"cbr\"\npacket_bytes = 1000\nrate_bps = 1e8\nstart_s = 1\n\
             stop_s = 6\nsource = {source}\ndestination = {}\n",
            source + 1
        )
    };
    format!(
        "duration_s = 6\nprofile = \"standard\"\n[topology]\nkind = \"positions\"\n\
         positions_m = [[0, 0], [0, 200], [200, 0], [200, 200]]\n[radio]\n{radio}\n{interfaces}\
         [link]\narp = false\n[routing]\nscheme = \"static\"\n{}{}",
        flow(0),
        flow(2)
    )
}

const FREE: &str = "propagation = \"free-space\"\nfrequency_hz = 5e9";

/// Dishes of 23 dBi: node 0 and 1, and 2 and 3, look at each other.
const DISHES: &str = "[[interfaces]]\nname = \"backbone\"\nchannel = 36\n[interfaces.radio]\n\
                      transmit_power_dbm = 4\n[interfaces.antenna]\nkind = \"dish\"\n\
                      gain_dbi = 23\ntowards = [1, 0, 3, 2]\n";

fn received(result: &RunResult) -> Vec<u64> {
    let json = serde_json::to_value(result).expect("a result");
    let flows = json["flows"].as_array().expect("flows");
    flows.iter().map(|flow| flow["received_packets"].as_u64().expect("a CBR flow")).collect()
}

#[test]
fn dishes_side_by_side_carry_twice_what_they_share_without() {
    let shared = received(&run(&square(FREE, ""), 1, &Recording::default()));
    let beams = received(&run(&square(FREE, DISHES), 1, &Recording::default()));
    // 4 dBm are 20.5 dB less than the usual power; beside its beam a dish has 23 dB less.
    let ratio = beams.iter().sum::<u64>() as f64 / shared.iter().sum::<u64>() as f64;
    assert!((1.9..2.2).contains(&ratio), "{beams:?} and {shared:?}");
}

#[test]
fn gain_at_both_ends_is_worth_power() {
    let sinr = "reception = \"sinr\"\npropagation = \"free-space\"\nnoise_figure_db = 7\n\
                energy_detect_dbm = -62\n";
    let phy = "[mac]\nphy = \"802.11a\"\ndata_rate_bps = 24e6\n";
    let omni = |gain: f64| {
        format!(
            "[[interfaces]]\nname = \"all\"\nchannel = 1\n[interfaces.antenna]\nkind = \"omni\"\n\
             gain_dbi = {gain}\n{phy}"
        )
    };
    let of = |radio: &str, rest: &str| {
        let result = run(&square(&format!("{sinr}{radio}"), rest), 1, &Recording::default());
        (received(&result), result.engine.fingerprint)
    };
    // Powers as received are the same: so is the run, bit by bit but for rounding.
    let by_power = of("transmit_power_dbm = 20", phy).0;
    let by_gain = of("transmit_power_dbm = 14", &omni(3.0)).0;
    assert_eq!(by_power, by_gain);
    assert_ne!(by_power, of("transmit_power_dbm = 14", phy).0, "the power matters here");
}

#[test]
fn what_a_scenario_resolves_to_gives_the_same_run() {
    for (radio, interfaces) in [(FREE, DISHES), ("reception = \"sinr\"", SINR_KINDS)] {
        let text = square(radio, interfaces);
        let scenario = Scenario::from_toml(&text, &[]).expect("a scenario");
        let resolved = serde_json::to_string(&scenario).expect("plain data");
        let document = multihop::config::document::Document::from_json(&resolved).expect("JSON");
        let again = Scenario::from_document(&multihop::schemes::Schemes::standard(), &document)
            .expect("what was resolved is valid");
        assert_eq!(serde_json::to_value(&again).ok(), serde_json::to_value(&scenario).ok());
    }
}

/// Kinds of different power and antenna on one channel.
const SINR_KINDS: &str = "[[interfaces]]\nname = \"roof\"\nchannel = 1\nnodes = [0, 2]\n\
    [interfaces.radio]\ntransmit_power_dbm = 20\n[interfaces.antenna]\nkind = \"sector\"\n\
    gain_dbi = 14\nbeam_width_deg = 90\nbearing_deg = [0, 45]\ntilt_deg = 2\n\
    [[interfaces]]\nname = \"phone\"\nchannel = 1\nnodes = [1, 3]\n[interfaces.radio]\n\
    transmit_power_dbm = 14\n[mac]\nphy = \"802.11g\"\n";

/// A backbone of 802.11a at 5 GHz, and cells of 802.11b.
const TWO_BANDS: &str = "[[interfaces]]\nname = \"backbone\"\nchannel = 36\nphy = \"802.11a\"\n\
    [[interfaces]]\nname = \"cell\"\nchannel = 1\nphy = \"802.11b\"\n";

#[test]
fn each_band_of_two_is_as_it_is_alone() {
    let sinr = "reception = \"sinr\"\ntransmit_power_dbm = 30\n";
    let by = |name: &str| {
        let route = |node: u32| {
            format!(
                "{{ node = {node}, destination = {0}, next_hop = {0}, interface = \"{name}\" }}",
                node + 1
            )
        };
        let routes = format!("scheme = \"static\"\nroutes = [{}, {}]\n", route(0), route(2));
        square(sinr, &format!("{TWO_BANDS}[mac]\nphy = \"802.11a\"\n"))
            .replace("scheme = \"static\"\n", &routes)
    };
    let of = |text: &str| received(&run(text, 1, &Recording::default()));
    let alone = |phy: &str| of(&square(sinr, &format!("[mac]\nphy = \"{phy}\"\n")));
    let near = |found: &[u64], wanted: &[u64]| {
        let [found, wanted] = [found, wanted].map(|packets| packets.iter().sum::<u64>() as f64);
        assert!((found / wanted - 1.0).abs() < 0.02, "{found} and {wanted}");
    };
    near(&of(&by("backbone")), &alone("802.11a"));
    near(&of(&by("cell")), &alone("802.11b"));
}

#[test]
fn a_strong_roof_and_weak_phones_are_a_link_of_one_way() {
    let text = square("reception = \"sinr\"", SINR_KINDS)
        .replace("scheme = \"static\"", "scheme = \"aodv\"");
    let hearing = |phones_dbm: i32| {
        let text =
            text.replace("transmit_power_dbm = 14", &format!("transmit_power_dbm = {phones_dbm}"));
        let scenario = Scenario::from_toml(&text, &[]).expect("a scenario");
        let mut hearing = Hearing::new(&scenario, 1, None).expect("a network");
        let heard = hearing.at(Instant::ZERO);
        let of = |sender, node| {
            heard
                .iter()
                .any(|it| it.decodes && (it.sender, it.node) == (NodeId(sender), NodeId(node)))
        };
        [of(0, 1), of(1, 0)]
    };
    assert_eq!(hearing(14), [true, true]);
    assert_eq!(hearing(-15), [true, false]);
}

#[test]
fn wrong_equipment() {
    check(WRONG);
}

#[rustfmt::skip]
const WRONG: &[Case] = &[
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"horn\"\n[mac]",
     "line 13: interfaces.0.antenna.kind: must be one of \"omni\", \"sector\", \"dish\", \"pattern\" (got \"horn\")"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"sector\"\nbeam_width_deg = 90\n[mac]",
     "line 12: interfaces.0.antenna.gain_dbi: is missing: a sector needs one"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"sector\"\ngain_dbi = 14\n[mac]",
     "line 12: interfaces.0.antenna.beam_width_deg: is missing: a sector needs one"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"sector\"\ngain_dbi = 14\nbeam_width_deg = 0\n[mac]",
     "line 15: interfaces.0.antenna.beam_width_deg: must be 0.5 to 360 (got 0)"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"dish\"\n[mac]",
     "line 12: interfaces.0.antenna.gain_dbi: is missing: a dish needs it, or beam_width_deg"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"dish\"\ngain_dbi = 3\n[mac]",
     "line 14: interfaces.0.antenna.gain_dbi: must be 8 to 48 (got 3)"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"dish\"\ngain_dbi = 23\nbeam_width_deg = 10\n[mac]",
     "line 15: interfaces.0.antenna.beam_width_deg: cannot be given together with gain_dbi: one follows from the other"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"dish\"\nbeam_width_deg = 90\n[mac]",
     "line 14: interfaces.0.antenna.beam_width_deg: must be 0.7 to 60 (got 90)"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"omni\"\nfront_to_back_db = 20\n[mac]",
     "line 14: interfaces.0.antenna.front_to_back_db: can be given only with kind sector (got \"omni\")"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"omni\"\ngain_dbi = nan\n[mac]",
     "line 14: interfaces.0.antenna.gain_dbi: must be -20 to 60 (got NaN)"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"omni\"\nbearing_deg = [0, 90]\n[mac]",
     "line 14: interfaces.0.antenna.bearing_deg: must be one value or 3, one for each node (got 2)"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"omni\"\nbearing_deg = [0, 90, 400]\n[mac]",
     "line 14: interfaces.0.antenna.bearing_deg: must be -360 to 360 (got 400)"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"omni\"\nbearing_deg = \"north\"\n[mac]",
     "line 14: interfaces.0.antenna.bearing_deg: must be a number or a list of numbers, one for each node"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"omni\"\nbearing_deg = 0\ntowards = 1\n[mac]",
     "line 15: interfaces.0.antenna.towards: cannot be given together with bearing_deg"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"omni\"\ntowards = 3\n[mac]",
     "line 14: interfaces.0.antenna.towards: must be nodes, 0 to 2 (got 3)"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"omni\"\ntowards = -1\n[mac]",
     "line 14: interfaces.0.antenna.towards: must be a number or a list of numbers, one for each node"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"omni\"\nheight_m = -2\n[mac]",
     "line 14: interfaces.0.antenna.height_m: must be 0 to 9000 (got -2)"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"pattern\"\n[mac]",
     "line 12: interfaces.0.antenna.points: is missing: a pattern needs it, or file"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"pattern\"\npoints = [[0, 9]]\n[mac]",
     "line 14: interfaces.0.antenna.points: must be 2 to 3600 points (got 1)"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"pattern\"\npoints = [[0, 9], [360, 3]]\n[mac]",
     "line 14: interfaces.0.antenna.points: must have bearings from 0 to below 360 and gains of -100 to 60 dBi (got [360, 3])"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"pattern\"\npoints = [[90, 9], [0, 3]]\n[mac]",
     "line 14: interfaces.0.antenna.points: must have rising bearings (got 90 then 0)"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"pattern\"\npoints = [[0, 9], [90, 3]]\ngain_dbi = 9\n[mac]",
     "line 15: interfaces.0.antenna.gain_dbi: can be given only with kind omni or sector or dish (got \"pattern\")"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"pattern\"\nfile = \"a.csv\"\npoints = [[0, 9], [90, 3]]\n[mac]",
     "line 14: interfaces.0.antenna.file: cannot be given together with points"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.radio]\nreceive_range_m = 600\n[mac]",
     "line 12: interfaces.0.radio.sense_range_m: must be at least receive_range_m, 600 (got 550)"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.radio]\ntransmit_power_w = 0\n[mac]",
     "line 13: interfaces.0.radio.transmit_power_w: must be above 0 and at most 1000000 (got 0)"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.radio]\ntransmit_power_dbm = 20\ntransmit_power_w = 0.1\n[mac]",
     "line 13: interfaces.0.radio.transmit_power_dbm: cannot be given together with transmit_power_w"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.radio]\npropagation = \"free-space\"\n[mac]",
     "line 13: interfaces.0.radio.propagation: unknown key; allowed: frequency_hz, transmit_power_w, transmit_power_dbm, receive_range_m, sense_range_m"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.radio]\nfrequency_hz = \"5 GHz\"\n[mac]",
     "line 13: interfaces.0.radio.frequency_hz: must be a number (got \"5 GHz\")"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.radio]\ncapture_db = 3\n[mac]",
     "line 13: interfaces.0.radio.capture_db: unknown key; allowed: frequency_hz, transmit_power_w, transmit_power_dbm, receive_range_m, sense_range_m"),
    ("[mac]", "[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"omni\"\n[mobility]\nkind = \"random-waypoint\"\nspeed_mps = [1, 5]\narea_m = [500, 500]\n[mac]",
     "line 12: interfaces.0.antenna: can be given only with nodes that stand still: mobility.kind \"static\""),
    ("kind = \"chain\"\nhops = 2\n", "kind = \"links\"\nnodes = 3\nlinks = [[0, 1], [1, 2]]\n[[interfaces]]\nname = \"a\"\nchannel = 1\n[interfaces.antenna]\nkind = \"omni\"\n",
     "line 12: interfaces.0.antenna: can be given only with positions: given links have no power"),
];
