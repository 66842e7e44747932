//! Probes: when, how large, what they say, and the ETX worked out from them.

use super::harness::{Etxs, steady};
use crate::profile::Profile;
use crate::routing::etx::EtxTable;
use crate::routing::etx::probing::Probe;
use crate::wire::{Body, Extension};

fn pair() -> Etxs {
    Etxs::etx(2, &[(0, 1)], &steady(), Profile::Ns2)
}

/// A probe: when it left, its size, and what it lists.
type Sent = (f64, u32, Vec<(u32, u32)>);

/// The probes of `node`.
fn probes(network: &Etxs, node: u32) -> Vec<Sent> {
    let sent = network.sent().filter(|sent| sent.1 == node);
    sent.filter_map(|(at, _, next_hop, _, packet)| {
        let Body::Routing(message) = &packet.body else { return None };
        assert!(next_hop.is_broadcast() && packet.ttl == 1);
        let Probe { received } = Extension::get(message).expect("a probe");
        let listed = received.iter().map(|(node, count)| (node.0, *count)).collect();
        Some((at.as_secs_f64(), packet.size_bytes, listed))
    })
    .collect()
}

#[test]
fn a_link_costs_one_over_the_product_of_what_both_directions_deliver() {
    // (lost of ten there, lost of ten back, thousandths of 1/((1 - there) (1 - back)))
    let cases = [
        (0, 0, 1000),
        (2, 0, 1250),
        (0, 2, 1250),
        (2, 5, 2500),
        (5, 5, 4000),
        (3, 0, 1429),
        (9, 9, 100_000),
    ];
    for (there, back, expected) in cases {
        let mut network = pair();
        network.lose(0, 1, there, 10);
        network.lose(1, 0, back, 10);
        for seconds in [30.0, 37.3, 44.9] {
            network.run_to(seconds);
            let both_ends = [network.link(0, 1), network.link(1, 0)];
            assert_eq!(both_ends, [Some(expected); 2], "{there} {back} at {seconds} s");
        }
    }
}

#[test]
fn in_the_first_window_what_was_not_sent_counts_as_lost() {
    let mut network = pair();
    let known = |network: &mut Etxs, seconds: f64| {
        network.run_to(seconds);
        network.link(0, 1)
    };
    assert_eq!(known(&mut network, 0.0), None);
    // At 5.0 s five probes of each have come, and the last one of N1 listed four or five of N0's.
    let early = known(&mut network, 5.0).expect("a link");
    assert!(early == 4000 || early == 5000, "{early}");
    assert_eq!(known(&mut network, 11.1), Some(1000));
}

#[test]
fn a_link_that_works_one_way_has_no_etx() {
    let mut network = pair();
    network.lose(1, 0, 10, 10);
    network.run_to(30.0);
    assert_eq!([network.link(0, 1), network.link(1, 0)], [None, None]);
    let listed = |node| probes(&network, node).pop().unwrap().2;
    assert_eq!((listed(0), listed(1)), (vec![], vec![(0, 10)]));
}

#[test]
fn a_neighbour_that_is_gone_is_forgotten_after_the_window() {
    let mut network = pair();
    network.run_to(30.0);
    network.cut(0, 1);
    let last = probes(&network, 1).pop().unwrap().0;
    network.run_to(last + 9.5);
    // One of ten came within the window, and it said that N1 had received all.
    assert_eq!(network.link(0, 1), Some(10_000));
    network.run_to(last + 10.1);
    assert_eq!(network.link(0, 1), None);
}

#[test]
fn probes_leave_each_interval_give_or_take_a_tenth() {
    let mut network = Etxs::etx(2, &[(0, 1)], &EtxTable::default(), Profile::Ns2);
    network.run_to(200.0);
    for node in 0..2 {
        let at: Vec<f64> = probes(&network, node).iter().map(|probe| probe.0).collect();
        let gaps: Vec<f64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(at[0] < 1.0 && gaps.iter().all(|gap| (0.9..1.1).contains(gap)), "{gaps:?}");
        assert!(gaps.iter().any(|gap| *gap < 0.93) && gaps.iter().any(|gap| *gap > 1.07));
    }
    // Now and then the window holds eleven probes or nine: never better than all, seldom much
    // worse.
    let etx = network.link(0, 1).expect("a link");
    assert!((1000..=1235).contains(&etx), "{etx}");
}

#[test]
fn a_probe_grows_only_when_its_list_does_not_fit() {
    // 134 bytes hold the IP header and 14 neighbours of 8 bytes.
    for (neighbours, bytes) in [(1, 134), (14, 134), (15, 20 + 15 * 8)] {
        let links: Vec<_> = (1..=neighbours).map(|i| (0, i)).collect();
        let mut network = Etxs::etx(neighbours + 1, &links, &steady(), Profile::Ns2);
        network.run_to(20.0);
        let all = probes(&network, 0);
        assert_eq!(all[0].1, 134, "nothing is known at first");
        let (_, size, listed) = all.last().unwrap();
        assert_eq!((*size, listed.len()), (bytes, neighbours as usize));
        assert!(listed.iter().all(|&(_, count)| count == 10));
    }
}

#[test]
fn probes_of_others_are_no_news_of_this_node() {
    // N2 hears N1 alone, whose probes list N0 too.
    let mut network = Etxs::etx(3, &[(0, 1), (1, 2)], &steady(), Profile::Ns2);
    network.run_to(20.0);
    assert_eq!(network.link(2, 0), None);
    assert_eq!(network.link(2, 1), Some(1000));
}
