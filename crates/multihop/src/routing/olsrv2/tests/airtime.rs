//! Metrics (RFC 7181 section 6) and directional airtime (RFC 7779).

use super::harness::*;
use crate::kernel::{Duration, Instant};
use crate::routing::olsrv2::metric::{
    Airtime, MAXIMUM_METRIC, MINIMUM_METRIC, airtime, compressed, uncompressed,
};
use crate::routing::olsrv2::reception::{Came, Reception};
use crate::routing::olsrv2::{Olsr2Config, Olsr2Metric};

const SECOND: Duration = Duration::from_secs(1);

fn dat() -> Olsr2Config {
    Olsr2Config { metric: Olsr2Metric::Dat, ..Olsr2Config::default() }
}

#[test]
fn metrics_that_can_be_stated_are_those_of_section_6_2() {
    assert_eq!((uncompressed(0), uncompressed(0xfff)), (MINIMUM_METRIC, MAXIMUM_METRIC));
    let stated: Vec<u32> = (0..0x1000).map(uncompressed).collect();
    assert!(stated.is_sorted_by(|a, b| a < b), "256 b + a is in the order of the values");
    for (bits, &metric) in stated.iter().enumerate() {
        assert_eq!(compressed(metric), bits as u16, "{metric}");
    }
}

#[test]
fn a_metric_in_between_is_rounded_up() {
    // Section 6.2: the least that is not below it.
    for metric in [257, 258, 1025, 2_097_152, 4711, MAXIMUM_METRIC - 1] {
        let bits = compressed(metric);
        assert!(uncompressed(bits) >= metric && uncompressed(bits - 1) < metric, "{metric}");
    }
    assert_eq!((compressed(0), compressed(u32::MAX)), (0, 0xfff));
}

#[test]
fn airtime_is_loss_over_rate() {
    // Section 10.2, step 5: 2^24 / 8 at 1 kbit/s without loss.
    let exact = |loss: f64, rate_bps: f64| f64::from(1 << 21) * loss / (rate_bps / 1000.0);
    for (loss, rate_bps) in [(1.0, 1e6), (2.0, 1e6), (1.5, 54e6), (8.0, 2e6)] {
        let (metric, exact) = (f64::from(airtime(loss, rate_bps)), exact(loss, rate_bps));
        assert!(metric >= exact.round() && metric <= 1.004 * exact + 1.0, "{metric} {exact}");
    }
    assert_eq!(airtime(8.0, 1.0), MAXIMUM_METRIC, "as 1 kbit/s");
    assert_eq!(airtime(1.0, 1e12), MINIMUM_METRIC);
}

#[test]
fn a_loss_is_what_was_sent_over_what_came() {
    // Section 10.2, steps 1 to 5: two of three come.
    let mut airtime = Airtime::default();
    airtime.receive(0);
    airtime.receive(1);
    let metric = airtime.refresh(&dat(), 2e6, SECOND * 2, 0);
    assert_eq!(metric, self::airtime(1.5, 2e6));
}

#[test]
fn no_packet_is_the_greatest_metric() {
    // Step 4.
    assert_eq!(Airtime::default().refresh(&dat(), 2e6, SECOND * 2, 0), MAXIMUM_METRIC);
}

#[test]
fn a_loss_beyond_eight_counts_as_eight() {
    let mut airtime = Airtime::default();
    airtime.receive(99);
    assert_eq!(airtime.refresh(&dat(), 2e6, SECOND * 2, 0), self::airtime(8.0, 2e6));
}

#[test]
fn silence_takes_from_what_came() {
    // Step 3: eight HELLO intervals of 2 s are a quarter of 64 s.
    let mut airtime = Airtime::default();
    (0..30).for_each(|_| airtime.receive(0));
    assert_eq!(airtime.refresh(&dat(), 2e6, SECOND * 2, 8), self::airtime(4.0 / 3.0, 2e6));
    assert_eq!(airtime.refresh(&dat(), 2e6, SECOND * 2, 32), MAXIMUM_METRIC);
}

#[test]
fn what_is_older_than_the_memory_is_forgotten() {
    let config = Olsr2Config { dat_memory_length: 4, ..dat() };
    let mut airtime = Airtime::default();
    airtime.receive(3);
    assert_eq!(airtime.refresh(&config, 2e6, SECOND, 0), self::airtime(4.0, 2e6));
    (0..3).for_each(|_| {
        airtime.receive(0);
        airtime.refresh(&config, 2e6, SECOND, 0);
    });
    airtime.receive(0);
    assert_eq!(airtime.refresh(&config, 2e6, SECOND, 0), self::airtime(1.0, 2e6));
}

#[test]
fn a_loss_that_hardly_changes_is_left() {
    // Appendix D asks for a hysteresis: a sixteenth here.
    let mut airtime = Airtime::default();
    (0..100).for_each(|_| airtime.receive(0));
    let metric = airtime.refresh(&dat(), 2e6, SECOND, 0);
    airtime.receive(5);
    assert_eq!(airtime.refresh(&dat(), 2e6, SECOND, 0), metric);
    airtime.receive(5);
    assert!(airtime.refresh(&dat(), 2e6, SECOND, 0) > metric);
}

#[test]
fn numbers_tell_of_losses_and_of_a_new_start() {
    // Section 9.3, across the wrap.
    let now = Instant::ZERO;
    let mut reception = Reception::default();
    let missed = [65534, 1, 2, 2000, 2256].map(|number| reception.receive(now, number).missed);
    assert_eq!(missed, [0, 2, 0, 0, 255], "1998 and more are no losses");
}

#[test]
fn silence_tells_of_losses_before_numbers_do_and_only_once() {
    // Section 10.1: after 1.2 intervals, then each interval.
    let at = Instant::from_secs_f64;
    let mut reception = Reception::default();
    reception.hello_interval = SECOND * 2;
    reception.receive(at(0.0), 1);
    let told = [2.3, 2.4, 4.3, 4.4, 6.5].map(|now| reception.listen(at(now)));
    assert_eq!((told, reception.silent), ([0, 1, 0, 1, 1], 3));
    let came = reception.receive(at(7.0), 6);
    assert_eq!(came, Came { missed: 4, missed_anew: 1 });
    assert_eq!(reception.listen(at(9.3)), 0);
}

#[test]
fn each_direction_of_a_link_has_a_metric_of_its_own() {
    // RFC 7181 section 4.5: 0 gets every second packet of 1, which gets all.
    let mut network = network_of(2, &[(0, 1)], &dat());
    network.lose(1, 0, 1, 2);
    network.run_to(100.0);
    let of = |node: u32| last_hello(&network, node)[0];
    let (zero, one) = (of(0), of(1));
    assert_eq!((zero.out_metric, one.out_metric), (one.in_metric, zero.in_metric));
    let (worse, better) = (zero.in_metric.unwrap(), one.in_metric.unwrap());
    assert_eq!(better, airtime(1.0, RATE_BPS));
    assert!((1.8..2.2).contains(&(f64::from(worse) / f64::from(better))), "{worse} {better}");
}

#[test]
fn two_good_links_beat_a_bad_one() {
    // 0 - 2 loses three of four packets both ways.
    let links = [(0, 1), (1, 2), (0, 2)];
    for (config, expected) in [(Olsr2Config::default(), vec![0, 2]), (dat(), vec![0, 1, 2])] {
        let config = Olsr2Config { h_hold_time_s: Some(30.0), ..config };
        let mut network = network_of(3, &links, &config);
        network.lose(0, 2, 3, 4);
        network.lose(2, 0, 3, 4);
        network.run_to(150.0);
        assert_eq!(path(&mut network, 0, 2), expected);
    }
}
