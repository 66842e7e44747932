//! Error rates by table: the logarithm of the chance that a bit is good, over the signal to noise
//! ratio.

use std::sync::{Mutex, PoisonError};

use crate::radio::Coding;

/// Places for each doubling of the ratio: steps of 0.024 dB.
const PER_OCTAVE: usize = 1 << BITS;
const BITS: u32 = 7;
/// The least ratio in the table, -18 dB, is a power of two; the last is 45 dB.
const FIRST_OCTAVE: i64 = -6;
const OCTAVES: usize = 21;
/// The logarithm of a chance taken for none at all.
const HOPELESS: f64 = -50.0;

/// A logarithm so near 0 that not even the bits of the longest frame add up to anything.
const SURE: f32 = -1e-20;

/// The table of one coding.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve(&'static [f32]);

/// Those that runs have needed so far: to work one out takes as long as many a short run.
static KNOWN: Mutex<Vec<(Coding, Curve)>> = Mutex::new(Vec::new());

impl Curve {
    pub(super) fn of(coding: Coding) -> Curve {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&(_, curve)) = known.iter().find(|(of, _)| *of == coding) {
            return curve;
        }
        let curve = Curve::work_out(coding);
        known.push((coding, curve));
        curve
    }

    fn work_out(coding: Coding) -> Curve {
        let place = |n: usize| {
            let share = ((n % PER_OCTAVE) as f64 + 0.5) / PER_OCTAVE as f64;
            let octave = (n / PER_OCTAVE) as i32 + FIRST_OCTAVE as i32;
            let bad = coding.bit_error_rate((1.0 + share) * 2f64.powi(octave));
            libm::log1p(-bad).max(HOPELESS) as f32
        };
        Curve((0..OCTAVES * PER_OCTAVE).map(place).collect::<Vec<_>>().leak())
    }

    /// The ratio from which on every bit is good.
    pub(super) fn sure_from(&self) -> f64 {
        let step = self.0.iter().rposition(|&ln| ln < SURE).map_or(0, |last| last + 1);
        let octave = (step / PER_OCTAVE) as i32 + FIRST_OCTAVE as i32;
        (1.0 + (step % PER_OCTAVE) as f64 / PER_OCTAVE as f64) * 2f64.powi(octave)
    }

    /// The logarithm of the chance that a bit is good at this ratio, above 0: that of the middle of
    /// its step.
    #[inline]
    pub(super) fn ln_good(&self, ratio: f64) -> f64 {
        // The exponent and the first bits of the fraction count the steps.
        let steps = (ratio.to_bits() >> (52 - BITS)) as i64 - ((1023 + FIRST_OCTAVE) << BITS);
        match self.0.get(steps.max(0) as usize) {
            Some(&ln) => f64::from(ln),
            None => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::radio::{CodeRate, Constellation};

    #[test]
    fn frames_are_sure_from_where_they_are_but_nowhere_below() {
        for coding in [Coding::Dqpsk, Coding::Ofdm(Constellation::Qam16, CodeRate::Half)] {
            let curve = Curve::of(coding);
            let sure = curve.sure_from();
            let bits = 8.0 * 65_535.0;
            assert!(sure.is_finite() && bits * curve.ln_good(sure) > -1e-12);
            assert!(curve.ln_good(0.999 * sure) < f64::from(SURE));
            assert!((1..60).all(|step| curve.ln_good(sure * 1.1f64.powi(step)) >= SURE.into()));
        }
    }

    #[test]
    fn the_table_is_within_a_fortieth_of_a_decibel_of_the_formula() {
        for coding in [
            Coding::Dbpsk,
            Coding::Cck8,
            Coding::Ofdm(Constellation::Bpsk, CodeRate::Half),
            Coding::Ofdm(Constellation::Qam64, CodeRate::FiveSixths),
        ] {
            let curve = Curve::of(coding);
            for step in -700..1500 {
                let ratio = |db: f64| 10f64.powf(db / 10.0);
                let db = f64::from(step) / 50.0;
                let bounds = [-0.025, 0.025]
                    .map(|more| (-coding.bit_error_rate(ratio(db + more))).ln_1p().max(HOPELESS));
                let got = curve.ln_good(ratio(db));
                let (low, high) =
                    (bounds[0] * (1.0 + 1e-6) - 1e-12, bounds[1] * (1.0 - 1e-6) + 1e-12);
                assert!(low <= got && got <= high, "{coding:?} at {db} dB: {got}, not {bounds:?}");
            }
        }
    }

    #[test]
    fn beyond_the_table_all_is_lost_or_good() {
        let curve = Curve::of(Coding::Ofdm(Constellation::Bpsk, CodeRate::Half));
        assert!(curve.ln_good(1e-9) < -10.0);
        assert_eq!(curve.ln_good(1e9), 0.0);
        assert_eq!(curve.ln_good(f64::INFINITY), 0.0);
    }
}
