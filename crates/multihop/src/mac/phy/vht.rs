//! `802.11ac`: the Very High Throughput PHY of IEEE Std 802.11ac-2013 in the 5 GHz band, with one
//! to four spatial streams for one receiver and channels of 20, 40 or 80 MHz.
//!
//! A frame is the preamble and SIGNAL of 802.11a (20 µs), VHT-SIG-A (8 µs), a training field of 4
//! µs, and one of 4 µs a stream (four for three streams), VHT-SIG-B (4 µs), and symbols of 4 µs, or
//! 3.6 µs with the short guard interval; it ends on a multiple of 4 µs after its preamble. Data are
//! always an A-MPDU, if of one frame. Several convolutional encoders share what is faster than 600
//! Mbit/s with short guard intervals, each with its tail; numbers with which they would not get
//! whole numbers of bits are left out: 9 in 20 MHz with one, two or four streams, 6 in 80 MHz with
//! three. RTS, CTS, ACK and broadcasts go at rates of 802.11a. Slot 9 µs, SIFS 16 µs, contention
//! window 15 to 1023.
//!
//! Left out: MU-MIMO, beamforming, 160 MHz, more than four streams, LDPC, STBC.

use super::defaults::MacDefaults;
use super::ht::{BARE_SYMBOL_NS, Choices, guard_ns};
use super::mcs::{Form, Symbol, training_symbols};
use super::ofdm;
use super::table::{Row, TAIL_BITS};
use crate::kernel::Duration;
use crate::wire::{Format, HighThroughput};

/// Subcarriers with data in 20, 40 and 80 MHz.
const SUBCARRIERS: [u32; 3] = [52, 108, 234];
/// Numbers.
const NUMBERS: u8 = 10;
/// What one encoder takes with short guard intervals \[bit/s\].
const ENCODER_BPS: f64 = 600e6;
const SHORT_SYMBOL_S: f64 = 3.6e-6;

/// What the PHY gives the MAC.
pub fn mac_defaults(choices: &Choices) -> MacDefaults {
    choices.mac_defaults(&rows(choices))
}

/// Its rates: those of 802.11a, then those of one stream, of two and so on.
pub fn rows(choices: &Choices) -> Vec<Row> {
    let guard_ns = guard_ns(choices.guard_interval);
    let row = |(streams, number): (u32, u8)| {
        let symbol = Symbol::new(number, SUBCARRIERS[choices.doublings()], streams);
        let fastest_bps = f64::from(symbol.data_bits()) / SHORT_SYMBOL_S;
        let encoders = (fastest_bps / ENCODER_BPS).ceil() as u32;
        symbol.is_whole_for(encoders).then(|| {
            symbol.row(Form {
                high_throughput: HighThroughput {
                    format: Format::Vht,
                    mcs: number,
                    streams: symbol.streams(),
                    width_mhz: choices.channel_mhz as u8,
                    guard_ns,
                },
                training: Duration::from_micros(8 + 4 + 4 * training_symbols(streams) + 4),
                tail_bits: TAIL_BITS * encoders,
                symbol_ns: BARE_SYMBOL_NS + u32::from(guard_ns),
                grid_ns: ofdm::SYMBOL_NS,
                extension: Duration::ZERO,
            })
        })
    };
    let numbers = (1..=choices.streams).flat_map(|streams| (0..NUMBERS).map(move |n| (streams, n)));
    ofdm::rows().into_iter().chain(numbers.filter_map(row)).collect()
}
