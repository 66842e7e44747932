//! Error rates: how likely a bit is wrong, given the ratio of signal to noise and interference.
//!
//! Interference is taken as noise. Errors of bits are independent of each other, so a part of a
//! frame with n bits is good with `(1 - p)^n`, p the error rate of a bit. The files name their
//! sources.

mod dsss;
mod ofdm;

/// How the bits of a frame, or of a part of it, are modulated and coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// 1 Mbit/s: differential BPSK, spread over 11 chips.
    Dbpsk,
    /// 2 Mbit/s: differential QPSK, spread over 11 chips.
    Dqpsk,
    /// 5.5 Mbit/s: complementary code keying, 4 bits in 8 chips.
    Cck4,
    /// 11 Mbit/s: complementary code keying, 8 bits in 8 chips.
    Cck8,
    /// Subcarriers of one modulation, with the convolutional code of constraint length 7.
    Ofdm(Constellation, CodeRate),
}

/// The modulation of subcarriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constellation {
    /// 1 bit.
    Bpsk,
    /// 2 bits.
    Qpsk,
    /// 4 bits.
    Qam16,
    /// 6 bits.
    Qam64,
    /// 8 bits.
    Qam256,
    /// 10 bits.
    Qam1024,
}

/// The share of data among coded bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeRate {
    /// 1/2, as the code is.
    Half,
    /// 2/3, punctured.
    TwoThirds,
    /// 3/4, punctured.
    ThreeQuarters,
    /// 5/6, punctured.
    FiveSixths,
}

impl Constellation {
    /// Coded bits that a subcarrier holds.
    pub fn bits(self) -> u32 {
        match self {
            Constellation::Bpsk => 1,
            Constellation::Qpsk => 2,
            Constellation::Qam16 => 4,
            Constellation::Qam64 => 6,
            Constellation::Qam256 => 8,
            Constellation::Qam1024 => 10,
        }
    }
}

impl CodeRate {
    /// Data bits, and the coded bits that they become.
    pub fn fraction(self) -> (u32, u32) {
        match self {
            CodeRate::Half => (1, 2),
            CodeRate::TwoThirds => (2, 3),
            CodeRate::ThreeQuarters => (3, 4),
            CodeRate::FiveSixths => (5, 6),
        }
    }
}

impl Coding {
    /// The error rate of a data bit at this ratio of signal to noise, 0 to 1.
    pub fn bit_error_rate(self, snr: f64) -> f64 {
        let rate = match self {
            Coding::Dbpsk => dsss::dbpsk(snr),
            Coding::Dqpsk => dsss::dqpsk(snr),
            Coding::Cck4 => dsss::cck4(snr),
            Coding::Cck8 => dsss::cck8(snr),
            Coding::Ofdm(constellation, code_rate) => ofdm::coded(constellation, code_rate, snr),
        };
        // Bounds of the union exceed what they bound where the signal is weak.
        rate.clamp(0.0, 1.0)
    }

    /// Whether it is OFDM.
    pub fn is_ofdm(self) -> bool {
        matches!(self, Coding::Ofdm(..))
    }

    /// The bandwidth in which noise counts, unless a wider channel is used \[Hz\]: the chips'
    /// 22 MHz, or the channel's 20 MHz.
    pub fn noise_bandwidth_hz(self) -> f64 {
        match self {
            Coding::Dbpsk | Coding::Dqpsk | Coding::Cck4 | Coding::Cck8 => 22e6,
            Coding::Ofdm(..) => 20e6,
        }
    }
}

/// The tail of the standard normal distribution.
fn q(x: f64) -> f64 {
    0.5 * libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2)
}
