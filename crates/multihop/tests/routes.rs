//! Routes over time: each flow's packets on each link, by interval.

use crate::common::run;
use multihop::scenario::Scenario;
use multihop::simulation::{LinkReport, Recording, RouteReport, Simulation};

const TWO_FLOWS: &str = "duration_s = 8\n[topology]\nkind = \"chain\"\nhops = 2\n\
    [[flows]]\nkind = \"cbr\"\nsource = 0\ndestination = 2\nstart_s = 1\nstop_s = 4\n\
    packet_bytes = 500\nrate_bps = 8e4\n\
    [[flows]]\nkind = \"ftp\"\nsource = 2\ndestination = 1\nstart_s = 5\nstop_s = 7\n";

fn routes(interval_s: f64) -> (Vec<RouteReport>, Vec<LinkReport>) {
    let recording =
        Recording { links: true, routes_interval_s: Some(interval_s), ..Recording::default() };
    let result = run(TWO_FLOWS, 4, &recording);
    (result.routes, result.links)
}

#[test]
fn rows_follow_the_flows_through_time() {
    let (rows, _) = routes(0.5);
    assert!(rows.is_sorted_by(|a, b| a.time_s <= b.time_s));
    assert!(rows.iter().all(|row| row.packets > 0));
    // 20 packets a second, in order, over both links of the chain.
    for (from, to) in [(0, 1), (1, 2)] {
        let counts: Vec<u64> = (3..7)
            .map(|half| {
                let time_s = f64::from(half) * 0.5;
                let mut here = rows.iter().filter(|row| {
                    (row.flow, row.from, row.to) == (0, from, to) && row.time_s == time_s
                });
                let row = here.next().expect("traffic in every interval");
                assert!(here.next().is_none(), "one row per interval");
                row.packets
            })
            .collect();
        assert_eq!(counts, [10; 4]);
    }
    let second: Vec<_> = rows.iter().filter(|row| row.flow == 1).collect();
    assert!(second.iter().all(|row| (row.from, row.to) == (2, 1)), "data only, no ACKs");
    assert!(second.iter().all(|row| (5.0..=7.0).contains(&row.time_s)));
    assert!(rows.iter().filter(|row| row.flow == 0).all(|row| row.time_s < 5.0));
}

#[test]
fn intervals_sum_to_the_totals_of_the_links() {
    let (rows, links) = routes(0.3);
    assert_eq!(links.len(), 3);
    for LinkReport { flow, from, to, packets, .. } in links {
        let of_link = rows.iter().filter(|row| (row.flow, row.from, row.to) == (flow, from, to));
        assert_eq!(of_link.map(|row| row.packets).sum::<u64>(), packets);
    }
}

#[test]
fn an_interval_must_be_positive() {
    let scenario = Scenario::from_toml(TWO_FLOWS, &[]).expect("a valid scenario");
    for interval_s in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let recording = Recording { routes_interval_s: Some(interval_s), ..Recording::default() };
        let error = Simulation::new(&scenario, None, &recording).expect_err("no interval");
        assert!(error.to_string().starts_with("routes: must be"), "{error}");
    }
}
