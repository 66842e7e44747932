//! Bit errors of DSSS and CCK, by the ratio of signal to noise in the chips' bandwidth.
//!
//! 1 and 2 Mbit/s: differential detection in white noise (J. Proakis, Digital Communications,
//! section on differential PSK), with `Eb/N0 = S/N · B/R`; B, the noise's bandwidth; R, the bit
//! rate. DQPSK is the approximation that is tight at low error rates.
//!
//! 5.5 and 11 Mbit/s: the sum over the code words at each distance, of which a symbol's word can be
//! taken for one (IEEE Std 802.15.2-2003, annex on the coexistence of 802.11b); half of a wrong
//! symbol's bits are wrong, `2^(k-1) / (2^k - 1)` of them to be exact.

use std::f64::consts::{PI, SQRT_2};

use super::q;

/// Noise bandwidth \[MHz\].
const BANDWIDTH_MHZ: f64 = 22.0;

pub(super) fn dbpsk(snr: f64) -> f64 {
    0.5 * libm::exp(-snr * BANDWIDTH_MHZ)
}

pub(super) fn dqpsk(snr: f64) -> f64 {
    let bit = snr * BANDWIDTH_MHZ / 2.0;
    let slope = (SQRT_2 + 1.0) / (8.0 * PI * SQRT_2).sqrt();
    (slope / bit.sqrt() * libm::exp(-(2.0 - SQRT_2) * bit)).min(0.5)
}

pub(super) fn cck4(snr: f64) -> f64 {
    8.0 / 15.0 * words(snr, &[(14.0, 8.0), (1.0, 16.0)])
}

pub(super) fn cck8(snr: f64) -> f64 {
    let distances =
        [(24.0, 4.0), (16.0, 6.0), (174.0, 8.0), (16.0, 10.0), (24.0, 12.0), (1.0, 16.0)];
    128.0 / 255.0 * words(snr, &distances)
}

/// The error rate of a symbol: how many words there are, and their distances.
fn words(snr: f64, distances: &[(f64, f64)]) -> f64 {
    distances.iter().map(|(count, distance)| count * q((distance * snr).sqrt())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked out with mpmath 1.4 at 50 digits from the formulas as published.
    #[test]
    fn bit_errors_are_those_of_the_published_formulas() {
        for (rate, snr_db, expected) in EXPECTED {
            let got = rate(10f64.powf(snr_db / 10.0));
            assert!((got / expected - 1.0).abs() < 1e-9, "{snr_db} dB: {got}");
        }
        type Case = (fn(f64) -> f64, f64, f64);
        const EXPECTED: [Case; 6] = [
            (dbpsk, -3.0, 8.13555724164e-6),
            (dbpsk, 0.0, 1.39473404643e-10),
            (dqpsk, 1.0, 3.26341403598e-5),
            (cck4, 2.0, 0.00138055124017),
            (cck8, 5.0, 0.00233805813352),
            (cck8, 7.0, 4.56811424777e-5),
        ];
    }
}
