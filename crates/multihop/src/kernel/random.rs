//! Random streams, one for each purpose and owner, derived from the seed by a frozen rule.
//!
//! `state = SplitMix64 chain over (seed, purpose tag, owner index)`, generator xoshiro256++ (Blackman
//! and Vigna 2021). Streams are independent of each other and of how many others exist: adding a node,
//! a flow or a run leaves every other stream bit-identical. The rule, the tags and the sampling
//! methods are part of the results' reproducibility and never change.

use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::time::Duration;

/// What a stream is used for. The numeric tags are frozen; append only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u64)]
pub enum Purpose {
    /// MAC backoff slots, one stream a node.
    Backoff = 1,
    /// Routing jitter and choices, one stream a node.
    Routing = 2,
    /// A TCP endpoint's random choices (clock phase), one stream a flow.
    Transport = 3,
    /// Application timing, one stream a flow.
    Traffic = 4,
    /// Node placement, one stream a scenario.
    Topology = 5,
    /// Node movement, one stream a node.
    Mobility = 6,
    /// Choice of flow ends, one stream a scenario.
    FlowEnds = 7,
    /// Choices of an idealised scheme's central controller, one stream a run.
    Centre = 8,
    /// When flows start.
    FlowStarts = 9,
    /// When flows of a Poisson process arrive, one stream a table.
    FlowArrivals = 10,
    /// Sizes of files, one stream a table.
    FlowSizes = 11,
}

/// A random stream.
#[derive(Clone, Debug)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// The stream of `owner` (a node, a flow, or 0) for `purpose` in the run with this `seed`.
    pub fn stream(seed: u64, purpose: Purpose, owner: u64) -> Rng {
        let key = mix(mix(mix(seed) ^ purpose as u64) ^ owner);
        Rng(Xoshiro256PlusPlus::seed_from_u64(key))
    }

    /// Uniform on `{0, .., n-1}`; `n` must not be 0. Multiply-shift; the bias is below `n / 2^64`.
    pub fn below(&mut self, n: u32) -> u32 {
        ((u128::from(self.0.next_u64()) * u128::from(n)) >> 64) as u32
    }

    /// Uniform on `[0, 1)` with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform on `[0, limit)`, whole nanoseconds.
    pub fn duration_below(&mut self, limit: Duration) -> Duration {
        Duration::from_nanos(
            ((u128::from(self.0.next_u64()) * u128::from(limit.as_nanos())) >> 64) as u64,
        )
    }
}

/// The SplitMix64 finaliser (Steele, Lea and Flood 2014) after one additive step.
pub const fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(seed: u64, purpose: Purpose, owner: u64) -> [u64; 4] {
        let mut rng = Rng::stream(seed, purpose, owner);
        std::array::from_fn(|_| rng.0.next_u64())
    }

    #[test]
    fn the_derivation_is_frozen() {
        assert_eq!(mix(0), 0xE220_A839_7B1D_CDAF);
        assert_eq!(mix(1), 0x910A_2DEC_8902_5CC1);
    }

    #[test]
    fn streams_differ_by_seed_purpose_and_owner() {
        let base = first(1, Purpose::Backoff, 0);
        assert_eq!(base, first(1, Purpose::Backoff, 0));
        assert_ne!(base, first(2, Purpose::Backoff, 0));
        assert_ne!(base, first(1, Purpose::Routing, 0));
        assert_ne!(base, first(1, Purpose::Backoff, 1));
    }

    #[test]
    fn below_is_uniform_and_in_range() {
        let mut rng = Rng::stream(7, Purpose::Backoff, 3);
        let mut counts = [0u32; 31];
        for _ in 0..310_000 {
            counts[rng.below(31) as usize] += 1;
        }
        // 10 000 expected a cell with s.d. 98: five of them.
        assert!(counts.iter().all(|&c| (9_510..=10_490).contains(&c)), "{counts:?}");
    }

    #[test]
    fn durations_stay_below_the_limit() {
        let mut rng = Rng::stream(7, Purpose::Routing, 3);
        let limit = Duration::from_millis(10);
        let mean = (0..100_000)
            .map(|_| {
                let d = rng.duration_below(limit);
                assert!(d < limit);
                d.as_secs_f64()
            })
            .sum::<f64>()
            / 1e5;
        assert!((mean - 0.005).abs() < 5.0 * 0.01 / 12f64.sqrt() / 1e5f64.sqrt());
    }
}
