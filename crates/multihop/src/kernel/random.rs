//! Random streams, one for each purpose and owner, derived from the seed by a frozen rule.
//!
//! `state = SplitMix64 chain over (seed, purpose tag, owner index)`, generator xoshiro256++
//! (Blackman and Vigna 2021). Streams are independent of each other and of how many others exist:
//! adding a node, a flow or a run leaves every other stream bit-identical. The rule, the tags and
//! the sampling methods are part of the results' reproducibility and never change.

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
    /// The shadowing of a link, one stream a pair of nodes.
    Shadowing = 12,
    /// The fading of a link, one stream a pair of nodes and coherence time.
    Fading = 13,
    /// Whether a frame is received in spite of errors, one stream a node and frame.
    Reception = 14,
    /// Which rates are tried, one stream a node.
    RateControl = 15,
    /// What a node's queue management drops or marks, one stream a node.
    QueueManagement = 16,
    /// When access points send beacons and clients begin to search, one stream a station.
    Cells = 17,
    /// Which frames a wire loses, one stream a port.
    Wires = 18,
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

    /// The stream number `index` of `owner` for `purpose`: a draw that does not depend on any drawn
    /// before it.
    // Not inlined: a receiver that draws now and then needs the registers for what it does always.
    #[inline(never)]
    pub fn indexed(seed: u64, purpose: Purpose, owner: u64, index: u64) -> Rng {
        let key = mix(mix(mix(mix(seed) ^ purpose as u64) ^ owner) ^ index);
        Rng(Xoshiro256PlusPlus::seed_from_u64(key))
    }

    /// Normal with mean 0 and variance 1 (G. Box and M. Muller, 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.unit())).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }

    /// Exponential with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.unit())
    }

    /// Gamma with this shape, at least 1/2, and scale 1 (G. Marsaglia and W. Tsang, ACM
    /// Transactions on Mathematical Software 26(3), 2000).
    pub fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            let larger = self.gamma(shape + 1.0);
            return larger * libm::pow(1.0 - self.unit(), 1.0 / shape);
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x) * (1.0 + c * x) * (1.0 + c * x);
            if v > 0.0 && libm::log(1.0 - self.unit()) < 0.5 * x * x + d - d * v + d * libm::log(v)
            {
                return d * v;
            }
        }
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

    /// Mean and variance of many draws.
    fn moments(draw: impl Fn(u64) -> f64) -> (f64, f64) {
        let draws: Vec<f64> = (0..100_000).map(draw).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let squares = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
        (mean, squares / draws.len() as f64)
    }

    #[test]
    fn draws_by_index_have_the_moments_of_their_distributions() {
        let rng = |index| Rng::indexed(5, Purpose::Fading, 9, index);
        for ((mean, variance), (expected_mean, expected_variance)) in [
            (moments(|i| rng(i).normal()), (0.0, 1.0)),
            (moments(|i| rng(i).exponential()), (1.0, 1.0)),
            (moments(|i| rng(i).gamma(0.6)), (0.6, 0.6)),
            (moments(|i| rng(i).gamma(3.0)), (3.0, 3.0)),
        ] {
            // Five standard deviations of the mean, and more for the variance.
            assert!((mean - expected_mean).abs() < 0.03, "{mean}, not {expected_mean}");
            assert!((variance / expected_variance - 1.0).abs() < 0.05, "{variance}");
        }
        assert_eq!(rng(4).unit(), rng(4).unit());
        assert_ne!(rng(4).unit(), Rng::indexed(6, Purpose::Fading, 9, 4).unit());
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
