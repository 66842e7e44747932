//! Neighbourhood discovery (RFC 6130) and what RFC 7181 adds to HELLOs.

use super::harness::*;
use crate::routing::olsrv2::Olsr2Config;
use crate::routing::olsrv2::messages::{Content, Listed, Status};

#[test]
fn who_is_heard_and_does_not_say_that_it_hears_is_heard() {
    // Sections 12.5 and 7.1.
    let mut network = network(5, &[]);
    hear(&mut network, (0, 1), 1, &[hello(&[symmetric_link(2)])]);
    assert_eq!(symmetric(&mut network, 0), [] as [u32; 0]);
    network.run_to(2.0);
    assert_eq!(said(&network, 0), [(1, Status::Heard, NO)]);
    assert_eq!(next_hop(&mut network, 0, 2), None, "section 12.6, step 2");
}

#[test]
fn a_link_is_symmetric_once_the_other_end_hears() {
    // Section 12.5, step 4.1.1: HEARD or SYMMETRIC.
    for status in [Status::Heard, Status::Symmetric] {
        let mut network = network(5, &[]);
        hear(&mut network, (0, 1), 1, &[hello(&[listed(0, status, NO)])]);
        assert_eq!(symmetric(&mut network, 0), [1]);
        network.run_to(2.0);
        assert_eq!(said(&network, 0), [(1, Status::Symmetric, NO)]);
    }
}

#[test]
fn a_link_that_the_other_end_has_lost_is_heard_only() {
    // Step 4.1.2.
    let mut network = network(5, &[]);
    hear(&mut network, (0, 1), 1, &[hello(&[symmetric_link(0), symmetric_link(2)])]);
    hear(&mut network, (0, 1), 2, &[hello(&[listed(0, Status::Lost, NO)])]);
    network.run_to(2.0);
    assert_eq!(said(&network, 0), [(1, Status::Heard, NO)]);
    assert_eq!(next_hop(&mut network, 0, 2), None, "section 13.2");
}

#[test]
fn a_hello_without_this_node_leaves_its_link_symmetric_until_its_time() {
    // Step 4.1 asks for the receiving address.
    let mut network = network(5, &[]);
    hear(&mut network, (0, 1), 1, &[hello(&[symmetric_link(0)])]);
    network.run_to(5.0);
    hear(&mut network, (0, 1), 2, &[hello(&[])]);
    assert_eq!(symmetric(&mut network, 0), [1]);
    network.run_to(6.1);
    assert_eq!(symmetric(&mut network, 0), [] as [u32; 0]);
    network.run_to(8.1);
    assert_eq!(said(&network, 0), [(1, Status::Heard, NO)]);
}

#[test]
fn a_silent_neighbour_is_told_of_as_lost_and_then_forgotten() {
    // H_HOLD_TIME and L_HOLD_TIME, six seconds each.
    let mut network = network(5, &[]);
    hear(&mut network, (0, 1), 1, &[hello(&[symmetric_link(0)])]);
    for (seconds, expected) in
        [(5.9, Some(Status::Symmetric)), (11.9, Some(Status::Lost)), (14.1, None)]
    {
        network.run_to(seconds);
        let links = last_hello(&network, 0);
        assert_eq!(links.first().map(|listed| listed.status), expected, "at {seconds} s");
    }
}

#[test]
fn the_time_that_a_message_states_counts() {
    // Section 12.2: the sender's validity, not the receiver's.
    let mut network =
        network_of(5, &[], &Olsr2Config { h_hold_time_s: Some(60.0), ..Olsr2Config::default() });
    hear(&mut network, (0, 1), 1, &[hello(&[symmetric_link(0)])]);
    network.run_to(6.1);
    assert_eq!(symmetric(&mut network, 0), [] as [u32; 0]);
}

#[test]
fn two_nodes_take_three_hellos_to_a_symmetric_link() {
    let mut network = network(2, &[(0, 1)]);
    network.run_to(6.0);
    for (node, other) in [(0, 1), (1, 0)] {
        assert_eq!(symmetric(&mut network, node), [other]);
        assert_eq!(said(&network, node), [(other, Status::Symmetric, NO)]);
    }
}

#[test]
fn hellos_come_within_their_interval_and_up_to_the_jitter_earlier() {
    // RFC 5148 section 5.1: 1.5 to 2 s.
    let mut network = network(2, &[(0, 1)]);
    network.run_to(100.0);
    let hellos = sent(&network, 0, 0.0).into_iter().map(|(at, _)| at);
    let times: Vec<f64> = hellos.collect();
    let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.iter().all(|gap| (1.499..2.001).contains(gap)), "{gaps:?}");
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    assert!((1.7..1.8).contains(&mean), "{mean}");
}

#[test]
fn a_change_of_relays_may_be_told_at_once() {
    // RFC 7181 section 15.2, within RFC 6130's HELLO_MIN_INTERVAL, half a second here.
    for (responsive_hellos, expected) in [(false, 0), (true, 1)] {
        let config =
            Olsr2Config { responsive_hellos, max_jitter_s: Some(0.0), ..Default::default() };
        let mut network = network_of(5, &[], &config);
        network.run_to(2.0);
        let last = sent(&network, 0, 0.0).last().map_or(0.0, |(at, _)| *at);
        network.run_to(last + 0.1);
        hear(&mut network, (0, 1), 1, &[hello(&[symmetric_link(0), symmetric_link(2)])]);
        network.run_to(last + 1.9);
        let early = sent(&network, 0, last + 0.01);
        assert_eq!(early.len(), expected);
        assert!(early.iter().all(|(at, _)| (at - last - 0.5).abs() < 1e-6), "{early:?}");
        network.run_to(last + 2.1);
        assert_eq!(sent(&network, 0, last + 0.01).len(), 1, "the next is 2 s after the last");
    }
}

#[test]
fn a_hello_states_its_interval_validity_and_willingness() {
    // RFC 6130 section 4.3.2, RFC 7181 section 15.1.
    let config = Olsr2Config { will_flooding: 3, will_routing: 12, ..Olsr2Config::default() };
    let mut network = network_of(1, &[], &config);
    network.run_to(2.0);
    let message = &sent(&network, 0, 0.0)[0].1.messages[0];
    let times = (message.interval.time().as_secs_f64(), message.validity.time().as_secs_f64());
    assert_eq!(times, (2.0, 6.0));
    let Content::Hello(hello) = &message.content else { panic!("it is a HELLO") };
    assert_eq!((hello.will_flooding, hello.will_routing), (3, 12));
}

#[test]
fn metrics_are_told_in_both_directions_of_symmetric_links_and_in_one_of_heard_ones() {
    // RFC 7181 section 15.1.
    let mut network = network(5, &[]);
    let ours = Listed { in_metric: Some(9), ..symmetric_link(0) };
    hear(&mut network, (0, 1), 1, &[hello(&[ours])]);
    hear(&mut network, (0, 2), 1, &[hello(&[])]);
    network.run_to(2.0);
    let told: Vec<_> = last_hello(&network, 0)
        .iter()
        .map(|listed| (listed.in_metric, listed.out_metric))
        .collect();
    assert_eq!(told, [(Some(1), Some(9)), (Some(1), None)], "out is what the other end says");
}

#[test]
fn a_link_whose_metric_is_unknown_is_not_symmetric() {
    // Section 17.2.
    let mut network = network(5, &[]);
    let ours = Listed { in_metric: None, ..symmetric_link(0) };
    hear(&mut network, (0, 1), 1, &[hello(&[ours])]);
    assert_eq!(symmetric(&mut network, 0), [] as [u32; 0]);
    hear(&mut network, (0, 1), 2, &[hello(&[symmetric_link(0)])]);
    assert_eq!(symmetric(&mut network, 0), [1]);
}

#[test]
fn a_hello_that_lists_its_own_sender_is_discarded() {
    // Section 15.3.1.
    let mut network = network(5, &[]);
    hear(&mut network, (0, 1), 1, &[hello(&[symmetric_link(0), symmetric_link(1)])]);
    network.run_to(2.0);
    assert_eq!(said(&network, 0), []);
}

#[test]
fn nodes_two_hops_away_are_those_behind_symmetric_links_alone() {
    // RFC 6130 section 12.6.
    let mut network = network(6, &[]);
    let links = [
        symmetric_link(0),
        symmetric_link(2),
        listed(3, Status::Heard, NO),
        listed(4, Status::Lost, NO),
    ];
    hear(&mut network, (0, 1), 1, &[hello(&links)]);
    let hops = [2, 3, 4].map(|node| next_hop(&mut network, 0, node));
    assert_eq!(hops, [Some(1), None, None]);
    hear(&mut network, (0, 1), 2, &[hello(&[symmetric_link(0), listed(2, Status::Lost, NO)])]);
    assert_eq!(next_hop(&mut network, 0, 2), None, "step 2.1.2");
}

#[test]
fn a_node_two_hops_away_is_forgotten_after_its_time() {
    let mut network = network(5, &[]);
    hear(&mut network, (0, 1), 1, &[hello(&[symmetric_link(0), symmetric_link(2)])]);
    network.run_to(4.0);
    hear(&mut network, (0, 1), 2, &[hello(&[symmetric_link(0)])]);
    assert_eq!(next_hop(&mut network, 0, 2), Some(1));
    network.run_to(6.1);
    assert_eq!([next_hop(&mut network, 0, 2), next_hop(&mut network, 0, 1)], [None, Some(1)]);
}
