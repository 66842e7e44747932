//! The timing that `[mac]` keys ask for.

use super::{ACK_BYTES, AtRate, Coverage, MAX_RATES, ROUND_TRIP, Timing};
use crate::kernel::Duration;
use crate::mac::config::MacConfig;
use crate::profile::Profile;
use crate::wire::Rate;

impl Timing {
    /// The timing of a `config` that has been checked, for distances that its PHY allows for.
    pub fn new(config: &MacConfig, profile: Profile) -> Timing {
        Timing::covering(config, profile, Coverage::default())
    }

    /// The same for distances of this class.
    pub fn covering(config: &MacConfig, profile: Profile, coverage: Coverage) -> Timing {
        let phy = config.physical_layer();
        let slot = Duration::from_secs_f64(config.slot_s) + coverage.extra();
        let sifs = Duration::from_secs_f64(config.sifs_s);
        let difs = sifs + slot * 2;
        let rate = |rate_bps| phy.rate(rate_bps).expect("checked: a rate of the PHY");
        let basic_rate = rate(config.basic_rate_bps);
        let data_rate = match config.mcs {
            Some(mcs) => {
                let streams = config.streams.unwrap_or(1);
                phy.rate_of_mcs(mcs, streams).expect("checked: a number of the PHY")
            }
            None => rate(config.data_rate_bps),
        };
        let basic_rates_bps = match &config.basic_rates_bps {
            Some(rates_bps) => rates_bps.clone(),
            None => phy.basic_rates_bps(config.basic_rate_bps),
        };
        let basic_rates: Vec<Rate> = basic_rates_bps.into_iter().map(rate).collect();
        let highest = phy.rates_bps().len() - 1;
        assert!(highest < MAX_RATES, "a PHY with more rates than there is space for");
        let by_rate = std::array::from_fn(|place| {
            AtRate::new(&phy, Rate(place.min(highest) as u8), &basic_rates)
        });
        let lowest = phy.lowest_mandatory_rate();
        let cts = by_rate[basic_rate.index()].cts_to;
        Timing {
            profile,
            slot,
            sifs,
            difs,
            eifs: sifs + difs + phy.airtime(lowest, ACK_BYTES),
            cw_min: config.cw_min,
            cw_max: config.cw_max,
            short_retry_limit: config.short_retry_limit.finite(),
            long_retry_limit: config.long_retry_limit.finite(),
            aggregation: config.aggregation(),
            rts_threshold_bytes: config.rts_threshold_bytes.finite(),
            data_rate,
            basic_rate,
            is_protected: config.is_protected(),
            round_trip: match phy.rows().iter().any(|row| row.coding.is_ofdm()) {
                true => slot,
                false => ROUND_TRIP + coverage.extra(),
            },
            shortest_extension: by_rate.iter().map(|at| at.cts).min().unwrap_or_default() + difs,
            shortest_ack: by_rate.iter().map(|at| at.ack_to).min().unwrap_or_default(),
            nav_reset: sifs * 2 + cts + phy.preamble(lowest) + slot * 2,
            by_rate,
            wire_bps: None,
            phy,
        }
    }
}
