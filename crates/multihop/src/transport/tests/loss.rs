//! Segments and acknowledgments lost, delayed or duplicated on the way.

use proptest::prelude::*;

use super::*;

/// Segments that have to arrive.
const LAST: u32 = 60;

/// What happens to the n-th transmission in either direction.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Arrives,
    Lost,
    Delayed(u64),
    Duplicated,
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        6 => Just(Fate::Arrives),
        2 => Just(Fate::Lost),
        1 => (1u64..80).prop_map(Fate::Delayed),
        1 => Just(Fate::Duplicated),
    ]
}

fn scheme() -> impl Strategy<Value = Flavour> {
    prop_oneof![
        Just(Flavour::Reno),
        Just(Flavour::NewReno),
        Just(Flavour::Cubic),
        Just(Flavour::TcpAp)
    ]
}

fn reaction() -> impl Strategy<Value = LinkFailure> {
    prop_oneof![Just(LinkFailure::Ignore), Just(LinkFailure::Standby), Just(LinkFailure::Elfn)]
}

fn apply(
    flights: &mut Vec<(Instant, Flight)>,
    known: usize,
    fates: &mut impl Iterator<Item = Fate>,
) {
    for i in (known.min(flights.len())..flights.len()).rev() {
        match fates.next().unwrap_or(Fate::Arrives) {
            Fate::Arrives => {}
            Fate::Lost => {
                flights.remove(i);
            }
            Fate::Delayed(ms) => flights[i].0 += Duration::from_millis(ms),
            Fate::Duplicated => flights.push(flights[i]),
        }
    }
}

proptest! {
    #[test]
    fn every_segment_is_delivered_once_and_in_order(
        fates in prop::collection::vec(fate(), 0..150),
        scheme in scheme(),
        standard in any::<bool>(),
        window_segments in 1u32..40,
        reaction in reaction(),
        errors in prop::collection::vec(0usize..200, 0..4),
    ) {
        let profile = if standard { Profile::Standard } else { Profile::Ns2 };
        let config =
            TcpConfig { scheme, window_segments, link_failure: reaction, ..TcpConfig::default() };
        let mut pair = Pair::new(config, profile);
        let mut fates = fates.into_iter();
        apply(&mut pair.flights, 0, &mut fates);
        let mut steps = 0;
        while pair.sender.highest_ack().is_none_or(|ack| ack < LAST) {
            // `step` takes one flight out and may add some: those are new.
            if errors.contains(&steps) {
                let known = pair.flights.len();
                pair.route_error();
                apply(&mut pair.flights, known, &mut fates);
            }
            let known = pair.flights.len().saturating_sub(1);
            prop_assert!(pair.step(), "the sender is stuck");
            apply(&mut pair.flights, known, &mut fates);
            let unacknowledged = pair.sender.highest_ack().map_or(0, |ack| ack + 1);
            let outstanding = pair.sender.highest_sent().unwrap() + 1 - unacknowledged;
            prop_assert!(outstanding <= window_segments.max(1), "{} outstanding", outstanding);
            prop_assert_eq!(pair.receiver.delivered_bytes(), 1460 * pair.receiver.delivered_segments());
            steps += 1;
            prop_assert!(steps < 100_000, "no progress");
        }
        prop_assert!(pair.receiver.delivered_segments() >= u64::from(LAST));
        prop_assert!(pair.receiver.delivered_segments() <= pair.sent.len() as u64);
    }
}

#[test]
fn after_a_timeout_the_window_needs_several_round_trips_to_reach_its_threshold() {
    for window in [8, 20, 32] {
        let mut pair = Pair::at(Flavour::Reno, window, 200);
        let threshold = (pair.sender.cwnd().min(f64::from(window)) / 2.0).floor();
        // All that was under way is lost, and so the timer expires.
        let timeouts = pair.sender.counters().timeouts;
        while pair.sender.counters().timeouts == timeouts {
            assert!(pair.step());
        }
        assert_eq!(pair.sender.cwnd(), 1.0);
        let begun = pair.now;
        while pair.sender.cwnd() < threshold {
            assert!(pair.step());
        }
        let trip = LATENCY * 2;
        let trips = (pair.now - begun).as_nanos() / trip.as_nanos();
        assert!((2..=8).contains(&trips), "{window}: {trips}");
    }
}
