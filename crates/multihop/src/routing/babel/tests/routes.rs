//! Sections 3.5 and 3.6, appendix A.3: feasibility, acquisition and selection of routes.

use super::super::BabelConfig;
use super::super::address::{Address, Prefix};
use super::super::seqno::{Distance, Seqno};
use super::super::tlv::{Tlv, Update};
use super::script::{COST, Script, id, ihu, prefix, retraction, update};
use crate::wire::NodeId;

/// Runs until the node has announced what it has selected.
fn settle(script: &mut Script) {
    script.run_for(2.5);
    script.take();
}

fn feasibility(script: &Script, of: u32) -> Option<Distance> {
    let table = &script.node().table;
    let place = table.find(&prefix(of))?;
    table.all[place].source(id(of)).map(|source| source.distance)
}

// Sections 3.5.2 and 3.5.3.
#[test]
fn a_route_s_metric_is_what_was_announced_and_the_cost_of_the_link() {
    let mut script = Script::among(2);
    script.say(2, &[update(2, 5, 9, 700)]);
    assert_eq!(script.route(5), Some((2, 700 + COST)));
}

// Section 3.5.2.
#[test]
fn a_metric_that_does_not_fit_is_infinite() {
    let mut script = Script::among(2);
    script.say(2, &[update(2, 5, 9, 65500)]);
    assert_eq!(script.route(5), None);
}

// Section 3.5.1: no entry in the source table.
#[test]
fn without_a_feasibility_distance_every_update_is_feasible() {
    let mut script = Script::among(2);
    script.say(1, &[update(1, 5, 9, 100)]);
    script.say(2, &[update(2, 5, 9, 60000)]);
    script.say(1, &[retraction(1, 5)]);
    assert_eq!(script.route(5), Some((2, 60000 + COST)));
}

// Sections 3.5.1 and 3.7.3.
#[test]
fn what_is_announced_becomes_the_feasibility_distance_if_it_is_better() {
    let mut script = Script::among(1);
    for (seqno, metric, expected) in [
        (9, 500, (9, 500 + COST)),
        (9, 700, (9, 500 + COST)),
        (9, 100, (9, 100 + COST)),
        (10, 900, (10, 900 + COST)),
        (65535, 1, (10, 900 + COST)),
    ] {
        script.say(1, &[update(1, 5, seqno, metric)]);
        script.run_for(17.0);
        let distance = Distance { seqno: Seqno(expected.0), metric: expected.1 };
        assert_eq!(feasibility(&script, 5), Some(distance), "{seqno} {metric}");
    }
}

// Section 3.5.1.
#[test]
fn an_update_no_better_than_what_was_announced_is_not_feasible() {
    let mut script = Script::among(2);
    script.say(1, &[update(1, 5, 9, 100)]);
    settle(&mut script);
    // The node has announced 100 + 256.
    script.say(1, &[retraction(1, 5)]);
    for (seqno, metric, is_feasible) in
        [(9, 356, false), (8, 1, false), (9, 355, true), (10, 60000, true)]
    {
        script.say(2, &[retraction(2, 5), update(2, 5, seqno, metric)]);
        assert_eq!(script.route(5).is_some(), is_feasible, "{seqno} {metric}");
        script.say(2, &[retraction(2, 5)]);
    }
}

// Section 3.5.1: sequence numbers are compared modulo 2^16.
#[test]
fn an_update_is_newer_after_its_number_has_wrapped() {
    let mut script = Script::among(2);
    script.say(1, &[update(1, 5, 65535, 100)]);
    settle(&mut script);
    script.say(1, &[retraction(1, 5)]);
    script.say(2, &[update(2, 5, 0, 5000)]);
    assert_eq!(script.route(5), Some((2, 5000 + COST)));
}

// Section 3.5.1: the cost of the link does not count.
#[test]
fn a_route_selected_stays_feasible_when_its_link_gets_worse() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 5, 9, 100)]);
    settle(&mut script);
    script.say(1, &[ihu(2560, 60000)]);
    assert_eq!(script.route(5), Some((1, 100 + 2560)));
}

// Sections 3.5.1 and 3.2.5: a distance for each router-id.
#[test]
fn the_same_prefix_of_another_router_has_a_feasibility_distance_of_its_own() {
    let mut script = Script::among(2);
    script.say(1, &[update(1, 5, 9, 100)]);
    settle(&mut script);
    script.say(1, &[retraction(1, 5)]);
    let Tlv::Update(of_other) = update(2, 5, 3, 30000) else { unreachable!() };
    script.say(2, &[Tlv::Update(Update { router_id: Some(id(8)), ..of_other })]);
    assert_eq!(script.route(5), Some((2, 30000 + COST)));
}

// Section 3.5.3.
#[test]
fn a_retraction_of_an_unknown_route_is_ignored() {
    let mut script = Script::among(1);
    script.say(1, &[retraction(1, 5)]);
    assert_eq!(script.node().table.find(&prefix(5)), None);
}

// Section 3.5.3: such an update may be ignored.
#[test]
fn an_unfeasible_update_of_the_route_selected_leaves_it_as_it_was() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 5, 9, 100)]);
    settle(&mut script);
    script.say(1, &[update(1, 5, 9, 400)]);
    assert_eq!(script.route(5), Some((1, 100 + COST)));
}

// Section 3.5.3: then it must be unselected.
#[test]
fn an_unfeasible_update_of_another_router_takes_the_route_from_use() {
    let mut script = Script::among(2);
    let Tlv::Update(of_other) = update(2, 5, 3, 100) else { unreachable!() };
    let of_other = |by: u32, metric| {
        let next_hop = Some(Address::V4([10, 1, 0, by as u8]));
        Tlv::Update(Update { router_id: Some(id(8)), next_hop, metric, ..of_other })
    };
    // The node announces the prefix of router 8 at 356, then of router 5.
    script.say(2, &[of_other(2, 100)]);
    settle(&mut script);
    script.say(2, &[retraction(2, 5)]);
    script.say(1, &[update(1, 5, 9, 100)]);
    assert_eq!(script.route(5), Some((1, 100 + COST)));
    script.say(1, &[of_other(1, 356)]);
    assert_eq!(script.route(5), None);
}

// Section 3.5.3.
#[test]
fn routes_that_are_not_feasible_are_kept_for_the_day_when_they_are() {
    let mut script = Script::among(2);
    script.say(1, &[update(1, 5, 9, 100)]);
    settle(&mut script);
    script.say(2, &[update(2, 5, 9, 400)]);
    script.say(1, &[retraction(1, 5)]);
    assert_eq!(script.route(5), None);
    script.say(2, &[update(2, 5, 10, 400)]);
    assert_eq!(script.route(5), Some((2, 400 + COST)));
}

// Section 3.5.3, appendix B: 3.5 times the interval.
#[test]
fn a_route_that_is_not_announced_again_is_retracted_and_then_forgotten() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 5, 9, 100)]);
    let begun = script.now();
    script.run_to(begun + 55.9);
    assert_eq!(script.route(5), Some((1, 100 + COST)));
    script.run_to(begun + 56.1);
    assert_eq!(script.route(5), None);
    let known = |script: &Script| script.node().table.all[1].routes.len();
    assert_eq!((script.node().table.all[1].prefix, known(&script)), (prefix(5), 1));
    script.run_to(begun + 111.9);
    assert_eq!(known(&script), 1);
    script.run_to(begun + 112.1);
    assert_eq!(known(&script), 0);
}

// Section 4.6.9: an interval of FFFF.
#[test]
fn a_route_that_is_not_to_be_announced_again_does_not_expire() {
    let mut script = Script::among(1);
    let Tlv::Update(once) = update(1, 5, 9, 100) else { unreachable!() };
    script.say(1, &[Tlv::Update(Update { interval: u16::MAX, ..once })]);
    script.run_to(300.0);
    assert_eq!(script.route(5), Some((1, 100 + COST)));
}

// Section 4.6.9: AE 0.
#[test]
fn a_retraction_of_any_prefix_takes_all_routes_of_its_sender() {
    let mut script = Script::among(2);
    script.say(1, &[update(1, 1, 9, 0), update(1, 5, 9, 100)]);
    script.say(2, &[update(2, 2, 9, 0), update(2, 5, 9, 300)]);
    let Tlv::Update(all) = retraction(1, 5) else { unreachable!() };
    script.say(1, &[Tlv::Update(Update { prefix: None, ..all })]);
    assert_eq!(script.route(1), None);
    assert_eq!((script.route(5), script.route(2)), (Some((2, 300 + COST)), Some((2, COST))));
}

// Appendix C.
#[test]
fn prefixes_that_name_no_place_in_the_network_are_not_learnt() {
    let mut script = Script::among(1);
    let Tlv::Update(any) = update(1, 5, 9, 100) else { unreachable!() };
    let v4 = |octets: [u8; 4], length| Prefix::new(&octets, length);
    for (prefix, is_learnt) in [
        (v4([127, 0, 0, 1], 32), false),
        (v4([0, 0, 0, 0], 32), false),
        (v4([224, 0, 0, 0], 8), false),
        (v4([224, 1, 2, 3], 32), false),
        (v4([0, 0, 0, 0], 0), true),
        (v4([192, 168, 3, 0], 24), true),
        (Prefix::new(&[0xff; 16], 16), false),
        (Some(Prefix::host(Address::link_local([3; 8]))), false),
        (Prefix::new(&[0xfd; 16], 64), true),
    ] {
        script.say(1, &[Tlv::Update(Update { prefix, ..any })]);
        let place = prefix.and_then(|prefix| script.node().table.find(&prefix));
        assert_eq!(place.is_some(), is_learnt, "{prefix:?}");
    }
}

// Section 3.6.
#[test]
fn the_feasible_route_with_the_smallest_metric_is_selected_first() {
    let mut script = Script::new();
    // Nobody is heard by the node yet: three routes wait.
    for neighbour in 1..=3 {
        for seqno in 0..6 {
            script.say(neighbour, &[super::script::hello(seqno, 60000)]);
        }
    }
    script.say(1, &[update(1, 5, 9, 300)]);
    script.say(2, &[update(2, 5, 9, 200)]);
    script.say(3, &[update(3, 5, 12, 900)]);
    for neighbour in 1..=3 {
        script.say(neighbour, &[ihu(256, 60000)]);
    }
    script.run_for(60.0);
    assert_eq!(script.route(5), None, "expired");
    script.say(3, &[update(3, 5, 12, 900)]);
    assert_eq!(script.route(5).map(|(neighbour, _)| neighbour), Some(3));
}

// Section 3.6.
#[test]
fn a_newer_sequence_number_alone_makes_no_route_better() {
    let mut script = Script::among(2);
    script.say(1, &[update(1, 5, 9, 300)]);
    script.say(2, &[update(2, 5, 20, 400)]);
    assert_eq!(script.route(5), Some((1, 300 + COST)));
    script.run_for(20.0);
    script.say(2, &[update(2, 5, 21, 400)]);
    assert_eq!(script.route(5), Some((1, 300 + COST)));
}

// Appendix A.3.
#[test]
fn a_better_route_is_taken_only_when_it_has_been_better_for_some_time() {
    let mut script = Script::among(2);
    script.say(1, &[update(1, 5, 9, 1000)]);
    script.say(2, &[update(2, 5, 9, 3000)]);
    script.run_for(1.0);
    script.say(2, &[update(2, 5, 9, 900)]);
    assert_eq!(script.route(5), Some((1, 1000 + COST)));
    // Its smoothed metric has 900 + 2100 exp(-t / 12 s), below 1000 after 36.5 s.
    script.run_for(36.0);
    script.say(2, &[update(2, 5, 9, 900)]);
    assert_eq!(script.route(5), Some((1, 1000 + COST)));
    // Looked at again with the next Hello, if with nothing else.
    script.run_for(4.5);
    assert_eq!(script.route(5), Some((2, 900 + COST)));
}

// Appendix A.3: both the metric and the smoothed metric.
#[test]
fn a_route_that_was_better_but_no_longer_is_is_not_taken() {
    let mut script = Script::among(2);
    script.say(1, &[update(1, 5, 9, 1000)]);
    script.say(2, &[update(2, 5, 9, 900)]);
    assert_eq!(script.route(5), Some((2, 900 + COST)), "a new route has no past");
    script.say(1, &[update(1, 5, 9, 950)]);
    script.run_for(50.0);
    assert_eq!(script.route(5), Some((2, 900 + COST)));
}

// Appendix A.3, without smoothing.
#[test]
fn without_smoothing_the_better_route_is_taken_at_once() {
    let mut script = Script::with(&BabelConfig { smoothing_hellos: 0.0, ..BabelConfig::default() });
    script.meet(1);
    script.meet(2);
    script.say(1, &[update(1, 5, 9, 1000)]);
    script.say(2, &[update(2, 5, 9, 3000)]);
    script.say(2, &[update(2, 5, 9, 900)]);
    assert_eq!(script.route(5), Some((2, 900 + COST)));
}

// Section 3.6: when the selected route is lost, nothing is smoothed.
#[test]
fn the_loss_of_a_route_is_answered_with_the_next_best_at_once() {
    let mut script = Script::among(3);
    script.say(1, &[update(1, 5, 9, 100)]);
    script.say(2, &[update(2, 5, 9, 340)]);
    script.say(3, &[update(3, 5, 9, 330)]);
    settle(&mut script);
    script.say(1, &[retraction(1, 5)]);
    assert_eq!(script.route(5), Some((3, 330 + COST)));
}

// Section 3.7.3, appendix B: 3 minutes after it was announced last.
#[test]
fn a_source_is_forgotten_when_it_has_not_been_announced_for_three_minutes() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 5, 9, 100)]);
    settle(&mut script);
    script.say(1, &[retraction(1, 5)]);
    script.run_for(175.0);
    assert!(feasibility(&script, 5).is_some());
    script.run_for(20.0);
    assert_eq!(feasibility(&script, 5), None);
}

// Section 2.8 and 3.5.4: data go by routes to hosts alone, so none goes by a shorter prefix.
#[test]
fn data_do_not_follow_a_shorter_prefix() {
    let mut script = Script::among(1);
    let Tlv::Update(any) = update(1, 5, 9, 100) else { unreachable!() };
    let prefix = Prefix::new(&[10, 1, 0, 0], 16);
    script.say(1, &[Tlv::Update(Update { prefix, ..any })]);
    assert_eq!(script.node().next_hop(NodeId(6)), None);
}

// Section 3.5.3: the next hop is the one announced.
#[test]
fn data_go_to_the_next_hop_that_was_announced() {
    let mut script = Script::among(2);
    script.say(1, &[update(2, 5, 9, 100)]);
    assert_eq!(script.route(5), Some((2, 100 + COST)));
    let Tlv::Update(any) = update(1, 6, 9, 100) else { unreachable!() };
    let next_hop = Some(Address::V4([192, 0, 2, 1]));
    script.say(1, &[Tlv::Update(Update { next_hop, ..any })]);
    assert_eq!(script.route(6), None, "no node has that address");
}
