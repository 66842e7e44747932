//! What propagation decides: which of two overlapping frames is captured.

use crate::common::run;
use multihop::scenario::Scenario;
use multihop::simulation::Recording;

/// Node 0 sends to node 1 over 100 m; a millisecond later, with that frame on the air, node 2,
/// hidden from node 0 and 180 m from node 1, sends to node 3.
fn overlapping(radio: &str) -> String {
    let flow = |source: u32, destination: u32, start_s: f64| {
        format!(
            "[[flows]]\nkind = \"cbr\"\nsource = {source}\ndestination = {destination}\n\
             start_s = {start_s}\nstop_s = 1.5\npacket_bytes = 1000\nrate_bps = 1e3\n"
        )
    };
    format!(
        "duration_s = 2\n[topology]\nkind = \"positions\"\n\
         positions_m = [[0, 0], [100, 0], [280, 0], [380, 0]]\n\
         [radio]\nreceive_range_m = 200\nsense_range_m = 200\n{radio}\n\
         [mac]\nrts_threshold_bytes = \"inf\"\nshort_retry_limit = 1\n\
         [routing]\nscheme = \"static\"\n[link]\narp = false\n{}{}",
        flow(0, 1, 1.0),
        flow(2, 3, 1.001)
    )
}

fn received(radio: &str) -> [u64; 2] {
    let result = run(&overlapping(radio), 1, &Recording::default());
    let json = serde_json::to_value(&result).expect("a result");
    [0, 1].map(|flow| json["flows"][flow]["received_packets"].as_u64().expect("a CBR flow"))
}

#[test]
fn the_exponent_at_which_a_frame_is_captured_is_that_of_the_closed_form() {
    // 10 n log10(180 m / 100 m) = 10 dB.
    let exponent = 1.0 / 1.8f64.log10();
    let with = |exponent: f64| {
        received(&format!("propagation = \"log-distance\"\npath_loss_exponent = {exponent}"))
    };
    assert_eq!(with(exponent * 1.001), [1, 1]);
    assert_eq!(with(exponent * 0.999), [0, 1]);
}

#[test]
fn the_models_differ_in_what_is_captured() {
    // The ratio is 5.1 dB in free space, 7.7 dB with exponent 3, 10.2 dB over two-ray ground.
    assert_eq!(received("propagation = \"two-ray-ground\""), [1, 1]);
    assert_eq!(received("propagation = \"log-distance\""), [0, 1]);
    assert_eq!(received("propagation = \"free-space\""), [0, 1]);
    assert_eq!(received("propagation = \"free-space\"\ncapture_db = 5.1"), [1, 1]);
    assert_eq!(received("propagation = \"free-space\"\ncapture_db = 5.2"), [0, 1]);
}

#[test]
fn a_resolved_scenario_has_the_keys_of_its_model_and_no_others() {
    let keys = |radio: &str| {
        let scenario = Scenario::from_toml(&overlapping(radio), &[]).expect("a valid scenario");
        let json = serde_json::to_value(&scenario.radio).expect("a table");
        [json["antenna_height_m"].as_f64(), json["path_loss_exponent"].as_f64()]
    };
    assert_eq!(keys(""), [Some(1.5), None]);
    assert_eq!(keys("propagation = \"free-space\""), [None, None]);
    assert_eq!(keys("propagation = \"log-distance\""), [None, Some(3.0)]);
}
