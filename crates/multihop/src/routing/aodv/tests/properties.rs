//! Properties for arbitrary messages and networks.

use proptest::prelude::*;

use super::harness::{Network, data, packet};
use crate::kernel::{Duration, Instant};
use crate::profile::Profile;
use crate::routing::Protocol;
use crate::routing::aodv::{Aodv, AodvConfig};
use crate::routing::{DropReason, Timer};
use crate::wire::aodv::{Error, Message, Reply, Request, SequenceNumber};
use crate::wire::{Body, NodeId};

/// Nodes that messages are about; the one under test is 0.
const NODES: u32 = 6;

/// An event at node 0.
#[derive(Clone, Debug)]
enum Event {
    Send { destination: u32 },
    Data { source: u32, destination: u32, from: u32, hops: u16 },
    Message { from: u32, ttl: u8, message: Message },
    LinkFailure { source: u32, destination: u32, next_hop: u32, hops: u16 },
    Repair { destination: u32 },
    Wait { millis: u32 },
}

fn sequence() -> impl Strategy<Value = SequenceNumber> {
    prop_oneof![0u32..12, any::<u32>()].prop_map(SequenceNumber)
}

fn request() -> impl Strategy<Value = Message> {
    let ids = (any::<u8>(), 0u32..4, 0..NODES, 0..NODES);
    (ids, sequence(), sequence()).prop_map(
        |((hop_count, id, destination, originator), destination_sequence, originator_sequence)| {
            Message::Request(Request {
                hop_count,
                id,
                destination: NodeId(destination),
                destination_sequence,
                originator: NodeId(originator),
                originator_sequence,
                sent_at: Instant::ZERO,
                metric: 0,
                transmitter_metric: 0,
            })
        },
    )
}

fn reply() -> impl Strategy<Value = Message> {
    (any::<u8>(), 0..NODES, sequence(), 0..NODES, any::<u32>()).prop_map(
        |(hop_count, destination, destination_sequence, originator, lifetime_s)| {
            Message::Reply(Reply {
                hop_count,
                destination: NodeId(destination),
                destination_sequence,
                originator: NodeId(originator),
                lifetime: Duration::from_secs(lifetime_s.into()),
                request_sent_at: Instant::ZERO,
                is_passed_on: false,
                metric: 0,
            })
        },
    )
}

fn error() -> impl Strategy<Value = Message> {
    prop::collection::vec(((0..NODES).prop_map(NodeId), sequence()), 0..4)
        .prop_map(|unreachable| Message::Error(Error { unreachable, is_passed_on: false }))
}

fn message() -> impl Strategy<Value = Message> {
    let hello = sequence().prop_map(|sequence| Message::Hello {
        sequence,
        lifetime: Duration::from_secs(2),
        extension: None,
    });
    prop_oneof![4 => request(), 4 => reply(), 2 => error(), 1 => hello]
}

fn event() -> impl Strategy<Value = Event> {
    let other = 1..NODES;
    prop_oneof![
        2 => (0..NODES).prop_map(|destination| Event::Send { destination }),
        2 => (0..NODES, 1..NODES, other.clone(), 0u16..40).prop_map(
            |(source, destination, from, hops)| Event::Data { source, destination, from, hops }
        ),
        6 => (other.clone(), any::<u8>(), message())
            .prop_map(|(from, ttl, message)| Event::Message { from, ttl, message }),
        2 => (0..NODES, 1..NODES, other, 0u16..40).prop_map(
            |(source, destination, next_hop, hops)| {
                Event::LinkFailure { source, destination, next_hop, hops }
            }
        ),
        1 => (1..NODES).prop_map(|destination| Event::Repair { destination }),
        2 => (0u32..8000).prop_map(|millis| Event::Wait { millis }),
    ]
}

fn apply(network: &mut Network<Aodv>, event: Event) {
    let now = network.now;
    match event {
        Event::Send { destination } => {
            network.send(now.as_secs_f64(), 0, destination, 0);
        }
        Event::Data { source, destination, from, hops } => {
            let mut packet = data(source, destination, 0, now);
            packet.hops = hops;
            network.call(0, |aodv, cx| aodv.on_receive(cx, packet, NodeId(from)));
        }
        Event::Message { from, ttl, message } => {
            let mut packet = packet(from, u32::MAX, now, Body::Aodv(message), 48);
            packet.ttl = ttl;
            network.call(0, |aodv, cx| aodv.on_receive(cx, packet, NodeId(from)));
        }
        Event::LinkFailure { source, destination, next_hop, hops } => {
            let mut packet = data(source, destination, 0, now);
            packet.hops = hops;
            network.call(0, |aodv, cx| aodv.on_link_failure(cx, packet, NodeId(next_hop)));
        }
        Event::Repair { destination } => {
            let timer = Timer::about("local-repair", NodeId(destination));
            network.call(0, |aodv, cx| aodv.on_timer(cx, timer));
        }
        Event::Wait { millis } => {
            network.run_to(now.as_secs_f64() + f64::from(millis) / 1e3);
        }
    }
}

fn check(aodv: &Aodv, profile: Profile) -> Result<(), TestCaseError> {
    if profile == Profile::Ns2 {
        prop_assert_eq!(aodv.sequence().0 % 2, 0, "own sequence number is odd");
    }
    if profile == Profile::Standard {
        prop_assert!(aodv.routes().get(NodeId(0)).is_none_or(|route| !route.is_up()));
    }
    for route in aodv.routes().iter().filter(|route| route.is_up()) {
        prop_assert_ne!(route.next_hop, NodeId(0));
        prop_assert!(!route.next_hop.is_broadcast());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_messages_break_the_invariants_of_a_node(
        standard in any::<bool>(),
        events in prop::collection::vec(event(), 1..80),
    ) {
        let profile = if standard { Profile::Standard } else { Profile::Ns2 };
        let mut network = Network::chain_with(0, &AodvConfig::default(), profile);
        for event in events {
            apply(&mut network, event);
            check(&network.nodes[0], profile)?;
        }
    }
}

/// A connected graph: a random tree with extra links.
fn connected() -> impl Strategy<Value = (u32, Vec<(u32, u32)>)> {
    (2u32..14).prop_flat_map(|n| {
        let tree: Vec<_> = (1..n).map(|node| (0..node).prop_map(move |p| (p, node))).collect();
        let more = prop::collection::vec((0..n, 0..n), 0..8);
        (Just(n), tree, more).prop_map(|(n, mut links, more)| {
            links.extend(more.into_iter().filter(|(a, b)| a != b));
            (n, links)
        })
    })
}

/// Follows next hops from `from`; the nodes on the path, or `None` if there is a loop.
fn path(network: &Network<Aodv>, from: u32, to: u32) -> Option<Vec<u32>> {
    let mut path = vec![from];
    while let Some(next) = network.nodes[path[path.len() - 1] as usize].next_hop(NodeId(to)) {
        if path.contains(&next.0) {
            return None;
        }
        path.push(next.0);
        if next.0 == to {
            break;
        }
    }
    Some(path)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_lossless_network_has_no_loops(
        (n, links) in connected(),
        flows in prop::collection::vec((any::<u32>(), any::<u32>(), 0.0..20.0f64), 1..12),
    ) {
        let mut network = Network::plain(n, &links, &AodvConfig::default(), Profile::Standard);
        let mut flows: Vec<_> = flows
            .into_iter()
            .map(|(source, destination, at)| (source % n, destination % n, at))
            .filter(|(source, destination, _)| source != destination)
            .collect();
        flows.sort_by(|a, b| a.2.total_cmp(&b.2));
        for (number, &(source, destination, at)) in flows.iter().enumerate() {
            network.send(at, source, destination, number as u32);
        }
        let mut now = flows.last().map_or(0.0, |flow| flow.2);
        while now < 45.0 {
            now += 0.05;
            network.run_to(now);
            for to in 0..n {
                for from in (0..n).filter(|&from| from != to) {
                    prop_assert!(path(&network, from, to).is_some(), "loop {from} to {to}");
                }
            }
        }
        // Relays' routes may expire before their users': then the packet is lost, and reported.
        let drops: Vec<_> = (0..n).flat_map(|node| network.drops(node)).collect();
        prop_assert!(drops.iter().all(|drop| drop.1 == DropReason::NoRoute), "{drops:?}");
        prop_assert_eq!(network.arrived().len() + drops.len(), flows.len());
    }

    #[test]
    fn the_route_just_found_leads_to_the_destination(
        (n, links) in connected(),
        pair in (any::<u32>(), any::<u32>()),
    ) {
        let source = pair.0 % n;
        let destination = (source + 1 + pair.1 % (n - 1)) % n;
        for profile in [Profile::Ns2, Profile::Standard] {
            let mut network = Network::plain(n, &links, &AodvConfig::default(), profile);
            network.send(1.0, source, destination, 0);
            let mut now = 1.0;
            while network.delivered.is_empty() && now < 30.0 {
                now += 0.01;
                network.run_to(now);
            }
            let found = path(&network, source, destination);
            let hops = network.nodes[source as usize].hops(NodeId(destination));
            prop_assert_eq!(found.as_ref().and_then(|path| path.last()), Some(&destination));
            prop_assert_eq!(hops.map(usize::from), found.map(|path| path.len() - 1));
        }
    }
}
