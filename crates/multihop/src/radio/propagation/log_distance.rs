//! Log-distance path loss.
//!
//! `Pr(d) = Pr(d0) (d0 / d)^n` beyond the reference distance, free space up to it (Rappaport,
//! Wireless Communications, section on the log-distance path loss model). Pr: received power \[W\];
//! d: distance \[m\]; d0: reference distance, 1 m; n: path loss exponent. Shadowing is
//! `fading.rs`'s.
//!
//! n is 2 in free space, 2.7 to 3.5 in a city, 4 to 6 inside buildings without line of sight, 1.6
//! to 1.8 along corridors (the same book's table of exponents). The formula holds in the far field
//! of the antenna; where 1 m is not in it (below about 24 MHz, `λ / 4π` is longer than that), the
//! reference power is at most the transmit power, as free space has it.

use super::FreeSpace;

/// Where free space ends and the exponent begins to count \[m\].
const REFERENCE_M: f64 = 1.0;

/// Power that falls with a given exponent of distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogDistance {
    free_space: FreeSpace,
    reference_w: f64,
    exponent: f64,
}

impl LogDistance {
    /// Transmit power \[W\], frequency \[Hz\] and path loss exponent, all positive.
    pub fn new(transmit_power_w: f64, frequency_hz: f64, exponent: f64) -> LogDistance {
        let free_space = FreeSpace::new(transmit_power_w, frequency_hz);
        LogDistance { free_space, reference_w: free_space.received_w(REFERENCE_M), exponent }
    }

    /// Power \[W\] received at `distance_m`.
    pub fn received_w(&self, distance_m: f64) -> f64 {
        if distance_m <= REFERENCE_M {
            self.free_space.received_w(distance_m)
        } else {
            self.reference_w * (REFERENCE_M / distance_m).powf(self.exponent)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_times_as_far_costs_ten_n_decibels() {
        for exponent in [1.6, 2.0, 3.0, 4.7] {
            let path = LogDistance::new(0.281_838_15, 914e6, exponent);
            let ratio_db = 10.0 * (path.received_w(25.0) / path.received_w(250.0)).log10();
            assert!((ratio_db - 10.0 * exponent).abs() < 1e-9, "{exponent}: {ratio_db} dB");
        }
    }

    #[test]
    fn the_power_at_one_metre_is_that_of_free_space() {
        let (free, path) = (FreeSpace::new(0.1, 2.4e9), LogDistance::new(0.1, 2.4e9, 3.0));
        // 40.05 dB at 2.4 GHz.
        assert!((10.0 * (0.1 / path.received_w(1.0)).log10() - 40.05).abs() < 0.01);
        assert_eq!(path.received_w(0.5), free.received_w(0.5));
        assert!((path.received_w(1.0 + 1e-9) / free.received_w(1.0) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn exponent_2_is_free_space() {
        let (free, path) = (FreeSpace::new(0.1, 914e6), LogDistance::new(0.1, 914e6, 2.0));
        for distance_m in [0.3, 1.0, 80.0, 550.0] {
            assert!(
                (path.received_w(distance_m) / free.received_w(distance_m) - 1.0).abs() < 1e-12
            );
        }
    }
}
