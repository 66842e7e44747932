//! Whole runs of stations whose contention windows follow backlogs, against arithmetic.

use crate::common::run;
use multihop::simulation::Recording;

/// Time of an exchange and the DIFS before it \[s\]: 1000 + 20 + 28 bytes and an ACK at 1 Mbit/s,
/// each after 192 µs, two SIFS and two slots of 1 µs.
const EXCHANGE_S: f64 = (192 + 8 * 1048 + 192 + 8 * 14 + 4) as f64 * 1e-6;
const SECONDS: u32 = 400;

/// Links whose senders are at these positions and always have packets, each to a receiver 1 m away;
/// stations sense each other over 400 m, and nobody beyond disturbs.
fn links(senders: &[[i32; 2]], aggressiveness: &[f64]) -> String {
    let both = |[x, y]: &[i32; 2]| format!("[{x}, {y}], [{x}, {}]", y + 1);
    let positions: Vec<String> = senders.iter().map(both).collect();
    let given: Vec<String> = aggressiveness.iter().map(|r| format!("{r:?}, 0.0")).collect();
    let mut text = format!(
        "duration_s = {SECONDS}\nprofile = \"standard\"\n\
         [topology]\nkind = \"positions\"\npositions_m = [{}]\n\
         [radio]\nreceive_range_m = 400\nsense_range_m = 400\n\
         [mac]\naccess = \"adaptive-csma\"\ndata_rate_bps = 1e6\nslot_s = 1e-6\nsifs_s = 1e-6\n\
         rts_threshold_bytes = inf\nshort_retry_limit = inf\nlong_retry_limit = inf\n\
         [mac.adaptive_csma]\ngiven = [{}]\nunit_s = {EXCHANGE_S}\n\
         [routing]\nscheme = \"static\"\n[link]\narp = false\n",
        positions.join(", "),
        given.join(", "),
    );
    for i in 0..senders.len() {
        text += &format!(
            "[[flows]]\nkind = \"cbr\"\nsource = {}\ndestination = {}\nstart_s = 0\n\
             stop_s = {SECONDS}\npacket_bytes = 1000\nrate_bps = 1.2e6\n",
            2 * i,
            2 * i + 1
        );
    }
    text
}

/// The share of time that each link is in use if the sets of links at once have the product form:
/// probability in proportion to exp(sum of aggressiveness), over all sets without two that sense
/// each other.
fn product_form(senders: &[[i32; 2]], aggressiveness: &[f64]) -> Vec<f64> {
    let conflict =
        |[ax, ay]: [i32; 2], [bx, by]: [i32; 2]| (ax - bx).pow(2) + (ay - by).pow(2) <= 400 * 400;
    let count = senders.len();
    let mut shares = vec![0.0; count];
    let mut all = 0.0;
    for set in 0..1_u32 << count {
        let chosen: Vec<usize> = (0..count).filter(|i| set >> i & 1 == 1).collect();
        let is_free = chosen
            .iter()
            .all(|&i| chosen.iter().all(|&j| i == j || !conflict(senders[i], senders[j])));
        if is_free {
            let weight = chosen.iter().map(|&i| aggressiveness[i]).sum::<f64>().exp();
            all += weight;
            chosen.iter().for_each(|&i| shares[i] += weight);
        }
    }
    shares.iter().map(|share| share / all).collect()
}

fn measured(senders: &[[i32; 2]], aggressiveness: &[f64]) -> Vec<f64> {
    let text = links(senders, aggressiveness);
    let mut shares = vec![0.0; senders.len()];
    for seed in 1..=2 {
        let json = serde_json::to_value(run(&text, seed, &Recording::default())).expect("a result");
        for (share, flow) in shares.iter_mut().zip(json["flows"].as_array().expect("flows")) {
            let packets = flow["received_packets"].as_u64().expect("a CBR flow") as f64;
            *share += packets * EXCHANGE_S / f64::from(SECONDS) / 2.0;
        }
    }
    shares
}

#[test]
fn shares_of_links_that_sense_each_other_have_the_product_form() {
    let line = [[0, 0], [300, 0], [600, 0], [900, 0], [1200, 0]];
    let star = [[500, 500], [150, 500], [850, 500], [500, 150], [500, 850]];
    let ring = [[0, 0], [350, 0], [460, 330], [175, 540], [-110, 330]];
    for (senders, aggressiveness) in [
        (&line[..3], &[0.0, 0.0, 0.0][..]),
        (&line[..3], &[2.0, 2.0, 2.0]),
        (&line[..3], &[0.5, 2.5, 0.5]),
        (&line, &[1.0, 1.0, 1.0, 1.0, 1.0]),
        (&line, &[1.0, 2.0, 0.0, 2.0, 1.0]),
        (&star, &[2.0, 0.5, 0.5, 0.5, 0.5]),
        (&ring, &[1.0, 1.0, 1.0, 1.0, 2.0]),
    ] {
        let [got, expected] =
            [measured, product_form].map(|shares| shares(senders, aggressiveness));
        println!("{aggressiveness:?}");
        for (got, expected) in got.iter().zip(&expected) {
            println!("  {got:.4} {expected:.4} {:+.2} %", 100.0 * (got / expected - 1.0));
        }
    }
}
