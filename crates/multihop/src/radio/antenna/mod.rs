//! Antennas: gain by direction, and where a station's points.
//!
//! - *Omni*: the same gain in every direction.
//! - *Sector*: a main lobe that falls by a square law, horizontally and vertically, down to the
//!   front-to-back ratio (3GPP TR 36.814 V9.2.0, table A.2.1.1-2).
//! - *Dish*: a round aperture (Recommendation ITU-R F.699-8, recommends 2), see [`Dish`].
//! - *Measured*: gains at bearings, linear in decibels between two.
//!
//! Angles are off the direction of the main lobe, in degrees: horizontally clockwise as seen from
//! above, vertically upwards.
//!
//! Deviation: polarisation is left out, and patterns do not change with frequency.

mod dish;

use super::Position;
pub use dish::Dish;

/// What is sent or received in which direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Antenna {
    /// Its shape.
    pub pattern: Pattern,
    /// Gain of the main lobe over an isotropic antenna \[dBi\].
    pub gain_dbi: f64,
}

/// The shape of an antenna's lobes.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// The same in every direction.
    Omni,
    /// A main lobe and a floor.
    Sector(Sector),
    /// A round aperture.
    Dish(Dish),
    /// Bearings off the main lobe \[degrees, 0 to 360, rising\] and how much less than its gain is
    /// sent there \[dB, 0 or less\].
    Measured(Vec<(f64, f64)>),
}

/// A sector antenna (3GPP TR 36.814, table A.2.1.1-2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sector {
    /// Between the directions with half the power, horizontally \[degrees\].
    pub beam_width_deg: f64,
    /// The same vertically \[degrees\].
    pub vertical_beam_width_deg: f64,
    /// How much less goes backwards, and to the sides of the lobe at most \[dB\].
    pub front_to_back_db: f64,
}

/// Attenuation above and below a sector's lobe at most, SLAv \[dB\].
const MOST_VERTICAL_DB: f64 = 20.0;

impl Sector {
    /// Gain over that of the main lobe \[dB\].
    fn relative_db(&self, across_deg: f64, up_deg: f64) -> f64 {
        let square = |angle: f64, width: f64| 12.0 * (angle / width) * (angle / width);
        let horizontal_db = square(across_deg, self.beam_width_deg).min(self.front_to_back_db);
        let vertical_db = square(up_deg, self.vertical_beam_width_deg).min(MOST_VERTICAL_DB);
        -(horizontal_db + vertical_db).min(self.front_to_back_db)
    }
}

impl Antenna {
    /// One with this gain \[dBi\] in every direction; 0: isotropic.
    pub fn omni(gain_dbi: f64) -> Antenna {
        Antenna { pattern: Pattern::Omni, gain_dbi }
    }

    /// The gain \[dBi\] at these angles off the main lobe \[degrees\]: across within 180 of 0, up
    /// within 90.
    pub fn gain_dbi(&self, across_deg: f64, up_deg: f64) -> f64 {
        match &self.pattern {
            Pattern::Omni => self.gain_dbi,
            Pattern::Sector(sector) => self.gain_dbi + sector.relative_db(across_deg, up_deg),
            Pattern::Dish(dish) => dish.gain_dbi(off_axis_deg(across_deg, up_deg)),
            Pattern::Measured(points) => self.gain_dbi + between(points, across_deg),
        }
    }
}

/// The angle between the main lobe and a direction \[degrees\].
fn off_axis_deg(across_deg: f64, up_deg: f64) -> f64 {
    let cosine = libm::cos(across_deg.to_radians()) * libm::cos(up_deg.to_radians());
    libm::acos(cosine.clamp(-1.0, 1.0)).to_degrees()
}

/// The relative gain \[dB\] at `across_deg` by the `points` to both sides of it, all around.
fn between(points: &[(f64, f64)], across_deg: f64) -> f64 {
    let bearing = across_deg.rem_euclid(360.0);
    let next = points.partition_point(|&(at, _)| at <= bearing);
    let (last, first) = (points[points.len() - 1], points[0]);
    let (from, from_db) = if next == 0 { (last.0 - 360.0, last.1) } else { points[next - 1] };
    let (to, to_db) = points.get(next).copied().unwrap_or((first.0 + 360.0, first.1));
    from_db + (to_db - from_db) * (bearing - from) / (to - from)
}

/// Where a station's antenna is above the ground, and where it points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Aim {
    /// Clockwise from north \[degrees\].
    pub bearing_deg: f64,
    /// Downwards from the horizon \[degrees\].
    pub tilt_deg: f64,
    /// Above the ground \[m\].
    pub height_m: f64,
}

impl Aim {
    /// The gain \[dBi\] of `antenna`, aimed so at `here`, towards a point at `there`,
    /// `there_height_m` above the same ground. Straight up where both are one point.
    pub fn gain_dbi(
        &self,
        antenna: &Antenna,
        here: &Position,
        there: &Position,
        there_height_m: f64,
    ) -> f64 {
        let (east_m, north_m) = (there.x_m - here.x_m, there.y_m - here.y_m);
        let across_deg = bearing_deg(here, there) - self.bearing_deg;
        let rise_m = there_height_m - self.height_m;
        let up_deg = libm::atan2(rise_m, libm::hypot(east_m, north_m)).to_degrees();
        let across_deg = (across_deg + 180.0).rem_euclid(360.0) - 180.0;
        antenna.gain_dbi(across_deg, (up_deg + self.tilt_deg).clamp(-90.0, 90.0))
    }
}

/// The bearing of `there` from `here`, clockwise from north \[degrees, -180 to 180\].
pub fn bearing_deg(here: &Position, there: &Position) -> f64 {
    libm::atan2(there.x_m - here.x_m, there.y_m - here.y_m).to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sector() -> Antenna {
        let sector =
            Sector { beam_width_deg: 70.0, vertical_beam_width_deg: 10.0, front_to_back_db: 25.0 };
        Antenna { pattern: Pattern::Sector(sector), gain_dbi: 14.0 }
    }

    fn dish() -> Antenna {
        Antenna { pattern: Pattern::Dish(Dish::with_gain(23.0)), gain_dbi: 23.0 }
    }

    #[test]
    fn a_sector_has_half_the_power_at_the_edges_of_its_beam() {
        let antenna = sector();
        for (across, up, gain_dbi) in [
            (0.0, 0.0, 14.0),
            (35.0, 0.0, 11.0),
            (-35.0, 0.0, 11.0),
            (0.0, 5.0, 11.0),
            (35.0, -5.0, 8.0),
            // 12 (20/10)² is more than SLAv; both together are never below the back.
            (0.0, 20.0, -6.0),
            (180.0, 0.0, -11.0),
            (180.0, 20.0, -11.0),
        ] {
            assert!((antenna.gain_dbi(across, up) - gain_dbi).abs() < 1e-12, "{across} {up}");
        }
    }

    #[test]
    fn a_measured_pattern_is_linear_between_its_points_and_closes_behind() {
        let points = vec![(0.0, 0.0), (90.0, -10.0), (180.0, -30.0)];
        let antenna = Antenna { pattern: Pattern::Measured(points), gain_dbi: 9.0 };
        for (across, gain_dbi) in
            [(0.0, 9.0), (45.0, 4.0), (90.0, -1.0), (180.0, -21.0), (-180.0, -21.0), (-90.0, -6.0)]
        {
            assert!((antenna.gain_dbi(across, 0.0) - gain_dbi).abs() < 1e-12, "{across}");
        }
        // The first point need not be at 0.
        let points = vec![(10.0, 0.0), (350.0, -4.0)];
        let antenna = Antenna { pattern: Pattern::Measured(points), gain_dbi: 0.0 };
        assert!((antenna.gain_dbi(0.0, 0.0) + 2.0).abs() < 1e-12);
        assert!((antenna.gain_dbi(-5.0, 0.0) + 3.0).abs() < 1e-12);
    }

    #[test]
    fn bearings_are_clockwise_from_north() {
        let here = Position { x_m: 100.0, y_m: 100.0 };
        for (x_m, y_m, bearing) in
            [(100.0, 200.0, 0.0), (200.0, 200.0, 45.0), (200.0, 100.0, 90.0), (0.0, 100.0, -90.0)]
        {
            assert!((bearing_deg(&here, &Position { x_m, y_m }) - bearing).abs() < 1e-12);
        }
        assert!(
            (bearing_deg(&here, &Position { x_m: 100.0, y_m: 0.0 }).abs() - 180.0).abs() < 1e-12
        );
    }

    #[test]
    fn height_and_tilt_are_off_the_main_lobe() {
        let (here, there) = (Position { x_m: 0.0, y_m: 0.0 }, Position { x_m: 100.0, y_m: 0.0 });
        let level = Aim { bearing_deg: 90.0, tilt_deg: 0.0, height_m: 30.0 };
        // 100 m away and 10 m lower is 5.71 degrees down: 12 (5.71/10)² = 3.91 dB.
        let gain = level.gain_dbi(&sector(), &here, &there, 20.0);
        assert!((gain - (14.0 - 3.913)).abs() < 1e-3, "{gain}");
        let down = Aim { tilt_deg: 5.710_593, ..level };
        assert!((down.gain_dbi(&sector(), &here, &there, 20.0) - 14.0).abs() < 1e-9);
        // The same through the way behind: 270 from a bearing of 90 is the back.
        let behind = Aim { bearing_deg: -90.0, ..level };
        assert!((behind.gain_dbi(&sector(), &here, &there, 30.0) + 11.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn nothing_is_more_than_the_main_lobe_and_left_is_as_right(
            across in -180.0..180.0f64,
            up in -90.0..90.0f64,
        ) {
            for antenna in [sector(), dish()] {
                let gain_dbi = antenna.gain_dbi(across, up);
                prop_assert!(gain_dbi <= antenna.gain_dbi + 1e-12);
                prop_assert!((gain_dbi - antenna.gain_dbi(-across, -up)).abs() < 1e-9);
            }
        }
    }
}
