//! A PHY by table: what each of its rates is, and how long frames last at it.

use super::defaults::MacDefaults;
use crate::kernel::Duration;
use crate::radio::sinr::Waveform;
use crate::radio::{CodeRate, Coding, Constellation};
use crate::wire::{Format, HighThroughput, Modulation, Rate};

/// One rate of a PHY.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Data bits a second.
    pub rate_bps: f64,
    /// What of high throughput it is, if it is.
    pub high_throughput: Option<HighThroughput>,
    /// Preamble and PHY header.
    pub preamble: Duration,
    /// How bits fill the time after that.
    pub payload: Payload,
    /// Silence after the last symbol that counts as part of the frame.
    pub extension: Duration,
    /// What is announced for it when its answer's rate is chosen \[bit/s\]: its own rate, or that
    /// of the same modulation and code without high throughput.
    pub reference_bps: f64,
    /// How bits are modulated and coded.
    pub coding: Coding,
    /// Channel width in units of that of `coding`: 4 where four channels of 20 MHz are one.
    pub width: f64,
    /// The weakest signal that a receiver has to understand \[dBm\].
    pub sensitivity_dbm: f64,
    /// Whether every station has it.
    pub is_mandatory: bool,
}

impl Row {
    /// What it is, as a sniffer would tell it.
    pub fn modulation(&self) -> Modulation {
        Modulation {
            rate_bps: self.rate_bps,
            preamble: self.preamble,
            is_ofdm: self.coding.is_ofdm(),
            high_throughput: self.high_throughput,
        }
    }

    /// Its format, if it is of high throughput.
    pub fn format(&self) -> Option<Format> {
        self.high_throughput.map(|high| high.format)
    }

    /// What a data frame alone has more than in 802.11a \[bytes\]: from 802.11ac on every frame is
    /// an A-MPDU, if of one.
    pub fn lone_bytes(&self) -> u32 {
        match self.format() {
            None | Some(Format::Ht) => 0,
            Some(Format::Vht | Format::He) => DELIMITER_BYTES + QOS_BYTES,
        }
    }

    /// How a frame at this rate looks to a receiver. Its header is SIGNAL, for high throughput with
    /// HT-SIG, VHT-SIG-A, or a repeated SIGNAL and HE-SIG-A, or the PLCP header.
    pub fn waveform(&self) -> Waveform {
        let signal = Coding::Ofdm(Constellation::Bpsk, CodeRate::Half);
        let us = Duration::from_micros;
        let (sync, header_end, header) = match (self.coding.is_ofdm(), self.format()) {
            (true, None) => (us(16), us(20), (signal, 6e6)),
            (true, Some(Format::Ht | Format::Vht)) => (us(16), us(28), (signal, 6e6)),
            (true, Some(Format::He)) => (us(16), us(32), (signal, 6e6)),
            (false, _) if self.preamble < us(144) => (us(72), us(96), (Coding::Dqpsk, 2e6)),
            (false, _) => (us(144), us(192), (Coding::Dbpsk, 1e6)),
        };
        Waveform {
            payload: (self.coding, self.rate_bps),
            header,
            sync,
            header_end,
            preamble: self.preamble,
            extension: self.extension,
            bandwidth_hz: self.coding.noise_bandwidth_hz() * self.width,
        }
    }
}

/// How the bits of a frame fill its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Payload {
    /// Bits over rate, in whole microseconds, in which the PHY header counts a frame's length.
    Microseconds,
    /// Whole symbols, which hold the service and tail bits too.
    Symbols {
        /// Data bits in a symbol.
        bits: u32,
        /// After the MAC's bits: of each convolutional encoder, none with LDPC.
        tail_bits: u32,
        /// A symbol with its guard interval \[ns\].
        symbol_ns: u32,
        /// The frame ends on a multiple of this after its preamble \[ns\].
        grid_ns: u32,
    },
}

/// Service bits before the MAC's, in frames of symbols.
const SERVICE_BITS: u32 = 16;
/// Tail bits of one convolutional encoder.
pub(super) const TAIL_BITS: u32 = 6;
/// Before each MPDU of an A-MPDU.
pub(in crate::mac) const DELIMITER_BYTES: u32 = 4;
/// QoS control, which plain data frames do without.
pub(in crate::mac) const QOS_BYTES: u32 = 2;

/// A PHY as the list of its rates.
#[derive(Clone, Debug, PartialEq)]
pub struct RateTable {
    rows: Vec<Row>,
    rates_bps: Vec<f64>,
}

impl RateTable {
    /// The PHY of these rates: those without high throughput first, then the others, each
    /// ascending.
    pub(in crate::mac) fn new(rows: Vec<Row>) -> RateTable {
        let rates_bps = rows.iter().map(|row| row.rate_bps).collect();
        RateTable { rows, rates_bps }
    }

    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(super) fn row(&self, rate: Rate) -> &Row {
        &self.rows[rate.index()]
    }

    pub(super) fn rates_bps(&self) -> &[f64] {
        &self.rates_bps
    }

    /// The most bytes from the MAC header to the checksum that frames at `rate` carry within
    /// `time`; 0 where they do not end with a symbol.
    pub(in crate::mac) fn bytes_within(&self, rate: Rate, time: Duration) -> u32 {
        let row = &self.rows[rate.index()];
        let Payload::Symbols { bits, tail_bits, symbol_ns, grid_ns } = row.payload else {
            return 0;
        };
        let rest_ns = time.saturating_sub(row.preamble + row.extension).as_nanos();
        let whole_ns = rest_ns - rest_ns % u64::from(grid_ns);
        let bits = whole_ns / u64::from(symbol_ns) * u64::from(bits);
        (bits.saturating_sub(u64::from(SERVICE_BITS + tail_bits)) / 8) as u32
    }

    // Not inlined: the default PHY's callers stay small.
    #[inline(never)]
    pub(super) fn airtime(&self, rate: Rate, bytes: u32) -> Duration {
        let row = &self.rows[rate.index()];
        let payload = match row.payload {
            Payload::Microseconds => {
                let payload_us = f64::from(bytes) * 8.0 / (row.rate_bps / 1e6);
                Duration::from_micros(payload_us.ceil() as u64)
            }
            Payload::Symbols { bits, tail_bits, symbol_ns, grid_ns } => {
                let symbols = (8 * bytes + SERVICE_BITS + tail_bits).div_ceil(bits);
                let nanos = u64::from(symbols) * u64::from(symbol_ns);
                Duration::from_nanos(nanos.next_multiple_of(u64::from(grid_ns)))
            }
        };
        row.preamble + payload + row.extension
    }
}

/// What the PHY in the 2.4 GHz and 5 GHz bands gives the MAC, with OFDM and short slots.
pub(super) const fn ofdm_defaults(data_rate_bps: f64, sifs_s: f64) -> MacDefaults {
    MacDefaults {
        data_rate_bps,
        basic_rate_bps: 6e6,
        slot_s: 9e-6,
        sifs_s,
        cw_min: 15,
        cw_max: 1023,
    }
}
