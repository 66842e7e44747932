//! Whole runs by signal over noise and interference: what is received, at which rates, and that
//! runs stay what they are.

use std::fs;

use crate::common::run;
use multihop::capture::Watch;
use multihop::radio::sinr::noise_w;
use multihop::radio::{CodeRate, Coding, Constellation, FreeSpace};
use multihop::scenario::Scenario;
use multihop::simulation::{Recording, RunResult};
use serde_json::Value;

/// One hop of 802.11a in free space with 10 mW, always with a packet of 1000 bytes to send.
fn hop(distance_m: f64, radio: &str, mac: &str) -> String {
    format!(
        "duration_s = 5\nprofile = \"standard\"\n[topology]\nkind = \"chain\"\nhops = 1\n\
         spacing_m = {distance_m}\n[radio]\nreception = \"sinr\"\npropagation = \"free-space\"\n\
         transmit_power_dbm = 10\nreceive_range_m = 5000\ncarrier_sense_dbm = -100\npreamble_db = -10\n\
         {radio}\n[mac]\nphy = \"802.11a\"\nrts_threshold_bytes = \"inf\"\n{mac}\n\
         [routing]\nscheme = \"static\"\n[link]\narp = false\n\
         [[flows]]\nkind = \"cbr\"\nsource = 0\ndestination = 1\nstart_s = 0\nstop_s = 5\n\
         packet_bytes = 1000\nrate_bps = 3e7\n"
    )
}

fn json(result: &RunResult) -> Value {
    serde_json::to_value(result).expect("a result")
}

fn simulate(text: &str) -> Value {
    json(&run(text, 1, &Recording::default()))
}

fn number(result: &Value, path: &str) -> f64 {
    result.pointer(path).and_then(Value::as_f64).expect("a number")
}

/// The distance at which 10 mW arrive with this signal to noise ratio in 20 MHz.
fn distance_at(snr_db: f64) -> f64 {
    let needed_w = noise_w(20e6, 7.0) * 10f64.powf(snr_db / 10.0);
    let one_metre_w = FreeSpace::new(0.01, 5.18e9).received_w(1.0);
    (one_metre_w / needed_w).sqrt()
}

#[test]
fn frames_are_lost_as_often_as_the_error_rates_have_it() {
    for (rate_bps, bits_a_symbol, coding, snr_db) in [
        (6e6, 24.0, Coding::Ofdm(Constellation::Bpsk, CodeRate::Half), 4.0),
        (24e6, 96.0, Coding::Ofdm(Constellation::Qam16, CodeRate::Half), 13.0),
        (54e6, 216.0, Coding::Ofdm(Constellation::Qam64, CodeRate::ThreeQuarters), 22.0),
    ] {
        let mac = format!("data_rate_bps = {rate_bps}");
        let result = simulate(&hop(distance_at(snr_db), "", &mac));
        let [sent, answered] = ["/mac/data_sent", "/mac/ack_sent"].map(|key| number(&result, key));
        let symbols: f64 = (22.0 + 8.0 * 1048.0) / bits_a_symbol;
        let bits = symbols.ceil() * bits_a_symbol;
        let lost_at =
            |db: f64| 1.0 - (1.0 - coding.bit_error_rate(10f64.powf(db / 10.0))).powf(bits);
        let lost = 1.0 - answered / sent;
        // A twentieth of a decibel, and five standard deviations.
        let chance = 5.0 * (lost_at(snr_db) / sent).sqrt();
        let bounds = [lost_at(snr_db + 0.05) - chance, lost_at(snr_db - 0.05) + chance];
        assert!(bounds[0] < lost && lost < bounds[1], "{rate_bps}: {lost}, not {bounds:?}");
    }
}

#[test]
fn two_interferers_do_what_one_does_not() {
    // Nodes 2 and 4, which nobody else senses as carrier, send to 3 and 5 while 0 sends to 1.
    let text = |more: &str| {
        format!(
            "duration_s = 4\nprofile = \"standard\"\n[topology]\nkind = \"positions\"\n\
             positions_m = [[0, 0], [30, 0], [30, 120], [30, 150], [30, -120], [30, -150]]\n\
             [radio]\nreception = \"sinr\"\npropagation = \"free-space\"\ntransmit_power_dbm = 10\n\
             receive_range_m = 35\ncarrier_sense_dbm = -75\nenergy_detect_dbm = -50\n\
             [mac]\nphy = \"802.11a\"\ndata_rate_bps = 18e6\nrts_threshold_bytes = \"inf\"\n\
             short_retry_limit = 1\n[routing]\nscheme = \"static\"\n[link]\narp = false\n\
             [[flows]]\nkind = \"cbr\"\nsource = 0\ndestination = 1\nstart_s = 0\nstop_s = 4\n\
             packet_bytes = 1000\nrate_bps = 1e6\n{more}"
        )
    };
    let flow = |source: u32| {
        format!(
            "[[flows]]\nkind = \"cbr\"\nsource = {source}\ndestination = {}\nstart_s = 0\n\
             stop_s = 4\npacket_bytes = 1400\nrate_bps = 3e7\n",
            source + 1
        )
    };
    let received = |more: &str| number(&simulate(&text(more)), "/flows/0/received_packets");
    let alone = received("");
    assert!(alone > 490.0, "{alone}");
    let [one, two] = [flow(2), flow(2) + &flow(4)].map(|more| received(&more));
    // 12.3 dB over one of them, which 18 Mbit/s stand; 9.3 dB over both, which they do not.
    assert!(one > 0.9 * alone, "{one} of {alone}");
    assert!(two < 0.5 * alone, "{two} of {alone}");
}

const FADING: &str = "shadowing_db = 6\nfading = \"rician\"\ncoherence_s = 0.02";

#[test]
fn a_run_is_the_same_whether_it_is_recorded_or_not() {
    let text =
        fs::read_to_string("../../python/multihop/scenarios/cross.toml").expect("a scenario");
    let sets: Vec<(String, String)> = [
        ("duration_s", "6"),
        ("radio.reception", "sinr"),
        ("radio.fading", "nakagami"),
        ("radio.shadowing_db", "3"),
        ("radio.receive_range_m", "250"),
        ("radio.transmit_power_dbm", "18"),
        ("mac.phy", "802.11g"),
        ("mac.rate", "minstrel"),
    ]
    .map(|(key, value)| (key.to_owned(), value.to_owned()))
    .into();
    let scenario = Scenario::from_toml(&text, &sets).expect("a valid scenario");
    let fingerprint = |recording: &Recording| {
        let simulation = multihop::simulation::Simulation::new(&scenario, Some(3), recording);
        let result = simulation.expect("a network").run();
        let json = json(&result);
        assert!(number(&json, "/mac/data_sent") > 100.0, "{}", json["mac"]);
        result.engine.fingerprint
    };
    let plain = fingerprint(&Recording::default());
    let recorded = Recording { events: Some(Watch::default()), ..Recording::default() };
    assert_eq!(plain, fingerprint(&recorded));
}

#[test]
fn a_seed_decides_on_shadowing_and_errors() {
    let text = hop(distance_at(22.0), FADING, "");
    let received =
        |seed| number(&json(&run(&text, seed, &Recording::default())), "/flows/0/received_packets");
    assert_eq!(received(1), received(1));
    assert_ne!(received(1), received(2));
}

#[test]
fn the_ideal_rate_is_the_fastest_that_the_distance_allows() {
    // It may lose what its first frames need to be heard.
    for snr_db in [5.0, 11.0, 17.0, 26.0] {
        let goodput = |mac: &str| {
            number(&simulate(&hop(distance_at(snr_db), "", mac)), "/flows/0/received_packets")
        };
        let fixed = [6e6, 9e6, 12e6, 18e6, 24e6, 36e6, 48e6, 54e6]
            .map(|rate_bps| goodput(&format!("data_rate_bps = {rate_bps}")));
        let best = fixed.into_iter().fold(0.0, f64::max);
        let ideal = goodput("rate = \"ideal\"");
        assert!(ideal > 0.97 * best, "{snr_db} dB: {ideal}, best fixed {best}");
    }
}

#[test]
fn arf_and_minstrel_find_their_way_over_a_fading_link() {
    let goodput = |mac: &str| {
        let text = hop(distance_at(20.0), "fading = \"rayleigh\"\ncoherence_s = 0.05", mac);
        number(&simulate(&text), "/flows/0/received_packets")
    };
    let [slow, fast] = [6e6, 54e6].map(|rate_bps| goodput(&format!("data_rate_bps = {rate_bps}")));
    let [arf, minstrel, ideal] =
        ["arf", "minstrel", "ideal"].map(|rate| goodput(&format!("rate = \"{rate}\"")));
    for adaptive in [arf, minstrel] {
        assert!(adaptive > slow && adaptive > 1.2 * fast, "{adaptive}, fixed {slow} and {fast}");
        assert!(adaptive < ideal, "{adaptive}, ideal {ideal}");
    }
}

#[test]
fn links_of_a_kilometre_are_answered_in_time() {
    let result = simulate(
        &hop(1000.0, "transmit_power_w = 3", "data_rate_bps = 6e6")
            .replace("transmit_power_dbm = 10\n", ""),
    );
    let [sent, answered] = ["/mac/data_sent", "/mac/ack_sent"].map(|key| number(&result, key));
    assert!(sent > 2000.0 && answered >= sent - 1.0, "{answered} of {sent}");
    assert_eq!(number(&result, "/mac/retry_drops"), 0.0);
}

#[test]
fn measured_links_may_have_one_direction() {
    let file = std::env::temp_dir().join(format!("multihop-gains-{}.csv", std::process::id()));
    let delivered = |back_db: f64| {
        let table = format!("name,from,to,gain_db\nroof,0,1,-75\nyard,1,0,{back_db}\n");
        fs::write(&file, table).expect("a file");
        let radio = format!("propagation = \"measured\"\nfile = {file:?}");
        let text = hop(100.0, &radio, "").replace("propagation = \"free-space\"\n", "");
        let result = simulate(&text);
        fs::remove_file(&file).expect("the file");
        ["/flows/0/received_packets", "/mac/retry_drops"].map(|key| number(&result, key))
    };
    // 10 dBm - 75 dB are 29 dB over noise. A node that is not heard is no neighbour to route
    // through.
    let [received, given_up] = delivered(-75.0);
    assert!(received > 5000.0 && given_up == 0.0, "{received}, {given_up}");
    assert_eq!(delivered(-110.0), [0.0, 0.0]);
}

#[test]
fn ranges_follow_from_power_noise_and_rate() {
    let radio = |keys: &str| {
        let text = hop(100.0, "", keys).replace("receive_range_m = 5000\n", "");
        Scenario::from_toml(&text, &[]).expect("a valid scenario").radio
    };
    // Friis: 10 dBm + 75 dB for 54 Mbit/s at -65 dBm, 92 dB for 6 Mbit/s at -82 dBm.
    let range_m =
        |loss_db: f64| 3e8 / 5.18e9 / (4.0 * std::f64::consts::PI) * 10f64.powf(loss_db / 20.0);
    for (keys, loss_db) in [("", 75.0), ("data_rate_bps = 6e6", 92.0), ("rate = \"arf\"", 92.0)] {
        let got_m = radio(keys).receive_range_m;
        assert!((got_m / range_m(loss_db) - 1.0).abs() < 1e-3, "{keys}: {got_m} m");
    }
    // Noise of -94 dBm, and 6 dB less.
    let sense_m = radio("").sense_range_m;
    assert!((sense_m / range_m(10.0 + 93.97 + 6.0) - 1.0).abs() < 1e-2, "{sense_m} m");
}
