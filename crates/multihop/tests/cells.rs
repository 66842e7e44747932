//! Access points, clients, and the mesh between them.

use crate::common::run;
use crate::spoilt::{Case, check};
use multihop::capture::Watch;
use multihop::scenario::Scenario;
use multihop::simulation::{Recording, RunResult, Simulation};
use multihop::wire::FrameKind;

/// Access points 0 and 1, 240 m apart and joined by the backbone, node 2 of the mesh beside the
/// second, and three clients: 3 and 4 at the first, 5 at the second.
const TOWN: &str = "
duration_s = 30
profile = \"standard\"
[topology]
kind = \"positions\"
positions_m = [[0, 0], [240, 0], [240, 200], [30, 0], [-30, 0], [270, 0]]
[[interfaces]]
name = \"backbone\"
channel = 36
nodes = [0, 1, 2]
[[interfaces]]
name = \"cell\"
channel = 1
nodes = [0, 1]
role = \"access-point\"
[[interfaces]]
name = \"phone\"
channel = 1
nodes = [3, 4, 5]
role = \"client\"
";

/// The town with this routing and flows of 20 packets a second between these nodes, one after
/// another from 20 s on.
fn town(routing: &str, flows: &[(u32, u32)]) -> String {
    let flow = |(place, &(source, destination)): (usize, &(u32, u32))| {
        let start_s = 20.0 + 0.03 * place as f64;
        format!(
            "[[flows]]\nkind = \"cbr\"\npacket_bytes = 1000\nrate_bps = 160000\nsource = {source}\n\
             destination = {destination}\nstart_s = {start_s}\nstop_s = 29\n"
        )
    };
    format!(
        "{TOWN}[routing]\n{routing}\n{}",
        flows.iter().enumerate().map(flow).collect::<String>()
    )
}

/// Packets that came, and their hops, of each flow.
fn received(result: &RunResult) -> Vec<(u64, Option<f64>)> {
    let json = serde_json::to_value(result).expect("a result");
    let flows = json["flows"].as_array().expect("flows");
    let packets = |flow: &serde_json::Value| flow["received_packets"].as_u64().unwrap();
    flows.iter().map(|flow| (packets(flow), flow["mean_hops"].as_f64())).collect()
}

/// The order of tables says nothing: a mesh finds its way beside cells that come first, too.
#[test]
fn access_points_reach_each_other_by_the_mesh_whichever_table_comes_first() {
    let backbone = "[[interfaces]]\nname = \"backbone\"\nchannel = 36\nnodes = [0, 1, 2]\n";
    for routing in ["scheme = \"static\"", "scheme = \"aodv\"", "scheme = \"olsr\""] {
        let usual = town(routing, &[(3, 5)]);
        assert!(usual.contains(backbone));
        let last = format!("{}\n{backbone}", usual.replace(backbone, ""));
        for text in [usual, last] {
            let (packets, hops) = received(&run(&text, 1, &Recording::default()))[0];
            assert!(packets > 170, "{routing}: {packets}");
            assert_eq!(hops, Some(3.0), "{routing}");
        }
    }
}

#[test]
fn all_that_clients_send_and_get_goes_through_their_access_points() {
    let pairs = [(3, 0), (0, 4), (3, 4), (3, 5), (5, 2), (2, 3), (1, 3)];
    for routing in ["static", "aodv", "babel", "olsr"] {
        let text = town(&format!("scheme = \"{routing}\""), &pairs);
        let result = run(&text, 1, &Recording::default());
        let all = received(&result);
        let hops: Vec<f64> = all.iter().map(|flow| flow.1.unwrap_or(0.0).round()).collect();
        // From 3 to 4 in two hops, though they hear each other.
        assert_eq!(hops, [1.0, 1.0, 2.0, 3.0, 2.0, 3.0, 2.0], "{routing}");
        assert!(all.iter().all(|&(packets, _)| packets >= 174), "{routing}: {all:?}");
        let json = serde_json::to_value(&result).expect("a result");
        let flows = json["flows"].as_array().expect("flows");
        let least: Vec<f64> =
            flows.iter().map(|flow| flow["shortest_hops"].as_f64().unwrap()).collect();
        // The second access point is in reach of 3 and 4, too.
        assert_eq!(least, [1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 1.0], "{routing}");
        let clients: Vec<_> =
            result.clients.iter().map(|it| (it.node, it.access_point, it.losses)).collect();
        assert_eq!(clients, [(3, Some(0), 0), (4, Some(0), 0), (5, Some(1), 0)], "{routing}");
        // Up to 100 ms until it begins, and 120 ms of listening.
        let since = result.clients.iter().filter_map(|it| it.associated_s);
        assert!(since.clone().count() == 3 && since.clone().all(|at| (0.12..0.3).contains(&at)));
    }
}

#[test]
fn tcp_goes_both_ways_and_a_run_is_the_same_whether_it_is_recorded_or_not() {
    let text = town("scheme = \"static\"", &[]);
    let flows = [(5, 3), (2, 4)].map(|(source, destination)| {
        format!(
            "[[flows]]\nkind = \"ftp\"\nsource = {source}\ndestination = {destination}\nstart_s = 1\n\
             stop_s = 8\n"
        )
    });
    let text = text.replace("duration_s = 30", "duration_s = 8") + &flows.concat();
    let recorded = Recording { events: Some(Watch::default()), ..Recording::default() };
    let [plain, recorded] = [Recording::default(), recorded].map(|it| run(&text, 1, &it));
    assert_eq!(plain.engine.fingerprint, recorded.engine.fingerprint);
    let json = serde_json::to_value(&plain).expect("a result");
    let acked = |flow: usize| json["flows"][flow]["acked_segments"].as_u64().unwrap();
    assert!(acked(0) > 50 && acked(1) > 50, "{} {}", acked(0), acked(1));
}

#[test]
fn beacons_come_each_102_4_ms_and_take_their_time() {
    let text = town("scheme = \"static\"", &[(3, 0)]);
    let result = run(&text, 1, &Recording { frames: true, ..Recording::default() });
    let beacons = result.frames.iter().filter(|it| it.receiver.is_none() && it.transmitter == 0);
    let beacons = beacons.filter(|it| it.interface == Some(1) && it.kind == FrameKind::Data);
    // ARP requests are shorter. At 1 Mbit/s, a long preamble and a MAC header of 28 bytes.
    let airtime_ns = 1000 * (192 + 8 * (28 + 47));
    let beacons: Vec<_> = beacons.filter(|it| it.airtime_ns == airtime_ns).collect();
    assert!((292..=293).contains(&beacons.len()), "{} in 30 s", beacons.len());
    let gaps =
        beacons.windows(2).map(|pair| pair[1].time_ns as f64 / 1e9 - pair[0].time_ns as f64 / 1e9);
    let (sum, count) = gaps.fold((0.0, 0.0), |(sum, count), gap| (sum + gap, count + 1.0));
    assert!((sum / count - 0.1024).abs() < 1e-4, "{}", sum / count);
}

#[test]
fn a_client_takes_the_strongest_or_the_given_access_point_and_another_when_it_is_lost() {
    let flow = [(2, 3)];
    let given = town("scheme = \"static\"", &flow)
        .replace("role = \"client\"", "role = \"client\"\naccess_points = [1]");
    let result = run(&given, 1, &Recording::default());
    let points: Vec<_> = result.clients.iter().map(|it| it.access_point).collect();
    // Node 4 is 270 m from the other, out of reach.
    assert_eq!(points, [Some(1), None, Some(1)]);
    let lost = town("scheme = \"static\"", &flow)
        + "[[events]]\nkind = \"node-kill\"\nnode = 0\nat_s = 22\n";
    let result = run(&lost, 1, &Recording::default());
    let client = &result.clients[0];
    assert_eq!((client.access_point, client.losses, client.associations), (Some(1), 1, 2));
    // 0.77 s until it misses the seventh beacon, 0.12 s to listen.
    let (packets, _) = received(&result)[0];
    assert!((180 - 24..=180 - 14).contains(&packets), "{packets} of 180");
    assert_eq!(result.clients[1].access_point, None);
}

/// The town, where client 3 is cut off from its access point at 22 s, which goes on without knowing,
/// and goes to the other; packets for it come from node 2, nearer to the new one, and from node 0,
/// the old one itself.
fn cut_off(routing: &str, source: u32) -> String {
    town(routing, &[(source, 3)])
        .replace("duration_s = 30", "duration_s = 60")
        .replace("stop_s = 29", "stop_s = 59")
        + "[[events]]\nkind = \"link-cut\"\nnode = 0\nneighbour = 3\nat_s = 22\n"
}

#[test]
fn where_a_client_has_gone_is_learnt_by_messages() {
    for (routing, most_from_old) in [
        // The old one asks its neighbours at once.
        ("scheme = \"babel\"", 70),
        ("scheme = \"aodv\"", 70),
        // The new one has told of it by then; what is in its queue is lost besides.
        ("scheme = \"olsr\"", 100),
    ] {
        let lost = |source| {
            let result = run(&cut_off(routing, source), 1, &Recording::default());
            let client = &result.clients[0];
            assert_eq!((client.access_point, client.losses), (Some(1), 1), "{routing}");
            780 - received(&result)[0].0
        };
        let lost = [lost(2), lost(0)];
        // The way from node 2 leads by the new access point, which has it 0.9 s after the cut; the
        // old one goes on until fifty packets are lost.
        assert!((15..=30).contains(&lost[0]), "{routing}: {lost:?}");
        assert!((50..=most_from_old).contains(&lost[1]), "{routing}: {lost:?}");
    }
}

#[test]
fn clients_carry_nothing_for_others_and_access_points_are_no_link() {
    // Without a backbone the access points hear each other, and clients both.
    let text = town("scheme = \"babel\"", &[(0, 1), (3, 0), (3, 1)])
        .replace("nodes = [0, 1, 2]", "nodes = [2]");
    let result = run(&text, 1, &Recording::default());
    let packets: Vec<u64> = received(&result).iter().map(|flow| flow.0).collect();
    assert_eq!([packets[0], packets[2]], [0, 0]);
    assert!(packets[1] >= 178, "its own access point is reached: {packets:?}");
}

#[test]
fn without_an_access_point_nothing_is_sent() {
    let text = town("scheme = \"static\"", &[(3, 2), (2, 3)]).replace("[30, 0]", "[30, 900]");
    let result = run(&text, 1, &Recording::default());
    assert_eq!(result.clients[0].access_point, None);
    assert_eq!(received(&result).iter().map(|flow| flow.0).sum::<u64>(), 0);
    let json = serde_json::to_value(&result).expect("a result");
    assert_eq!(json["data"]["transmitted_packets"], 0, "{}", json["data"]);
    assert!(json["data"]["dropped_packets"].as_u64().unwrap() >= 358, "{}", json["data"]);
}

#[test]
fn programs_are_refused() {
    let text = town("scheme = \"static\"", &[(3, 0)]);
    let text = text.replace("channel = 36\nnodes = [0, 1, 2]", "channel = 36\nnodes = [2]");
    let scenario = Scenario::from_toml(&text, &[]).expect("a scenario");
    let error = Simulation::for_programs(&scenario, None, &Recording::default());
    assert_eq!(
        error.expect_err("not built").to_string(),
        "interfaces: must have no access points and clients: programs cannot run there yet"
    );
}

#[test]
fn cells_that_cannot_be_are_refused_in_a_line() {
    check(WRONG);
}

/// In place of it.
const LIMIT: &str = "[mac]\nshort_retry_limit = 7\n";

#[rustfmt::skip]
const WRONG: &[Case] = &[
    (LIMIT, "[[interfaces]]\nname = \"a\"\nchannel = 1\nrole = \"router\"\n",
     r#"line 12: interfaces.0.role: must be one of "access-point", "client" (got "router")"#),
    (LIMIT, "[[interfaces]]\nname = \"a\"\nchannel = 1\nbeacon_s = 0.1\n",
     r#"line 12: interfaces.0.beacon_s: can be given only with role = "access-point""#),
    (LIMIT, "[[interfaces]]\nname = \"a\"\nchannel = 1\nrole = \"access-point\"\nbeacon_s = 60\n",
     "line 13: interfaces.0.beacon_s: must be 0.01 to 10 (got 60)"),
    (LIMIT, "[[interfaces]]\nname = \"a\"\nchannel = 1\naccess_points = [0]\n",
     r#"line 12: interfaces.0.access_points: can be given only with role = "client""#),
    (LIMIT, "[[interfaces]]\nname = \"a\"\nchannel = 1\nrole = \"client\"\n",
     r#"line 11: interfaces.0.channel: must be that of an interface with role = "access-point" (got 1)"#),
    (LIMIT, "[[interfaces]]\nname = \"a\"\nchannel = 1\nnodes = [0]\nrole = \"access-point\"\n[[interfaces]]\nname = \"b\"\nchannel = 1\nnodes = [1, 2]\n",
     "line 11: interfaces.0.channel: must be another than that of the mesh's interface \"b\": a cell has its own (got 1)"),
    (LIMIT, "[[interfaces]]\nname = \"a\"\nchannel = 1\nnodes = [0]\nrole = \"access-point\"\n[[interfaces]]\nname = \"b\"\nchannel = 1\nnodes = [1, 2]\nrole = \"client\"\n[[interfaces]]\nname = \"c\"\nchannel = 6\nnodes = [0, 1]\n",
     "line 17: interfaces.1.nodes: must be nodes with no other interface: clients (got 1)"),
    (LIMIT, "[[interfaces]]\nname = \"a\"\nchannel = 1\nnodes = [0]\nrole = \"access-point\"\n[[interfaces]]\nname = \"b\"\nchannel = 1\nnodes = [1, 2]\nrole = \"client\"\naccess_points = [0, 0, 0]\n",
     "line 19: interfaces.1.access_points: must be one access point, or one for each of its 2 nodes (got 3)"),
    (LIMIT, "[[interfaces]]\nname = \"a\"\nchannel = 1\nnodes = [0]\nrole = \"access-point\"\n[[interfaces]]\nname = \"b\"\nchannel = 1\nnodes = [1, 2]\nrole = \"client\"\naccess_points = [2]\n",
     "line 19: interfaces.1.access_points: must be access points on channel 1 (got 2)"),
    (LIMIT, "[routing]\nscheme = \"dsr\"\n[[interfaces]]\nname = \"a\"\nchannel = 1\nrole = \"access-point\"\n",
     r#"line 10: routing.scheme: must be one that carries packets of access points' clients as they are: "dsr" does not; docs/model/model.md has those that do"#),
    (LIMIT, "[link]\npacing = \"hop-by-hop\"\n[[interfaces]]\nname = \"a\"\nchannel = 1\nrole = \"access-point\"\n",
     r#"line 10: link.pacing: must be "none" with access points and clients"#),
    (LIMIT, "[mac]\nscheme = \"semi-tcp\"\n[[interfaces]]\nname = \"a\"\nchannel = 1\nrole = \"access-point\"\n",
     r#"line 10: mac.scheme: must be "dcf" with access points and clients"#),
];
