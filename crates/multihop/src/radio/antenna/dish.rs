//! The gain of a dish (Recommendation ITU-R F.699-8, recommends 2: apertures of up to 100
//! wavelengths, from 1 to 70 GHz).
//!
//! With D/λ the diameter in wavelengths and φ the angle off the axis in degrees:
//!
//! - main lobe, up to φm: `Gmax - 2.5e-3 (D/λ φ)²`;
//! - first side lobe, up to `100 λ/D`: `G1 = 2 + 15 log D/λ`;
//! - side lobes, up to 48°: `52 - 10 log D/λ - 25 log φ`;
//! - behind: `10 - 10 log D/λ`;
//!
//! where `φm = 20 λ/D sqrt(Gmax - G1)`, and `20 log D/λ = Gmax - 7.7` where the diameter is not
//! known (note 3 there). Between the main lobe and 48° the gain never rises above what is nearer to
//! the axis: small dishes have no place for all of the pieces.

/// A round aperture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dish {
    gain_dbi: f64,
    /// Diameter in wavelengths.
    diameter: f64,
}

impl Dish {
    /// With this gain of its main lobe \[dBi\], whose diameter follows.
    pub fn with_gain(gain_dbi: f64) -> Dish {
        Dish { gain_dbi, diameter: libm::pow(10.0, (gain_dbi - 7.7) / 20.0) }
    }

    /// The gain \[dBi\] of a dish whose beam is so wide \[degrees\]: the formula of the main lobe
    /// backwards, with 3 dB at half the width.
    pub fn gain_of_beam(beam_width_deg: f64) -> f64 {
        let diameter = (3.0 / 2.5e-3f64).sqrt() / (beam_width_deg / 2.0);
        7.7 + 20.0 * libm::log10(diameter)
    }

    /// Gain \[dBi\] at this angle off the axis \[degrees, 0 to 180\].
    pub fn gain_dbi(&self, off_axis_deg: f64) -> f64 {
        let (diameter, peak_dbi) = (self.diameter, self.gain_dbi);
        let decades = libm::log10(diameter);
        let side_dbi = 2.0 + 15.0 * decades;
        let back_dbi = (10.0 - 10.0 * decades).min(peak_dbi);
        let main_lobe_deg = 20.0 / diameter * (peak_dbi - side_dbi).max(0.0).sqrt();
        let slope = diameter * off_axis_deg;
        let near_dbi = peak_dbi - 2.5e-3 * slope * slope;
        if off_axis_deg < main_lobe_deg {
            return near_dbi.max(back_dbi);
        }
        let at_edge_dbi = side_dbi.min(peak_dbi);
        let far_dbi = match off_axis_deg {
            angle if angle < 100.0 / diameter => side_dbi,
            angle if angle < 48.0 => 52.0 - 10.0 * decades - 25.0 * libm::log10(angle),
            _ => back_dbi,
        };
        far_dbi.min(at_edge_dbi).max(back_dbi)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_pieces_of_a_dish_of_40_wavelengths_are_those_of_the_recommendation() {
        // 20 log 40 + 7.7 = 39.74 dBi; log 40 = 1.60206.
        let dish = Dish::with_gain(7.7 + 20.0 * 40f64.log10());
        for (angle, gain_dbi) in [
            (0.0, 39.741),
            // 2.5e-3 (40 · 0.5)² = 1.
            (0.5, 38.741),
            // G1 = 2 + 15 · 1.60206, from φm = 0.5 sqrt(39.741 - 26.031) = 1.851° to 2.5°.
            (1.85, 26.051),
            (2.0, 26.031),
            // 52 - 16.0206 - 25 log 10.
            (10.0, 10.979),
            (47.0, -5.823),
            (90.0, -6.021),
            (180.0, -6.021),
        ] {
            assert!(
                (dish.gain_dbi(angle) - gain_dbi).abs() < 2e-3,
                "{angle}: {}",
                dish.gain_dbi(angle)
            );
        }
    }

    #[test]
    fn a_beam_has_half_the_power_at_its_edges() {
        for width in [3.0, 7.5, 20.0] {
            let dish = Dish::with_gain(Dish::gain_of_beam(width));
            let fall_db = dish.gain_dbi(0.0) - dish.gain_dbi(width / 2.0);
            assert!((fall_db - 3.0).abs() < 1e-9, "{width}: {fall_db}");
        }
    }

    proptest! {
        #[test]
        fn gain_never_rises_away_from_the_axis(
            gain_dbi in 8.0..48.0f64,
            angle in 0.0..180.0f64,
            more in 0.0..180.0f64,
        ) {
            let dish = Dish::with_gain(gain_dbi);
            let [near, far] = [angle, (angle + more).min(180.0)].map(|angle| dish.gain_dbi(angle));
            prop_assert!(near >= far - 1e-9, "{near} at {angle}, then {far}");
        }
    }
}
