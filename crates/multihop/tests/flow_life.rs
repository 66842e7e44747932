//! A flow's figures cover its life within the run.

use crate::common::run;
use multihop::simulation::Recording;

#[test]
fn a_flow_that_would_outlive_the_run_is_measured_over_the_run() {
    let text = |stop_s: u32| {
        format!(
            "duration_s = 10\n[topology]\nkind = \"chain\"\nhops = 2\n[[flows]]\nkind = \"ftp\"\n\
             source = 0\ndestination = 2\nstart_s = 2\nstop_s = {stop_s}\n"
        )
    };
    let [within, beyond] = [10, 100].map(|stop| run(&text(stop), 1, &Recording::default()));
    let [within, beyond] = [&within.flows[0], &beyond.flows[0]];
    assert_eq!(within.delivered_bytes, beyond.delivered_bytes);
    assert_eq!(beyond.goodput_bps, within.delivered_bytes as f64 * 8.0 / 8.0);
    assert_eq!(within.goodput_bps, beyond.goodput_bps);
    assert_eq!(within.silent_share, beyond.silent_share);
}
