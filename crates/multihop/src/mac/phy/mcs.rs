//! The numbers of the modulation and coding schemes (MCS) of 802.11n, ac and ax, which share their
//! first entries: 0 to 7, 0 to 9 and 0 to 11.

use super::ofdm;
use super::table::{Payload, Row};
use crate::kernel::Duration;
use crate::radio::{CodeRate, Coding, Constellation};
use crate::wire::HighThroughput;

/// Of each number: constellation, code, the place of the rate of 802.11a by which answers are
/// chosen, and the sensitivity in 20 MHz \[dBm\]; 3 dB more each time that the width doubles.
const NUMBERS: [(Constellation, CodeRate, usize, f64); 12] = [
    (Constellation::Bpsk, CodeRate::Half, 0, -82.0),
    (Constellation::Qpsk, CodeRate::Half, 2, -79.0),
    (Constellation::Qpsk, CodeRate::ThreeQuarters, 3, -77.0),
    (Constellation::Qam16, CodeRate::Half, 4, -74.0),
    (Constellation::Qam16, CodeRate::ThreeQuarters, 5, -70.0),
    (Constellation::Qam64, CodeRate::TwoThirds, 6, -66.0),
    (Constellation::Qam64, CodeRate::ThreeQuarters, 7, -65.0),
    (Constellation::Qam64, CodeRate::FiveSixths, 7, -64.0),
    (Constellation::Qam256, CodeRate::ThreeQuarters, 7, -59.0),
    (Constellation::Qam256, CodeRate::FiveSixths, 7, -57.0),
    (Constellation::Qam1024, CodeRate::ThreeQuarters, 7, -54.0),
    (Constellation::Qam1024, CodeRate::FiveSixths, 7, -52.0),
];

/// A number with a count of streams: what its symbols hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Symbol {
    number: u8,
    streams: u32,
    /// Coded bits in a symbol, and the code rate: of `code.1` coded bits `code.0` are data.
    coded: u32,
    code: (u32, u32),
}

impl Symbol {
    /// That of `number` on so many `subcarriers` for data and `streams`.
    pub fn new(number: u8, subcarriers: u32, streams: u32) -> Symbol {
        let (constellation, code_rate, ..) = NUMBERS[usize::from(number)];
        let coded = subcarriers * constellation.bits() * streams;
        Symbol { number, streams, coded, code: code_rate.fraction() }
    }

    /// Data bits in a symbol, the fraction of one left out.
    pub fn data_bits(&self) -> u32 {
        self.coded * self.code.0 / self.code.1
    }

    /// Whether each of so many encoders gets whole numbers of coded and of data bits.
    pub fn is_whole_for(&self, encoders: u32) -> bool {
        self.coded.is_multiple_of(encoders)
            && (self.coded * self.code.0).is_multiple_of(self.code.1 * encoders)
    }

    /// The row of this symbol.
    pub fn row(&self, form: Form) -> Row {
        let (constellation, code_rate, reference, sensitivity_dbm) =
            NUMBERS[usize::from(self.number)];
        let Form { high_throughput, training, tail_bits, symbol_ns, grid_ns, extension } = form;
        let doublings = (high_throughput.width_mhz / 20).ilog2();
        Row {
            rate_bps: f64::from(self.data_bits()) * 1e9 / f64::from(symbol_ns),
            high_throughput: Some(high_throughput),
            preamble: ofdm::PREAMBLE + training,
            payload: Payload::Symbols { bits: self.data_bits(), tail_bits, symbol_ns, grid_ns },
            extension,
            reference_bps: f64::from(ofdm::MODULATIONS[reference].2) * 1e9
                / f64::from(ofdm::SYMBOL_NS),
            coding: Coding::Ofdm(constellation, code_rate),
            width: f64::from(1 << doublings),
            sensitivity_dbm: sensitivity_dbm + 3.0 * f64::from(doublings),
            is_mandatory: false,
        }
    }

    /// The number of streams.
    pub fn streams(&self) -> u8 {
        self.streams as u8
    }
}

/// What a row has beside its symbol.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub high_throughput: HighThroughput,
    /// What follows SIGNAL before the payload.
    pub training: Duration,
    /// See [`Payload::Symbols`].
    pub tail_bits: u32,
    pub symbol_ns: u32,
    pub grid_ns: u32,
    /// See [`Row::extension`].
    pub extension: Duration,
}

/// Training symbols for so many streams: of three there are four.
pub(super) fn training_symbols(streams: u32) -> u64 {
    u64::from(if streams > 2 { 4 } else { streams })
}
