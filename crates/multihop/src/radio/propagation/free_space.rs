//! Free-space propagation.
//!
//! `Pr(d) = Pt (λ / 4πd)²` (Friis, "A note on a simple transmission formula", Proceedings of the
//! IRE 34(5), 1946), with unit gains and no system loss. Pr, Pt: received and transmit power \[W\];
//! λ: wavelength \[m\]; d: distance \[m\].
//!
//! Valid in the far field, many wavelengths away. Below `λ / 4π` (2.6 cm at 914 MHz), where the
//! formula would receive more than was sent, the received power is the transmit power.

use std::f64::consts::PI;

use super::SPEED_OF_LIGHT_MPS;

/// Free space between antennas of unit gain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeSpace {
    transmit_power_w: f64,
    wavelength_m: f64,
}

impl FreeSpace {
    /// Transmit power \[W\] and frequency \[Hz\], both positive.
    pub fn new(transmit_power_w: f64, frequency_hz: f64) -> FreeSpace {
        FreeSpace { transmit_power_w, wavelength_m: SPEED_OF_LIGHT_MPS / frequency_hz }
    }

    /// Power \[W\] received at `distance_m`.
    pub fn received_w(&self, distance_m: f64) -> f64 {
        // At distance 0 the formula is infinite, and the minimum still the transmit power.
        friis_w(self.transmit_power_w, self.wavelength_m, distance_m).min(self.transmit_power_w)
    }
}

/// Friis' formula as it stands.
#[inline]
pub(super) fn friis_w(transmit_power_w: f64, wavelength_m: f64, distance_m: f64) -> f64 {
    let ratio = wavelength_m / (4.0 * PI * distance_m);
    transmit_power_w * ratio * ratio
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_is_that_of_the_textbook() {
        // 20 log10(d km) + 20 log10(f MHz) + 32.45 dB, with the speed of light rounded to 3e8 m/s.
        let path = FreeSpace::new(0.1, 2.4e9);
        for distance_m in [1.0, 37.5, 1000.0, 20e3] {
            let loss_db = 10.0 * (0.1 / path.received_w(distance_m)).log10();
            let textbook_db = 20.0 * (distance_m / 1e3).log10() + 20.0 * 2400f64.log10() + 32.45;
            assert!((loss_db - textbook_db).abs() < 0.02, "{distance_m} m: {loss_db} dB");
        }
    }

    #[test]
    fn twice_as_far_is_a_quarter_of_the_power() {
        let path = FreeSpace::new(0.281_838_15, 914e6);
        assert!((path.received_w(200.0) / path.received_w(400.0) - 4.0).abs() < 1e-12);
    }
}
