//! Propagation: the power received at a distance.
//!
//! The models differ in received power, and so in which of two overlapping frames is captured. Who
//! decodes and who senses is given as ranges: the thresholds are the powers at those ranges, and
//! since power never rises with distance, a node is above a threshold exactly when it is within the
//! range. The neighbour grid relies on that, so a model must not rise with distance.

mod free_space;
mod log_distance;
mod two_ray_ground;

pub use free_space::FreeSpace;
pub use log_distance::LogDistance;
pub use two_ray_ground::TwoRayGround;

/// Speed of light as ns-2 has it \[m/s\].
pub const SPEED_OF_LIGHT_MPS: f64 = 3e8;

/// A path loss model with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PathLoss {
    /// Two-ray ground, free space below the crossover.
    TwoRayGround(TwoRayGround),
    /// Free space.
    FreeSpace(FreeSpace),
    /// Log-distance.
    LogDistance(LogDistance),
}

impl PathLoss {
    /// Power \[W\] received at `distance_m`.
    pub fn received_w(&self, distance_m: f64) -> f64 {
        match self {
            PathLoss::TwoRayGround(model) => model.received_w(distance_m),
            PathLoss::FreeSpace(model) => model.received_w(distance_m),
            PathLoss::LogDistance(model) => model.received_w(distance_m),
        }
    }

    /// The largest distance \[m\], at most 100 km, at which at least `power_w` is received.
    pub fn range_m(&self, power_w: f64) -> f64 {
        let (mut near_m, mut far_m) = (0.0, MAX_RANGE_M);
        if self.received_w(far_m) >= power_w {
            return far_m;
        }
        // Halved until the two are neighbours, give or take: 80 times is more than enough.
        for _ in 0..80 {
            let middle_m = f64::midpoint(near_m, far_m);
            match self.received_w(middle_m) >= power_w {
                true => near_m = middle_m,
                false => far_m = middle_m,
            }
        }
        near_m
    }
}

/// Ranges end here.
const MAX_RANGE_M: f64 = 1e5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::radio::RadioConfig;
    use crate::radio::config::Propagation;
    use proptest::prelude::*;

    fn model(propagation: Propagation, exponent: f64) -> PathLoss {
        let is_log_distance = propagation == Propagation::LogDistance;
        let path_loss_exponent = is_log_distance.then_some(exponent);
        RadioConfig { propagation, path_loss_exponent, ..RadioConfig::default() }.path_loss()
    }

    proptest! {
        #[test]
        fn power_never_rises_with_distance(
            near_m in 0.03..3000.0f64,
            farther in 1.0..3.0f64,
            exponent in 1.0..10.0f64,
        ) {
            for propagation in
                [Propagation::TwoRayGround, Propagation::FreeSpace, Propagation::LogDistance]
            {
                let model = model(propagation, exponent);
                let (near_w, far_w) = (model.received_w(near_m), model.received_w(near_m * farther));
                prop_assert!(near_w >= far_w, "{:?}: {} < {}", propagation, near_w, far_w);
                prop_assert!(far_w > 0.0);
            }
        }
    }

    #[test]
    fn the_range_of_a_power_is_where_it_is_received() {
        for propagation in
            [Propagation::TwoRayGround, Propagation::FreeSpace, Propagation::LogDistance]
        {
            let model = model(propagation, 3.0);
            for distance_m in [20.0, 86.0, 250.0, 4e3] {
                let range_m = model.range_m(model.received_w(distance_m));
                assert!((range_m / distance_m - 1.0).abs() < 1e-6, "{propagation:?}: {range_m}");
            }
            assert_eq!(model.range_m(0.0), 1e5);
        }
    }

    #[test]
    fn free_space_and_log_distance_never_exceed_the_transmit_power() {
        let config = RadioConfig::default();
        for propagation in [Propagation::FreeSpace, Propagation::LogDistance] {
            let powers = [0.0, 1e-6, 0.02, 0.03].map(|d| model(propagation, 3.0).received_w(d));
            assert_eq!(powers[..3], [config.transmit_power_w; 3]);
            assert!(powers[3] < config.transmit_power_w);
        }
    }
}
