//! TCs: who writes them and when, who passes them on, what they change.

use super::harness::*;
use crate::routing::harness::Network;
use crate::routing::olsrv2::messages::Status;
use crate::routing::olsrv2::{Olsr2, Olsr2Config};
use crate::wire::manet::Flooded;

/// Node 0 with symmetric neighbours 1, which chose it to pass messages on, 2, which chose it for
/// data, and 3, which did neither.
fn with_three_neighbours() -> Network<Olsr2> {
    with_three_neighbours_of(&Olsr2Config::default())
}

fn with_three_neighbours_of(config: &Olsr2Config) -> Network<Olsr2> {
    let mut network = network_of(12, &[], config);
    for (from, mprs) in [(1, FLOODING), (2, ROUTING), (3, NO)] {
        hear(&mut network, (0, from), 1, &[hello(&[listed(0, Status::Symmetric, mprs)])]);
    }
    network
}

/// Headers of TCs that node 0 passes on.
fn passed_on(network: &mut Network<Olsr2>) -> Vec<Flooded> {
    let until = network.now.as_secs_f64() + 0.6;
    network.run_to(until);
    let others = tcs(network, 0, 0.0).into_iter().map(|(_, header, _)| header);
    others.filter(|header| header.originator.0 != 0).collect()
}

#[test]
fn a_tc_advertises_those_that_chose_its_writer_for_data() {
    // Sections 15.3.2.3 and 16.1.
    let mut network = with_three_neighbours();
    network.run_to(5.0);
    let own = own_tcs(&network, 0, 0.0);
    assert!(!own.is_empty() && own.iter().all(|(.., nodes)| nodes == &[2]), "{own:?}");
}

#[test]
fn only_nodes_chosen_for_data_write_tcs() {
    // Section 16.2.
    let mut network = network(4, &chain(4));
    network.run_to(30.0);
    let writes = [0, 1, 2, 3].map(|node| !own_tcs(&network, node, 0.0).is_empty());
    assert_eq!(writes, [false, true, true, false]);
}

#[test]
fn a_tc_states_the_metric_away_from_its_writer() {
    // Section 16.1: N_out_metric, as the neighbour says.
    let mut network = network(5, &[]);
    let mut ours = listed(0, Status::Symmetric, ROUTING);
    ours.in_metric = Some(9);
    hear(&mut network, (0, 1), 1, &[hello(&[ours])]);
    network.run_to(3.0);
    let (_, header, tc) = &tcs(&network, 0, 0.0)[0];
    assert_eq!((tc.neighbours[0].0.0, tc.neighbours[0].1), (1, 9));
    assert_eq!((header.hop_limit, header.hop_count), (255, 0));
}

#[test]
fn a_tc_of_who_chose_this_node_for_messages_is_passed_on_a_hop_older() {
    // Section 14.3.
    let mut network = with_three_neighbours();
    hear(&mut network, (0, 1), 2, &[tc(9, 7, 1, &[8])]);
    let passed = passed_on(&mut network);
    assert_eq!(passed.len(), 1);
    let header = passed[0];
    assert_eq!((header.hop_limit, header.hop_count, header.number), (254, 1, 7));
}

#[test]
fn a_tc_of_who_chose_it_for_data_or_not_at_all_is_used_but_not_passed_on() {
    // Section 14.3, step 2.2.4: routing MPRs do not flood.
    for from in [2, 3] {
        let mut network = with_three_neighbours();
        hear(&mut network, (0, from), 2, &[tc(from, 1, 1, &[8])]);
        assert_eq!(passed_on(&mut network), []);
        assert_eq!(next_hop(&mut network, 0, 8), Some(from));
    }
}

#[test]
fn a_tc_first_received_from_another_is_not_passed_on_later() {
    // Section 14.3, step 2.1: the Received Set.
    let mut network = with_three_neighbours();
    hear(&mut network, (0, 3), 2, &[tc(9, 1, 1, &[8])]);
    hear(&mut network, (0, 1), 2, &[tc(9, 1, 1, &[8])]);
    assert_eq!(passed_on(&mut network), []);
}

#[test]
fn a_tc_from_a_node_without_a_symmetric_link_is_discarded_and_may_come_again() {
    // Sections 14.2 and 14.3, step 1.
    let mut network = with_three_neighbours();
    hear(&mut network, (0, 7), 1, &[tc(9, 1, 1, &[8])]);
    assert_eq!(passed_on(&mut network), []);
    hear(&mut network, (0, 1), 2, &[tc(9, 1, 1, &[8])]);
    assert_eq!(passed_on(&mut network).len(), 1);
}

#[test]
fn a_tc_is_passed_on_once() {
    let mut network = with_three_neighbours();
    hear(&mut network, (0, 1), 2, &[tc(9, 1, 1, &[8])]);
    hear(&mut network, (0, 1), 3, &[tc(9, 1, 1, &[8])]);
    assert_eq!(passed_on(&mut network).len(), 1);
}

#[test]
fn a_message_is_forgotten_after_its_hold_time() {
    // RX_HOLD_TIME, 30 s.
    let mut network = with_three_neighbours();
    hear(&mut network, (0, 1), 2, &[tc(9, 1, 1, &[8])]);
    for (seconds, count) in [(29.0, 1), (60.0, 2)] {
        network.run_to(seconds);
        hear(&mut network, (0, 1), 3, &[hello(&[listed(0, Status::Symmetric, FLOODING)])]);
        hear(&mut network, (0, 1), 4, &[tc(9, 1, 1, &[8])]);
        assert_eq!(passed_on(&mut network).len(), count, "at {seconds} s");
    }
}

#[test]
fn a_tc_at_the_end_of_its_way_is_used_and_not_passed_on() {
    // Section 14.1: hop limit above 1, hop count below 255.
    for (hop_limit, hop_count) in [(1, 0), (0, 0), (255, 255)] {
        let mut network = with_three_neighbours();
        hear(&mut network, (0, 1), 2, &[tc_with((1, 1, hop_limit, hop_count), 1, &[8])]);
        assert_eq!(passed_on(&mut network), []);
        assert_eq!(next_hop(&mut network, 0, 8), Some(1));
    }
}

#[test]
fn a_copy_that_may_go_on_is_passed_on_though_one_at_its_end_was_processed() {
    // Sections 11.1 and 11.2 have two sets, and section 14.1 asks for the hop limit first.
    let mut network = with_three_neighbours();
    hear(&mut network, (0, 1), 2, &[tc_with((9, 1, 1, 3), 1, &[8])]);
    hear(&mut network, (0, 1), 3, &[tc_with((9, 1, 2, 1), 1, &[8])]);
    let hops: Vec<u8> = passed_on(&mut network).iter().map(|header| header.hop_limit).collect();
    assert_eq!(hops, [1]);
}

#[test]
fn tcs_go_so_many_hops_as_they_are_allowed() {
    // TC_HOP_LIMIT.
    let config = Olsr2Config { tc_hop_limit: 2, ..Olsr2Config::default() };
    let mut network = network_of(7, &chain(7), &config);
    network.run_to(40.0);
    let heard =
        |node: u32| tcs(&network, node, 0.0).iter().any(|(_, header, _)| header.originator.0 == 1);
    assert_eq!([2, 3].map(heard), [true, false]);
    assert_eq!([next_hop(&mut network, 4, 1), next_hop(&mut network, 6, 1)], [Some(3), None]);
}

#[test]
fn a_node_discards_its_own_tc() {
    // Section 14.1, step 1.
    let mut network = with_three_neighbours();
    hear(&mut network, (0, 1), 2, &[tc(0, 1, 1, &[8])]);
    assert_eq!((passed_on(&mut network), next_hop(&mut network, 0, 8)), (vec![], None));
}

#[test]
fn a_tc_that_lists_its_originator_is_invalid_for_processing() {
    // Section 16.3.1.
    let mut network = with_three_neighbours();
    hear(&mut network, (0, 1), 2, &[tc(1, 1, 1, &[1, 8])]);
    assert_eq!(next_hop(&mut network, 0, 8), None);
}

#[test]
fn an_older_set_does_not_replace_a_newer_one() {
    // Section 16.3.3.1, across the wrap (section 21).
    let mut network = with_three_neighbours();
    hear(&mut network, (0, 1), 2, &[tc(1, 1, 0, &[8])]);
    hear(&mut network, (0, 1), 3, &[tc(1, 2, 65535, &[9])]);
    assert_eq!([next_hop(&mut network, 0, 8), next_hop(&mut network, 0, 9)], [Some(1), None]);
}

#[test]
fn a_complete_set_replaces_an_older_one_whole() {
    // Section 16.3.4.1.
    let mut network = with_three_neighbours();
    hear(&mut network, (0, 1), 2, &[tc(1, 1, 65535, &[8])]);
    hear(&mut network, (0, 1), 3, &[tc(1, 2, 0, &[9])]);
    assert_eq!([next_hop(&mut network, 0, 8), next_hop(&mut network, 0, 9)], [None, Some(1)]);
}

#[test]
fn what_a_tc_told_is_forgotten_after_its_validity() {
    // Section 17.5.
    let mut network = with_three_neighbours();
    hear(&mut network, (0, 1), 2, &[tc(1, 1, 1, &[8])]);
    for (number, seconds) in [(3, 5.0), (4, 10.0), (5, 14.9)] {
        network.run_to(seconds);
        hear(&mut network, (0, 1), number, &[hello(&[symmetric_link(0)])]);
        assert_eq!(next_hop(&mut network, 0, 8), Some(1), "at {seconds} s");
    }
    network.run_to(15.0);
    assert_eq!([next_hop(&mut network, 0, 8), next_hop(&mut network, 0, 1)], [None, Some(1)]);
}

#[test]
fn the_number_of_the_set_grows_with_every_change_alone() {
    // Section 17.4.
    let mut network = with_three_neighbours();
    let last = |network: &Network<Olsr2>| own_tcs(network, 0, 0.0).last().cloned();
    let again = |network: &mut Network<Olsr2>, of: &[(u32, Vec<u32>)], number: u16| {
        for (from, _) in of {
            let mprs = if *from == 2 { ROUTING } else { NO };
            let one = hello(&[listed(0, Status::Symmetric, mprs)]);
            hear(network, (0, *from), number, &[one]);
        }
    };
    network.run_to(4.0);
    let first = last(&network).map(|tc| tc.1);
    again(&mut network, &[(2, vec![]), (3, vec![])], 2);
    network.run_to(9.0);
    assert_eq!(last(&network).map(|tc| tc.1), first, "nothing has changed");
    hear(&mut network, (0, 2), 3, &[hello(&[symmetric_link(0)])]);
    hear(&mut network, (0, 3), 3, &[hello(&[listed(0, Status::Symmetric, ROUTING)])]);
    network.run_to(12.0);
    let (_, ansn, nodes) = last(&network).expect("a TC");
    assert_eq!((Some(ansn), nodes), (first.map(|ansn| ansn + 1), vec![3]));
}

#[test]
fn a_change_is_told_soon_but_not_before_the_shortest_interval() {
    // Section 16.2: TT_MAXJITTER after it, and TC_MIN_INTERVAL after the last TC.
    let mut network = with_three_neighbours();
    network.run_to(0.6);
    let first = own_tcs(&network, 0, 0.0);
    assert_eq!(first.len(), 1, "within the jitter of half a second");
    hear(&mut network, (0, 3), 2, &[hello(&[listed(0, Status::Symmetric, ROUTING)])]);
    network.run_to(3.0);
    let own = own_tcs(&network, 0, 0.0);
    let gap = own[1].0 - own[0].0;
    assert!((1.25..1.26).contains(&gap), "{own:?}");
}

#[test]
fn tcs_come_within_their_interval_and_up_to_the_jitter_earlier() {
    // RFC 5148 section 5.1: 4.5 to 5 s.
    let mut network = network(3, &chain(3));
    network.run_to(100.0);
    let times: Vec<f64> = own_tcs(&network, 1, 10.0).iter().map(|tc| tc.0).collect();
    let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.len() > 15 && gaps.iter().all(|gap| (4.499..5.001).contains(gap)), "{gaps:?}");
}

#[test]
fn a_relay_that_nobody_needs_any_more_says_so_for_its_hold_time() {
    // Section 16.2: A_HOLD_TIME, 15 s, from the last TC with content.
    let mut network = network(3, &chain(3));
    network.run_to(20.0);
    network.cut(0, 1);
    network.cut(1, 2);
    network.run_to(80.0);
    let own: Vec<(f64, u16, Vec<u32>)> = own_tcs(&network, 1, 28.0);
    assert!(own.iter().all(|(.., nodes)| nodes.is_empty()), "{own:?}");
    assert!((2..=5).contains(&own.len()), "{own:?}");
    assert!(own.iter().all(|(at, ..)| *at < 28.0 + 15.0), "{own:?}");
}

#[test]
fn what_comes_in_a_packet_goes_on_in_one() {
    // RFC 5148 section 5.3: one jitter for all.
    let mut network = with_three_neighbours();
    hear(&mut network, (0, 1), 2, &[tc(9, 1, 1, &[8]), tc(8, 1, 1, &[9])]);
    network.run_to(0.6);
    let packets = sent(&network, 0, 0.0);
    let counts: Vec<usize> = packets.iter().map(|(_, packet)| packet.messages.len()).collect();
    assert!(counts.iter().any(|&count| count >= 2), "{counts:?}");
    let numbers: Vec<u16> = packets.iter().map(|(_, packet)| packet.number).collect();
    assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1), "{numbers:?}");
}
