//! Sections 3.3 and 3.4, appendix A: acknowledgments, Hellos, IHUs and costs.

use super::super::BabelConfig;
use super::super::cost::Metric;
use super::super::tlv::{Hello, Tlv};
use super::super::{address::Address, seqno::Seqno};
use super::script::{Script, hello, id, ihu, link_local, update};
use crate::wire::NodeId;

/// The Hellos that the node has sent: when, number and interval.
fn hellos(script: &mut Script) -> Vec<(f64, Hello)> {
    let sent = script.take().into_iter();
    sent.filter_map(|sent| match sent.tlv {
        Tlv::Hello(hello) => Some((sent.at, hello)),
        _ => None,
    })
    .collect()
}

/// The IHUs for node 1: when, and rxcost.
fn ihus(script: &mut Script) -> Vec<(f64, u16)> {
    let sent = script.take().into_iter();
    sent.filter_map(|sent| match sent.tlv {
        Tlv::Ihu { address: Some(address), rxcost, .. } if address == link_local(1) => {
            Some((sent.at, rxcost))
        }
        _ => None,
    })
    .collect()
}

// Section 3.3.
#[test]
fn an_acknowledgment_goes_to_who_asked_for_it_before_its_time_is_over() {
    let mut script = Script::among(2);
    script.say(2, &[Tlv::AckRequest { opaque: 77, interval: 5 }]);
    script.run_for(1.0);
    let acks: Vec<_> = script.take().into_iter().filter(|sent| sent.to == NodeId(2)).collect();
    assert_eq!(acks.len(), 1);
    assert_eq!(acks[0].tlv, Tlv::Ack { opaque: 77 });
    assert!(acks[0].at <= 1.05, "{acks:?}");
}

// Sections 3.4.1 and 4.6.5.
#[test]
fn hellos_to_all_are_numbered_one_by_one_and_never_later_than_they_promise() {
    let mut script = Script::new();
    script.run_to(100.0);
    let hellos = hellos(&mut script);
    assert!(hellos.len() >= 25, "{}", hellos.len());
    for pair in hellos.windows(2) {
        let [(before, first), (after, second)] = pair else { continue };
        assert_eq!((first.interval, first.is_unicast), (400, false));
        assert_eq!(second.seqno, first.seqno.plus(1));
        assert!((3.6..=4.0).contains(&(after - before)), "{before} {after}");
    }
}

// Sections 3.4.1 and 3.2.1.
#[test]
fn the_numbers_of_hellos_wrap() {
    let mut script = Script::new();
    script.node_mut().hello_seqno = Seqno(65534);
    script.run_to(20.0);
    let numbers: Vec<u16> = hellos(&mut script).iter().map(|(_, hello)| hello.seqno.0).collect();
    assert_eq!(numbers[..4], [65534, 65535, 0, 1]);
}

// Section 3.4.
#[test]
fn a_node_that_has_sent_no_hello_is_not_listened_to() {
    let mut script = Script::new();
    script.say(1, &[ihu(256, 1200), update(1, 1, 5, 0)]);
    for seqno in 0..6 {
        script.say(1, &[hello(seqno, 400)]);
    }
    assert_eq!(script.route(1), None);
    script.say(1, &[ihu(256, 1200), update(1, 1, 5, 0)]);
    assert_eq!(script.route(1), Some((1, 256)));
}

// Section 3.4.2.
#[test]
fn a_link_is_used_only_once_the_neighbour_says_that_it_hears_this_node() {
    let mut script = Script::new();
    for seqno in 0..6 {
        script.say(1, &[hello(seqno, 400), update(1, 1, 5, 0)]);
    }
    assert_eq!(script.route(1), None);
    let other = Tlv::Ihu { address: Some(link_local(5)), rxcost: 256, interval: 1200 };
    script.say(1, &[other]);
    assert_eq!(script.route(1), None, "it is another node that it hears");
    script.say(1, &[ihu(512, 1200)]);
    assert_eq!(script.route(1), Some((1, 512)));
}

// Sections 3.4.2 and 4.6.6.
#[test]
fn an_ihu_without_an_address_is_for_who_gets_it() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 1, 5, 0)]);
    script.say(1, &[Tlv::Ihu { address: None, rxcost: 300, interval: 1200 }]);
    assert_eq!(script.route(1), Some((1, 300)));
}

// Section 3.4.2, appendix B: 3.5 times the interval.
#[test]
fn a_link_is_down_when_no_ihu_has_come_for_its_hold_time() {
    let mut script = Script::among(1);
    script.say(1, &[ihu(256, 1200), update(1, 1, 5, 0)]);
    let begun = script.now();
    script.run_to(begun + 41.9);
    assert_eq!(script.route(1), Some((1, 256)));
    script.run_to(begun + 42.1);
    assert_eq!(script.route(1), None);
}

// Section 3.4.3.
#[test]
fn a_neighbour_that_hears_this_node_at_infinite_cost_is_not_used() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 1, 5, 0)]);
    script.say(1, &[ihu(u16::MAX, 1200)]);
    assert_eq!(script.route(1), None);
}

// Appendices A.1 and A.2.2.
#[test]
fn costs_rise_as_hellos_are_missed_until_the_link_is_down() {
    let mut script = Script::new();
    for seqno in 0..6 {
        script.say(1, &[hello(seqno, 400), ihu(256, 60000)]);
    }
    script.say(1, &[update(1, 1, 5, 0)]);
    let mut metrics = vec![script.route(1).map(|(_, metric)| metric)];
    for missed in 0..6 {
        // The first is missed after 6 s, each further one 4 s later.
        script.run_to(6.001 + 4.0 * f64::from(missed));
        metrics.push(script.route(1).map(|(_, metric)| metric));
    }
    let expected = [Some(256), Some(307), Some(384), Some(512), Some(768), Some(1536), None];
    assert_eq!(metrics, expected);
}

// Appendix A.2.1.
#[test]
fn by_two_out_of_three_a_link_costs_the_same_until_it_is_down() {
    let keys = BabelConfig { metric: Metric::KOutOfJ, ..BabelConfig::default() };
    let mut script = Script::with(&keys);
    script.say(1, &[hello(0, 400), ihu(96, 60000), update(1, 1, 5, 0)]);
    assert_eq!(script.route(1), None, "one of three");
    script.say(1, &[hello(1, 400)]);
    assert_eq!(script.route(1), Some((1, 96)));
    script.run_to(9.9);
    assert_eq!(script.route(1), Some((1, 96)), "one is missed");
    script.run_to(10.1);
    assert_eq!(script.route(1), None);
}

// Appendix A.1.
#[test]
fn what_is_known_of_a_neighbour_that_was_restarted_is_forgotten() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 1, 5, 0)]);
    assert_eq!(script.route(1), Some((1, 256)));
    script.say(1, &[hello(30000, 400)]);
    assert_eq!(script.route(1), None, "its IHU is gone as well");
    script.say(1, &[ihu(256, 1200), update(1, 1, 9, 0)]);
    assert_eq!(script.route(1), Some((1, 1536)), "one Hello of six");
}

// Section 3.4, appendix A.1: when the history is empty, after 1.5 and 15 intervals.
#[test]
fn a_neighbour_of_whom_no_hello_is_left_is_dropped() {
    let mut script = Script::new();
    script.say(1, &[hello(7, 400)]);
    script.run_to(65.9);
    assert!(script.node().neighbours.get(script.time(), NodeId(1)).is_some());
    script.run_to(66.1);
    assert!(script.node().neighbours.get(script.time(), NodeId(1)).is_none());
    assert_eq!(script.node().counts.neighbours_lost, 1);
}

// Appendix A.2.2: ETX ignores Unicast Hellos; section 3.4.1: they have numbers of their own.
#[test]
fn unicast_hellos_do_not_disturb_the_numbers_of_the_others() {
    let mut script = Script::among(1);
    script.say(1, &[update(1, 1, 5, 0)]);
    let unicast = Hello { is_unicast: true, seqno: Seqno(40000), interval: 0 };
    script.say(1, &[Tlv::Hello(unicast)]);
    script.say(1, &[hello(106, 60000)]);
    assert_eq!(script.route(1), Some((1, 256)));
}

// Appendix B.
#[test]
fn ihus_go_with_each_hello_on_a_lossy_link_and_with_every_third_on_another() {
    let mut script = Script::new();
    script.say(1, &[hello(0, 60000)]);
    script.run_to(60.0);
    let lossy = ihus(&mut script);
    assert!(lossy.len() >= 15, "{lossy:?}");
    assert!(lossy.iter().all(|(_, rxcost)| *rxcost == 1536));
    for seqno in 1..6 {
        script.say(1, &[hello(seqno, 60000)]);
    }
    script.run_to(120.0);
    let lossless = ihus(&mut script);
    assert!((5..=7).contains(&lossless.len()), "{lossless:?}");
    assert!(lossless.iter().all(|(_, rxcost)| *rxcost == 256));
}

// Appendix B: three times the Hello interval, on any link.
#[test]
fn ihus_advertise_three_hello_intervals() {
    let mut script = Script::among(1);
    script.run_for(30.0);
    let mut intervals = script.take().into_iter().filter_map(|sent| match sent.tlv {
        Tlv::Ihu { interval, address, .. } => Some((interval, address)),
        _ => None,
    });
    assert_eq!(intervals.next(), Some((1200, Some(Address::link_local(id(1))))));
}

// Section 3.8.2: it may be sent at any time.
#[test]
fn a_neighbour_that_has_become_reachable_is_asked_for_its_routes() {
    let mut script = Script::new();
    script.meet(1);
    script.run_for(1.0);
    let asked: Vec<_> = script.take().into_iter().filter(|sent| sent.to == NodeId(1)).collect();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].tlv, Tlv::RouteRequest { prefix: None });
}
