//! Frame lengths, air times, interframe spaces and timeouts (IEEE Std 802.11-1999 clause 9),
//! computed once from the scenario's `[mac]` keys and its PHY.
//!
//! A frame's air time follows from its rate; its duration field and its response timeout also from
//! the rates of the frames that answer it.

mod aggregates;
mod coverage;
mod of_categories;
mod of_keys;
mod wires;

use super::aggregation::Limits;
use super::phy::{Phy, Row, ofdm};
use crate::kernel::Duration;
use crate::profile::Profile;
use crate::radio::sinr::Waveform;
use crate::wire::{Frame, FrameKind, Modulation, NodeId, Rate};
pub use coverage::Coverage;

/// Bytes after the PLCP header (IEEE Std 802.11-1999 7.2.1).
pub const RTS_BYTES: u32 = 20;
/// Bytes of a CTS.
pub const CTS_BYTES: u32 = 14;
/// Bytes of an ACK.
pub const ACK_BYTES: u32 = 14;

/// The test frame of metrics by airtime: 8192 bits (IEEE Std 802.11-2012 13.9).
const TEST_FRAME_BYTES: u32 = 1024;

/// Propagation delay to a neighbour and back that ns-2 allows for in response timeouts. PHYs of
/// OFDM allow for a slot, as the standard does until a preamble has to be noticed: 1.3 km. Coverage
/// classes add to both.
const ROUND_TRIP: Duration = Duration::from_micros(4);

/// From the first instant of a frame of OFDM until the PHY tells of it (aRxPHYStartDelay): its
/// preamble and SIGNAL.
const RX_START_DELAY: Duration = ofdm::PREAMBLE;

/// MAC parameters, the same for all nodes of a run.
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
    /// Extended interframe space, SIFS + DIFS + an ACK at the lowest mandatory rate.
    pub eifs: Duration,
    /// Smallest contention window.
    pub cw_min: u32,
    /// Largest contention window.
    pub cw_max: u32,
    /// Attempts at frames not above the RTS threshold, RTS included; none: no limit.
    pub short_retry_limit: Option<u32>,
    /// Attempts at frames above the RTS threshold.
    pub long_retry_limit: Option<u32>,
    /// Frames for one neighbour go together, up to these limits.
    pub aggregation: Option<Limits>,
    /// Frames of at least this size use RTS and CTS; none: no frame does.
    rts_threshold_bytes: Option<u32>,
    phy: Phy,
    data_rate: Rate,
    basic_rate: Rate,
    /// OFDM frames follow a CTS of their sender to itself.
    is_protected: bool,
    shortest_ack: Duration,
    /// The shortest frame and a DIFS.
    shortest_extension: Duration,
    /// Propagation delay that response timeouts allow for, both ways.
    round_trip: Duration,
    nav_reset: Duration,
    by_rate: [AtRate; MAX_RATES],
    /// The rate of the wire \[bit/s\], of a port.
    wire_bps: Option<f64>,
}

/// Rates of a PHY at most: a power of two, so that a mask takes the place of a bounds check.
const MAX_RATES: usize = 64;

/// What follows from a frame's rate alone.
#[derive(Clone, Copy, Debug)]
struct AtRate {
    /// Air times of control frames at this rate.
    rts: Duration,
    cts: Duration,
    ack: Duration,
    /// The rate of the response to a frame at this rate, and the response's air time.
    response: Rate,
    cts_to: Duration,
    ack_to: Duration,
}

impl AtRate {
    fn new(phy: &Phy, rate: Rate, basic: &[Rate]) -> AtRate {
        let response = phy.response_rate(rate, basic);
        AtRate {
            rts: phy.airtime(rate, RTS_BYTES),
            cts: phy.airtime(rate, CTS_BYTES),
            ack: phy.airtime(rate, ACK_BYTES),
            response,
            cts_to: phy.airtime(response, CTS_BYTES),
            ack_to: phy.airtime(response, ACK_BYTES),
        }
    }
}

impl Timing {
    /// Whether an answer over a link with this propagation delay ends before its timeout.
    pub fn is_covered(&self, delay: Duration) -> bool {
        delay * 2 < self.round_trip
    }

    /// The lowest class with which answers over a link with this propagation delay end in time, or
    /// the highest.
    pub fn coverage_of(&self, delay: Duration) -> Coverage {
        let is_enough = |&class: &u8| delay * 2 < self.round_trip + Coverage(class).extra();
        Coverage((0..=Coverage::HIGHEST).find(is_enough).unwrap_or(Coverage::HIGHEST))
    }

    /// How long after the own frame of an access category the medium counts as idle if no response
    /// has begun: SIFS, a slot and the PHY's delay until it tells of a frame.
    pub(super) fn missing_after(&self) -> Duration {
        self.sifs + self.slot + RX_START_DELAY
    }

    /// From SIFS before an unprotected frame at `rate` that lasts `airtime` to the end of its ACK.
    pub(super) fn further_exchange(&self, rate: Rate, airtime: Duration) -> Duration {
        self.sifs * 2 + airtime + self.at(rate).ack_to
    }

    /// What of a turn of `limit` an A-MPDU at `rate` may last, after an RTS and its CTS or not.
    pub(super) fn airtime_within(&self, limit: Duration, rate: Rate, has_rts: bool) -> Duration {
        let rts = self.rts_rate();
        let before = match has_rts {
            true => self.rts(rts) + self.at(rts).cts_to + self.sifs * 2,
            false => Duration::ZERO,
        };
        limit.saturating_sub(before + self.sifs + self.block_ack_to(rate))
    }

    /// What each rate of the PHY is.
    pub fn modulations(&self) -> Vec<Modulation> {
        self.phy.modulations()
    }

    /// How frames at each rate look to a receiver; none for the PHY that leaves it open.
    pub fn waveforms(&self) -> Vec<Waveform> {
        self.phy.rows().iter().map(Row::waveform).collect()
    }

    /// The rate of data frames to `receiver`: broadcasts go at the basic rate.
    #[inline]
    pub fn data_rate(&self, receiver: NodeId) -> Rate {
        if receiver.is_broadcast() { self.basic_rate } else { self.data_rate }
    }

    /// Rates that data frames can go at, up to that of `data_rate_bps`, slowest first: of one
    /// stream, then of more where those are faster, or `all`. Rates of DSSS are left out where there
    /// are others.
    pub fn data_rates(&self, all: bool) -> Vec<Rate> {
        let rows = self.phy.rows();
        let most_bps = self.phy.rates_bps()[self.data_rate.index()];
        let has_mcs = rows.iter().any(|row| row.high_throughput.is_some());
        let has_ofdm = rows.iter().any(|row| row.coding.is_ofdm());
        let mut rates: Vec<Rate> = Vec::new();
        for (place, row) in (0..).zip(rows) {
            let is_of_kind =
                row.high_throughput.is_some() == has_mcs && row.coding.is_ofdm() == has_ofdm;
            let is_faster =
                rates.last().is_none_or(|last| rows[last.index()].rate_bps < row.rate_bps);
            if is_of_kind && (is_faster || all) && row.rate_bps <= most_bps {
                rates.push(Rate(place));
            }
        }
        if rates.is_empty() { vec![self.data_rate] } else { rates }
    }

    /// How long an exchange takes with a packet of `packet_bytes` at `rate`, without RTS and
    /// without the wait before it.
    pub fn exchange(&self, packet_bytes: u32, rate: Rate) -> Duration {
        self.difs + self.data(packet_bytes, rate) + self.sifs + self.at(rate).ack_to
    }

    /// How long an attempt at a test frame at `rate` takes: the wait before it with the mean of the
    /// first backoff, RTS and CTS if it has them, the frame and its ACK. It is what the airtime
    /// metric calls O + B_t / r, with whole symbols.
    pub fn test_attempt(&self, rate: Rate) -> Duration {
        let cts = self.at(self.basic_rate).cts_to;
        let cleared = match self.uses_rts(TEST_FRAME_BYTES) {
            true => self.rts(self.basic_rate) + cts + self.sifs * 2,
            false if self.is_protected(rate) => cts + self.sifs,
            false => Duration::ZERO,
        };
        let backoff = self.slot * u64::from(self.cw_min) / 2;
        backoff + cleared + self.exchange(TEST_FRAME_BYTES, rate)
    }

    /// That of a test frame at the rate of data frames if it is fixed; on a wire of the frame
    /// alone.
    pub fn usual_test_attempt(&self) -> Duration {
        match self.wire_bps {
            None => self.test_attempt(self.data_rate),
            Some(_) => self.on_wire(TEST_FRAME_BYTES),
        }
    }

    /// The rate of data frames if it is fixed \[bit/s\].
    pub fn data_rate_bps(&self) -> f64 {
        self.modulations()[self.data_rate.index()].rate_bps
    }

    /// From the first instant of a data frame at `rate` to its MAC header.
    pub fn preamble(&self, rate: Rate) -> Duration {
        self.phy.preamble(rate)
    }

    /// What of [`Timing::exchange`] is not the packet's: all but its bytes and those of its header.
    pub fn exchange_overhead(&self, rate: Rate) -> Duration {
        self.difs + self.phy.preamble(rate) + self.sifs + self.at(rate).ack_to
    }

    /// The group of a rate: 0 for one stream, 1 for two, and so on.
    pub fn group(&self, rate: Rate) -> usize {
        let row = self.phy.rows().get(rate.index());
        let streams = row.and_then(|row| row.high_throughput).map_or(1, |it| it.streams);
        usize::from(streams) - 1
    }

    /// The rate of an RTS.
    #[inline]
    pub fn rts_rate(&self) -> Rate {
        self.basic_rate
    }

    /// The rate of the CTS or ACK that answers a frame at `answered`.
    #[inline]
    pub fn response_rate(&self, answered: Rate) -> Rate {
        self.at(answered).response
    }

    /// Air time of `frame`.
    #[inline(always)]
    pub fn airtime(&self, frame: &Frame) -> Duration {
        match frame.kind {
            FrameKind::Rts => self.rts(frame.rate),
            FrameKind::Cts => self.cts(frame.rate),
            FrameKind::Ack => self.ack(frame.rate),
            FrameKind::BlockAck => self.block_ack(frame.rate),
            FrameKind::Aggregate => self.airtime_of(frame),
            FrameKind::Tone => self.slot,
            FrameKind::Ethernet => self.on_wire(frame.packet().map_or(0, |one| one.size_bytes)),
            FrameKind::Data => {
                self.data(frame.packet().map_or(0, |packet| packet.size_bytes), frame.rate)
            }
        }
    }

    /// Air time of an RTS at `rate`.
    #[inline]
    pub fn rts(&self, rate: Rate) -> Duration {
        self.at(rate).rts
    }

    /// Air time of a CTS at `rate`.
    #[inline]
    pub fn cts(&self, rate: Rate) -> Duration {
        self.at(rate).cts
    }

    /// Air time of an ACK at `rate`.
    #[inline]
    pub fn ack(&self, rate: Rate) -> Duration {
        self.at(rate).ack
    }

    #[inline]
    fn at(&self, rate: Rate) -> &AtRate {
        &self.by_rate[rate.index() % MAX_RATES]
    }

    /// Air time of a data frame with a packet of `packet_bytes` at `rate`.
    #[inline(always)]
    pub fn data(&self, packet_bytes: u32, rate: Rate) -> Duration {
        let bytes = packet_bytes + self.data_overhead_bytes() + self.phy.lone_bytes(rate);
        self.phy.airtime(rate, bytes)
    }

    /// Bytes that the MAC adds to a packet after the PLCP header: 28 (three addresses and the
    /// checksum); ns-2 always has a fourth address.
    pub fn data_overhead_bytes(&self) -> u32 {
        match self.profile {
            Profile::Ns2 => 34,
            Profile::Standard => 28,
        }
    }

    /// The frame size compared with the RTS threshold. ns-2 includes the 24 PLCP bytes.
    fn threshold_size(&self, packet_bytes: u32) -> u32 {
        match self.profile {
            Profile::Ns2 => packet_bytes + self.data_overhead_bytes() + 24,
            Profile::Standard => packet_bytes + self.data_overhead_bytes(),
        }
    }

    /// Whether a unicast packet of this size \[bytes at the network layer\] is sent after RTS and
    /// CTS.
    pub fn uses_rts(&self, packet_bytes: u32) -> bool {
        self.rts_threshold_bytes
            .is_some_and(|threshold| self.threshold_size(packet_bytes) >= threshold)
    }

    /// Whether failures of a frame with a packet of this size count against the long retry limit.
    pub fn counts_as_long(&self, packet_bytes: u32) -> bool {
        self.rts_threshold_bytes
            .is_some_and(|threshold| self.threshold_size(packet_bytes) > threshold)
    }

    /// How often a frame with a packet of this size may be sent in vain.
    pub fn retry_limit(&self, packet_bytes: u32) -> Option<u32> {
        match self.counts_as_long(packet_bytes) {
            true => self.long_retry_limit,
            false => self.short_retry_limit,
        }
    }

    /// Duration field \[µs\] of an RTS at `rts` for a data frame at `data` that lasts
    /// `data_airtime`.
    pub fn rts_duration_us(&self, rts: Rate, data: Rate, data_airtime: Duration) -> u16 {
        field(self.sifs * 3 + self.at(rts).cts_to + data_airtime + self.at(data).ack_to)
    }

    /// Whether a data frame at `rate` follows a CTS of its sender to itself, unless an RTS has been
    /// answered.
    #[inline]
    pub fn is_protected(&self, rate: Rate) -> bool {
        self.is_protected && self.phy.rows()[rate.index()].coding.is_ofdm()
    }

    /// Duration field \[µs\] of a CTS to its sender itself before a data frame at `data` that lasts
    /// `data_airtime`.
    pub fn own_cts_duration_us(&self, data: Rate, data_airtime: Duration) -> u16 {
        field(self.sifs * 2 + data_airtime + self.at(data).ack_to)
    }

    /// Duration field \[µs\] of the CTS at `cts` that answers an RTS with `rts_duration_us`.
    pub fn cts_duration_us(&self, rts_duration_us: u16, cts: Rate) -> u16 {
        let answered = Duration::from_micros(u64::from(rts_duration_us));
        field(answered.saturating_sub(self.sifs + self.cts(cts)))
    }

    /// Duration field \[µs\] of a unicast data frame at `data`.
    pub fn data_duration_us(&self, data: Rate) -> u16 {
        field(self.sifs + self.at(data).ack_to)
    }

    /// From the start of an RTS at `rts` until its CTS is overdue.
    pub fn cts_timeout(&self, rts: Rate) -> Duration {
        self.rts(rts) + self.response_allowance() + self.at(rts).cts_to
    }

    /// From the start of a data frame at `data` that lasts `data_airtime` until its ACK is overdue.
    pub fn ack_timeout(&self, data: Rate, data_airtime: Duration) -> Duration {
        data_airtime + self.response_allowance() + self.at(data).ack_to
    }

    /// From the start of a CTS at `cts` until the data it allows are overdue. The rate of the data
    /// is not known; their ACK is taken to be the shortest.
    pub fn data_timeout(&self, cts: Rate, cts_duration_us: u16) -> Duration {
        let allowed = Duration::from_micros(u64::from(cts_duration_us));
        (self.cts(cts) + self.round_trip + allowed).saturating_sub(self.sifs + self.shortest_ack)
    }

    /// How soon after a damaged frame a countdown can begin all the same: a good frame comes at
    /// once, and DIFS.
    #[inline]
    pub fn shortest_extension(&self) -> Duration {
        self.shortest_extension
    }

    /// From the end of an overheard RTS until the NAV that it set is void, unless a data frame has
    /// started (IEEE Std 802.11-1999 9.2.5.4; the PHY-RX-START delay is taken as the longest
    /// preamble).
    pub fn nav_reset(&self) -> Duration {
        self.nav_reset
    }

    /// How long a missing response is overdue, at zero distance, when its timeout expires. In the
    /// standard profile the medium counts as idle from when the response should have ended, so that
    /// a station that waited for it and one that waits out a damaged frame (SIFS + response + DIFS
    /// = EIFS) resume together.
    pub fn response_margin(&self) -> Duration {
        self.round_trip
    }

    fn response_allowance(&self) -> Duration {
        self.sifs + self.response_margin()
    }
}

/// A duration field: whole microseconds, 16 bit.
fn field(duration: Duration) -> u16 {
    duration.as_micros_rounded().min(u64::from(u16::MAX)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Limit as RetryLimit;
    use crate::mac::MacConfig;

    fn ns2() -> Timing {
        Timing::new(&MacConfig::default(), Profile::Ns2)
    }

    /// The `[mac]` table of a scenario.
    fn mac(keys: &str) -> MacConfig {
        let mut table = toml::from_str(keys).unwrap();
        MacConfig::fill_in_phy(&mut table);
        let config: MacConfig = table.try_into().unwrap();
        config.check().unwrap();
        config
    }

    fn micros(duration: Duration) -> f64 {
        duration.as_nanos() as f64 / 1e3
    }

    /// 1 and 2 Mbit/s of the default PHY.
    const BASIC: Rate = Rate(0);
    const DATA: Rate = Rate(1);

    #[test]
    fn interframe_spaces() {
        assert_eq!([ns2().difs, ns2().eifs].map(micros), [50.0, 364.0]);
    }

    #[test]
    fn duration_fields_of_one_exchange() {
        let t = ns2();
        let rts = t.rts_duration_us(BASIC, DATA, t.data(1020, DATA));
        assert_eq!(rts, 0x13b6);
        assert_eq!(t.cts_duration_us(rts, BASIC), 0x127c);
        assert_eq!(t.data_duration_us(DATA), 0x13a);
    }

    #[test]
    fn timeouts_from_the_start_of_the_own_frame() {
        let t = ns2();
        assert_eq!(micros(t.cts_timeout(BASIC)), 670.0);
        assert_eq!(micros(t.ack_timeout(DATA, t.data(1020, DATA))), 4408.0 + 318.0);
        // The data frame ends SIFS + data after the CTS's own end, with 4 µs to spare.
        assert_eq!(micros(t.data_timeout(BASIC, 0x127c)), 304.0 + 4.0 + 4732.0 - 10.0 - 304.0);
    }

    #[test]
    fn what_is_announced_and_waited_for_follows_from_the_rates() {
        let mut config = mac("phy = \"802.11b\"\nbasic_rate_bps = 2e6\npreamble = \"short\"");
        let t = Timing::new(&config, Profile::Standard);
        let [rts, data] = [t.rts_rate(), t.data_rate(NodeId(1))];
        assert_eq!((rts, data, t.data_rate(NodeId::BROADCAST)), (Rate(1), Rate(3), Rate(1)));
        assert_eq!([t.response_rate(rts), t.response_rate(data)], [rts, rts]);
        // At 2 Mbit/s a CTS and an ACK last 96 + 56 µs, an RTS 96 + 80 µs; 1048 bytes at 11 Mbit/s
        // 96 + 763 µs.
        let airtime = t.data(1020, data);
        assert_eq!(t.rts_duration_us(rts, data, airtime), 30 + 152 + 859 + 152);
        assert_eq!(t.cts_duration_us(1193, rts), 1193 - 10 - 152);
        assert_eq!(t.data_duration_us(data), 162);
        assert_eq!(micros(t.cts_timeout(rts)), 176.0 + 14.0 + 152.0);
        assert_eq!(micros(t.ack_timeout(data, airtime)), 859.0 + 14.0 + 152.0);
        assert_eq!(micros(t.data_timeout(rts, 1031)), 152.0 + 4.0 + 1031.0 - 162.0);
        // EIFS and the NAV's reset allow for the slowest that may come: 1 Mbit/s and its long
        // preamble.
        assert_eq!(micros(t.eifs), 10.0 + 50.0 + 304.0);
        assert_eq!(micros(t.nav_reset()), 20.0 + 152.0 + 192.0 + 40.0);
        // An answer is never faster than what it answers.
        config.basic_rate_bps = 11e6;
        let t = Timing::new(&config, Profile::Standard);
        assert_eq!([Rate(0), Rate(3)].map(|rate| t.response_rate(rate)), [Rate(0), Rate(3)]);
    }

    #[test]
    fn a_coverage_class_lengthens_slots_and_timeouts_by_three_microseconds() {
        // 1 km there and back is 6.67 µs: 4 + 3; 2 km 13.34 µs: 4 + 3 times 4 (DSSS), 9 + 3 times 2
        // (OFDM).
        let dsss = MacConfig::default();
        let ofdm = mac("phy = \"802.11a\"\ndata_rate_bps = 6e6\nbasic_rate_bps = 6e6");
        let of = |config: &MacConfig, km: f64| {
            let timing = Timing::new(config, Profile::Standard);
            let delay = Duration::from_secs_f64(km * 1e3 / 3e8);
            Timing::covering(config, Profile::Standard, timing.coverage_of(delay))
        };
        let spaces = |t: &Timing| [t.slot, t.difs, t.eifs].map(micros);
        let waits = |t: &Timing| {
            let data = t.data(1000, t.data_rate(NodeId(1)));
            [t.cts_timeout(t.rts_rate()), t.ack_timeout(t.data_rate(NodeId(1)), data) - data]
                .map(micros)
        };
        assert_eq!(spaces(&of(&dsss, 0.59)), [20.0, 50.0, 364.0]);
        assert_eq!(spaces(&of(&dsss, 0.61)), [23.0, 56.0, 370.0], "4.07 µs");
        assert_eq!(spaces(&of(&dsss, 1.0)), [23.0, 56.0, 370.0]);
        assert_eq!(spaces(&of(&dsss, 2.0)), [32.0, 74.0, 388.0]);
        assert_eq!(waits(&of(&dsss, 0.59)), [352.0 + 14.0 + 304.0, 14.0 + 304.0]);
        assert_eq!(waits(&of(&dsss, 1.0)), [352.0 + 17.0 + 304.0, 17.0 + 304.0]);
        // A CTS and an ACK take 44 µs at 6 Mbit/s, an RTS 52 µs.
        assert_eq!(spaces(&of(&ofdm, 1.3)), [9.0, 34.0, 94.0]);
        assert_eq!(spaces(&of(&ofdm, 2.0)), [15.0, 46.0, 106.0]);
        assert_eq!(waits(&of(&ofdm, 2.0)), [52.0 + 31.0 + 44.0, 31.0 + 44.0]);
        assert_eq!(micros(of(&dsss, 1000.0).slot), 20.0 + 31.0 * 3.0, "there are 31 classes");
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
