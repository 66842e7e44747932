//! How much of a transmission falls into a receiver that is tuned to another channel.
//!
//! A signal has the shape of its PHY's transmit spectrum mask, the most that the standard allows:
//! flat, then falling linearly in decibels from point to point, at last level. A receiver's filter
//! is ideal: it takes all within half its width of its centre, and nothing else. Radios that leak less
//! than they may are better than this, filters with slopes are worse.
//!
//! Masks: IEEE Std 802.11-2020, 16.3.7.4 (DSSS), 17.3.9.3 (OFDM), 19.3.18.1 (HT), 21.3.17.1 (VHT);
//! 802.11ax-2021, 27.3.19.1 (HE).

/// The level of a signal by distance from its centre.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    /// Distance from the centre \[MHz\] and level there over that of the centre, a ratio; nearest
    /// first. Two at one distance are a step.
    points: Vec<(f64, f64)>,
}

impl Mask {
    /// That of DSSS and HR/DSSS, 22 MHz wide.
    pub fn dsss() -> Mask {
        Mask::through(&[(11.0, 0.0), (11.0, -30.0), (22.0, -30.0), (22.0, -50.0)])
    }

    /// That of OFDM in a channel of `width_mhz`, as 802.11a, g, n and ac have it, whose level far
    /// away is `floor_dbr` \[dB\].
    pub fn ofdm(width_mhz: f64, floor_dbr: f64) -> Mask {
        Mask::with_edge(width_mhz, (-1.0, 1.0), floor_dbr)
    }

    /// That of 802.11ax, whose edges are steeper.
    pub fn he(width_mhz: f64) -> Mask {
        Mask::with_edge(width_mhz, (-0.25, 0.5), -40.0)
    }

    /// A mask that falls by 20 dB from `edge.0` to `edge.1` beyond half the width.
    fn with_edge(width_mhz: f64, edge: (f64, f64), floor_dbr: f64) -> Mask {
        let half_mhz = width_mhz / 2.0;
        Mask::through(&[
            (half_mhz + edge.0, 0.0),
            (half_mhz + edge.1, -20.0),
            (width_mhz, -28.0),
            (1.5 * width_mhz, floor_dbr),
        ])
    }

    fn through(points_dbr: &[(f64, f64)]) -> Mask {
        let ratio = |&(mhz, dbr): &(f64, f64)| (mhz, libm::pow(10.0, dbr / 10.0));
        Mask { points: points_dbr.iter().map(ratio).collect() }
    }

    /// The share of the signal's power that a receiver of `width_mhz` takes whose centre is
    /// `offset_mhz` away from the signal's.
    pub fn share(&self, offset_mhz: f64, width_mhz: f64) -> f64 {
        let end_mhz = self.points.last().map_or(0.0, |&(mhz, _)| mhz);
        let [from, to] = [-0.5, 0.5].map(|side| self.up_to(offset_mhz + side * width_mhz));
        ((to - from) / (2.0 * self.up_to(end_mhz))).min(1.0)
    }

    /// Power from the centre to `mhz` away from it, negative on the other side; per MHz of the flat
    /// part it is 1.
    fn up_to(&self, mhz: f64) -> f64 {
        let away_mhz = mhz.abs();
        let (mut sum, mut last) = (0.0, (0.0, 1.0));
        for &point in &self.points {
            sum += between(last, point, away_mhz);
            last = point;
        }
        sum += (away_mhz - last.0).max(0.0) * last.1;
        sum.copysign(mhz)
    }
}

/// The integral of a level that falls linearly in decibels from one point to the next, up to `end`.
fn between(from: (f64, f64), to: (f64, f64), end: f64) -> f64 {
    let span = to.0 - from.0;
    let part = (end.min(to.0) - from.0).max(0.0);
    if part == 0.0 {
        return 0.0;
    }
    // Nepers per MHz.
    let slope = libm::log(to.1 / from.1) / span;
    if slope == 0.0 { part * from.1 } else { from.1 * libm::expm1(slope * part) / slope }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn db(ratio: f64) -> f64 {
        10.0 * ratio.log10()
    }

    #[test]
    fn of_dsss_the_share_is_that_of_the_overlap_and_of_the_steps() {
        let mask = Mask::dsss();
        let whole = 22.0 + 22.0 * 1e-3;
        for (channels, flat, first, floor) in
            [(0, 22.0, 0.0, 0.0), (1, 17.0, 5.0, 0.0), (4, 2.0, 11.0, 9.0), (5, 0.0, 8.0, 14.0)]
        {
            let expected = (flat + first * 1e-3 + floor * 1e-5) / whole;
            let found = mask.share(5.0 * f64::from(channels), 22.0);
            assert!((found / expected - 1.0).abs() < 1e-12, "{channels}: {found}");
            assert_eq!(mask.share(-5.0 * f64::from(channels), 22.0), found, "both sides alike");
        }
    }

    #[test]
    fn of_ofdm_it_is_the_integral_of_the_mask() {
        // The level at a distance, as the standard draws it.
        let level_dbr = |mhz: f64| match mhz.abs() {
            f if f <= 9.0 => 0.0,
            f if f <= 11.0 => -20.0 * (f - 9.0) / 2.0,
            f if f <= 20.0 => -20.0 - 8.0 * (f - 11.0) / 9.0,
            f if f <= 30.0 => -28.0 - 12.0 * (f - 20.0) / 10.0,
            _ => -40.0,
        };
        let sum = |from: f64, to: f64| {
            let step = (to - from) / 40_000.0;
            let middles = (0..40_000).map(|i| from + (f64::from(i) + 0.5) * step);
            middles.map(|mhz| 10f64.powf(level_dbr(mhz) / 10.0) * step).sum::<f64>()
        };
        let mask = Mask::ofdm(20.0, -40.0);
        for offset in [0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 40.0, 60.0, -25.0] {
            let expected = sum(offset - 10.0, offset + 10.0) / sum(-30.0, 30.0);
            let found = mask.share(offset, 20.0);
            assert!((db(found) - db(expected)).abs() < 1e-3, "{offset}: {found} {expected}");
        }
    }

    #[test]
    fn a_wide_receiver_takes_all_and_two_halves_make_a_whole() {
        for mask in [Mask::dsss(), Mask::ofdm(40.0, -45.0), Mask::he(80.0)] {
            assert!((mask.share(0.0, 1e3) - 1.0).abs() < 1e-9);
            let halves = mask.share(17.0, 20.0) + mask.share(37.0, 20.0);
            assert!((halves / mask.share(27.0, 40.0) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn the_next_channel_that_does_not_overlap_gets_a_few_thousandths() {
        let next = |mask: Mask, width: f64| db(mask.share(width, width));
        let [a, ac, ax] = [
            next(Mask::ofdm(20.0, -40.0), 20.0),
            next(Mask::ofdm(80.0, -40.0), 80.0),
            next(Mask::he(80.0), 80.0),
        ];
        assert!((-24.0..-23.0).contains(&a), "{a}");
        assert!(ac < a && ax < ac, "{ac} {ax}: wide channels have relatively steeper edges");
    }
}
