//! Applications over whole networks: what is asked for arrives, once, and is told.

use crate::common::run;
use multihop::simulation::{FlowReport, Recording, RunResult};

fn chain(duration_s: u32, hops: u32, flows: &str) -> String {
    format!("duration_s = {duration_s}\n[topology]\nkind = \"chain\"\nhops = {hops}\n{flows}")
}

fn flow(kind: &str, hops: u32, keys: &str) -> String {
    format!("[[flows]]\nkind = \"{kind}\"\nsource = 0\ndestination = {hops}\n{keys}\n")
}

fn result(text: &str) -> RunResult {
    run(text, 1, &Recording::default())
}

/// Bytes, start and time of the flow's transfers.
fn transfers(flow: &FlowReport) -> Vec<(u64, f64, Option<f64>)> {
    let Some(all) = &flow.transfers else { return Vec::new() };
    let columns = all.bytes.iter().zip(&all.start_s).zip(&all.time_s);
    columns.map(|((&bytes, &start), &time)| (bytes, start, time)).collect()
}

#[test]
fn a_file_arrives_whole_and_ends_its_flow() {
    let result =
        result(&chain(60, 3, &flow("file", 3, "bytes = 100_000\nstart_s = 2\nname = \"a file\"")));
    let flow = &result.flows[0];
    let [(100_000, 2.0, Some(time_s))] = transfers(flow)[..] else { panic!("{flow:?}") };
    assert_eq!((flow.delivered_bytes, flow.name.as_deref()), (100_000, Some("a file")));
    assert!((flow.stop_s - (2.0 + time_s)).abs() < 1e-9 && flow.stop_s < 20.0, "{}", flow.stop_s);
    assert_eq!(flow.delivered_segments, 100_000_u64.div_ceil(1460));
    assert!((flow.goodput_bps - 8e5 / time_s).abs() < 1e-6);
}

#[test]
fn a_file_takes_as_long_as_its_bytes_at_the_rate_of_ftp() {
    let ftp = result(&chain(60, 3, &flow("ftp", 3, ""))).flows[0].goodput_bps;
    let file = result(&chain(60, 3, &flow("file", 3, "bytes = 1_000_000")));
    let [(_, _, Some(time_s))] = transfers(&file.flows[0])[..] else { panic!("unfinished") };
    let share = 8e6 / time_s / ftp;
    assert!((0.9..1.05).contains(&share), "{share} of ftp's rate");
}

#[test]
fn what_the_stop_cuts_off_is_told_as_unfinished() {
    let result = result(&chain(5, 3, &flow("file", 3, "bytes = 1e8")));
    let [(100_000_000, 0.0, None)] = transfers(&result.flows[0])[..] else { panic!("finished") };
}

#[test]
fn answers_go_back_over_the_connection() {
    let keys = "request_bytes = 200\nresponse_bytes = 5000\nthink_s = 0.1\nrequests = 20";
    for scheme in ["newreno", "semi-tcp", "tcp-ap", "westwood"] {
        let keys = format!("{keys}\ntransport = {{ scheme = \"{scheme}\" }}");
        let result = result(&chain(60, 2, &flow("request-response", 2, &keys)));
        let [there, back] = &result.flows[..] else { panic!("two directions") };
        assert_eq!((there.answers, back.answers), (None, Some(0)));
        assert_eq!((back.source, back.destination), (2, 0));
        assert_eq!(
            (there.delivered_bytes, back.delivered_bytes),
            (20 * 200, 20 * 5000),
            "{scheme}"
        );
        let all = transfers(there);
        assert!(all.len() == 20 && all.iter().all(|(bytes, ..)| *bytes == 5000));
        let gaps = all.windows(2).map(|pair| pair[1].1 - pair[0].1 - pair[0].2.unwrap());
        assert!(gaps.clone().all(|gap| (gap - 0.1).abs() < 1e-6), "{scheme}: {gaps:?}");
        assert_eq!(back.stop_s, there.stop_s);
        // The answers need no SYN of their own.
        assert_eq!(back.sent_segments, back.retransmits + 20 * 4, "{scheme}");
    }
}

#[test]
fn acknowledgments_ride_on_the_data_of_the_other_direction() {
    // A request and a response of a segment each: all are answered by the next that goes the other
    // way, but those that have none within the delay.
    let keys = |think_s: f64, more: &str| {
        format!(
            "request_bytes = 200\nresponse_bytes = 900\nthink_s = {think_s}\nrequests = 40\n\
             transport = {{ recovery.scheme = \"rack-tlp\", acks = {{ delayed = true{more} }} }}"
        )
    };
    let flows = |keys: &str| {
        let result = result(&chain(60, 2, &flow("request-response", 2, keys)));
        let [there, back] = <[FlowReport; 2]>::try_from(result.flows).expect("two directions");
        assert_eq!((there.delivered_bytes, back.delivered_bytes), (40 * 200, 40 * 900));
        assert_eq!((there.retransmits, back.retransmits), (0, 0));
        assert!(there.mean_rtt_s.is_some() && back.mean_rtt_s.is_some());
        (there.acks_sent.unwrap(), back.acks_sent.unwrap())
    };
    // The last response ends the flows.
    assert_eq!(flows(&keys(0.05, "")), (1, 0), "the SYN's answer");
    assert_eq!(flows(&keys(0.5, "")), (1, 39), "the source thinks for longer than the delay");
    let at_once = flows(&keys(0.05, ", quick_segments = 1000"));
    assert_eq!(at_once, (41, 40), "an acknowledgment sent at once is a packet of its own");
}

#[test]
fn connections_with_data_both_ways_deliver_all_whatever_tells_of_losses_and_marks() {
    let keys = "request_bytes = 20_000\nresponse_bytes = 50_000\nthink_s = 0.01\nrequests = 10";
    for transport in [
        "profile = \"linux\", scheme = \"cubic\"",
        "profile = \"linux\", scheme = \"bbr1\", window_segments = 100",
        "profile = \"linux\", receive_buffer.scheme = \"auto\"",
        "recovery.scheme = \"sack\", acks.delayed = true, window_segments = 40, ecn = true",
    ] {
        let keys = format!("{keys}\ntransport = {{ {transport} }}");
        let crowd = flow("ftp", 4, "stop_s = 30");
        let queue = "[link]\nqueue = \"codel\"\n";
        let flows = format!("{queue}{}{crowd}", flow("request-response", 4, &keys));
        let result = result(&chain(200, 4, &flows));
        let [there, back, _] = &result.flows[..] else { panic!("three") };
        let delivered = (there.delivered_bytes, back.delivered_bytes);
        assert_eq!(delivered, (10 * 20_000, 10 * 50_000), "{transport}");
    }
}

#[test]
fn pages_are_loaded_one_after_the_other() {
    let result = result(&chain(120, 2, &flow("web", 2, "reading_s = 2")));
    let [there, back] = &result.flows[..] else { panic!("two directions") };
    let all = transfers(there);
    assert!(all.len() > 5, "{} pages", all.len());
    let complete: u64 = all.iter().filter(|page| page.2.is_some()).map(|page| page.0).sum();
    let asked: u64 = all.iter().map(|page| page.0).sum();
    assert!((complete..=asked).contains(&back.delivered_bytes));
    assert!(all.windows(2).all(|pair| pair[1].1 >= pair[0].1 + pair[0].2.unwrap() + 2.0 - 1e-6));
}

#[test]
fn a_call_over_a_quiet_hop_is_good_and_over_a_busy_chain_bad() {
    let quiet = result(&chain(20, 1, &flow("voice", 1, "codec = \"g729\"")));
    let voice = quiet.flows[0].voice.unwrap();
    // Those of the last 0.15 s are not due.
    assert_eq!(voice.packets, (20.0_f64 / 0.02 - 7.5).ceil() as u64);
    assert_eq!(voice.loss, 0.0);
    assert!(voice.mos > 3.8 && voice.jitter_s < 0.001, "{voice:?}");
    let busy = flow("voice", 5, "")
        + &flow("ftp", 5, "")
        + &flow("cbr", 5, "packet_bytes = 1000\nrate_bps = 1e6");
    let voice = result(&chain(20, 5, &busy)).flows[0].voice.unwrap();
    assert!(voice.loss > 0.05 && voice.mos < 3.0, "{voice:?}");
}

#[test]
fn bursts_go_over_udp_and_tcp() {
    let keys = "packet_bytes = 500\nrate_bps = 1e5\non_s = 1\noff_s = 3\nstart_s = 1";
    let udp = result(&chain(17, 2, &flow("on-off", 2, keys)));
    let tcp = result(&chain(17, 2, &flow("on-off", 2, &format!("{keys}\nover = \"tcp\""))));
    // Four bursts of 25 packets.
    assert_eq!(udp.flows[0].received_packets, Some(100));
    assert_eq!(tcp.flows[0].delivered_bytes, 100 * 500);
    assert!(udp.flows[0].acks_sent.is_none() && tcp.flows[0].acks_sent.is_some());
}

#[test]
fn a_trace_is_replayed() {
    let folder = std::env::temp_dir().join(format!("multihop-trace-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("messages.csv");
    std::fs::write(&file, "time_s,bytes\n0,3000\n0.5,100\n2,1460\n").unwrap();
    let keys = format!("file = \"{}\"\nover = \"tcp\"\nstart_s = 1", file.display());
    let result = result(&chain(10, 2, &flow("trace", 2, &keys)));
    let all = transfers(&result.flows[0]);
    std::fs::remove_dir_all(&folder).unwrap();
    let asked: Vec<(u64, f64)> = all.iter().map(|&(bytes, start, _)| (bytes, start)).collect();
    assert_eq!(asked, [(3000, 1.0), (100, 1.5), (1460, 3.0)]);
    assert!(all.iter().all(|(.., time)| time.unwrap() < 0.5), "{all:?}");
    assert_eq!(result.flows[0].delivered_bytes, 4560);
}

fn arrivals(scheme: &str, seed: u64) -> RunResult {
    let keys = "arrivals_per_s = 4\nstop_s = 50\nbytes = { kind = \"pareto\", shape = 1.3, least = 1000, most = 1e5 }";
    let flows = flow("file", 3, keys)
        .replace("source = 0\ndestination = 3", "source = \"random\"\ndestination = \"random\"");
    run(
        &(chain(60, 3, &flows) + &format!("[transport]\nscheme = \"{scheme}\"\n")),
        seed,
        &Recording::default(),
    )
}

#[test]
fn short_flows_arrive_by_a_poisson_process_and_are_the_same_for_every_scheme() {
    let plan = |result: &RunResult| -> Vec<(u32, u32, u32, f64, u64)> {
        let of = |flow: &FlowReport| {
            let (bytes, start, _) = transfers(flow)[0];
            (flow.arrival.unwrap(), flow.source, flow.destination, start, bytes)
        };
        result.flows.iter().map(of).collect()
    };
    let (reno, cubic, other) = (arrivals("reno", 1), arrivals("cubic", 1), arrivals("reno", 2));
    assert_eq!(plan(&reno), plan(&cubic));
    assert_ne!(plan(&reno), plan(&other));
    // 200 expected, standard deviation 14.
    let starts: Vec<f64> = plan(&reno).iter().map(|flow| flow.3).collect();
    assert!((150..=250).contains(&starts.len()), "{}", starts.len());
    assert!(starts.is_sorted() && starts[starts.len() - 1] < 50.0);
    for flow in &reno.flows {
        if let (bytes, _, Some(_)) = transfers(flow)[0] {
            assert_eq!(flow.delivered_bytes, bytes);
        }
    }
    let done = reno.flows.iter().filter(|flow| transfers(flow)[0].2.is_some()).count();
    assert!(done * 10 > starts.len() * 8, "{done} of {} are complete", starts.len());
}

#[test]
fn applications_are_reproducible() {
    let flows = flow("web", 3, "")
        + &flow(
            "on-off",
            3,
            "packet_bytes = 300\nrate_bps = 5e4\non_s = { kind = \"exponential\", mean = 1 }\noff_s = { kind = \"pareto\", shape = 1.5, least = 0.5 }",
        );
    let digests = [1, 1, 2]
        .map(|seed| run(&chain(30, 3, &flows), seed, &Recording::default()).engine.fingerprint);
    assert_eq!(digests[0], digests[1]);
    assert_ne!(digests[0], digests[2]);
}
