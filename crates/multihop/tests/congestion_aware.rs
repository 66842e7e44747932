//! DCAR in whole networks: its counters.

use crate::common::run;
use multihop::routing::dcar::DcarReport;
use multihop::simulation::{Recording, RunResult};

/// A grid of four by three with two flows, under DCAR with these keys.
fn grid(keys: &str) -> RunResult {
    let text = format!(
        "duration_s = 20\n[topology]\nkind = \"grid\"\ncolumns = 4\nrows = 3\nspacing_m = 240\n\
         [routing]\n{keys}\n[transport]\nwindow_segments = 8\nlink_failure = \"standby\"\n\
         [[flows]]\nkind = \"ftp\"\nsource = 4\ndestination = 7\n\
         [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 2\n"
    );
    run(&text, 1, &Recording::default())
}

#[test]
fn hellos_are_counted_and_the_idealised_versions_send_none() {
    let dcar = grid("scheme = \"dcar\"").routing;
    // Twelve nodes, one HELLO per second each.
    assert!((225..=250).contains(&dcar.hello_packets), "{}", dcar.hello_packets);
    assert_eq!(dcar.hello_bytes, dcar.hello_packets * (20 + 24 + 8));
    let wide = grid("scheme = \"dcar\"\nwide_hello = true").routing;
    assert!(wide.hello_bytes > wide.hello_packets * (20 + 24 + 8 + 2 * 8));
    for ideal in 1..=3 {
        let routing = grid(&format!("scheme = \"dcar\"\nideal = {ideal}")).routing;
        assert_eq!((routing.hello_packets, routing.hello_bytes), (0, 0));
        assert!(routing.requests_rebroadcast > 0);
    }
}

#[test]
fn only_instant_knowledge_is_never_stale() {
    let stale = |ideal| {
        let result = grid(&format!("scheme = \"dcar\"\nideal = {ideal}"));
        let report: DcarReport = result.scheme("dcar").expect("DCAR's counters");
        assert!(report.weights_used >= 2 * 11, "ideal {ideal}: {report:?}");
        report.weights_stale_connections
    };
    assert!(stale(0) > 0 && stale(1) > 0);
    assert_eq!([stale(2), stale(3)], [0, 0]);
}

#[test]
fn dcar_delivers_and_sends_more_routing_bytes_than_aodv() {
    let dcar = grid("scheme = \"dcar\"");
    let aodv = grid("scheme = \"aodv\"\nexpanding_ring = false\nlocal_repair = false");
    for result in [&dcar, &aodv] {
        assert!(result.flows.iter().all(|flow| flow.delivered_segments > 20));
    }
    assert!(dcar.routing.bytes_sent > aodv.routing.bytes_sent);
    assert!(aodv.schemes.is_empty());
}
