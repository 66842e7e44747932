//! The least time that a packet takes over a link.

use serde::Serialize;

use crate::kernel::Duration;
use crate::mac::{Timing, wired};
use crate::scenario::{LargestPacket as Packet, Network, Scenario, WireTable};
use crate::wire::Rate;

/// Air times are rounded to nanoseconds \[s\].
const ROUNDING_S: f64 = 1e-9;

/// The least time that a packet takes over a link, by what is counted; of an A-MPDU its share
/// \[s\].
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Exchange {
    /// The data frame.
    pub data_s: f64,
    /// From the start of the RTS, or of the sender's CTS to itself, to the end of the data frame.
    pub core_s: f64,
    /// The core, SIFS and the answer.
    pub answered_s: f64,
    /// DIFS before it as well.
    pub whole_s: f64,
    /// Packets in its frame at most.
    pub packets: usize,
    /// No packet goes without an RTS, nor in a data frame that fits between another's RTS and data.
    pub is_cleared: bool,
}

/// The forms that an exchange of frames can take.
pub(super) struct Shapes<'a> {
    pub timing: &'a Timing,
    pub rates: &'a [Rate],
    pub is_mixed: bool,
}

impl Shapes<'_> {
    pub fn cts(&self) -> Duration {
        self.timing.cts(self.timing.response_rate(self.timing.rts_rate()))
    }

    pub fn exchange(&self, packet: &Packet) -> Exchange {
        let mut least = Exchange {
            data_s: f64::INFINITY,
            core_s: f64::INFINITY,
            answered_s: f64::INFINITY,
            whole_s: f64::INFINITY,
            packets: 1,
            is_cleared: true,
        };
        let timing = self.timing;
        let gap = self.cts() + timing.sifs * 2;
        for &rate in self.rates {
            let answer = timing.ack(timing.response_rate(rate));
            let uses_rts = timing.uses_rts(packet.least_bytes());
            let is_long = timing.data(packet.least_bytes(), rate) > gap;
            let alone = self.timed(1, packet.data_s(timing, rate), answer, uses_rts, rate);
            least.take(&Exchange { is_cleared: uses_rts && is_long, ..alone });
            if packet.is_even {
                for (packets, bytes) in self.aggregates(packet.bytes, rate) {
                    let whole = timing.aggregate_airtime(bytes, rate);
                    let answer = timing.block_ack(timing.response_rate(rate));
                    let uses_rts = timing.aggregate_uses_rts(bytes);
                    least.take(&self.timed(packets, whole.as_secs_f64(), answer, uses_rts, rate));
                }
            }
            if let (true, Some(limits)) = (self.is_mixed, timing.aggregation) {
                // Of a frame with packets of several sizes each has an equal share of what they
                // share, at least.
                let shared = timing.preamble(rate).as_secs_f64() - ROUNDING_S;
                let rate_bps = timing.modulations()[rate.index()].rate_bps;
                let own_s = f64::from(8 * timing.aggregate_bytes(0, packet.bytes)) / rate_bps;
                let data_s = shared / limits.mpdus as f64 + own_s;
                let answer = timing.block_ack(timing.response_rate(rate));
                let all_s = data_s * limits.mpdus as f64;
                least.take(&self.timed(
                    limits.mpdus,
                    all_s,
                    answer,
                    timing.aggregate_uses_rts(0),
                    rate,
                ));
            }
        }
        least
    }

    /// A-MPDUs of such packets: how many, and the size.
    fn aggregates(&self, packet_bytes: u32, rate: Rate) -> Vec<(usize, u32)> {
        let timing = self.timing;
        let Some(limits) = timing.aggregation else { return Vec::new() };
        let mut bytes = timing.aggregate_bytes(0, packet_bytes);
        let mut found = Vec::new();
        for packets in 2..=limits.mpdus {
            if timing.aggregate_room(bytes, rate, None).is_none_or(|room| room < packet_bytes) {
                break;
            }
            bytes = timing.aggregate_bytes(bytes, packet_bytes);
            found.push((packets, bytes));
        }
        found
    }

    /// The share of one of `packets` in an exchange whose data frame lasts `data_s`.
    fn timed(
        &self,
        packets: usize,
        data_s: f64,
        answer: Duration,
        uses_rts: bool,
        rate: Rate,
    ) -> Exchange {
        let timing = self.timing;
        let cleared = match uses_rts {
            true => timing.rts(timing.rts_rate()) + self.cts() + timing.sifs * 2,
            false if timing.is_protected(rate) => timing.cts(timing.rts_rate()) + timing.sifs,
            false => Duration::ZERO,
        };
        let share = |seconds: f64| seconds / packets as f64;
        let core_s = cleared.as_secs_f64() + data_s;
        let answered_s = core_s + (timing.sifs + answer).as_secs_f64();
        Exchange {
            data_s: share(data_s),
            core_s: share(core_s),
            answered_s: share(answered_s),
            whole_s: share(answered_s + timing.difs.as_secs_f64()),
            packets,
            is_cleared: uses_rts,
        }
    }
}

impl Exchange {
    /// Of a packet over a wire: a frame, and the gap before the next one.
    pub(super) fn by_wire(packet: &Packet, wire: &WireTable) -> Exchange {
        let frame_s = |bytes| wired::frame_time(bytes, wire.rate_bps).as_secs_f64();
        let whole_s = match packet.is_even {
            true => frame_s(packet.bytes),
            // Smaller frames have fewer bytes of payload, but may gain by rounding.
            false => frame_s(packet.bytes) * (1.0 - ROUNDING_S / 2.0 / frame_s(0)),
        };
        let data_s = whole_s - f64::from(8 * wired::GAP_BYTES) / wire.rate_bps;
        let (core_s, answered_s) = (data_s, data_s);
        Exchange { data_s, core_s, answered_s, whole_s, packets: 1, is_cleared: false }
    }

    /// Makes it the least of both.
    fn take(&mut self, other: &Exchange) {
        self.data_s = self.data_s.min(other.data_s);
        self.core_s = self.core_s.min(other.core_s);
        self.answered_s = self.answered_s.min(other.answered_s);
        self.whole_s = self.whole_s.min(other.whole_s);
        self.packets = self.packets.max(other.packets);
        self.is_cleared &= other.is_cleared;
    }
}

impl Packet {
    /// The size of the smallest that the flow may send \[bytes\].
    fn least_bytes(&self) -> u32 {
        if self.is_even { self.bytes } else { self.bytes - self.payload }
    }

    /// The least air time \[s\] of a frame with it at `rate`. Where smaller ones may waste less of
    /// their last symbol for each of their bytes, it counts no whole symbols.
    fn data_s(&self, timing: &Timing, rate: Rate) -> f64 {
        if self.is_even {
            return timing.data(self.bytes, rate).as_secs_f64();
        }
        let bits = f64::from(8 * (self.bytes + timing.data_overhead_bytes()));
        let bits_s = bits / timing.modulations()[rate.index()].rate_bps;
        timing.preamble(rate).as_secs_f64() + bits_s - ROUNDING_S
    }
}

/// Whether packets of different sizes may share an A-MPDU.
pub(super) fn is_mixed(scenario: &Scenario, network: &Network) -> bool {
    let mut packets: Vec<Packet> =
        network.flows.iter().map(|flow| Packet::of(scenario, flow)).collect();
    packets.sort_unstable_by_key(|packet| packet.bytes);
    packets.dedup();
    packets.len() > 1 || packets.iter().any(|packet| !packet.is_even)
}
