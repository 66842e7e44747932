//! Discovery, data and failures.

use crate::kernel::Instant;
use crate::profile::Profile;
use crate::routing::aodv::tests::harness::Network;
use crate::routing::aodv::{Aodv, AodvConfig};
use crate::routing::ccar::{CcarConfig, CentralPaths, Centre, Connection, Demanded, Variant};
use crate::routing::{Action, Shared};
use crate::wire::NodeId;

/// Two paths from 0 to 4, one of four links over 1, 2, 3 and one of five over 5, 6, 7, 8 (Fig. 4).
const LINKS: [(u32, u32); 9] =
    [(0, 1), (1, 2), (2, 3), (3, 4), (0, 5), (5, 6), (6, 7), (7, 8), (8, 4)];

type Ccar = Network<Aodv<CentralPaths>>;

fn network(links: &[(u32, u32)], nodes: u32, config: CcarConfig, pairs: &[(u32, u32)]) -> Ccar {
    let aodv = AodvConfig {
        expanding_ring: false,
        local_repair: false,
        intermediate_replies: false,
        ..AodvConfig::default()
    };
    let agents = (0..nodes)
        .map(|i| Aodv::with_policy(NodeId(i), &aodv, Profile::Ns2, CentralPaths::default()))
        .collect();
    let mut network = Network::of(agents, links);
    let flow = |&(a, b): &(u32, u32)| Demanded {
        connection: Connection::between(NodeId(a), NodeId(b)),
        start: Instant::ZERO,
        stop: Instant::from_secs_f64(1000.0),
    };
    let flows = pairs.iter().map(flow).collect();
    let centre = Centre::new(&config, nodes as usize, flows, 1);
    network.shared = Shared::new(centre);
    network
}

fn fig_4(variant: Variant) -> Ccar {
    let config = CcarConfig { variant, ..CcarConfig::default() };
    network(&LINKS, 9, config, &[(0, 4)])
}

/// The paths that the centre chose.
fn chosen(network: &Ccar) -> Vec<Vec<u32>> {
    let centre = network.shared.get::<Centre>().expect("a centre");
    centre.report().choices.iter().map(|choice| choice.path.clone()).collect()
}

/// Requests that `node` sent for itself.
fn asked(network: &Ccar, node: u32) -> usize {
    let requests = network.requests(node);
    requests.iter().filter(|(_, _, request)| request.originator == NodeId(node)).count()
}

/// The nodes that sent segment `number`, in order.
fn senders(network: &Ccar, number: u32) -> Vec<u32> {
    use crate::wire::{Body, tcp};
    network
        .sent()
        .filter(|sent| match &sent.4.body {
            Body::Tcp(tcp::Segment { kind: tcp::SegmentKind::Data { number: n, .. }, .. }) => {
                *n == number
            }
            _ => false,
        })
        .map(|sent| sent.1)
        .collect()
}

#[test]
fn no_data_is_sent_before_the_reply_arrives() {
    let mut network = fig_4(Variant::H1);
    network.send(1.0, 0, 4, 0);
    network.run_to(2.0);
    let reply_back = network
        .sent()
        .filter(|sent| sent.1 == 1 && sent.2 == NodeId(0) && !sent.4.is_transport())
        .map(|sent| sent.0)
        .min()
        .expect("a reply on its last link");
    let first_use = network.sent().find(|sent| sent.4.is_transport()).expect("data is sent").0;
    assert!(first_use > reply_back);
    assert_eq!(asked(&network, 0), 1);
    assert!(
        (1..9).filter(|&node| node != 4).all(|node| network.requests(node).len() == 1),
        "a flood"
    );
    assert_eq!(network.arrived(), [0]);
    assert_eq!(chosen(&network), [[0, 1, 2, 3, 4]]);
}

#[test]
fn data_and_acknowledgments_take_the_centres_path_and_not_the_replies() {
    // Fig. 4 with another connection near node 2: the longer path is lighter.
    let links: Vec<_> = LINKS.into_iter().chain([(2, 9), (9, 10), (10, 11)]).collect();
    let config = CcarConfig { w_p: 0.1, ..CcarConfig::default() };
    let mut network = network(&links, 12, config, &[(2, 11), (0, 4)]);
    network.send(1.0, 2, 11, 0);
    network.send(2.0, 0, 4, 1);
    network.send(3.0, 4, 0, 2);
    network.run_to(4.0);
    assert_eq!(network.arrived(), [0, 1, 2]);
    assert_eq!(senders(&network, 1), [0, 5, 6, 7, 8]);
    assert_eq!(senders(&network, 2), [4, 8, 7, 6, 5], "acknowledgments take the same path");
    assert_eq!(asked(&network, 4), 0, "without another search");
    let delivered = &network.delivered[1].1;
    assert_eq!(delivered.size_bytes, 40, "the source route costs no bytes");
    let replies: Vec<_> = network.replies(4).iter().map(|reply| reply.0).collect();
    assert_eq!(replies, [3], "the reply took the short path");
}

#[test]
fn a_failure_on_the_path_reaches_the_source_which_asks_again() {
    let mut network = fig_4(Variant::H1);
    network.send(1.0, 0, 4, 0);
    network.run_to(2.0);
    network.fail_next = vec![(2, 3)];
    network.send(2.0, 0, 4, 1);
    network.run_to(3.0);
    let lost = Action::RouteError { destination: NodeId(4) };
    assert_eq!(network.count(0, &lost), 1);
    network.send(3.0, 0, 4, 2);
    network.run_to(4.0);
    assert_eq!(asked(&network, 0), 2);
    assert_eq!(network.arrived(), [0, 2]);
    assert_eq!(chosen(&network).len(), 2, "chosen again");
    network.send(4.0, 4, 0, 3);
    network.run_to(5.0);
    assert_eq!(network.arrived(), [0, 2, 3]);
    assert_eq!(asked(&network, 4), 0, "the reply to one end node gives the path to both");
}

#[test]
fn a_failure_on_the_reverse_path_makes_the_destination_ask() {
    let mut network = fig_4(Variant::H1);
    network.send(1.0, 0, 4, 0);
    network.run_to(2.0);
    network.fail_next = vec![(3, 2)];
    network.send(2.0, 4, 0, 1);
    network.send(3.0, 4, 0, 2);
    network.run_to(4.0);
    assert_eq!((asked(&network, 0), asked(&network, 4)), (1, 1));
    assert_eq!(network.arrived(), [0, 2]);
    network.send(4.0, 0, 4, 3);
    network.run_to(5.0);
    assert_eq!(asked(&network, 0), 1, "the source knows of no failure");
    assert_eq!(network.arrived(), [0, 2, 3]);
}

#[test]
fn a_new_connection_moves_no_other_but_a_broken_one_moves() {
    // Two paths of two links from 0 to 3; a second connection from 4 to 5 over node 1.
    let links = [(0, 1), (1, 3), (0, 2), (2, 3), (4, 1), (1, 5)];
    let mut network = network(&links, 6, CcarConfig::default(), &[(0, 3), (4, 5)]);
    network.send(1.0, 0, 3, 0);
    network.run_to(2.0);
    let first = chosen(&network)[0].clone();
    network.send(2.0, 4, 5, 1);
    network.send(3.0, 0, 3, 2);
    network.run_to(4.0);
    assert_eq!(senders(&network, 2), first[..2]);
    assert_eq!(chosen(&network), [first.clone(), vec![4, 1, 5]]);
    network.fail_next = vec![(0, first[1])];
    network.send(4.0, 0, 3, 3);
    network.send(5.0, 0, 3, 4);
    network.run_to(6.0);
    assert_eq!(senders(&network, 4), [0, 2], "now away from node 1");
}

#[test]
fn heuristic_ii_keeps_its_paths_despite_failures() {
    let mut network = fig_4(Variant::H2);
    for (number, failing) in [None, Some((1, 2)), None, Some((3, 4)), None].iter().enumerate() {
        network.run_to(1.0 + number as f64);
        network.fail_next.extend(failing);
        network.send(1.0 + number as f64, 0, 4, number as u32);
    }
    network.run_to(8.0);
    assert_eq!(network.arrived(), [0, 2, 4]);
    assert_eq!(
        [0, 2, 4].map(|number| senders(&network, number)),
        [(); 3].map(|()| vec![0, 1, 2, 3])
    );
    assert_eq!(asked(&network, 0), 3, "each failure is followed by a search");
    assert_eq!(chosen(&network).len(), 1);
}

#[test]
fn data_in_flight_continues_on_the_old_path() {
    let mut network = fig_4(Variant::H1);
    network.send(1.0, 0, 4, 0);
    network.run_to(2.0);
    network.send(2.0, 0, 4, 1);
    network.run_to(2.0015);
    // Segment 1 is beyond node 1 when the source's path breaks.
    network.fail_next = vec![(0, 1)];
    network.send(2.0015, 0, 4, 2);
    network.run_to(3.0);
    assert_eq!(senders(&network, 1), [0, 1, 2, 3]);
    assert_eq!(network.arrived(), [0, 1]);
}

#[test]
fn a_destination_known_from_a_flood_is_still_requested() {
    let mut network = network(&LINKS, 9, CcarConfig::default(), &[(0, 4), (1, 0)]);
    network.send(1.0, 0, 4, 0);
    network.send(2.0, 1, 0, 1);
    network.run_to(3.0);
    assert_eq!(asked(&network, 1), 1);
    assert_eq!(network.arrived(), [0, 1]);
}

#[test]
fn paths_longer_than_aodvs_time_to_live_can_be_used() {
    let links: Vec<_> = (0..40).map(|i| (i, i + 1)).chain([(0, 41), (41, 42), (42, 40)]).collect();
    // The short path is lighter until there is a connection at node 42.
    let config = CcarConfig { w_p: 0.0, ..CcarConfig::default() };
    let links: Vec<_> = links.into_iter().chain([(42, 43)]).collect();
    let mut network = network(&links, 44, config, &[(42, 43), (0, 40)]);
    network.send(1.0, 42, 43, 0);
    network.send(2.0, 0, 40, 1);
    network.run_to(3.0);
    assert_eq!(chosen(&network)[1].len(), 41);
    assert_eq!(network.arrived(), [0, 1]);
}
