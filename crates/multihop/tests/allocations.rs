//! Packets need no memory of their own on their way: once a run has come as far as its flow goes on
//! undisturbed, nothing is allocated any more, over however many hops and for however many
//! receivers.
//!
//! What allocates is rarer than packets: discoveries, route errors and HELLOs with fields of a
//! scheme's own; and the list of a flow's delays, which doubles up to 32,768 packets.

use allocation_counter::measure;
use multihop::kernel::{Duration, Instant};
use multihop::scenario::Scenario;
use multihop::schemes::Schemes;
use multihop::simulation::{Recording, Simulation};

/// Runs `text` with the keys of `scheme`, and then `keys`, until its first flow has had `from`
/// packets, then until it has had `to`. How often memory was allocated meanwhile, and how many
/// frames were sent.
fn allocations(
    text: &str,
    scheme: &str,
    keys: &[(&str, &str)],
    [from, to]: [u64; 2],
) -> (u64, u64) {
    let schemes = Schemes::standard();
    let mut overrides = schemes.overrides(scheme).expect("a scheme").to_vec();
    overrides.extend(keys.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())));
    let scenario = Scenario::from_toml(text, &overrides).expect("a scenario");
    let recording = Recording::default();
    let mut simulation = Simulation::new(&scenario, Some(1), &recording).expect("a network");
    let mut now = Instant::ZERO;
    let mut run_to = |simulation: &mut Simulation, packets| {
        let mut count = 0;
        while simulation.flows_so_far()[0].packets < packets {
            now += Duration::from_millis(100);
            assert!(now < simulation.end(), "the flow has stopped");
            count += measure(|| simulation.run_until(now)).count_total;
        }
        count
    };
    let frames = |simulation: &Simulation| {
        let mac = simulation.result().mac;
        mac.data_sent + mac.broadcast_sent + mac.aggregated_sent
    };
    run_to(&mut simulation, from);
    let before = frames(&simulation);
    let count = run_to(&mut simulation, to);
    (count, frames(&simulation) - before)
}

/// A chain along which a flow goes, with more `keys`.
fn chain(hops: u32, keys: &str) -> String {
    format!(
        "duration_s = 300\n[[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = \"last\"\n\
         [topology]\nkind = \"chain\"\nhops = {hops}\n{keys}"
    )
}

/// The list of delays doubles at 1,024 and at 2,048 packets.
const RANGE: [u64; 2] = [1100, 1900];

#[test]
fn packets_need_no_memory_over_six_hops() {
    // One segment under way, so that no link is taken for broken.
    let sparing = [("transport.window_segments", "1")];
    for scheme in ["aodv", "dsr", "tcp-elfn", "static"] {
        let (count, frames) = allocations(&chain(6, ""), scheme, &sparing, RANGE);
        assert!(frames > 5000, "{scheme}: {frames} frames");
        assert_eq!(count, 0, "{scheme}, in {frames} frames");
    }
}

#[test]
fn frames_that_others_overhear_need_none_either() {
    for scheme in ["dsr", "semi-tcp", "hop-by-hop-rate", "considerate", "tcp-ap"] {
        let (count, frames) = allocations(&chain(2, ""), scheme, &[], RANGE);
        assert!(frames > 2000, "{scheme}: {frames} frames");
        assert_eq!(count, 0, "{scheme}, in {frames} frames");
    }
}

#[test]
fn a_mpdus_and_their_acknowledgments_need_none_either() {
    for reception in ["threshold", "sinr"] {
        let keys = format!(
            "spacing_m = 20\n[mac]\nphy = \"802.11n\"\naggregate = 32\n\
             [radio]\nreception = \"{reception}\"\n"
        );
        // Past those that are kept.
        let (count, frames) = allocations(&chain(2, &keys), "aodv", &[], [33_000, 40_000]);
        assert!(frames > 14_000, "{reception}: {frames} frames");
        assert_eq!(count, 0, "{reception}, in {frames} frames");
    }
}

#[test]
fn broadcasts_need_none_for_any_of_their_receivers() {
    let text = "duration_s = 300\n[topology]\nkind = \"grid\"\ncolumns = 5\nrows = 5\nspacing_m = 50\n\
                [routing]\nscheme = \"aodv\"\nhello_interval_s = 0.1\n\
                [[flows]]\nkind = \"cbr\"\nsource = 0\ndestination = 1\npacket_bytes = 100\n\
                rate_bps = 8000\n";
    let scenario = Scenario::from_toml(text, &[]).expect("a scenario");
    let recording = Recording::default();
    let mut simulation = Simulation::new(&scenario, Some(1), &recording).expect("a network");
    let at = Instant::from_secs_f64;
    simulation.run_until(at(60.0));
    let before = simulation.result().mac.broadcast_sent;
    let count = measure(|| simulation.run_until(at(100.0))).count_total;
    let frames = simulation.result().mac.broadcast_sent - before;
    assert!(frames > 25 * 300, "{frames} frames");
    assert_eq!(count, 0, "in {frames} frames");
}
