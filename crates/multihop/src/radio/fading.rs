//! Shadowing and fading: what the mean power at a distance leaves out.
//!
//! *Shadowing* is fixed for a link and the same both ways: a number of decibels, normally
//! distributed with mean 0 (Rappaport, Wireless Communications, section on log-normal shadowing).
//!
//! *Fading* multiplies the power of a frame by a factor of mean 1, which stays the same on a link,
//! both ways, for a coherence time and is independent from one to the next (block fading):
//!
//! - Rayleigh: no path stands out; the factor is exponentially distributed.
//! - Rician: a direct path carries K times the power of all others together.
//! - Nakagami: gamma distributed with shape m and mean 1 (M. Nakagami, 1960); m = 1 is Rayleigh.
//!
//! Each draw is a function of the run's seed, the pair of nodes and the number of the coherence
//! time: it does not depend on who sends first, or on what else is sent.

use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::wire::NodeId;

/// How the power of frames varies around a link's mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fading {
    /// No direct path.
    Rayleigh,
    /// A direct path with this many times the power of the others.
    Rician(f64),
    /// Of this shape.
    Nakagami(f64),
}

/// Draws the fading of links.
#[derive(Clone, Debug)]
pub struct Fades {
    fading: Fading,
    coherence: Duration,
    seed: u64,
    /// What was drawn last for the pairs of each place: a coherence time has many frames.
    drawn: Box<[Drawn; PLACES]>,
}

/// Of what is drawn, so much is kept. No two of 64 nodes' pairs share a place.
const PLACES: usize = 1 << 12;

/// The factor of a pair of nodes in a coherence time.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    pair: u64,
    block: u64,
    factor: f64,
}

impl Fades {
    /// Links fade like this and stay as they are for `coherence`, above 0; `seed` is the run's.
    pub fn new(fading: Fading, coherence: Duration, seed: u64) -> Fades {
        let none = Drawn { pair: u64::MAX, block: u64::MAX, factor: 1.0 };
        Fades { fading, coherence, seed, drawn: Box::new([none; PLACES]) }
    }

    /// The number of the coherence time that `now` is in.
    #[inline]
    pub fn block(&self, now: Instant) -> u64 {
        now.as_nanos() / self.coherence.as_nanos()
    }

    /// The factor of the power between two nodes in the coherence time of this number.
    #[inline]
    pub fn factor(&mut self, a: NodeId, b: NodeId, block: u64) -> f64 {
        let pair = pair(a, b);
        let place = ((pair >> 26) ^ pair) as usize % PLACES;
        let last = &self.drawn[place];
        if last.pair == pair && last.block == block {
            return last.factor;
        }
        let factor = self.draw(pair, block);
        self.drawn[place] = Drawn { pair, block, factor };
        factor
    }

    #[inline(never)]
    fn draw(&self, pair: u64, block: u64) -> f64 {
        let mut rng = Rng::indexed(self.seed, Purpose::Fading, pair, block);
        match self.fading {
            Fading::Rayleigh => rng.exponential(),
            Fading::Rician(k) => {
                let spread = (0.5 / (k + 1.0)).sqrt();
                let in_phase = (k / (k + 1.0)).sqrt() + spread * rng.normal();
                let quadrature = spread * rng.normal();
                in_phase * in_phase + quadrature * quadrature
            }
            Fading::Nakagami(m) => rng.gamma(m) / m,
        }
    }
}

/// The factor of a link's power by shadowing with this standard deviation \[dB\].
pub fn shadowing(seed: u64, deviation_db: f64, a: NodeId, b: NodeId) -> f64 {
    if deviation_db == 0.0 {
        return 1.0;
    }
    let mut rng = Rng::indexed(seed, Purpose::Shadowing, pair(a, b), 0);
    libm::pow(10.0, deviation_db * rng.normal() / 10.0)
}

/// One number for two nodes, in either order.
fn pair(a: NodeId, b: NodeId) -> u64 {
    let (low, high) = (a.0.min(b.0), a.0.max(b.0));
    u64::from(high) << 32 | u64::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: NodeId = NodeId(3);
    const B: NodeId = NodeId(8);

    fn fades(fading: Fading) -> Fades {
        Fades::new(fading, Duration::from_millis(10), 4)
    }

    fn factors(fading: Fading) -> Vec<f64> {
        let mut fades = fades(fading);
        (0..50_000).map(|block| fades.factor(A, B, block)).collect()
    }

    #[test]
    fn a_link_is_the_same_both_ways_within_a_coherence_time() {
        let mut fades = fades(Fading::Rayleigh);
        let mut factor = |a, b, ms: f64| {
            let block = fades.block(Instant::from_secs_f64(ms / 1e3));
            fades.factor(a, b, block)
        };
        assert_eq!(factor(A, B, 20.0), factor(B, A, 29.999));
        assert_ne!(factor(A, B, 20.0), factor(A, B, 30.0));
        assert_ne!(factor(A, B, 20.0), factor(A, NodeId(9), 20.0));
        assert_eq!(shadowing(4, 6.0, A, B), shadowing(4, 6.0, B, A));
        assert_ne!(shadowing(4, 6.0, A, B), shadowing(5, 6.0, A, B));
        assert_eq!(shadowing(4, 0.0, A, B), 1.0);
    }

    #[test]
    fn fading_keeps_the_mean_and_varies_as_its_distribution() {
        // Variances of the power: 1; (2K + 1) / (K + 1)²; 1 / m.
        for (fading, variance) in [
            (Fading::Rayleigh, 1.0),
            (Fading::Rician(4.0), 9.0 / 25.0),
            (Fading::Nakagami(1.0), 1.0),
            (Fading::Nakagami(0.5), 2.0),
            (Fading::Nakagami(3.0), 1.0 / 3.0),
        ] {
            let factors = factors(fading);
            let count = factors.len() as f64;
            let mean = factors.iter().sum::<f64>() / count;
            let spread = factors.iter().map(|f| (f - mean) * (f - mean)).sum::<f64>() / count;
            assert!((mean - 1.0).abs() < 0.03, "{fading:?}: {mean}");
            assert!((spread / variance - 1.0).abs() < 0.1, "{fading:?}: {spread}");
        }
    }

    #[test]
    fn a_factor_depends_on_none_that_was_drawn_before() {
        let mut used = fades(Fading::Rayleigh);
        for block in 0..3 {
            for (a, b) in (0..200).flat_map(|a| (0..a).map(move |b| (NodeId(a), NodeId(b)))) {
                let alone = used.draw(pair(a, b), block);
                assert_eq!(used.factor(a, b, block), alone, "{a:?}, {b:?}, {block}");
                assert_eq!(used.factor(b, a, block), alone, "kept: {a:?}, {b:?}, {block}");
            }
        }
    }

    #[test]
    fn rayleigh_fades_are_as_deep_as_an_exponential_distribution_has_them() {
        // 10 dB below the mean or deeper: 1 - exp(-0.1) = 9.5 %.
        let factors = factors(Fading::Rayleigh);
        let deep = factors.iter().filter(|&&factor| factor < 0.1).count() as f64;
        assert!((deep / factors.len() as f64 - 0.0952).abs() < 0.007);
    }

    #[test]
    fn shadowing_has_the_deviation_asked_for() {
        let decibels: Vec<f64> =
            (0..20_000).map(|b| 10.0 * shadowing(1, 8.0, A, NodeId(b + 10)).log10()).collect();
        let mean = decibels.iter().sum::<f64>() / 20_000.0;
        let square = decibels.iter().map(|db| db * db).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.3 && (square.sqrt() - 8.0).abs() < 0.2, "{mean}, {}", square.sqrt());
    }
}
