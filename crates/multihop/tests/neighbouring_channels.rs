//! Links on channels that overlap.

use crate::common::run;
use crate::spoilt::{Case, check};
use multihop::capture::Watch;
use multihop::radio::spectral_mask::Mask;
use multihop::simulation::{Recording, RunResult};

/// Two saturated links of 10 m side by side, `apart_m` from each other, on these channels with this
/// PHY, and this in `[radio]`.
fn links(phy: &str, apart_m: f64, channels: [u32; 2], radio: &str) -> String {
    let [a, b] = channels;
    let flow = |source: u32| {
        format!(
            "[[flows]]\nkind = \"cbr\"\npacket_bytes = 1000\nrate_bps = 4e7\nsource = {source}\n\
             destination = {}\nstart_s = 1\nstop_s = 4\n",
            source + 1
        )
    };
    let interfaces = match a == b {
        true => format!("[[interfaces]]\nname = \"a\"\nchannel = {a}\n"),
        false => format!(
            "[[interfaces]]\nname = \"a\"\nchannel = {a}\nnodes = [0, 1]\n\
             [[interfaces]]\nname = \"b\"\nchannel = {b}\nnodes = [2, 3]\n"
        ),
    };
    format!(
        "duration_s = 4\nprofile = \"standard\"\n[topology]\nkind = \"positions\"\n\
         positions_m = [[0, 0], [10, 0], [0, {apart_m}], [10, {apart_m}]]\n\
         [radio]\nreception = \"sinr\"\npropagation = \"log-distance\"\n{radio}\n\
         [mac]\nphy = \"{phy}\"\nrts_threshold_bytes = 3000\n{interfaces}\
         [link]\narp = false\n[routing]\nscheme = \"static\"\n{}{}",
        flow(0),
        flow(2)
    )
}

const ON: &str = "neighbouring_channels = true";

fn received(text: &str) -> [f64; 2] {
    let result = run(text, 1, &Recording::default());
    let json = serde_json::to_value(&result).expect("a result");
    [0, 1].map(|flow| json["flows"][flow]["received_packets"].as_u64().unwrap() as f64)
}

fn sum(text: &str) -> f64 {
    received(text).iter().sum()
}

/// What both links carry on channels 1 and 1 to 6, over what they carry on channels that never
/// hear each other.
fn shares(phy: &str, apart_m: f64) -> Vec<f64> {
    let alone = sum(&links(phy, apart_m, [1, 6], ""));
    [1, 2, 3, 4, 5, 6].map(|channel| sum(&links(phy, apart_m, [1, channel], ON)) / alone).into()
}

// Over 20 m and with an exponent of 3, -59 dBm are left of 20 dBm; a link of 10 m has -50 dBm.
#[test]
fn overlapping_channels_are_shared_by_energy_or_spoilt_without() {
    let dsss = shares("802.11b", 20.0);
    assert!((dsss[1] - dsss[0]).abs() < 0.01, "one apart, -60 dBm are heard as energy: {dsss:?}");
    let ofdm = shares("802.11g", 20.0);
    assert!((ofdm[1] - ofdm[0]).abs() < 0.01, "{ofdm:?}");
    // Two and three apart, -62 dBm and less are not heard, and leave 12 dB for the fastest rate.
    assert!(ofdm[2] < 0.8 * ofdm[0] && ofdm[3] < 0.8 * ofdm[0], "worse than in turns: {ofdm:?}");
    for shares in [&dsss, &ofdm] {
        assert!((shares[5] - 1.0).abs() < 0.005, "five apart they are independent: {shares:?}");
        assert!((0.5..0.6).contains(&shares[0]), "two stations in turns: {shares:?}");
    }
}

/// A link on channel 1, and a node beside it that sends on another channel with `power_w`, and is
/// never heard where it sends to.
fn disturbed(channel: u32, power_w: f64, recording: &Recording) -> RunResult {
    let own = format!("nodes = [2, 3]\nradio = {{ transmit_power_w = {power_w} }}");
    let text = links("802.11g", 30.0, [1, channel], ON)
        .replace("nodes = [2, 3]", &own)
        .replace("[10, 30]", "[10, 3000]")
        .replace("rate_bps = 4e7\nsource = 2", "rate_bps = 5e6\nsource = 2")
        .replace(
            "scheme = \"static\"",
            "scheme = \"static\"\nroutes = [{ node = 2, destination = 3, next_hop = 3 }]",
        );
    run(&text, 1, recording)
}

#[test]
fn what_leaks_is_the_masks_share_of_the_power() {
    let mask = Mask::ofdm(20.0, -40.0);
    let packets = |channel: u32, leaking_w: f64| {
        let share = mask.share(5.0 * f64::from(channel - 1), 20.0);
        let result = disturbed(channel, leaking_w / share, &Recording::default());
        let json = serde_json::to_value(&result).expect("a result");
        json["flows"][0]["received_packets"].as_u64().unwrap()
    };
    let (two, three) = (packets(3, 0.1), packets(4, 0.1));
    assert_eq!(two, three, "the same power by another channel does the same");
    assert!(packets(3, 1e-6) > two * 11 / 10, "and it is felt: {two}");
}

#[test]
fn a_run_with_leaks_is_the_same_whether_it_is_recorded_or_not() {
    let recording = Recording { events: Some(Watch::default()), ..Recording::default() };
    let [plain, recorded] = [Recording::default(), recording]
        .map(|recording| disturbed(3, 0.05, &recording).engine.fingerprint);
    assert_eq!(plain, recorded);
}

#[test]
fn channels_that_there_are_not_and_radios_that_cannot_tell() {
    check(WRONG);
}

/// In place of it.
const LIMIT: &str = "short_retry_limit = 7";

#[rustfmt::skip]
const WRONG: &[Case] = &[
    (LIMIT, "[radio]\nneighbouring_channels = true",
     r#"line 11: radio.neighbouring_channels: can be given only with radio.reception = "sinr": by threshold interference does not add up"#),
    (LIMIT, "phy = \"802.11g\"\n[radio]\nreception = \"sinr\"\nneighbouring_channels = true",
     "line 13: radio.neighbouring_channels: can be given only with [[interfaces]], which have channels"),
    (LIMIT, "phy = \"802.11g\"\n[radio]\nreception = \"sinr\"\nneighbouring_channels = 1",
     "line 13: radio.neighbouring_channels: must be true or false (got 1)"),
    (LIMIT, "phy = \"802.11g\"\n[radio]\nreception = \"sinr\"\nneighbouring_channels = true\n[[interfaces]]\nname = \"a\"\nchannel = 14",
     "line 16: interfaces.0.channel: must be one of 802.11g's with radio.neighbouring_channels: 1 to 13 (2.4 GHz) (got 14)"),
    (LIMIT, "phy = \"802.11a\"\n[radio]\nreception = \"sinr\"\nneighbouring_channels = true\n[[interfaces]]\nname = \"a\"\nchannel = 6",
     "line 16: interfaces.0.channel: must be one of 802.11a's with radio.neighbouring_channels: 36 to 64, 100 to 144 or 149 to 177 in steps of 4, or the centre of a wide one (5 GHz) (got 6)"),
    (LIMIT, "phy = \"802.11n\"\n[radio]\nreception = \"sinr\"\nneighbouring_channels = true\n[[interfaces]]\nname = \"a\"\nchannel = 35",
     "line 16: interfaces.0.channel: must be one of 802.11n's with radio.neighbouring_channels: 1 to 13 (2.4 GHz), 36 to 64, 100 to 144 or 149 to 177 in steps of 4, or the centre of a wide one (5 GHz) (got 35)"),
];
