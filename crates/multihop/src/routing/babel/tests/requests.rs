//! Section 3.8: explicit requests.

use super::super::seqno::{INFINITY, Seqno};
use super::super::tlv::{SeqnoRequest, Tlv};
use super::script::{COST, Script, Sent, id, prefix, retraction, seqno_request, update};
use crate::wire::NodeId;

const ALL: NodeId = NodeId::BROADCAST;

/// A node that has announced a route to node 5 over node 1, of number 9 and metric 356.
fn with_route(neighbours: u32) -> Script {
    let mut script = Script::among(neighbours);
    script.say(1, &[update(1, 5, 9, 100)]);
    script.run_for(1.0);
    script.take();
    script
}

fn request(of: u32, seqno: u16, hop_count: u8) -> SeqnoRequest {
    SeqnoRequest { prefix: prefix(of), router_id: id(of), seqno: Seqno(seqno), hop_count }
}

// Section 3.8.1.1.
#[test]
fn a_route_request_is_answered_with_an_update() {
    let mut script = with_route(2);
    script.say(2, &[Tlv::RouteRequest { prefix: Some(prefix(5)) }]);
    script.run_for(0.2);
    assert_eq!(script.updates_for(5), [(ALL, 9, 100 + COST)]);
}

// Section 3.8.1.1.
#[test]
fn a_route_request_for_what_is_unknown_or_lost_is_answered_with_a_retraction() {
    let mut script = with_route(2);
    script.say(2, &[Tlv::RouteRequest { prefix: Some(prefix(7)) }]);
    script.run_for(0.2);
    assert_eq!(script.updates_for(7), [(NodeId(2), 0, INFINITY)]);
    script.say(1, &[retraction(1, 5)]);
    script.run_for(2.0);
    script.take();
    script.say(2, &[Tlv::RouteRequest { prefix: Some(prefix(5)) }]);
    script.run_for(0.2);
    let metrics: Vec<u16> = script.updates_for(5).iter().map(|update| update.2).collect();
    assert_eq!(metrics, [INFINITY]);
}

// Section 3.8.1.1: the exact prefix.
#[test]
fn a_route_request_is_not_answered_with_another_prefix() {
    let mut script = with_route(2);
    let shorter = super::super::address::Prefix::new(&[10, 1, 0, 0], 16);
    script.say(2, &[Tlv::RouteRequest { prefix: shorter }]);
    script.run_for(0.2);
    let sent = script.take();
    let [Sent { tlv: Tlv::Update(update), .. }] = sent[..] else { panic!("{sent:?}") };
    assert_eq!((update.prefix, update.metric), (shorter, INFINITY));
}

// Section 3.8.1.1.
#[test]
fn a_request_for_all_routes_is_answered_with_all_but_not_again_at_once() {
    let mut script = with_route(3);
    // The last update of all routes is more than a Hello interval ago, the next not yet due.
    while script.updates_for(0).is_empty() {
        script.run_for(0.1);
    }
    script.run_for(5.0);
    script.take();
    script.say(2, &[Tlv::RouteRequest { prefix: None }]);
    script.say(3, &[Tlv::RouteRequest { prefix: None }]);
    script.run_for(0.2);
    let sent = script.take();
    let of = |of: u32| {
        let is = |sent: &&Sent| matches!(sent.tlv, Tlv::Update(u) if u.prefix == Some(prefix(of)));
        sent.iter().filter(is).count()
    };
    assert_eq!([of(0), of(5)], [1, 1]);
    script.say(3, &[Tlv::RouteRequest { prefix: None }]);
    script.run_for(0.2);
    assert_eq!(script.updates_for(5), [], "within a Hello interval");
}

// Section 3.8.1.2.
#[test]
fn a_seqno_request_that_the_route_satisfies_is_answered_with_an_update() {
    for seqno in [9, 8, 9_u16.wrapping_sub(32768 - 1)] {
        let mut script = with_route(2);
        script.say(2, &[seqno_request(5, seqno, 64)]);
        script.run_for(0.2);
        assert_eq!(script.updates_for(5), [(ALL, 9, 100 + COST)], "{seqno}");
    }
}

// Section 3.8.1.2.
#[test]
fn a_seqno_request_for_another_router_is_answered_with_the_route_there_is() {
    let mut script = with_route(2);
    let router_id = id(8);
    script.say(2, &[Tlv::SeqnoRequest(SeqnoRequest { router_id, ..request(5, 100, 64) })]);
    script.run_for(0.2);
    assert_eq!(script.updates_for(5), [(ALL, 9, 100 + COST)]);
}

// Section 3.8.1.2: by 1, whatever is asked for.
#[test]
fn the_originator_increases_its_number_by_one() {
    let mut script = Script::among(1);
    script.node_mut().seqno = Seqno(65535);
    script.say(1, &[seqno_request(0, 5, 64)]);
    script.run_for(0.2);
    assert_eq!(script.updates_for(0), [(ALL, 0, 0)], "modulo 2^16");
    script.say(1, &[seqno_request(0, 5, 64)]);
    assert_eq!(script.node().seqno, Seqno(1));
}

// Section 3.2.2.
#[test]
fn a_request_for_a_number_that_was_reached_increases_nothing() {
    let mut script = Script::among(1);
    script.node_mut().seqno = Seqno(7);
    script.say(1, &[seqno_request(0, 7, 64), seqno_request(0, 6, 64)]);
    script.run_to(100.0);
    assert_eq!(script.node().seqno, Seqno(7));
}

// Section 3.8.1.2.
#[test]
fn a_request_that_can_not_be_satisfied_goes_on_along_the_route() {
    let mut script = with_route(2);
    script.say(2, &[seqno_request(5, 10, 64)]);
    script.run_for(0.2);
    assert_eq!(script.seqno_requests(), [(NodeId(1), request(5, 10, 63))]);
}

// Section 3.8.1.2.
#[test]
fn a_request_is_not_forwarded_to_the_node_that_it_came_from() {
    let mut script = with_route(2);
    script.say(1, &[seqno_request(5, 10, 64)]);
    script.run_for(0.2);
    assert_eq!(script.seqno_requests(), []);
    // Not feasible, but better than nothing.
    script.say(2, &[update(2, 5, 9, 4000)]);
    script.say(1, &[seqno_request(5, 10, 64)]);
    script.run_for(0.2);
    assert_eq!(script.seqno_requests(), [(NodeId(2), request(5, 10, 63))]);
}

// Section 3.8.1.2.
#[test]
fn a_feasible_route_is_preferred_for_a_request_to_a_better_one_that_is_not() {
    let mut script = with_route(4);
    script.say(2, &[update(2, 5, 9, 356)]);
    script.say(3, &[update(3, 5, 9, 355)]);
    script.say(1, &[retraction(1, 5)]);
    // The route over node 3 is selected; a request of node 4 goes there.
    script.run_for(2.0);
    script.take();
    script.say(4, &[seqno_request(5, 10, 64)]);
    script.run_for(0.2);
    assert_eq!(script.seqno_requests(), [(NodeId(3), request(5, 10, 63))]);
}

// Section 4.6.11.
#[test]
fn a_request_with_a_hop_count_of_one_is_not_forwarded() {
    let mut script = with_route(2);
    script.say(2, &[seqno_request(5, 10, 1)]);
    script.run_for(0.2);
    assert_eq!(script.seqno_requests(), []);
    script.say(2, &[seqno_request(5, 10, 2)]);
    script.run_for(0.2);
    assert_eq!(script.seqno_requests(), [(NodeId(1), request(5, 10, 1))]);
}

// Section 3.8.1.2.
#[test]
fn a_request_as_new_as_one_forwarded_just_now_is_redundant() {
    let mut script = with_route(3);
    script.say(2, &[seqno_request(5, 11, 64)]);
    script.say(3, &[seqno_request(5, 11, 64), seqno_request(5, 10, 64)]);
    script.run_for(0.2);
    assert_eq!(script.seqno_requests().len(), 1);
    script.say(3, &[seqno_request(5, 12, 64)]);
    script.run_for(0.2);
    assert_eq!(script.seqno_requests(), [(NodeId(1), request(5, 12, 63))], "a newer one");
    // Its originator sends it again after two seconds.
    script.run_for(1.7);
    script.say(2, &[seqno_request(5, 12, 64)]);
    script.run_for(0.2);
    assert_eq!(script.seqno_requests(), [(NodeId(1), request(5, 12, 63))]);
}

// Section 3.8.1.2.
#[test]
fn the_answer_to_a_forwarded_request_is_passed_on_within_the_urgent_timeout() {
    let mut script = with_route(2);
    script.say(2, &[seqno_request(5, 10, 64)]);
    script.run_for(0.3);
    script.take();
    script.say(1, &[update(1, 5, 10, 100)]);
    script.run_for(0.2);
    assert_eq!(script.updates_for(5), [(ALL, 10, 100 + COST)]);
}

// Section 3.8.2.1.
#[test]
fn a_node_that_has_only_unfeasible_routes_left_asks_for_a_newer_number() {
    let mut script = with_route(2);
    script.say(2, &[update(2, 5, 9, 400)]);
    script.say(1, &[retraction(1, 5)]);
    script.run_for(0.2);
    assert_eq!(script.seqno_requests(), [(ALL, request(5, 10, 64))]);
}

// Section 3.8.2.1: it may ask without any routes, and does not.
#[test]
fn a_node_that_has_no_route_left_at_all_asks_nobody() {
    let mut script = with_route(2);
    script.say(1, &[retraction(1, 5)]);
    script.run_for(30.0);
    assert_eq!(script.seqno_requests(), []);
}

// Section 3.8.2.1, appendix B: after 2, 4 and 8 s.
#[test]
fn a_request_without_an_answer_is_sent_again_three_times() {
    let mut script = with_route(2);
    script.say(2, &[update(2, 5, 9, 400)]);
    let begun = script.now();
    script.say(1, &[retraction(1, 5)]);
    script.run_for(40.0);
    let times: Vec<f64> = script
        .take()
        .iter()
        .filter(|sent| matches!(sent.tlv, Tlv::SeqnoRequest(_)))
        .map(|sent| sent.at - begun)
        .collect();
    assert_eq!(times.len(), 4, "{times:?}");
    for (time, due) in times.iter().zip([0.0, 2.0, 6.0, 14.0]) {
        assert!((due..due + 0.2).contains(time), "{times:?}");
    }
}

// Section 3.8.2.1.
#[test]
fn a_request_that_is_answered_is_not_sent_again() {
    let mut script = with_route(2);
    script.say(2, &[update(2, 5, 9, 400)]);
    script.say(1, &[retraction(1, 5)]);
    script.run_for(1.0);
    assert_eq!(script.seqno_requests().len(), 1);
    script.say(2, &[update(2, 5, 10, 400)]);
    assert_eq!(script.route(5), Some((2, 400 + COST)));
    script.run_for(20.0);
    assert_eq!(script.seqno_requests(), []);
}

// Section 3.8.2.2.
#[test]
fn an_unfeasible_update_of_the_route_selected_is_answered_with_a_request() {
    let mut script = with_route(2);
    script.say(1, &[update(1, 5, 9, 400)]);
    script.run_for(0.2);
    assert_eq!(script.seqno_requests(), [(NodeId(1), request(5, 10, 64))]);
    script.say(1, &[update(1, 5, 9, 400)]);
    script.run_for(0.2);
    assert_eq!(script.seqno_requests(), [], "it has been asked");
}

// Section 3.8.2.2.
#[test]
fn an_unfeasible_update_that_would_be_better_is_answered_with_a_request() {
    let mut script = with_route(2);
    // The link to node 1 gets worse; node 2 has announced more than this node once had.
    script.say(1, &[super::script::ihu(2000, 60000)]);
    script.run_for(10.0);
    script.say(2, &[update(2, 5, 9, 400)]);
    script.run_for(0.2);
    assert_eq!(script.route(5), Some((1, 100 + 2000)));
    assert_eq!(script.seqno_requests(), [(NodeId(2), request(5, 10, 64))]);
}

// Section 3.8.2.2: the route is announced again anyway. Only who has no route repeats a request.
#[test]
fn a_request_about_an_unfeasible_update_is_not_sent_again_but_for_another_such_update() {
    let mut script = with_route(2);
    script.say(1, &[update(1, 5, 9, 400)]);
    script.run_for(16.0);
    assert_eq!(script.seqno_requests().len(), 1);
    script.say(1, &[update(1, 5, 9, 400)]);
    script.run_for(0.2);
    assert_eq!(script.seqno_requests().len(), 1);
}

// Section 3.8.1.2: of the same prefix, router-id and number.
#[test]
fn a_request_that_was_passed_on_just_now_brings_the_number_that_this_node_wants_too() {
    let mut script = with_route(2);
    script.say(2, &[seqno_request(5, 10, 64)]);
    script.say(1, &[update(1, 5, 9, 400)]);
    script.run_for(0.2);
    assert_eq!(script.seqno_requests(), [(NodeId(1), request(5, 10, 63))]);
}

// Section 3.8.2.2, appendix A.3: what would not be selected is not asked for.
#[test]
fn an_unfeasible_update_that_is_better_for_the_moment_alone_is_answered_with_nothing() {
    let mut script = with_route(2);
    script.say(2, &[update(2, 5, 9, 4000)]);
    script.run_for(30.0);
    script.take();
    script.say(1, &[super::script::ihu(2000, 60000)]);
    script.say(2, &[update(2, 5, 9, 400)]);
    script.run_for(0.2);
    assert_eq!(script.route(5), Some((1, 100 + 2000)));
    assert_eq!(script.seqno_requests(), []);
}

// Section 3.8.2.2.
#[test]
fn an_unfeasible_update_that_would_be_no_better_is_answered_with_nothing() {
    let mut script = with_route(2);
    script.say(2, &[update(2, 5, 9, 400)]);
    script.run_for(1.0);
    assert_eq!(script.seqno_requests(), []);
}

// Section 3.8.2.3: half an interval before it expires.
#[test]
fn a_route_in_use_that_is_about_to_expire_is_asked_for() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 5, 9, 100)]);
    let begun = script.now();
    script.run_for(56.1);
    let asked: Vec<f64> = script
        .take()
        .iter()
        .filter(|sent| sent.to == NodeId(1))
        .filter(|sent| sent.tlv == Tlv::RouteRequest { prefix: Some(prefix(5)) })
        .map(|sent| sent.at - begun)
        .collect();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!((48.0..48.21).contains(&asked[0]), "{asked:?}");
}

// Section 3.8.1: requests about a node's own address never go anywhere.
#[test]
fn a_request_for_a_number_of_this_router_at_an_unknown_prefix_is_dropped() {
    let mut script = with_route(2);
    let own = SeqnoRequest { router_id: id(0), ..request(7, 10, 64) };
    script.say(2, &[update(2, 7, 9, 100), Tlv::SeqnoRequest(own)]);
    script.say(2, &[seqno_request(8, 3, 64)]);
    script.run_for(1.0);
    assert_eq!(script.seqno_requests(), []);
}
