//! Two-ray ground propagation, with free space below the crossover distance.
//!
//! `Pr(d) = Pt h⁴ / d⁴` (Rappaport, Wireless Communications, section 4.6), unit gains, no system
//! loss, both antennas at height h. Pr, Pt: received and transmit power \[W\]; d: distance \[m\].
//! It holds far beyond the crossover `4πh²/λ` (86 m at 914 MHz and 1.5 m), where it meets Friis'
//! formula `Pr(d) = Pt (λ / 4πd)²`, which is used up to there, down to any distance above 0.

use std::f64::consts::PI;

use super::SPEED_OF_LIGHT_MPS;
use super::free_space::friis_w;

/// Two-ray ground path between antennas of equal height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoRayGround {
    transmit_power_w: f64,
    wavelength_m: f64,
    antenna_height_m: f64,
    crossover_m: f64,
}

impl TwoRayGround {
    /// Transmit power \[W\], frequency \[Hz\] and antenna height \[m\], all positive.
    pub fn new(transmit_power_w: f64, frequency_hz: f64, antenna_height_m: f64) -> TwoRayGround {
        let wavelength_m = SPEED_OF_LIGHT_MPS / frequency_hz;
        let crossover_m = 4.0 * PI * antenna_height_m * antenna_height_m / wavelength_m;
        TwoRayGround { transmit_power_w, wavelength_m, antenna_height_m, crossover_m }
    }

    /// Where Friis' law ends and the two-ray law begins \[m\].
    pub fn crossover_m(&self) -> f64 {
        self.crossover_m
    }

    /// Power \[W\] received at `distance_m`; the transmit power itself at distance 0.
    #[inline]
    pub fn received_w(&self, distance_m: f64) -> f64 {
        // The most frequent case first.
        if distance_m > self.crossover_m {
            let ratio = self.antenna_height_m / distance_m;
            self.transmit_power_w * ratio * ratio * ratio * ratio
        } else if distance_m > 0.0 {
            friis_w(self.transmit_power_w, self.wavelength_m, distance_m)
        } else {
            self.transmit_power_w
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wavelan() -> TwoRayGround {
        TwoRayGround::new(0.281_838_15, 914e6, 1.5)
    }

    #[test]
    fn the_classic_thresholds_are_250_and_550_metres() {
        assert!((wavelan().received_w(250.0) / 3.652e-10 - 1.0).abs() < 1e-3);
        assert!((wavelan().received_w(550.0) / 1.559e-11 - 1.0).abs() < 1e-3);
    }

    #[test]
    fn both_laws_meet_at_the_crossover() {
        let path = wavelan();
        let d = path.crossover_m();
        assert!((d - 86.14).abs() < 0.01);
        assert!((path.received_w(d) / path.received_w(d * (1.0 + 1e-9)) - 1.0).abs() < 1e-6);
    }
}
