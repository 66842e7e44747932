use super::held::Store;
use super::timeline::Mark;
use super::*;
use crate::kernel::{Duration, Instant};
use crate::mac::{MacConfig, Timing};
use crate::profile::Profile;
use crate::wire::{Body, NodeId, Packet};

fn at_us(us: u64) -> Instant {
    Instant::from_nanos(us * 1000)
}

fn at_s(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

fn packet() -> Packet {
    Packet::new(NodeId(0), NodeId(9), Instant::ZERO, Body::Dsr)
}

/// Packets for the neighbours of these numbers.
fn store(next_hops: &[u32]) -> Store {
    let mut store = Store::default();
    for (place, &next_hop) in next_hops.iter().enumerate() {
        store.add(at_s(place as f64), packet(), NodeId(next_hop), true);
    }
    store
}

#[test]
fn marks_follow_from_the_frames_between_them() {
    let timing = Timing::new(&MacConfig::default(), Profile::Ns2);
    let config = ReservationConfig { countdown: 10, ..ReservationConfig::default() };
    let timeline = config.timeline(&timing);
    // RTS and CTS last 352 and 304 µs, 1500 bytes 6328 and an ACK 304.
    let round = 10 * 20 + 10 + 352 + 10 + 304 + 10 + 20 + 10;
    // Calls for an open slot come first.
    let calls = 2 * 20;
    // Then a packet of 64 bytes is returned (584 µs), and acknowledged.
    let slot = calls + 2 * round + 2 * (6328 + 10) + 304 + 10 + 584 + 10 + 304 + 10;
    let mark = |round, mark| timeline.mark(3, round, mark);
    assert_eq!(timeline.begin(3), at_us(3 * slot));
    assert_eq!(mark(0, Mark::Request), at_us(3 * slot + calls + 210));
    assert_eq!(mark(1, Mark::Grant), at_us(3 * slot + calls + round + 572));
    assert_eq!(mark(1, Mark::Object), at_us(3 * slot + calls + round + 886));
    let data = 3 * slot + calls + 2 * round;
    assert_eq!(timeline.data(3), at_us(data));
    let part_end = |us| timeline.part_end(3, at_us(data + us));
    assert_eq!(part_end(6337), Some(at_us(data + 6338)));
    assert_eq!(part_end(6338), Some(timeline.acks(3)));
    assert_eq!(part_end(2 * 6338), None);
    let confirms = data + 2 * 6338 + 314 + 594;
    assert_eq!(timeline.confirms(3), Some(at_us(confirms)));
    assert_eq!(timeline.returns(3, 0), Some(at_us(confirms - 594)), "after the ACK");
    assert_eq!(timeline.returns(3, 1), None, "one place");
    assert_eq!(timeline.slot_at(at_us(3 * slot - 1)), 2);
    assert_eq!(timeline.round_at(3, at_us(3 * slot + calls + round)), Some(1));
    assert_eq!(timeline.round_at(3, at_us(data)), None, "data");
}

#[test]
fn clocks_that_are_off_make_room_for_each_other() {
    let timing = Timing::new(&MacConfig::default(), Profile::Ns2);
    let length = |clock_error_s| {
        let config = ReservationConfig { clock_error_s, ..ReservationConfig::default() };
        config.timeline(&timing).begin(1) - Instant::ZERO
    };
    // Two calls, two rounds of 16 places and five gaps each, and two parts and an answer, twice.
    let more = Duration::from_micros(4) * (2 + 2 * (16 + 1 + 4) + 2 + 1 + 1 + 1);
    assert_eq!(length(2e-6), length(0.0) + more);
}

#[test]
fn backlogs_are_by_neighbour_with_the_wait_of_the_first() {
    let backlogs = store(&[1, 2, 1]).backlogs(at_s(5.0));
    let told = backlogs.iter().map(|one| (one.next_hop.0, one.packets, one.waited));
    let s = Duration::from_secs;
    assert_eq!(told.collect::<Vec<_>>(), [(1, 2, s(5)), (2, 1, s(4))]);
}

#[test]
fn what_was_sent_without_an_acknowledgment_is_sent_again_in_order() {
    let mut store = store(&[1, 2, 1, 1]);
    let next = |store: &mut Store| {
        store.next(NodeId(1), |_| true).map(|held| {
            held.is_sent = true;
            held.sequence
        })
    };
    assert_eq!([next(&mut store), next(&mut store)], [Some(0), Some(2)]);
    assert_eq!(store.remove_acknowledged(NodeId(1), 1 << 2).len(), 1);
    store.end_slot();
    assert_eq!([next(&mut store), next(&mut store), next(&mut store)], [Some(0), Some(3), None]);
}

#[test]
fn what_fits_in_no_slot_has_failed_and_what_follows_has_not() {
    let mut store = store(&[1]);
    store.add(at_s(1.0), packet(), NodeId(2), false);
    let failed = store.take_failed(at_s(1.0), Some(7)).map(|held| held.next_hop);
    assert_eq!((failed, store.packets().count()), (Some(NodeId(2)), 1));
    assert!(store.take_failed(at_s(1.0), Some(7)).is_none());
}

#[test]
fn broadcasts_are_no_backlog_and_go_in_order_if_they_fit() {
    let all = NodeId::BROADCAST.0;
    let mut store = store(&[1, all, 2, all]);
    assert_eq!(store.backlogs(at_s(5.0)).len(), 2);
    assert!(store.has_broadcast());
    assert!(store.take_broadcast(|_| false).is_none());
    let taken = [(); 3].map(|()| store.take_broadcast(|_| true).map(|held| held.sequence));
    assert_eq!(taken, [Some(1), Some(3), None]);
    assert!(!store.has_broadcast());
}

#[test]
fn a_frame_goes_up_once_though_others_came_meanwhile() {
    let mut store = Store::default();
    let came: Vec<bool> =
        [7, 8, 7, 9, 8].map(|sequence| store.is_repeat(NodeId(1), sequence)).into();
    assert_eq!(came, [false, false, true, false, true]);
    assert!(!store.is_repeat(NodeId(2), 7), "another's");
}

#[test]
fn a_neighbour_is_gone_if_it_grants_nothing_and_is_not_heard() {
    let failed = |heard_s: f64, now_s: f64, requests: u32| {
        let mut store = store(&[1]);
        for _ in 0..requests {
            store.on_unanswered(at_s(1.0), NodeId(1));
        }
        store.on_heard(at_s(heard_s), NodeId(1));
        store.take_failed(at_s(now_s), Some(7)).is_some()
    };
    assert!(failed(0.0, 3.1, 7));
    assert!(!failed(0.0, 3.1, 6), "too few requests");
    assert!(!failed(0.0, 2.9, 7), "too soon");
    assert!(!failed(2.0, 3.1, 7), "it was heard");
    assert!(failed(21.0, 21.1, 7), "it is heard, and deaf");
}
