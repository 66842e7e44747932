//! QUIC over whole networks.

use multihop::capture::Watch;
use multihop::measure::TransferReport;
use multihop::scenario::Scenario;
use multihop::simulation::{FlowReport, Recording, RunResult, Simulation};

/// A chain of `hops` hops with this routing and one flow, which has these keys.
fn chain(hops: u32, routing: &str, flow: &str) -> String {
    format!(
        "duration_s = 60\nprofile = \"standard\"\n[topology]\nkind = \"chain\"\nhops = {hops}\n[routing]\n\
         scheme = \"{routing}\"\n[transport]\nscheme = \"quic\"\nwindow_segments = 100\n[[flows]]\nsource = 0\n\
         destination = {hops}\n{flow}\n"
    )
}

fn simulation(toml: &str, seed: u64, recording: &Recording) -> Simulation {
    let scenario = Scenario::from_toml(toml, &[]).unwrap();
    Simulation::new(&scenario, Some(seed), recording).unwrap()
}

fn run(toml: &str) -> RunResult {
    simulation(toml, 1, &Recording::default()).run()
}

/// How many transfers ended.
fn ended(report: &TransferReport) -> usize {
    report.time_s.iter().flatten().count()
}

fn flows(toml: &str) -> Vec<FlowReport> {
    run(toml).flows
}

#[test]
fn it_delivers_over_four_hops_with_every_routing() {
    for routing in ["aodv", "dsr", "static"] {
        let flow = &flows(&chain(4, routing, "kind = \"ftp\""))[0];
        assert!(flow.goodput_bps > 100_000.0, "{routing}: {}", flow.goodput_bps);
        // Nothing counts twice, and nothing is lost from the counts.
        let arrived = flow.arrived_segments;
        assert!(flow.delivered_bytes < arrived * 1460 && flow.sent_segments >= arrived);
        let again = flow.retransmits + 20;
        assert!(flow.delivered_bytes > (arrived - again) * 1400, "{flow:?}");
        assert!(flow.acks_sent.is_some_and(|acks| acks * 3 > arrived && acks < 2 * arrived));
        assert!(flow.mean_rtt_s.is_some_and(|rtt| rtt > flow.mean_delay_s.unwrap()));
        assert_eq!((flow.given_up_s, flow.mean_hops), (None, Some(4.0)));
    }
}

#[test]
fn the_server_s_handshake_is_not_among_what_it_received() {
    for routing in ["static", "dsr"] {
        let flow = &flows(&chain(1, routing, "kind = \"file\"\nbytes = 1000"))[0];
        assert_eq!(flow.delivered_bytes, 1000);
        // A hello, the last message of the handshake with the data, the end of the stream; nothing
        // is lost on one hop.
        assert!((2..=4).contains(&flow.sent_segments), "{flow:?}");
        assert_eq!((flow.arrived_segments, flow.retransmits), (flow.sent_segments, 0));
        assert_eq!(flow.delivered_segments, flow.arrived_segments);
        assert!(flow.acks_sent.is_some_and(|acks| acks > 0));
    }
}

#[test]
fn every_kind_of_flow_that_tcp_carries_works() {
    let transfers = |flow: &str| {
        let flows = flows(&chain(2, "static", flow));
        (flows[0].transfers.clone().unwrap(), flows)
    };
    let (file, flows) = transfers("kind = \"file\"\nbytes = 300000");
    assert_eq!((ended(&file), flows[0].delivered_bytes), (1, 300_000));
    assert!(flows[0].stop_s < 20.0 && flows[0].given_up_s.is_none());
    let two_way = "kind = \"request-response\"\nrequest_bytes = 300\nresponse_bytes = 9000\n\
                   requests = 20\nthink_s = 0.1";
    let (requests, flows) = transfers(two_way);
    assert_eq!((ended(&requests), flows.len()), (20, 2));
    assert_eq!([0, 1].map(|way| flows[way].delivered_bytes), [20 * 300, 20 * 9000]);
    assert_eq!(flows[1].answers, Some(0));
    let (pages, flows) = transfers("kind = \"web\"\nreading_s = 1");
    assert!(ended(&pages) > 5, "{pages:?}");
    assert!(flows[1].delivered_bytes > 10 * flows[0].delivered_bytes);
    let on_off = "kind = \"on-off\"\nover = \"tcp\"\nrate_bps = 1e5\npacket_bytes = 500\n\
                  on_s = 1\noff_s = 1";
    let on_off = &self::flows(&chain(2, "static", on_off))[0];
    assert!((200_000..500_000).contains(&on_off.delivered_bytes), "{on_off:?}");
}

#[test]
fn equal_seeds_make_equal_runs_recorded_or_not() {
    let toml = chain(4, "aodv", "kind = \"web\"\nreading_s = 1");
    let fingerprint = |seed, recording: &Recording| {
        let result = simulation(&toml, seed, recording).run();
        (result.engine.fingerprint, result.flows[1].delivered_bytes)
    };
    let plain = fingerprint(3, &Recording::default());
    assert_eq!(plain, fingerprint(3, &Recording::default()));
    let watch = Watch { snap_bytes: Some(100), ..Watch::default() };
    let recorded = Recording { events: Some(watch), ..Recording::default() };
    assert_eq!(plain, fingerprint(3, &recorded));
    assert_ne!(plain.0, fingerprint(4, &Recording::default()).0);
}
