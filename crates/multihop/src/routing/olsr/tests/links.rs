//! Links that prove themselves, and links that are lost.

use crate::kernel::{Duration, Instant};
use crate::routing::olsr::OlsrConfig;
use crate::routing::olsr::OlsrMetric;
use crate::routing::olsr::links::Link;
use crate::routing::olsr::messages::LinkType;

const INTERVAL: Duration = Duration::from_secs(2);

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

/// A link whose neighbour says all the time that it hears this node.
fn link() -> Link {
    link_until(1e6, 1e6)
}

fn link_until(symmetric_s: f64, heard_s: f64) -> Link {
    let mut link = Link::default();
    (link.symmetric_until, link.heard_until) = (at(symmetric_s), at(heard_s));
    link.until = at(1e6);
    link
}

fn receive(link: &mut Link, config: &OlsrConfig, seconds: f64, number: u16) {
    link.receive(config, at(seconds), number, Some(INTERVAL));
}

#[test]
fn a_link_is_established_once_its_quality_exceeds_the_upper_threshold() {
    // Section 14.3 with weight 1/2: 1/2, 3/4, 7/8 > 0.8.
    let (config, mut link) = (OlsrConfig::default(), link());
    for (number, established) in [(1, false), (2, false), (3, true)] {
        receive(&mut link, &config, f64::from(number), number);
        assert_eq!(link.is_symmetric(at(f64::from(number))), established, "packet {number}");
    }
}

#[test]
fn a_link_that_is_not_established_is_not_advertised_at_all() {
    // Section 14.2.
    let (config, mut link) = (OlsrConfig::default(), link());
    receive(&mut link, &config, 1.0, 1);
    assert_eq!(link.advertised(at(1.0)), None);
}

#[test]
fn a_link_that_falls_below_the_lower_threshold_is_lost_and_said_to_be() {
    // Sections 14.2 and 14.3.
    // 7/8, then two packets missing: 7/16, 7/32 < 0.3; then one that came: 39/64.
    let (config, mut link) = (OlsrConfig::default(), link());
    for number in [1, 2, 3] {
        receive(&mut link, &config, f64::from(number), number);
    }
    receive(&mut link, &config, 4.0, 6);
    assert!(!link.is_symmetric(at(4.0)));
    assert_eq!(link.advertised(at(4.0)), Some(LinkType::Lost));
    // For NEIGHB_HOLD_TIME, six seconds; then it is pending.
    assert_eq!(link.advertised(at(9.9)), Some(LinkType::Lost));
    assert_eq!(link.advertised(at(10.0)), None);
}

#[test]
fn silence_for_an_interval_is_a_lost_packet_and_its_number_does_not_tell_it_again() {
    // Section 14.3.
    let (config, mut link) = (OlsrConfig::default(), link());
    for number in [1, 2, 3] {
        receive(&mut link, &config, f64::from(number), number);
    }
    // 7/8; silent at 5 s: 7/16; number 5 at 6 s tells the loss of 4 again, and comes: 23/32.
    link.listen(&config, at(5.0));
    receive(&mut link, &config, 6.0, 5);
    assert!(link.is_symmetric(at(6.0)));
    // Had it counted twice: 7/32 < 0.3.
    let mut silent = link.clone();
    // Silent at 8, 10 s: 23/64, 23/128 < 0.3.
    silent.listen(&config, at(9.9));
    assert!(silent.is_symmetric(at(9.9)));
    silent.listen(&config, at(10.0));
    assert!(!silent.is_symmetric(at(10.0)));
}

#[test]
fn a_number_from_behind_is_no_row_of_losses() {
    // Section 14.3 counts gaps of numbers; section 19 has them wrap.
    let (config, mut link) = (OlsrConfig::default(), link());
    for (seconds, number) in [(1.0, 500), (2.0, 501), (3.0, 502), (4.0, 1)] {
        receive(&mut link, &config, seconds, number);
    }
    assert!(link.is_symmetric(at(4.0)));
}

#[test]
fn without_hysteresis_a_link_counts_at_once() {
    // Section 7.1.1 without section 14.
    let config = OlsrConfig { hysteresis: Some(false), ..OlsrConfig::default() };
    let mut link = link();
    receive(&mut link, &config, 1.0, 1);
    assert!(link.is_symmetric(at(1.0)));
    receive(&mut link, &config, 90.0, 50);
    assert!(link.is_symmetric(at(90.0)));
}

#[test]
fn what_is_said_of_a_link_follows_what_both_hear() {
    // Section 6.2.
    let config = OlsrConfig { hysteresis: Some(false), ..OlsrConfig::default() };
    let mut link = link_until(4.0, 6.0);
    receive(&mut link, &config, 1.0, 1);
    let advertised = [3.9, 4.0, 5.9, 6.0].map(|seconds| link.advertised(at(seconds)));
    let expected =
        [LinkType::Symmetric, LinkType::Asymmetric, LinkType::Asymmetric, LinkType::Lost];
    assert_eq!(advertised, expected.map(Some));
}

#[test]
fn the_quality_of_a_link_is_the_share_of_the_last_packets_that_came() {
    let config =
        OlsrConfig { metric: OlsrMetric::Etx, link_quality_window: 4, ..OlsrConfig::default() };
    let mut link = link();
    link.sent = 100;
    receive(&mut link, &config, 1.0, 1);
    assert_eq!(link.both_ways(&config).received, 255);
    // 1 came, 2 and 3 did not, 4 came: half of four.
    receive(&mut link, &config, 2.0, 4);
    assert_eq!((link.both_ways(&config).received, link.both_ways(&config).sent), (127, 100));
    // Silent at 4, 6 and 8 s: one of the last four.
    link.listen(&config, at(8.0));
    assert_eq!(link.both_ways(&config).received, 63);
}
