use std::sync::Arc;

use super::radios::Ear;
use super::*;
use crate::mac::{MacConfig, Timing};
use crate::profile::Profile;
use crate::radio::{
    Course, Leg, Movement, MovingNeighbours, Position, RadioConfig, Reach, Receiver, StationLayout,
};
use crate::routing::Nodes;
use crate::routing::fixed::FixedRoutes;
use crate::wire::Rate;

/// Large networks wait for memory.
#[test]
fn a_station_takes_two_lines_of_the_cache() {
    assert_eq!(size_of::<Ear<Receiver>>(), 128);
}

/// Node 0 between two static nodes 30 m and 90 m away; node 3, at first nearer than both,
/// leaves at 100 m/s.
fn medium() -> Medium {
    let leg = |from_m, to_m, speed_mps| {
        let [from, to] = [from_m, to_m].map(|x_m| Position { x_m, y_m: 0.0 });
        Course::Listed(vec![Leg { start: Instant::ZERO, from, to, speed_mps }].into_iter())
    };
    let stay = |x_m| leg(x_m, x_m, 0.0);
    let courses = vec![stay(0.0), stay(-30.0), stay(90.0), leg(3.0, 9000.0, 100.0)];
    let movement = Movement { courses, max_speed_mps: 100.0 };
    let reach = Reach { receive_m: 100.0, sense_m: 200.0 };
    let path_loss = RadioConfig::default().path_loss();
    let neighbours = MovingNeighbours::new(movement, reach, path_loss);
    let timing = Timing::new(&MacConfig::default(), Profile::default());
    let timings = Timings::new(&StationLayout::alike(4), vec![Arc::new(timing)]);
    Medium::new(
        Hearers::Moving(Box::new(neighbours)),
        timings,
        Radios::by_threshold(10.0, 4),
        [false, false],
    )
}

fn send(medium: &mut Medium, to: NodeId, at: Instant) -> Option<(Instant, u32)> {
    send_from(NodeId(0), medium, to, at)
}

fn send_from(
    transmitter: NodeId,
    medium: &mut Medium,
    receiver: NodeId,
    at: Instant,
) -> Option<(Instant, u32)> {
    let frame = Frame {
        kind: FrameKind::Data,
        rate: Rate::default(),
        transmitter,
        receiver,
        duration_us: 0,
        sequence: 0,
        notice: Notice::None,
        payload: None,
    };
    let layer = Nodes::of(vec![FixedRoutes::default(); 4]);
    medium.transmit(at, frame, Duration::from_millis(1), &layer)
}

fn receivers(medium: &mut Medium, number: u32) -> Vec<u32> {
    let mut receivers = Vec::new();
    loop {
        let (node, following) = medium.receiver_at_end(number);
        receivers.push(node.0);
        if following.is_none() {
            return receivers;
        }
    }
}

#[test]
fn a_broadcast_ends_at_those_in_range_when_it_started() {
    let mut medium = medium();
    let second = Instant::from_secs_f64(1.0);
    let (end, first) = send(&mut medium, NodeId::BROADCAST, Instant::ZERO).expect("receivers");
    assert_eq!(end, Instant::from_nanos(1_000_010), "3 m are 10 ns");
    let (end, later) = send(&mut medium, NodeId::BROADCAST, second).expect("receivers");
    assert_eq!(end, second + Duration::from_nanos(1_000_100), "30 m are 100 ns");
    assert_eq!(receivers(&mut medium, first), [3, 1, 2]);
    assert_eq!(receivers(&mut medium, later), [1, 2]);
}

#[test]
fn collisions_that_nobody_asks_about_count_at_the_end() {
    let mut medium = medium();
    let second = Instant::from_secs_f64(1.0);
    for sender in [1, 2] {
        assert!(send_from(NodeId(sender), &mut medium, NodeId(0), second).is_some());
    }
    assert_eq!(medium.collisions(), 0);
    medium.catch_up_all(second + Duration::from_millis(2));
    assert_eq!(medium.collisions(), 2);
}

#[test]
fn nobody_receives_what_is_for_a_node_that_has_left() {
    let mut medium = medium();
    assert!(send(&mut medium, NodeId(3), Instant::ZERO).is_some());
    assert!(send(&mut medium, NodeId(3), Instant::from_secs_f64(1.0)).is_none());
}
