//! Section 3.7: sending updates.

use super::super::seqno::INFINITY;
use super::super::tlv::Tlv;
use super::super::{BabelConfig, address::Address};
use super::script::{COST, Script, Sent, id, ihu, prefix, retraction, update};
use crate::routing::Action;
use crate::wire::NodeId;

const ALL: NodeId = NodeId::BROADCAST;

fn is_update_for(sent: &Sent, of: u32) -> bool {
    matches!(sent.tlv, Tlv::Update(update) if update.prefix == Some(prefix(of)))
}

// Sections 3.7 and 3.7.1.
#[test]
fn a_node_announces_its_own_address_with_metric_zero_at_least_once_an_interval() {
    let mut script = Script::new();
    script.run_to(100.0);
    let own: Vec<Sent> = script.take().into_iter().filter(|sent| is_update_for(sent, 0)).collect();
    assert!(own.len() >= 6, "{}", own.len());
    assert!(own.windows(2).all(|pair| pair[1].at - pair[0].at <= 16.0));
    let Tlv::Update(update) = own[0].tlv else { unreachable!() };
    assert_eq!((update.metric, update.interval, update.router_id), (0, 1600, Some(id(0))));
    assert_eq!(update.next_hop, Some(Address::V4([10, 1, 0, 0])));
    assert_eq!(own[0].to, ALL);
}

// Section 3.7.1, appendix B: with every fourth Hello.
#[test]
fn without_jitter_updates_of_all_routes_are_an_interval_apart() {
    let mut script = Script::with(&BabelConfig { jitter: 0.0, ..BabelConfig::default() });
    script.run_to(100.0);
    let own: Vec<Sent> = script.take().into_iter().filter(|sent| is_update_for(sent, 0)).collect();
    assert!(own.len() >= 6, "{}", own.len());
    assert!(own.windows(2).all(|pair| (pair[1].at - pair[0].at - 16.0).abs() < 1e-6));
}

// Section 3.7.1.
#[test]
fn routes_selected_are_announced_once_an_interval_and_others_never() {
    let mut script = Script::among(2);
    script.say(1, &[update(1, 5, 9, 100)]);
    script.say(2, &[update(2, 5, 9, 300)]);
    script.run_for(3.0);
    script.take();
    script.run_for(16.0);
    let updates = script.updates_for(5);
    assert!(!updates.is_empty());
    assert!(updates.iter().all(|update| *update == (ALL, 9, 100 + COST)), "{updates:?}");
}

// Section 3.7.2, appendix B: within 0.2 s.
#[test]
fn a_first_route_is_told_within_the_urgent_timeout() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 5, 9, 100)]);
    script.run_for(0.2);
    assert_eq!(script.updates_for(5), [(ALL, 9, 100 + COST)]);
}

// Section 3.7.2: three copies on wireless links.
#[test]
fn a_change_of_router_is_told_within_the_urgent_timeout_in_three_copies() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 5, 9, 100)]);
    script.run_for(1.0);
    script.take();
    let Tlv::Update(mut of_other) = update(1, 5, 3, 100) else { unreachable!() };
    of_other.router_id = Some(id(8));
    script.say(1, &[Tlv::Update(of_other)]);
    script.run_for(0.2);
    let at_once = script.updates_for(5);
    assert!(!at_once.is_empty() && at_once.iter().all(|update| update.1 == 3), "{at_once:?}");
    script.run_for(1.0);
    assert_eq!(at_once.len() + script.updates_for(5).len(), 3);
}

// Section 3.7.2.
#[test]
fn the_loss_of_the_last_route_is_told_in_three_retractions() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 5, 9, 100)]);
    script.run_for(1.0);
    script.take();
    script.say(1, &[retraction(1, 5)]);
    script.run_for(1.0);
    let metrics: Vec<u16> = script.updates_for(5).iter().map(|update| update.2).collect();
    assert_eq!(metrics, [INFINITY; 3]);
}

// Section 3.7.2: the number of copies is a key.
#[test]
fn there_are_as_many_copies_as_the_key_says() {
    let mut script = Script::with(&BabelConfig { urgent_copies: 1, ..BabelConfig::default() });
    script.meet(1);
    script.say(1, &[update(1, 5, 9, 100)]);
    script.run_for(1.0);
    script.take();
    script.say(1, &[retraction(1, 5)]);
    script.run_for(1.0);
    assert_eq!(script.updates_for(5).len(), 1);
}

// Section 3.7.2: a route that is there again before a copy was sent is not retracted any more.
#[test]
fn an_update_says_what_is_so_when_it_is_sent() {
    let mut script = Script::among(2);
    script.say(1, &[update(1, 5, 9, 100)]);
    script.run_for(1.0);
    script.take();
    script.say(1, &[retraction(1, 5)]);
    script.say(2, &[update(2, 5, 10, 300)]);
    script.run_for(1.0);
    let updates = script.updates_for(5);
    assert!(updates.iter().all(|update| *update == (ALL, 10, 300 + COST)), "{updates:?}");
}

// Section 3.7.2.
#[test]
fn a_minor_change_of_a_metric_is_not_told_at_once_and_a_significant_one_is() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 5, 9, 1000)]);
    script.run_for(1.0);
    // The next update of all routes is some way off.
    while script.take().iter().all(|sent| !is_update_for(sent, 0)) {
        script.run_for(0.1);
    }
    script.say(1, &[update(1, 5, 9, 800)]);
    script.run_for(2.5);
    assert_eq!(script.updates_for(5), [], "200 less");
    script.say(1, &[update(1, 5, 9, 744)]);
    script.run_for(2.5);
    assert_eq!(script.updates_for(5), [(ALL, 9, 744 + COST)], "256 less");
}

// Section 3.7.2.
#[test]
fn a_new_sequence_number_alone_is_not_told_at_once() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 5, 9, 1000)]);
    script.run_for(1.0);
    while script.take().iter().all(|sent| !is_update_for(sent, 0)) {
        script.run_for(0.1);
    }
    script.say(1, &[update(1, 5, 10, 1000)]);
    script.run_for(2.5);
    assert_eq!(script.updates_for(5), []);
}

// Section 3.7.2: because a link's cost has changed.
#[test]
fn a_link_that_gets_much_worse_is_told() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 5, 9, 100)]);
    script.run_for(1.0);
    script.take();
    script.say(1, &[ihu(1024, 60000)]);
    script.run_for(2.0);
    assert!(script.updates_for(5).contains(&(ALL, 9, 100 + 1024)));
}

// Section 3.7.4: no split horizon on a wireless link.
#[test]
fn a_route_is_announced_to_who_it_was_learnt_from_as_well() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 1, 9, 0)]);
    script.run_for(0.2);
    assert_eq!(script.updates_for(1), [(ALL, 9, COST)]);
}

// Section 3.7: an update is copied from the route, its metric computed.
#[test]
fn an_update_passes_on_router_and_number_and_names_this_node_as_next_hop() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 5, 9, 100)]);
    script.run_for(0.2);
    let sent: Vec<Sent> = script.take().into_iter().filter(|sent| is_update_for(sent, 5)).collect();
    let Tlv::Update(update) = sent[0].tlv else { unreachable!() };
    assert_eq!((update.router_id, update.seqno.0), (Some(id(5)), 9));
    assert_eq!(update.next_hop, Some(Address::V4([10, 1, 0, 0])));
}

// Section 3.5.3: a node has its own address and needs no route to it.
#[test]
fn what_others_announce_of_its_own_address_a_node_does_not_mind() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 0, 60000, 1), retraction(1, 0)]);
    script.run_for(17.0);
    assert!(script.updates_for(0).iter().all(|update| update.2 == 0));
}

// Section 3.1: TLVs are delayed at random, and go together.
#[test]
fn triggered_updates_go_together_in_one_packet() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 5, 9, 100), update(1, 6, 9, 100), update(1, 7, 9, 100)]);
    script.run_for(0.2);
    let sends = |action: &Action| matches!(action, Action::Send { .. });
    let packets = script.actions().iter().filter(|(_, action)| sends(action)).count();
    assert_eq!(packets, 1);
}

// Section 4: as large as the MTU allows and no larger, some time apart (section 3.1).
#[test]
fn an_update_of_all_routes_fills_packets_up_to_the_mtu() {
    let mut script = Script::among(1);
    let Tlv::Update(any) = update(1, 5, 9, 100) else { unreachable!() };
    for place in 0..200_u8 {
        let prefix = super::super::address::Prefix::new(&[192, 168, place, 0], 24);
        script.say(1, &[Tlv::Update(super::super::tlv::Update { prefix, ..any })]);
    }
    script.run_for(0.1);
    script.actions();
    script.run_for(17.0);
    let sizes: Vec<(u32, f64)> = script
        .actions()
        .into_iter()
        .filter_map(|(_, action)| match action {
            Action::Send { packet, delay, .. } => Some((packet.size_bytes, delay.as_secs_f64())),
            _ => None,
        })
        .collect();
    assert!(sizes.iter().all(|(bytes, _)| *bytes <= 1500), "{sizes:?}");
    // 200 updates of 13 octets, of one router.
    let full = sizes.iter().position(|(bytes, _)| *bytes > 1480).expect("a full packet");
    assert!((sizes[full + 1].1 - sizes[full].1 - 0.01).abs() < 1e-9, "{sizes:?}");
}

// Section 3.1: TLVs go together in packets.
#[test]
fn an_update_of_all_routes_goes_with_a_hello_unless_it_is_more_frequent() {
    let packets = |config: &BabelConfig| {
        let mut script = Script::with(config);
        script.run_to(100.0);
        let sends = |action: &Action| matches!(action, Action::Send { .. });
        script.actions().iter().filter(|(_, action)| sends(action)).count() as u64
            - script.node().counts.hellos_sent
    };
    assert_eq!(packets(&BabelConfig::default()), 0);
    let often = BabelConfig { update_interval_s: Some(1.0), ..BabelConfig::default() };
    assert!(packets(&often) > 75);
}

// Section 3.7: what a node originates; its client's address is so from its association on.
#[test]
fn a_client_is_announced_as_the_nodes_own_and_retracted_when_it_is_gone() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 5, 9, 100)]);
    script.run_for(1.0);
    script.take();
    script.attach(5, true);
    script.run_for(0.2);
    let sent = script.take();
    let Some(Tlv::Update(told)) = sent.iter().find(|one| is_update_for(one, 5)).map(|one| one.tlv)
    else {
        panic!("within the urgent timeout: {sent:?}")
    };
    assert_eq!((told.metric, told.router_id), (0, Some(id(0))), "in place of the route that was");
    // What others say of it does not count as long as it is here.
    script.say(1, &[update(1, 5, 10, 100)]);
    assert_eq!(script.route(5), None);
    script.attach(5, false);
    script.run_for(0.2);
    assert!(script.updates_for(5).iter().any(|&(_, _, metric)| metric == INFINITY));
    script.say(1, &[update(1, 5, 11, 100)]);
    assert_eq!(script.route(5), Some((1, 100 + COST)), "it is behind another now");
}
