//! Airtime: by the MAC's measurements, and by probes where it has none.

use std::sync::Arc;

use super::harness::{Etxs, path, steady};
use crate::kernel::{Duration, Instant};
use crate::mac::{MacConfig, RateControl, RateSet, Timing};
use crate::profile::Profile;
use crate::routing::etx::{EtxTable, Metric};
use crate::wire::{NodeId, Rate};

fn by_airtime() -> EtxTable {
    let mut table = steady();
    table.etx.metric = Metric::Airtime;
    table
}

/// The choice of rates of a node with 802.11a, whose first two rates need 1 and 2 pW, and the
/// others more than there is.
fn choice(node: u32) -> (RateControl, Timing) {
    let mut table =
        toml::from_str("phy = \"802.11a\"\nrate = \"arf\"\nrts_threshold_bytes = \"inf\"").unwrap();
    MacConfig::fill_in_phy(&mut table);
    let config: MacConfig = table.try_into().unwrap();
    let timing = Timing::new(&config, Profile::Standard);
    let needed_w = |rate: Rate, _: u32, _: f64| [1e-12, 2e-12, 1.0][rate.index().min(2)];
    let rate_set = Arc::new(RateSet::new(&timing, config.rate.takes_all_rates(), Some(needed_w)));
    (RateControl::new(config.rate, &rate_set, NodeId(node), 1).unwrap(), timing)
}

/// In thousandths of 10.24 µs, times `times`.
fn units(time: Duration, times: f64) -> f64 {
    time.as_secs_f64() * times / 10.24e-9
}

#[test]
fn at_a_fixed_rate_it_is_an_attempt_times_the_transmissions_expected() {
    for (lost, expected) in [(0, 100_000), (5, 400_000)] {
        let mut network = Etxs::etx(2, &[(0, 1)], &by_airtime(), Profile::Standard);
        network.lose(0, 1, lost, 10);
        network.lose(1, 0, lost, 10);
        network.run_to(30.0);
        assert_eq!(network.link(0, 1), Some(expected));
    }
    let mut one_way = Etxs::etx(2, &[(0, 1)], &by_airtime(), Profile::Standard);
    one_way.lose(0, 1, 10, 10);
    one_way.run_to(30.0);
    assert_eq!(one_way.link(0, 1), None);
}

#[test]
fn the_mac_says_at_which_rate_and_what_became_of_data() {
    let mut network = Etxs::etx(2, &[(0, 1)], &by_airtime(), Profile::Standard);
    network.lose(0, 1, 5, 10);
    let (mut rates, timing) = choice(0);
    // 34 µs of DIFS, 67.5 of backoff; 20 and 352 symbols of 4 at 6 Mbit/s, 20 and 9 or 11 (24
    // Mbit/s) of 4.
    let attempt = |place| timing.test_attempt(Rate(place));
    let of_6_mbps = 34.0 + 67.5 + (20.0 + 4.0 * 352.0) + 16.0 + 44.0;
    assert!((attempt(0).as_secs_f64() * 1e6 - of_6_mbps).abs() < 0.6, "{:?}", attempt(0));
    let close = |got: Option<u32>, expected: f64| {
        assert!((f64::from(got.unwrap()) / expected - 1.0).abs() < 0.01, "{got:?}, {expected}");
    };
    // Nothing heard, the slowest rate; then the power for the second. Half of the probes there are
    // lost.
    network.rates[0] = Some(choice(0).0);
    network.run_to(30.0);
    close(network.link(0, 1), units(attempt(0), 2.0));
    rates.on_heard(NodeId(1), 2.5e-12);
    network.rates[0] = Some(rates);
    close(network.link(0, 1), units(attempt(1), 2.0));
    // Three of four attempts at 9 Mbit/s are acknowledged; what probes say counts no longer.
    let rates = network.rates[0].as_mut().unwrap();
    rates.first(NodeId(1), Instant::from_secs_f64(30.0));
    for place in 0..400 {
        rates.on_result(NodeId(1), Rate(1), place % 4 != 0);
    }
    let got = network.link(0, 1);
    assert!((f64::from(got.unwrap()) / units(attempt(1), 4.0 / 3.0) - 1.0).abs() < 0.02, "{got:?}");
    // For a window.
    network.run_to(40.0);
    assert_eq!(network.link(0, 1), got);
    network.run_to(40.1);
    close(network.link(0, 1), units(attempt(1), 2.0));
}

#[test]
fn a_long_link_at_a_slow_rate_is_avoided_though_no_probe_is_lost() {
    // N0 reaches N2 directly, where 6 Mbit/s are all that the power suffices for, or over N1 at 54
    // Mbit/s.
    let route = |metric| {
        let mut table = steady();
        table.etx.metric = metric;
        let mut network = Etxs::etx(3, &[(0, 2), (0, 1), (1, 2)], &table, Profile::Standard);
        for (node, powers) in [(0, [0.0, 2.0, 1e-12]), (1, [2.0, 0.0, 2.0]), (2, [1e-12, 2.0, 0.0])]
        {
            let (mut rates, _) = choice(node);
            for (neighbour, power_w) in (0..3).zip(powers).filter(|(other, _)| *other != node) {
                rates.on_heard(NodeId(neighbour), power_w);
            }
            network.rates[node as usize] = Some(rates);
        }
        network.send(30.0, 0, 2, 7);
        network.run_to(31.0);
        assert_eq!(network.arrived(), [7]);
        path(&network, 0, 2)
    };
    assert_eq!(route(Metric::Etx), [0, 2]);
    assert_eq!(route(Metric::Airtime), [0, 1, 2]);
}
