//! Where 802.11's channels are: centre frequencies by number and width.
//!
//! IEEE Std 802.11-2020, 15.4.4.3, 17.3.8.4 and Annex E: channel n of the 2.4 GHz band is at 2407 +
//! 5 n MHz, of the 5 GHz band at 5000 + 5 n MHz. A wide channel is named by any of its channels of
//! 20 MHz, or in the 5 GHz band by its centre.

/// The first and the last channel of 20 MHz in each run of them at 5 GHz, four numbers apart.
const RUNS: [(u32, u32); 3] = [(36, 64), (100, 144), (149, 177)];

/// Whether this is a channel of the 2.4 GHz band.
pub fn is_low(channel: u32) -> bool {
    (1..=13).contains(&channel)
}

/// The centre \[MHz\] of the channel of `width_mhz` with this number, if there is one. At 2.4 GHz,
/// one of 40 MHz reaches upwards from channels 1 to 7, downwards from 8 to 13.
pub fn centre_mhz(channel: u32, width_mhz: u32) -> Option<f64> {
    let numbers = f64::from(width_mhz / 20 - 1) * 2.0;
    if is_low(channel) {
        let centre_mhz = 2407.0 + 5.0 * f64::from(channel);
        return match width_mhz {
            20 | 22 => Some(centre_mhz),
            40 if channel <= 7 => Some(centre_mhz + 10.0),
            40 => Some(centre_mhz - 10.0),
            _ => None,
        };
    }
    let &(first, _) = RUNS.iter().find(|(first, last)| (*first..=*last).contains(&channel))?;
    let (place, step) = (channel - first, 4 * (width_mhz / 20));
    let centre = f64::from(first + place / step * step) + numbers;
    let is_named = place.is_multiple_of(4) || f64::from(channel) == centre;
    is_named.then_some(5000.0 + 5.0 * centre)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centres_are_those_of_the_tables() {
        for (channel, width, centre) in [
            (1, 20, 2412.0),
            (13, 22, 2472.0),
            (1, 40, 2422.0),
            (13, 40, 2462.0),
            (36, 20, 5180.0),
            (40, 40, 5190.0),
            (38, 40, 5190.0),
            (48, 80, 5210.0),
            (42, 80, 5210.0),
            (52, 80, 5290.0),
            (132, 80, 5690.0),
            (165, 20, 5825.0),
            (161, 80, 5775.0),
        ] {
            assert_eq!(centre_mhz(channel, width), Some(centre), "{channel}, {width} MHz");
        }
        for (channel, width) in
            [(0, 20), (14, 20), (37, 20), (42, 40), (6, 80), (68, 20), (181, 20)]
        {
            assert_eq!(centre_mhz(channel, width), None, "{channel}, {width} MHz");
        }
    }
}
