//! Semi-TCP in whole networks: the bound on queues, the end of every deadlock, the handshakes in
//! the record of frames.

use std::collections::{BTreeSet, HashSet};

use crate::common::run;
use multihop::mac::AdmissionCounters;
use multihop::simulation::{Recording, RunResult};
use multihop::wire::{FrameKind, Notice};
use proptest::prelude::*;

const SIFS_NS: u64 = 10_000;

/// Semi-TCP over `topology`, with additional `keys`.
fn scenario(topology: &str, keys: &str, flows: &str) -> String {
    format!(
        "duration_s = 12\n[topology]\n{topology}\n[transport]\nscheme = \"semi-tcp\"\n\
         segment_bytes = 512\n[mac]\nscheme = \"semi-tcp\"\n{keys}\n{flows}"
    )
}

fn flow(kind: &str, source: u32, destination: u32) -> String {
    format!("[[flows]]\nsource = {source}\ndestination = {destination}\nstart_s = 1\n{kind}\n")
}

const FTP: &str = "kind = \"ftp\"";
const CBR: &str = "kind = \"cbr\"\npacket_bytes = 512\nrate_bps = 1e5";
const CHAIN: &str = "kind = \"chain\"\nhops = 5";

/// The counters of admission.
fn admission(result: &RunResult) -> AdmissionCounters {
    result.scheme("semi-tcp").expect("semi-TCP's counters")
}

/// A topology of these positions, in a fixed order.
fn positions(points: HashSet<(u32, u32)>) -> String {
    let sorted: BTreeSet<_> = points.into_iter().collect();
    let pairs: Vec<String> = sorted.iter().map(|(x, y)| format!("[{x}, {y}]")).collect();
    format!("kind = \"positions\"\npositions_m = [{}]", pairs.join(", "))
}

fn plain(text: &str) -> RunResult {
    run(text, 1, &Recording::default())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]
    #[test]
    fn no_queue_exceeds_its_bound(
        points in prop::collection::hash_set((0u32..1000, 0u32..500), 4..14),
        ends in prop::collection::vec((0usize..100, 0usize..100, any::<bool>()), 1..6),
        (t_c, m, g, k) in (1u32..4, 1u32..3, 0u32..3, 1u32..4),
        (limit, rtsc, aodv) in (2u32..10, any::<bool>(), any::<bool>()),
        (windowed, arp) in (any::<bool>(), any::<bool>()),
        seed in 0u64..1000,
    ) {
        let (n, positions) = (points.len(), positions(points));
        let flows: String = ends
            .iter()
            .map(|&(a, b, ftp)| {
                let (a, b) = (a % n, b % n);
                let b = if a == b { (a + 1) % n } else { b };
                flow(if ftp { FTP } else { CBR }, a as u32, b as u32)
            })
            .collect();
        let other = if rtsc { "rtsc" } else { "silent" };
        let mut text = scenario(
            &positions,
            &format!(
                "short_retry_limit = {limit}\n[mac.semi]\ncongestion_threshold_packets = {t_c}\n\
                 transit_packets = {m}\ndeadlock_packets = {g}\nrelease_frames = {k}\n\
                 other_rtsc = \"{other}\"\n[link]\narp = {arp}\n[routing]\nscheme = \"{}\"",
                if aodv { "aodv" } else { "static" }
            ),
            &flows,
        );
        if windowed {
            text = text.replace("[transport]\nscheme = \"semi-tcp\"", "[transport]\nscheme = \"newreno\"");
        }
        let result = run(&text, seed, &Recording::default());
        let admission = admission(&result);
        // A source does not count what waits for an address: at most a packet for each flow.
        let addresses = if arp { ends.len() as u32 } else { 0 };
        prop_assert!(
            admission.max_packets <= t_c + m + g + addresses,
            "{} packets, T_c + m + g = {}, {} for addresses",
            admission.max_packets, t_c + m + g, addresses
        );
        prop_assert_eq!(result.queue.drops, 0);
    }

    // While greedy sources send, one between two of them may wait for longer than any bound:
    // carrier sensing starves it as it does under plain 802.11. A deadlock outlasts the sources.
    #[test]
    fn no_deadlock_outlasts_the_sources(
        points in prop::collection::hash_set((0u32..1000, 0u32..500), 4..14),
        ends in prop::collection::vec((0usize..100, 0usize..100, any::<bool>()), 2..8),
        (t_c, g, k, rtsc) in (1u32..4, 0u32..3, 1u32..4, any::<bool>()),
        seed in 0u64..1000,
    ) {
        let (n, positions) = (points.len(), positions(points));
        let cbr = CBR.replace("1e5", "3e5");
        let flows: String = ends
            .iter()
            .map(|&(a, b, ftp)| (a % n, if a % n == b % n { (a + 1) % n } else { b % n }, ftp))
            .map(|(a, b, ftp)| flow(if ftp { FTP } else { &cbr }, a as u32, b as u32))
            .map(|flow| flow + "stop_s = 5\n")
            .collect();
        let other = if rtsc { "rtsc" } else { "silent" };
        let keys = format!(
            "[mac.semi]\ncongestion_threshold_packets = {t_c}\ndeadlock_packets = {g}\n\
             release_frames = {k}\nother_rtsc = \"{other}\"\n[link]\narp = false\n\
             [routing]\nscheme = \"static\""
        );
        // With k = 3 a packet may take 60 ms at each of many hops.
        let text = scenario(&positions, &keys, &flows).replace("duration_s = 12", "duration_s = 90");
        let result = run(&text, seed, &Recording::default());
        let admission = admission(&result);
        prop_assert_eq!(admission.packets_left, 0);
    }
}

#[test]
fn a_packet_given_up_counts_until_routing_has_handled_it() {
    // With this seed a node gives up a packet while it receives an RTS, and then answers the RTS.
    let places = "kind = \"positions\"\npositions_m = [[0, 0], [247, 247], [307, 382], [462, 268], \
                  [481, 86], [481, 335], [524, 90], [678, 394], [731, 32], [754, 248], [934, 92]]";
    let keys = "short_retry_limit = 3\n[mac.semi]\ndeadlock_packets = 0\nother_rtsc = \"rtsc\"\n\
                [link]\narp = false\n[routing]\nscheme = \"aodv\"";
    let text = scenario(places, keys, &(flow(CBR, 2, 6) + &flow(FTP, 9, 3)));
    let text =
        text.replace("[transport]\nscheme = \"semi-tcp\"", "[transport]\nscheme = \"newreno\"");
    let admission = admission(&run(&text, 6, &Recording::default()));
    assert_eq!(admission.max_packets, 2, "T_c + m + g");
}

#[test]
fn packets_that_wait_for_an_address_do_not_stop_their_source() {
    // Three flows leave node 2, each for another neighbour whose address it does not know yet.
    let places = "kind = \"positions\"\npositions_m = [[0, 0], [0, 1], [53, 0], [53, 1]]";
    let flows = flow(CBR, 2, 1) + &flow(CBR, 2, 0) + &flow(FTP, 2, 3);
    for (arp, most) in [(true, 3), (false, 2)] {
        let keys = format!(
            "[mac.semi]\ndeadlock_packets = 0\n[link]\narp = {arp}\n[routing]\nscheme = \"static\""
        );
        let admission = admission(&plain(&scenario(places, &keys, &flows)));
        assert!(admission.max_packets <= most, "{} packets, ARP {arp}", admission.max_packets);
        assert_eq!(admission.max_packets > 2, arp, "T_c + m + g is 2");
    }
}

#[test]
fn a_source_fills_its_node_up_to_t_c() {
    for (t_c, expected) in [(1, 1), (3, 3)] {
        let keys = format!("[mac.semi]\ncongestion_threshold_packets = {t_c}");
        let topology = "kind = \"chain\"\nhops = 1";
        let result = plain(&scenario(topology, &keys, &flow(CBR, 0, 1).replace("1e5", "2e6")));
        let admission = admission(&result);
        assert_eq!(admission.max_packets, expected);
        assert!(admission.source_waits > 1000 && admission.source_drops > 100, "{admission:?}");
        assert_eq!(result.queue.drops, 0);
    }
}

#[test]
fn the_authors_rule_for_segments_ignores_t_c() {
    let keys = "[mac.semi]\ncongestion_threshold_packets = 4";
    let text = scenario("kind = \"chain\"\nhops = 1", keys, &flow(FTP, 0, 1));
    let delay = |rule: &str| {
        let result = plain(&format!("{text}[transport.semi]\nsource_rule = \"{rule}\"\n"));
        result.flows[0].mean_mac_delay_s.expect("arrivals")
    };
    assert!(delay("threshold") > 2.0 * delay("empty-queue"));
}

/// The frames that the addressed node sends SIFS after an RTS with notice `asked`.
fn answers(result: &RunResult, asked: Notice) -> Vec<(FrameKind, Notice)> {
    let frames = &result.frames;
    let is_request = |i: &usize| frames[*i].kind == FrameKind::Rts && frames[*i].notice == asked;
    (0..frames.len())
        .filter(is_request)
        .filter_map(|i| {
            let request = &frames[i];
            let ends = request.time_ns + request.airtime_ns;
            frames[i + 1..].iter().take(20).find_map(|frame| {
                let after = frame.time_ns.checked_sub(ends)?;
                let is_answer = (SIFS_NS..SIFS_NS + 2000).contains(&after);
                (is_answer && Some(frame.transmitter) == request.receiver)
                    .then_some((frame.kind, frame.notice))
            })
        })
        .collect()
}

#[test]
fn every_handshake_of_fig_3_occurs_in_a_chain() {
    let text = scenario(CHAIN, "[mac.semi]\nother_rtsc = \"rtsc\"", &flow(FTP, 0, 5));
    let text = text + &flow(FTP, 5, 0);
    let result = run(&text, 1, &Recording { frames: true, ..Recording::default() });
    let count = |asked, answer| {
        answers(&result, asked).into_iter().filter(|&found| found == answer).count()
    };
    let (cts, ctsc) = ((FrameKind::Cts, Notice::None), (FrameKind::Cts, Notice::Congested));
    let rtsc = (FrameKind::Rts, Notice::Congested);
    let cases = [
        ("a", Notice::None, cts),
        ("b", Notice::None, rtsc),
        ("c", Notice::Congested, cts),
        ("d", Notice::Congested, ctsc),
        ("e", Notice::Congested, rtsc),
    ];
    for (case, asked, answer) in cases {
        assert!(count(asked, answer) > 0, "({case})");
    }
    assert_eq!(count(Notice::None, ctsc), 0, "an RTS is not granted by CTSC");
    let admission = admission(&result);
    let rtscs = result.frames.iter().filter(|f| (f.kind, f.notice) == rtsc).count();
    let ctscs = result.frames.iter().filter(|f| (f.kind, f.notice) == ctsc).count();
    assert_eq!((rtscs as u64, ctscs as u64), (admission.rtsc_sent, admission.ctsc_sent));
}

#[test]
fn silence_instead_of_duplicate_acknowledgments() {
    let of = |rule: &str| {
        let text =
            scenario("kind = \"chain\"\nhops = 7", "report_failures = false", &flow(FTP, 0, 7));
        plain(&format!("{text}[transport.semi]\nout_of_order_acks = \"{rule}\"\n")).flows.remove(0)
    };
    let [silent, selective] = ["silent", "selective"].map(of);
    let answered = |flow: &multihop::simulation::FlowReport| {
        flow.acks_sent.unwrap_or(0) as f64 / flow.arrived_segments as f64
    };
    assert!(silent.out_of_order_segments > 100);
    assert!(answered(&silent) < 0.6, "{}", answered(&silent));
    assert!(answered(&selective) > 0.99, "{}", answered(&selective));
    for flow in [&silent, &selective] {
        assert!(flow.unique_segments >= flow.delivered_segments);
        assert!(flow.unique_segments > 250, "{flow:?}");
    }
}

/// An acknowledgment dropped from the receiver's store was never sent.
#[test]
fn acknowledgments_count_when_they_leave_the_receiver() {
    let text = scenario("kind = \"chain\"\nhops = 7", "", &flow(FTP, 0, 7));
    let keys = "out_of_order_acks = \"selective\"\nstored_acks = 5";
    let text = text.replace("duration_s = 12", "duration_s = 60");
    let mut result = plain(&format!("{text}[transport.semi]\n{keys}\n"));
    let drops = admission(&result).source_drops;
    let flow = result.flows.remove(0);
    let sent = flow.acks_sent.unwrap_or(0);
    assert!(drops > 50, "{drops}");
    assert!(sent + drops <= flow.arrived_segments, "{sent} and {drops} of {flow:?}");
    assert!(sent + drops + 5 >= flow.arrived_segments, "{sent} and {drops} of {flow:?}");
}

#[test]
fn every_eighth_out_of_order_segment_is_answered() {
    let text = scenario("kind = \"chain\"\nhops = 7", "report_failures = false", &flow(FTP, 0, 7));
    let flow = plain(&format!("{text}[transport.semi]\nanswer_every = 8\n")).flows.remove(0);
    let in_order = flow.arrived_segments - flow.out_of_order_segments;
    let answers = flow.acks_sent.unwrap_or(0);
    assert!(flow.out_of_order_segments > 100, "{flow:?}");
    assert!(answers > in_order / 2, "{answers} of {in_order} in order");
    assert!(answers <= in_order + flow.out_of_order_segments / 8 + 1, "{answers} and {in_order}");
}

#[test]
fn unreported_failures_break_no_route() {
    let of = |reports: bool| {
        let keys = format!("report_failures = {reports}\nshort_retry_limit = 2");
        plain(&scenario(CHAIN, &keys, &flow(FTP, 0, 5)))
    };
    let (told, silent) = (of(true), of(false));
    assert!(told.mac.retry_drops > 10 && told.routing.link_failures > 10);
    assert!(silent.mac.retry_drops > 10);
    assert_eq!((silent.routing.link_failures, silent.routing.discoveries), (0, 1));
    assert!(silent.data.counters.dropped_packets > 0 && silent.data.dropping_ratio > 0.0);
}

#[test]
fn either_half_works_without_the_other() {
    let text = scenario(CHAIN, "", &flow(FTP, 0, 5));
    let on_dcf = text.replace("[mac]\nscheme = \"semi-tcp\"", "[mac]\nscheme = \"dcf\"");
    let with_window =
        text.replace("[transport]\nscheme = \"semi-tcp\"", "[transport]\nscheme = \"newreno\"");
    for text in [&on_dcf, &with_window] {
        assert!(plain(text).flows[0].unique_segments > 100, "{text}");
    }
    let admission = admission(&plain(&with_window));
    assert!(admission.source_waits > 100 && admission.max_packets <= 3, "{admission:?}");
    let on_dcf: AdmissionCounters = plain(&on_dcf).scheme("semi-tcp").expect("counters");
    assert_eq!(on_dcf.rtsc_sent, 0);
}

#[test]
fn datagrams_are_admitted_like_segments() {
    let keys = "[routing]\nscheme = \"static\"";
    let text = scenario(CHAIN, keys, &flow(&CBR.replace("1e5", "1e6"), 0, 5));
    let result = plain(&text);
    let admission = admission(&result);
    assert!(admission.rtsc_sent > 100 && admission.deferrals > 100, "{admission:?}");
    assert!(admission.max_packets <= 3 && result.queue.drops == 0);
    let dcf = plain(&text.replace("[mac]\nscheme = \"semi-tcp\"", "[mac]"));
    assert!(dcf.queue.drops > 100, "without admission the queue overflows");
    let received = |result: &RunResult| result.flows[0].delivered_segments;
    assert!(received(&result) * 2 > received(&dcf));
}

#[test]
fn a_source_without_a_route_does_not_spin() {
    let topology = "kind = \"positions\"\npositions_m = [[0, 0], [5000, 0]]";
    for routing in ["static", "aodv"] {
        let keys = format!("[routing]\nscheme = \"{routing}\"");
        let result = plain(&scenario(topology, &keys, &flow(FTP, 0, 1)));
        assert_eq!(result.flows[0].delivered_segments, 0);
        assert!(result.engine.events < 10_000, "{routing}: {}", result.engine.events);
    }
}

/// Data on a new path needs ARP, whose request can be lost. The packet that waits for the reply may
/// then fill its node, so no further packet arrives to repeat the request.
#[test]
fn a_lost_arp_request_stalls_no_flow() {
    let text = "duration_s = 105\n[topology]\nkind = \"random\"\nnodes = 100\narea_m = [1500, 800]\n\
                [mac]\nscheme = \"semi-tcp\"\n[transport]\nscheme = \"semi-tcp\"\n\
                duplicate_ack_threshold = 5\n[[flows]]\nkind = \"ftp\"\nsource = \"random\"\n\
                destination = \"random\"\nstart_s = 0\nstart_spread_s = 5\nlifetime_s = 100\n";
    for (routing, seeds) in [
        ("scheme = \"ccar\"\nvariant = \"h1\"", [1, 11]),
        ("scheme = \"multipath-aodv\"\npolicy = \"ndm\"", [1, 5]),
    ] {
        for seed in seeds {
            let text = format!("{text}[routing]\n{routing}\n");
            let flow = &run(&text, seed, &Recording::default()).flows[0];
            let silence_s = flow.longest_silence_s;
            assert!(silence_s < 30.0, "{routing}, seed {seed}: {silence_s} s");
        }
    }
}

/// A flood of requests can fill an interface queue. A segment sent then is dropped at once, and no
/// longer holds the next one back.
#[test]
fn sources_wait_while_routing_packets_fill_the_queue() {
    let text = "duration_s = 30\n[topology]\nkind = \"random\"\nnodes = 50\narea_m = [1000, 1000]\n\
                [mac]\nscheme = \"semi-tcp\"\nqueue_packets = 12\n[transport]\nscheme = \"semi-tcp\"\n\
                [[flows]]\nkind = \"ftp\"\nsource = \"random\"\ndestination = \"random\"\n\
                count = 15\nstart_s = 0\n";
    for seed in 1..=4 {
        let result = run(text, seed, &Recording::default());
        let sent: u64 = result.flows.iter().map(|flow| flow.sent_segments).sum();
        assert!(result.queue.drops < sent / 5, "{} of {sent}, seed {seed}", result.queue.drops);
    }
}

#[test]
fn the_bottleneck_is_the_busiest_relay() {
    let result = plain(&scenario(CHAIN, "", &flow(FTP, 0, 5)));
    let bottleneck = result.bottleneck.expect("a chain of five hops has relays");
    assert!((1..=4).contains(&bottleneck.node));
    assert!(bottleneck.sending_share > 0.05 && bottleneck.sending_share < 0.5);
    // A relay's and the flow's throughput differ by a few lost packets.
    let ratio = bottleneck.effective_throughput_bps / result.flows[0].unique_bps;
    assert!((0.95..1.3).contains(&ratio), "{ratio}");
    assert_eq!(
        plain(&scenario("kind = \"chain\"\nhops = 1", "", &flow(FTP, 0, 1))).bottleneck,
        None
    );
}

#[test]
fn mac_delay_excludes_the_wait_for_a_route() {
    let result = plain(&scenario(CHAIN, "", &flow(FTP, 0, 5)));
    let flow = &result.flows[0];
    let (whole, mac) = (flow.mean_delay_s.expect("arrivals"), flow.mean_mac_delay_s.unwrap());
    assert!(mac < whole && mac > 0.5 * whole, "{mac} of {whole}");
}
