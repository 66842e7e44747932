//! The choice among candidate paths (sections III-A and III-B).

use std::cmp::Ordering;

use super::config::{
    Adjacent, CopasConfig, ForwardPath, PairChoice, PathContention, PathMetric, Paths,
};
use crate::wire::NodeId;
use crate::wire::dsr::Path;

/// A candidate: the path of a copy of the request.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// From the originator to the last node before the target.
    pub asked: Path,
    /// The contention of each relay.
    pub contention: Vec<f32>,
}

/// The indices of the paths chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// One path for all packets.
    One(usize),
    /// Two paths that share no relay.
    Two {
        /// For data.
        forward: usize,
        /// For acknowledgments.
        reverse: usize,
    },
}

impl Choice {
    /// The indices of the paths for data and for acknowledgments.
    pub fn places(self) -> [Option<usize>; 2] {
        match self {
            Choice::One(place) => [Some(place); 2],
            Choice::Two { forward, reverse } => [Some(forward), Some(reverse)],
        }
    }
}

impl Candidate {
    /// The relays of the path.
    pub fn relays(&self) -> &[NodeId] {
        &self.asked[1..]
    }

    /// Its length in hops.
    pub fn hops(&self) -> usize {
        self.asked.len()
    }

    fn sum(&self) -> f64 {
        self.contention.iter().copied().map(f64::from).sum()
    }
}

/// Whether two paths, given by their relays, share no relay.
pub fn are_disjoint(a: &[NodeId], b: &[NodeId]) -> bool {
    !a.iter().any(|relay| b.contains(relay))
}

/// A path's contention, computed from its relays'; none if it has no relay.
pub fn path_contention(relays: &[f32], measure: PathContention) -> Option<f32> {
    let sum: f32 = relays.iter().sum();
    let greatest = relays.iter().copied().max_by(f32::total_cmp)?;
    Some(match measure {
        PathContention::Mean => sum / relays.len() as f32,
        PathContention::Maximum => greatest,
    })
}

/// The paths chosen for a connection among `candidates`, in order of arrival; none if there are
/// none.
pub fn choose(candidates: &[Candidate], config: &CopasConfig) -> Option<Choice> {
    let best = least(candidates, config, |_| true)?;
    if config.paths == Paths::Common {
        return Some(Choice::One(best));
    }
    let direct = candidates.iter().position(|candidate| candidate.relays().is_empty());
    if let (Some(direct), Adjacent::Direct) = (direct, config.copas_adjacent) {
        return Some(Choice::One(direct));
    }
    let pair = match config.pair_choice {
        PairChoice::LeastTotal => least_pair(candidates, config),
        PairChoice::LeastFirst => {
            let first = candidates[best].relays();
            let is_disjoint = |other: &Candidate| are_disjoint(first, other.relays());
            least(candidates, config, |other| other != &candidates[best] && is_disjoint(other))
                .map(|second| (best, second))
        }
    };
    let Some((less, more)) = pair else { return Some(Choice::One(best)) };
    Some(match config.forward_path {
        ForwardPath::LeastContended => Choice::Two { forward: less, reverse: more },
        ForwardPath::MostContended => Choice::Two { forward: more, reverse: less },
    })
}

/// The path that replaces one of `old_hops` hops, among those that share no relay with `stays`: the
/// least contended of similar length, or else of all.
pub fn choose_replacement(
    candidates: &[Candidate],
    stays: &[NodeId],
    old_hops: usize,
    config: &CopasConfig,
) -> Option<usize> {
    let is_disjoint = |candidate: &Candidate| are_disjoint(stays, candidate.relays());
    let is_similar = |candidate: &Candidate| is_similar(candidate.hops(), old_hops, config);
    least(candidates, config, |candidate| is_disjoint(candidate) && is_similar(candidate))
        .or_else(|| least(candidates, config, is_disjoint))
}

/// The path in the place of a broken one, and whether it is for all packets: the direct link if
/// neighbours use that both ways, or else the best of those whose relays are none of `stays`.
pub fn choose_beside(
    candidates: &[Candidate],
    stays: &[NodeId],
    config: &CopasConfig,
) -> Option<(usize, bool)> {
    let direct = candidates.iter().position(|candidate| candidate.relays().is_empty());
    if let (Some(direct), Adjacent::Direct) = (direct, config.copas_adjacent) {
        return Some((direct, true));
    }
    let is_disjoint = |candidate: &Candidate| are_disjoint(stays, candidate.relays());
    Some((least(candidates, config, is_disjoint)?, false))
}

/// Whether two paths with these hops are of similar length.
pub fn is_similar(hops: usize, old_hops: usize, config: &CopasConfig) -> bool {
    hops.abs_diff(old_hops) <= usize::from(config.similar_hops)
}

/// The best candidate among those `wanted`.
fn least(
    candidates: &[Candidate],
    config: &CopasConfig,
    wanted: impl Fn(&Candidate) -> bool,
) -> Option<usize> {
    let rank = |place: usize| rank(&[&candidates[place]], config);
    (0..candidates.len())
        .filter(|&place| wanted(&candidates[place]))
        .min_by(|&a, &b| compare(rank(a), rank(b)))
}

/// The best two candidates that share no relay, the better first.
fn least_pair(candidates: &[Candidate], config: &CopasConfig) -> Option<(usize, usize)> {
    let places = 0..candidates.len();
    let pairs = places.clone().flat_map(|a| (a + 1..places.end).map(move |b| (a, b)));
    let disjoint =
        pairs.filter(|&(a, b)| are_disjoint(candidates[a].relays(), candidates[b].relays()));
    let rank_pair = |(a, b): (usize, usize)| rank(&[&candidates[a], &candidates[b]], config);
    let (a, b) = disjoint.min_by(|&one, &other| compare(rank_pair(one), rank_pair(other)))?;
    let [first, second] = [a, b].map(|place| rank(&[&candidates[place]], config));
    Some(if compare(first, second).is_le() { (a, b) } else { (b, a) })
}

/// Total contention and hops: lower is better, and of equals the one that arrived first.
fn rank(paths: &[&Candidate], config: &CopasConfig) -> (f64, usize) {
    let contention = match config.path_metric {
        PathMetric::Contention => paths.iter().map(|path| path.sum()).sum(),
        PathMetric::Hops => 0.0,
    };
    (contention, paths.iter().map(|path| path.hops()).sum())
}

fn compare(one: (f64, usize), other: (f64, usize)) -> Ordering {
    one.0.total_cmp(&other.0).then(one.1.cmp(&other.1))
}
