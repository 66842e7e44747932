//! Sizes and air times of A-MPDUs and of what answers them (IEEE Std 802.11n-2009, 7.4a).

use super::{Timing, field};
use crate::kernel::Duration;
use crate::mac::aggregation::WINDOW;
use crate::mac::phy::Phy;
use crate::mac::phy::table::{DELIMITER_BYTES, QOS_BYTES};
use crate::wire::{Frame, Rate};

/// A compressed BlockAck without its bitmap of a bit a sequence number: header, control, start of
/// the window, checksum.
const BLOCK_ACK_BYTES: u32 = 16 + 2 + 2 + 4;

impl Timing {
    /// Size of an A-MPDU of `before` bytes after a packet of `packet_bytes` has joined it.
    pub fn aggregate_bytes(&self, before: u32, packet_bytes: u32) -> u32 {
        let mpdu = DELIMITER_BYTES + self.data_overhead_bytes() + QOS_BYTES + packet_bytes;
        before.next_multiple_of(4) + mpdu
    }

    /// The largest packet that may join an A-MPDU of `before` bytes at `rate`, which may not last
    /// longer than `most` either, if that is given.
    pub fn aggregate_room(&self, before: u32, rate: Rate, most: Option<Duration>) -> Option<u32> {
        let limits = self.aggregation?;
        let within_time = match &self.phy {
            Phy::Dsss(_) => 0,
            Phy::Table(phy) => {
                let time = most.map_or(limits.time, |most| most.min(limits.time));
                phy.bytes_within(rate, time)
            }
        };
        within_time.min(limits.bytes).checked_sub(self.aggregate_bytes(before, 0))
    }

    /// Air time of an A-MPDU of `bytes` at `rate`.
    pub fn aggregate_airtime(&self, bytes: u32, rate: Rate) -> Duration {
        self.phy.airtime(rate, bytes)
    }

    /// Air time of `frame`, an A-MPDU.
    #[cold]
    pub(super) fn airtime_of(&self, frame: &Frame) -> Duration {
        let join = |before, packet_bytes| self.aggregate_bytes(before, packet_bytes);
        let bytes = frame.packets().map(|packet| packet.size_bytes).fold(0, join);
        self.phy.airtime(frame.rate, bytes)
    }

    /// From the first instant of an A-MPDU at `rate` to the end of its first `bytes`.
    pub fn aggregate_end(&self, bytes: u32, rate: Rate) -> Duration {
        const SERVICE_BITS: f64 = 16.0;
        let bits = SERVICE_BITS + 8.0 * f64::from(bytes);
        let rate_bps = self.phy.rates_bps()[rate.index()];
        self.phy.preamble(rate) + Duration::from_secs_f64(bits / rate_bps)
    }

    /// Air time of a BlockAck at `rate`.
    #[cold]
    pub fn block_ack(&self, rate: Rate) -> Duration {
        self.phy.airtime(rate, BLOCK_ACK_BYTES + u32::from(self.window()) / 8)
    }

    /// Sequence numbers that a BlockAck tells of.
    pub fn window(&self) -> u16 {
        self.aggregation.map_or(WINDOW, |limits| limits.window())
    }

    pub(super) fn block_ack_to(&self, data: Rate) -> Duration {
        self.block_ack(self.response_rate(data))
    }

    /// Whether an A-MPDU of `bytes` is sent after RTS and CTS.
    pub fn aggregate_uses_rts(&self, bytes: u32) -> bool {
        self.rts_threshold_bytes.is_some_and(|threshold| bytes >= threshold)
    }

    /// How much longer than an ACK the answer to an A-MPDU at `data` lasts.
    pub fn longer_block_ack(&self, data: Rate) -> Duration {
        self.block_ack_to(data).saturating_sub(self.at(data).ack_to)
    }

    /// Duration field \[µs\] of an A-MPDU at `data`.
    pub fn aggregate_duration_us(&self, data: Rate) -> u16 {
        field(self.sifs + self.block_ack_to(data))
    }

    /// From the start of an A-MPDU at `data` that lasts `airtime` until its BlockAck is overdue.
    pub fn block_ack_timeout(&self, data: Rate, airtime: Duration) -> Duration {
        airtime + self.response_allowance() + self.block_ack_to(data)
    }
}
