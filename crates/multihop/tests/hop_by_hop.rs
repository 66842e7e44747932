//! Hop-by-hop rate control in a network.

use crate::common::run;
use multihop::link::PacingCounters;
use multihop::simulation::{NodeQueueReport, Recording, RunResult};

/// A Reno flow with a window of 32 between each pair of nodes, on a chain with fixed routes.
fn chain(hops: u32, link: &str, ends: &[(u32, u32)], seed: u64) -> RunResult {
    let flows: String = ends
        .iter()
        .map(|(from, to)| {
            format!("[[flows]]\nkind = \"ftp\"\nsource = {from}\ndestination = {to}\n")
        })
        .collect();
    let text = format!(
        "duration_s = 40\n[topology]\nkind = \"chain\"\nhops = {hops}\nspacing_m = 200\n\
         [routing]\nscheme = \"static\"\n[link]\n{link}\n[transport]\nscheme = \"reno\"\n\
         window_segments = 32\n{flows}"
    );
    let recording = Recording { queue_classes: true, ..Recording::default() };
    run(&text, seed, &recording)
}

const PACED: &str = "pacing = \"hop-by-hop\"";

fn relays(result: &RunResult) -> Vec<&NodeQueueReport> {
    result.queues.iter().filter(|queue| queue.is_relay).collect()
}

fn most_at_relays(result: &RunResult) -> u32 {
    relays(result).iter().map(|queue| queue.max_data).max().unwrap_or(0)
}

#[test]
fn relays_hold_one_or_two_packets_and_the_source_the_rest() {
    for seed in 1..=3 {
        let plain = chain(5, "", &[(0, 5)], seed);
        let paced = chain(5, PACED, &[(0, 5)], seed);
        assert!(most_at_relays(&plain) >= 5, "{}", most_at_relays(&plain));
        assert!(most_at_relays(&paced) <= 3, "{}", most_at_relays(&paced));
        let at_source = paced.queues[0].mean_data;
        let at_relays: f64 = relays(&paced).iter().map(|queue| queue.mean_data).sum();
        assert!(at_source > 10.0 * at_relays, "{at_source} and {at_relays}");
        assert_eq!(paced.queue.drops, 0);
        assert!(paced.flows[0].delivered_segments > plain.flows[0].delivered_segments / 2);
    }
}

#[test]
fn nodes_overhear_nearly_every_packet_being_forwarded() {
    let pacing: PacingCounters =
        chain(5, PACED, &[(0, 5)], 1).scheme("hop-by-hop").expect("nodes pace");
    assert!(pacing.heard > 15 * pacing.unheard, "{pacing:?}");
    assert_eq!(chain(5, "", &[(0, 5)], 1).schemes.get("hop-by-hop"), None);
}

#[test]
fn neighbours_that_are_heard_are_not_lost() {
    let ends = [(0, 6), (6, 0), (1, 5), (5, 1), (2, 4), (4, 2)];
    let keeping = format!("{PACED}\n[link.hop_by_hop]\nkeep_s = 3600");
    let [mut failures, mut failures_held, mut kept] = [0, 0, 0];
    for seed in 1..=3 {
        let lost = chain(6, PACED, &ends, seed);
        let pacing: PacingCounters = lost.scheme("hop-by-hop").expect("nodes pace");
        assert_eq!(pacing.kept, 0);
        failures += lost.routing.link_failures;
        let held = chain(6, &keeping, &ends, seed);
        let pacing: PacingCounters = held.scheme("hop-by-hop").expect("nodes pace");
        kept += pacing.kept;
        failures_held += held.routing.link_failures;
        assert!(held.flows.iter().all(|flow| flow.delivered_segments > 0), "seed {seed}");
    }
    // Nobody moves, and ARP has heard every neighbour before the first packet goes there.
    assert!(failures > 10 && kept > 10, "{failures} and {kept}");
    assert!(10 * failures_held < failures, "{failures_held} of {failures}");
}

#[test]
fn every_flow_of_a_chain_gets_something() {
    for seed in 1..=3 {
        let paced = chain(4, PACED, &[(0, 4), (4, 0), (1, 3)], seed);
        assert!(paced.flows.iter().all(|flow| flow.delivered_segments > 0), "seed {seed}");
        assert_eq!(paced.queue.drops, 0);
    }
}
