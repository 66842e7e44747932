//! Air times, interframe spaces and timeouts of the 802.11 DSSS physical layer (IEEE Std 802.11-1999
//! clause 15), worked out once from the scenario's `[mac]` keys.

use super::config::MacConfig;
use crate::kernel::Duration;
use crate::profile::Profile;

/// Bytes after the PLCP header (IEEE Std 802.11-1999 7.2.1).
pub const RTS_BYTES: u32 = 20;
/// Bytes of a CTS.
pub const CTS_BYTES: u32 = 14;
/// Bytes of an ACK.
pub const ACK_BYTES: u32 = 14;

/// How long ns-2 lets a signal travel before a response counts as missing, one way.
const PROPAGATION_ALLOWANCE: Duration = Duration::from_micros(2);

/// Everything about the MAC that is the same for all nodes of a run.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Which of ns-2's and the standard's rules apply.
    pub profile: Profile,
    /// Slot time.
    pub slot: Duration,
    /// Short interframe space.
    pub sifs: Duration,
    /// DCF interframe space, SIFS + 2 slots.
    pub difs: Duration,
    /// Extended interframe space, SIFS + DIFS + an ACK at the lowest rate.
    pub eifs: Duration,
    /// Air time of an RTS.
    pub rts: Duration,
    /// Air time of a CTS.
    pub cts: Duration,
    /// Air time of an ACK.
    pub ack: Duration,
    /// Smallest contention window.
    pub cw_min: u32,
    /// Largest contention window.
    pub cw_max: u32,
    /// Attempts at frames not above the RTS threshold, RTS included; none is without end.
    pub short_retry_limit: Option<u32>,
    /// Attempts at frames above the RTS threshold.
    pub long_retry_limit: Option<u32>,
    /// Frames of at least this size use RTS and CTS; none never.
    rts_threshold_bytes: Option<u32>,
    plcp: Duration,
    data_rate_bps: f64,
    basic_rate_bps: f64,
}

impl Timing {
    /// Works out the timing.
    pub fn new(config: &MacConfig, profile: Profile) -> Timing {
        let slot = Duration::from_secs_f64(config.slot_s);
        let sifs = Duration::from_secs_f64(config.sifs_s);
        let difs = sifs + slot * 2;
        let plcp_bits = f64::from(config.preamble_bits + config.plcp_header_bits);
        let plcp = Duration::from_secs_f64(plcp_bits / config.plcp_rate_bps);
        let control = |bytes, rate| plcp + bits_at(bytes, rate);
        Timing {
            profile,
            slot,
            sifs,
            difs,
            eifs: sifs + difs + control(ACK_BYTES, config.plcp_rate_bps),
            rts: control(RTS_BYTES, config.basic_rate_bps),
            cts: control(CTS_BYTES, config.basic_rate_bps),
            ack: control(ACK_BYTES, config.basic_rate_bps),
            cw_min: config.cw_min,
            cw_max: config.cw_max,
            short_retry_limit: config.short_retry_limit.finite(),
            long_retry_limit: config.long_retry_limit.finite(),
            rts_threshold_bytes: config.rts_threshold_bytes.finite(),
            plcp,
            data_rate_bps: config.data_rate_bps,
            basic_rate_bps: config.basic_rate_bps,
        }
    }

    /// Bytes that the MAC adds to a packet after the PLCP header: 28 (three addresses and the checksum);
    /// ns-2 always has a fourth address.
    pub fn data_overhead_bytes(&self) -> u32 {
        match self.profile {
            Profile::Ns2 => 34,
            Profile::Standard => 28,
        }
    }

    /// The frame size that the RTS threshold is held against. ns-2 counts the 24 PLCP bytes in.
    fn threshold_size(&self, packet_bytes: u32) -> u32 {
        match self.profile {
            Profile::Ns2 => packet_bytes + self.data_overhead_bytes() + 24,
            Profile::Standard => packet_bytes + self.data_overhead_bytes(),
        }
    }

    /// Whether a unicast packet of this size \[bytes at the network layer\] is sent after RTS and CTS.
    pub fn uses_rts(&self, packet_bytes: u32) -> bool {
        self.rts_threshold_bytes
            .is_some_and(|threshold| self.threshold_size(packet_bytes) >= threshold)
    }

    /// Whether failures of a frame with a packet of this size count against the long retry limit.
    pub fn counts_as_long(&self, packet_bytes: u32) -> bool {
        self.rts_threshold_bytes
            .is_some_and(|threshold| self.threshold_size(packet_bytes) > threshold)
    }

    /// Air time of a data frame with a packet of `packet_bytes`.
    pub fn data(&self, packet_bytes: u32, broadcast: bool) -> Duration {
        let rate = if broadcast { self.basic_rate_bps } else { self.data_rate_bps };
        self.plcp + bits_at(packet_bytes + self.data_overhead_bytes(), rate)
    }

    /// Duration field \[µs\] of the RTS for a data frame of this air time.
    pub fn rts_duration_us(&self, data: Duration) -> u16 {
        field(self.sifs * 3 + self.cts + data + self.ack)
    }

    /// Duration field \[µs\] of the CTS that answers an RTS with `rts_duration_us`.
    pub fn cts_duration_us(&self, rts_duration_us: u16) -> u16 {
        let answered = Duration::from_micros(u64::from(rts_duration_us));
        field(answered.saturating_sub(self.sifs + self.cts))
    }

    /// Duration field \[µs\] of a unicast data frame.
    pub fn data_duration_us(&self) -> u16 {
        field(self.sifs + self.ack)
    }

    /// From the start of an RTS until its CTS is overdue.
    pub fn cts_timeout(&self) -> Duration {
        self.rts + self.response_allowance() + self.cts
    }

    /// From the start of a data frame of this air time until its ACK is overdue.
    pub fn ack_timeout(&self, data: Duration) -> Duration {
        data + self.response_allowance() + self.ack
    }

    /// From the start of a CTS until the data it allows must have come.
    pub fn data_timeout(&self, cts_duration_us: u16) -> Duration {
        let allowed = Duration::from_micros(u64::from(cts_duration_us));
        (self.cts + PROPAGATION_ALLOWANCE * 2 + allowed).saturating_sub(self.sifs + self.ack)
    }

    /// From the end of an overheard RTS, after which a NAV that it set is void if no data frame has
    /// started (IEEE Std 802.11-1999 9.2.5.4; the PHY-RX-START delay is taken as the PLCP time).
    pub fn nav_reset(&self) -> Duration {
        self.sifs * 2 + self.cts + self.plcp + self.slot * 2
    }

    /// How long after the end of a response that travels no distance its absence is noticed. In the
    /// standard profile the station counts the medium as idle from that end on, so that who waited for a
    /// response and who waits out a damaged frame (SIFS + response + DIFS = EIFS) resume together.
    pub fn response_margin(&self) -> Duration {
        PROPAGATION_ALLOWANCE * 2
    }

    fn response_allowance(&self) -> Duration {
        self.sifs + self.response_margin()
    }
}

fn bits_at(bytes: u32, rate_bps: f64) -> Duration {
    Duration::from_secs_f64(f64::from(bytes) * 8.0 / rate_bps)
}

/// A duration field: whole microseconds, 16 bit.
fn field(duration: Duration) -> u16 {
    duration.as_micros_rounded().min(u64::from(u16::MAX)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Limit as RetryLimit;

    fn ns2() -> Timing {
        Timing::new(&MacConfig::default(), Profile::Ns2)
    }

    fn micros(duration: Duration) -> f64 {
        duration.as_nanos() as f64 / 1e3
    }

    #[test]
    fn air_times_at_2_and_1_megabit() {
        let t = ns2();
        assert_eq!([t.rts, t.cts, t.ack].map(micros), [352.0, 304.0, 304.0]);
        assert_eq!([t.difs, t.eifs].map(micros), [50.0, 364.0]);
        let data = [1500, 1020, 40].map(|bytes| micros(t.data(bytes, false)));
        assert_eq!(data, [6328.0, 4408.0, 488.0]);
        let broadcast = [48, 28].map(|bytes| micros(t.data(bytes, true)));
        assert_eq!(broadcast, [848.0, 688.0]);
    }

    #[test]
    fn duration_fields_of_one_exchange() {
        let t = ns2();
        let rts = t.rts_duration_us(t.data(1020, false));
        assert_eq!(rts, 0x13b6);
        assert_eq!(t.cts_duration_us(rts), 0x127c);
        assert_eq!(t.data_duration_us(), 0x13a);
    }

    #[test]
    fn timeouts_from_the_start_of_the_own_frame() {
        let t = ns2();
        assert_eq!(micros(t.cts_timeout()), 670.0);
        assert_eq!(micros(t.ack_timeout(t.data(1020, false))), 4408.0 + 318.0);
        // The data frame ends SIFS + data after the CTS's own end, with 4 µs to spare.
        assert_eq!(micros(t.data_timeout(0x127c)), 304.0 + 4.0 + 4732.0 - 10.0 - 304.0);
    }

    #[test]
    fn the_threshold_decides_on_rts() {
        let mut config = MacConfig::default();
        assert!(ns2().uses_rts(0) && ns2().counts_as_long(0));
        config.rts_threshold_bytes = RetryLimit::Finite(500);
        let t = Timing::new(&config, Profile::Ns2);
        assert!(
            !t.uses_rts(441) && t.uses_rts(442) && !t.counts_as_long(442) && t.counts_as_long(443)
        );
        config.rts_threshold_bytes = RetryLimit::Infinite;
        let t = Timing::new(&config, Profile::Ns2);
        assert!(!t.uses_rts(2000) && !t.counts_as_long(2000));
    }
}
