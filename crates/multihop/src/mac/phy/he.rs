//! `802.11ax`: the High Efficiency PHY of IEEE Std 802.11ax-2021 in the 2.4 and 5 GHz bands, with
//! one to four spatial streams for one receiver (HE SU) and channels of 20, 40 or 80 MHz.
//!
//! A frame is the preamble and SIGNAL of 802.11a (20 µs), SIGNAL again (4 µs), HE-SIG-A (8 µs), a
//! training field of 4 µs, one for each stream (four for three streams), and symbols of 12.8 µs
//! with a guard interval of 0.8, 1.6 or 3.2 µs. Training fields last 6.4 µs and the guard interval
//! with the shorter two, 12.8 µs and the guard interval with the longest. Data are always an
//! A-MPDU, if of one frame. They have the convolutional code, with its tail, in 20 MHz up to number
//! 9, and LDPC, without one, elsewhere. RTS, CTS, ACK and broadcasts go at rates of 802.11a. In the
//! 2.4 GHz band 6 µs without a signal follow every frame, and SIFS is 10 µs, otherwise 16 µs. Slot
//! 9 µs, contention window 15 to 1023.
//!
//! Left out: OFDMA, MU-MIMO, the 6 GHz band, 160 MHz, more than four streams, spatial reuse, dual
//! carrier modulation, extended range, STBC. No packet extension and no extra symbol of LDPC;
//! LDPC's errors are taken for those of the convolutional code, which are more.

use super::defaults::MacDefaults;
use super::ht::{Choices, GuardInterval};
use super::mcs::{Form, Symbol, training_symbols};
use super::ofdm;
use super::table::{Row, TAIL_BITS};
use crate::kernel::Duration;
use crate::wire::{Format, HighThroughput};

/// Subcarriers with data in 20, 40 and 80 MHz.
const SUBCARRIERS: [u32; 3] = [234, 468, 980];
/// Numbers, and the first that has LDPC in any width.
const NUMBERS: u8 = 12;
const FIRST_OF_LDPC: u8 = 10;
/// A symbol without its guard interval, and a training field of half of that \[ns\].
const BARE_SYMBOL_NS: u32 = 12_800;
const SHORT_TRAINING_NS: u32 = 6_400;

/// What the PHY gives the MAC.
pub fn mac_defaults(choices: &Choices) -> MacDefaults {
    choices.mac_defaults(&rows(choices))
}

/// Its rates: those of 802.11a, then those of one stream, of two and so on.
pub fn rows(choices: &Choices) -> Vec<Row> {
    let extension = choices.extension();
    let (guard_ns, training_ns) = match choices.guard_interval {
        GuardInterval::Short => (800, SHORT_TRAINING_NS),
        GuardInterval::Medium => (1_600, SHORT_TRAINING_NS),
        GuardInterval::Long => (3_200, BARE_SYMBOL_NS),
    };
    let row = |(streams, number): (u32, u8)| {
        let symbol = Symbol::new(number, SUBCARRIERS[choices.doublings()], streams);
        let has_tail = choices.channel_mhz == 20 && number < FIRST_OF_LDPC;
        let training = Duration::from_nanos(u64::from(training_ns + u32::from(guard_ns)));
        symbol.row(Form {
            high_throughput: HighThroughput {
                format: Format::He,
                mcs: number,
                streams: symbol.streams(),
                width_mhz: choices.channel_mhz as u8,
                guard_ns,
            },
            training: Duration::from_micros(4 + 8 + 4) + training * training_symbols(streams),
            tail_bits: if has_tail { TAIL_BITS } else { 0 },
            symbol_ns: BARE_SYMBOL_NS + u32::from(guard_ns),
            grid_ns: 1,
            extension,
        })
    };
    let numbers = (1..=choices.streams).flat_map(|streams| (0..NUMBERS).map(move |n| (streams, n)));
    ofdm::with_extension(extension).into_iter().chain(numbers.map(row)).collect()
}
