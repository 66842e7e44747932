//! The choice among candidate paths.

use proptest::prelude::*;

use crate::routing::copas::CopasConfig;
use crate::routing::copas::config::{
    Adjacent, ForwardPath, PairChoice, PathContention, PathMetric, Paths,
};
use crate::routing::copas::selection::{
    Candidate, Choice, are_disjoint, choose, choose_replacement, path_contention,
};
use crate::wire::NodeId;

/// The path over `relays`, each with its contention.
fn path(relays: &[(u32, f32)]) -> Candidate {
    let nodes = std::iter::once(0).chain(relays.iter().map(|&(node, _)| node));
    let contention = relays.iter().map(|&(_, contention)| contention).collect();
    Candidate { asked: nodes.map(NodeId).collect(), contention }
}

fn config() -> CopasConfig {
    CopasConfig::default()
}

fn two(forward: usize, reverse: usize) -> Option<Choice> {
    Some(Choice::Two { forward, reverse })
}

#[test]
fn in_figure_2_i_and_k_are_chosen_and_not_the_shorter_j() {
    let i = path(&[(1, 2.0), (2, 3.0), (3, 1.0)]);
    let j = path(&[(4, 6.0), (5, 5.0)]);
    let k = path(&[(6, 1.0), (7, 2.0), (8, 1.0)]);
    let candidates = [j, i, k];
    assert_eq!(choose(&candidates, &config()), two(2, 1));
    let reversed = CopasConfig { forward_path: ForwardPath::MostContended, ..config() };
    assert_eq!(choose(&candidates, &reversed), two(1, 2));
    let first = CopasConfig { pair_choice: PairChoice::LeastFirst, ..config() };
    assert_eq!(choose(&candidates, &first), two(2, 1));
    // Without contention: the shortest, then the one that arrived first.
    let blind = CopasConfig { path_metric: PathMetric::Hops, ..config() };
    assert_eq!(choose(&candidates, &blind), two(0, 1));
    let common = CopasConfig { paths: Paths::Common, ..config() };
    assert_eq!(choose(&candidates, &common), Some(Choice::One(2)));
}

#[test]
fn ties_go_to_fewer_hops_then_to_the_earlier() {
    let long = path(&[(1, 1.0), (2, 1.0)]);
    let short = path(&[(3, 2.0)]);
    let later = path(&[(4, 2.0)]);
    assert_eq!(choose(&[long, short, later], &config()), two(1, 2));
}

#[test]
fn the_least_contended_pair_need_not_contain_the_least_contended_path() {
    // The least contended path shares relays with both others, which together cost less than it
    // with the fourth.
    let candidates = [
        path(&[(1, 0.5), (2, 0.5)]),
        path(&[(1, 0.5), (3, 2.0)]),
        path(&[(2, 0.5), (4, 2.0)]),
        path(&[(5, 9.0)]),
    ];
    assert_eq!(choose(&candidates, &config()), two(1, 2));
    let first = CopasConfig { pair_choice: PairChoice::LeastFirst, ..config() };
    assert_eq!(choose(&candidates, &first), two(0, 3));
}

#[test]
fn without_two_disjoint_paths_the_least_contended_carries_both_directions() {
    let candidates = [path(&[(1, 1.0), (2, 3.0)]), path(&[(1, 1.0), (3, 1.0)])];
    assert_eq!(choose(&candidates, &config()), Some(Choice::One(1)));
    assert_eq!(choose(&[], &config()), None);
}

#[test]
fn neighbours_use_their_link_in_both_directions_by_default() {
    let candidates = [path(&[(1, 0.0)]), path(&[])];
    assert_eq!(choose(&candidates, &config()), Some(Choice::One(1)));
    let split = CopasConfig { copas_adjacent: Adjacent::Split, ..config() };
    assert_eq!(choose(&candidates, &split), two(1, 0));
}

#[test]
fn a_replacement_is_of_similar_length_if_one_is_disjoint() {
    let short = path(&[(1, 1.0)]);
    let similar = path(&[(2, 5.0), (3, 5.0), (4, 5.0)]);
    let meeting = path(&[(5, 0.0), (6, 0.0), (7, 0.0)]);
    let candidates = [short, similar, meeting];
    // The old path has four hops; the path that stays crosses node 5.
    assert_eq!(choose_replacement(&candidates, &[NodeId(5)], 4, &config()), Some(1));
    let wider = CopasConfig { similar_hops: 2, ..config() };
    assert_eq!(choose_replacement(&candidates, &[NodeId(5)], 4, &wider), Some(0));
    let stays = [2, 5].map(NodeId);
    assert_eq!(choose_replacement(&candidates, &stays, 4, &config()), Some(0));
    let stays = [1, 2, 5].map(NodeId);
    assert_eq!(choose_replacement(&candidates, &stays, 4, &config()), None);
}

#[test]
fn a_paths_contention_is_the_mean_or_the_greatest_of_its_relays() {
    assert_eq!(path_contention(&[1.0, 8.0], PathContention::Mean), Some(4.5));
    assert_eq!(path_contention(&[1.0, 8.0], PathContention::Maximum), Some(8.0));
    assert_eq!(path_contention(&[], PathContention::Mean), None);
}

fn candidates() -> impl Strategy<Value = Vec<Candidate>> {
    let relay = (1u32..9, 0u8..4);
    let relays = prop::collection::vec(relay, 1..4).prop_map(|relays| {
        let mut seen = std::collections::HashSet::new();
        let kept = relays.into_iter().filter(|(node, _)| seen.insert(*node));
        path(&kept.map(|(node, contention)| (node, f32::from(contention))).collect::<Vec<_>>())
    });
    prop::collection::vec(relays, 0..7)
}

proptest! {
    #[test]
    fn the_chosen_pair_is_disjoint_and_no_disjoint_pair_is_less_contended(
        candidates in candidates()
    ) {
        let cost = |a: usize, b: usize| {
            let of = |place: usize| candidates[place].contention.iter().sum::<f32>();
            let hops = candidates[a].hops() + candidates[b].hops();
            (of(a) + of(b), hops)
        };
        let places = 0..candidates.len();
        let least = places
            .clone()
            .flat_map(|a| places.clone().map(move |b| (a, b)))
            .filter(|&(a, b)| a != b && are_disjoint(candidates[a].relays(), candidates[b].relays()))
            .map(|(a, b)| cost(a, b))
            .min_by(|one, other| one.partial_cmp(other).unwrap());
        match choose(&candidates, &config()) {
            Some(Choice::Two { forward, reverse }) => {
                prop_assert!(are_disjoint(candidates[forward].relays(), candidates[reverse].relays()));
                prop_assert_eq!(Some(cost(forward, reverse)), least);
            }
            Some(Choice::One(_)) => prop_assert_eq!(least, None),
            None => prop_assert!(candidates.is_empty()),
        }
    }

    #[test]
    fn a_replacement_shares_no_relay_with_the_path_that_stays(
        candidates in candidates(),
        stays in prop::collection::vec(1u32..9, 0..4),
    ) {
        let stays: Vec<NodeId> = stays.into_iter().map(NodeId).collect();
        let is_disjoint = |place: usize| are_disjoint(&stays, candidates[place].relays());
        match choose_replacement(&candidates, &stays, 3, &config()) {
            Some(place) => prop_assert!(is_disjoint(place)),
            None => prop_assert!(!(0..candidates.len()).any(is_disjoint)),
        }
    }
}
