//! Routing messages counted where they begin.

use crate::common;
use multihop::measure::RoutingCounters;
use multihop::simulation::Recording;

fn run(scheme: &str, hops: u32) -> RoutingCounters {
    let text = format!(
        "duration_s = 40\n[topology]\nkind = \"chain\"\nhops = {hops}\n[routing]\nscheme = \"{scheme}\"\n\
         [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = {hops}\n"
    );
    common::run(&text, 1, &Recording::default()).routing
}

#[test]
fn aodv_originates_what_is_not_passed_on() {
    let routing = run("aodv", 6);
    assert!(routing.link_failures > 0, "{routing:?}");
    assert_eq!(routing.requests_originated, routing.requests_sent - routing.requests_rebroadcast);
    // In a chain a request meets at most one node to each side that answers; replies are passed on
    // hop by hop. An error tells of a broken link, or of a packet that came when its route had
    // gone.
    let told = routing.replies_originated + routing.errors_originated;
    assert!((1..=2 * routing.requests_originated).contains(&routing.replies_originated));
    assert!((1..=2 * routing.link_failures).contains(&routing.errors_originated), "{routing:?}");
    assert!(told < routing.packets_sent - routing.requests_sent, "{routing:?}");
}

#[test]
fn one_hop_needs_one_request_and_one_reply() {
    for scheme in ["aodv", "multipath-aodv"] {
        let routing = run(scheme, 1);
        let counted = (routing.requests_originated, routing.replies_originated);
        assert_eq!(counted, (1, 1), "{scheme}: {routing:?}");
    }
}

#[test]
fn links_that_break_for_want_of_hellos_are_no_link_failures() {
    let text = "duration_s = 20\n[topology]\nkind = \"chain\"\nhops = 2\n\
         [routing]\nscheme = \"aodv\"\nhello_interval_s = 1\n\
         [[flows]]\nkind = \"cbr\"\nsource = 0\ndestination = 2\nstart_s = 1\nstop_s = 5\n\
         packet_bytes = 100\nrate_bps = 8000\n\
         [[events]]\nkind = \"node-kill\"\nnode = 2\nat_s = 8\n";
    let routing = common::run(text, 1, &Recording::default()).routing;
    // Node 1 misses node 2 and says so; no data were on their way.
    assert!(routing.errors_originated > 0, "{routing:?}");
    assert_eq!(routing.link_failures, 0, "{routing:?}");
}
