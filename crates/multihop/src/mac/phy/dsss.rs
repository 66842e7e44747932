//! `dsss-1999`: the direct sequence PHY of IEEE Std 802.11-1999, as ns-2.35 has it.
//!
//! A frame is a PLCP preamble of 144 bits and a PLCP header of 48 bits at 1 Mbit/s, then the MAC's
//! bits at the frame's rate. Slot 20 µs, SIFS 10 µs, contention window 31 to 1023.
//!
//! Deviation: as in ns-2 rates and PLCP are parameters. The standard has 1 and 2 Mbit/s and no
//! others; here any rate goes, and a frame lasts as long as its bits to the nanosecond.

use std::num::NonZeroU64;

use super::defaults::MacDefaults;
use crate::kernel::Duration;
use crate::wire::Rate;

/// Rate of the PLCP preamble and header \[bit/s\].
pub(in crate::mac) const PLCP_RATE_BPS: f64 = 1e6;
/// Bits of the PLCP preamble.
pub(in crate::mac) const PREAMBLE_BITS: u32 = 144;
/// Bits of the PLCP header.
pub(in crate::mac) const PLCP_HEADER_BITS: u32 = 48;

/// DSSS with rates and PLCP as given.
#[derive(Clone, Debug, PartialEq)]
pub struct Dsss {
    /// Those of PLCP, control and data frames.
    rates_bps: Vec<f64>,
    /// At each rate, what a byte lasts if that is a whole number of nanoseconds.
    byte_ns: Vec<Option<NonZeroU64>>,
    plcp_rate_bps: f64,
    plcp: Duration,
}

impl Dsss {
    /// What it gives the MAC.
    pub const MAC_DEFAULTS: MacDefaults = MacDefaults {
        data_rate_bps: 2e6,
        basic_rate_bps: 1e6,
        slot_s: 20e-6,
        sifs_s: 10e-6,
        cw_min: 31,
        cw_max: 1023,
    };

    /// The PHY with these rates of frames and of PLCP \[bit/s\], and so many bits of PLCP.
    pub fn new(frames_bps: [f64; 2], plcp_rate_bps: f64, plcp_bits: u32) -> Dsss {
        let mut rates_bps = [&frames_bps[..], &[plcp_rate_bps]].concat();
        rates_bps.sort_by(f64::total_cmp);
        rates_bps.dedup();
        let plcp = Duration::from_secs_f64(f64::from(plcp_bits) / plcp_rate_bps);
        let byte_ns = rates_bps.iter().map(|rate_bps| whole(8e9 / rate_bps)).collect();
        Dsss { rates_bps, byte_ns, plcp_rate_bps, plcp }
    }

    pub(super) fn rates_bps(&self) -> &[f64] {
        &self.rates_bps
    }

    /// The rate of the PLCP header, which every station has.
    pub(super) fn plcp_rate(&self) -> Rate {
        Rate(self.rates_bps.partition_point(|&rate_bps| rate_bps < self.plcp_rate_bps) as u8)
    }

    pub(super) fn preamble(&self) -> Duration {
        self.plcp
    }

    #[inline]
    pub(super) fn airtime(&self, rate: Rate, bytes: u32) -> Duration {
        // Where a byte lasts whole nanoseconds the product equals the rounded quotient, without
        // dividing.
        match self.byte_ns[rate.index()] {
            Some(byte_ns) => self.plcp + Duration::from_nanos(u64::from(bytes) * byte_ns.get()),
            None => self.plcp + payload(bytes, self.rates_bps[rate.index()]),
        }
    }
}

/// `nanos` if it is whole and small enough for the product with a frame's bytes to be exact in
/// doubles.
fn whole(nanos: f64) -> Option<NonZeroU64> {
    let is_exact = nanos.fract() == 0.0 && nanos <= 1e6;
    NonZeroU64::new(nanos as u64).filter(|_| is_exact)
}

/// How long `bytes` last at `rate_bps`, to the nearest nanosecond.
#[inline(never)]
fn payload(bytes: u32, rate_bps: f64) -> Duration {
    Duration::from_secs_f64(f64::from(bytes) * 8.0 / rate_bps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_nanoseconds_a_byte_give_the_rounded_quotient() {
        for rate_bps in [8e3, 1e6, 2e6, 4e6, 8e6, 1e9] {
            let byte_ns = whole(8e9 / rate_bps).unwrap().get();
            for bytes in 0..70_000 {
                let product = Duration::from_nanos(u64::from(bytes) * byte_ns);
                assert_eq!(product, payload(bytes, rate_bps), "{bytes} bytes at {rate_bps}");
            }
        }
        assert_eq!([3e6, 5.5e6, 11e6, 54e6, 1.0].map(|rate_bps| whole(8e9 / rate_bps)), [None; 5]);
    }
}
