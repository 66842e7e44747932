//! Reception by signal over noise and interference, `radio.reception = "sinr"`.
//!
//! Noise is `k T B` at 290 K times the receiver's noise figure; k, Boltzmann's constant; B, the
//! bandwidth of what is received. All other signals at a node add up as interference. A frame's
//! header and payload are cut into pieces at each instant at which interference changes; the pieces
//! have their own error rates (`error_rates/`), and a draw decides with the product of their
//! chances whether the frame is received. Of an A-MPDU the header decides over all, then each MPDU
//! has a draw of its own (`parts.rs`).
//!
//! [`SinrReceiver`] is one node's receiver; [`Rules`] is what all have in common.

mod by_phy;
mod curve;
mod needs;
mod parts;
mod receiver;

use crate::kernel::Duration;
use crate::radio::Coding;
use crate::wire::Rate;

pub use by_phy::RulesByPhy;
use curve::Curve;
pub use needs::Needs;
pub use receiver::SinrReceiver;

/// Boltzmann's constant \[J/K\] (exact since the SI of 2019).
const BOLTZMANN_J_PER_K: f64 = 1.380_649e-23;
/// The temperature for which noise figures are stated \[K\] (IEEE's definition).
const TEMPERATURE_K: f64 = 290.0;

/// Noise power \[W\] in this bandwidth of a receiver with this noise figure.
pub fn noise_w(bandwidth_hz: f64, noise_figure_db: f64) -> f64 {
    BOLTZMANN_J_PER_K * TEMPERATURE_K * bandwidth_hz * libm::pow(10.0, noise_figure_db / 10.0)
}

/// Power \[W\] of a level \[dBm\].
pub fn watts(dbm: f64) -> f64 {
    libm::pow(10.0, dbm / 10.0) / 1e3
}

/// How a frame at one rate looks to a receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waveform {
    /// How the payload is modulated and coded, and its data rate \[bit/s\].
    pub payload: (Coding, f64),
    /// The same of the PHY header.
    pub header: (Coding, f64),
    /// From the first instant to the header: without data.
    pub sync: Duration,
    /// From the first instant to the end of the header.
    pub header_end: Duration,
    /// From the first instant to the payload.
    pub preamble: Duration,
    /// Silence at the end that counts as part of the frame.
    pub extension: Duration,
    /// Bandwidth of noise \[Hz\].
    pub bandwidth_hz: f64,
}

/// A waveform with what is worked out from it once.
#[derive(Clone, Debug)]
struct Form {
    waveform: Waveform,
    noise_w: f64,
    /// The least power \[W\] at which a frame is noticed where nothing else is on the air.
    noticed_w: f64,
    /// Of the table of curves: payload and header.
    payload: usize,
    header: usize,
    /// From this ratio on every bit of both is good.
    sure_ratio: f64,
}

/// Levels that decide what a receiver does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levels {
    /// Noise figure \[dB\].
    pub noise_figure_db: f64,
    /// Total power that makes the medium busy \[W\].
    pub energy_detect_w: f64,
    /// The weakest frame that is noticed \[W\].
    pub carrier_sense_w: f64,
    /// The smallest ratio of signal to noise and interference at which a preamble is noticed.
    pub preamble_ratio: f64,
    /// A frame replaces the one being received if it is stronger by this ratio.
    pub capture_ratio: f64,
}

/// What all receivers of a run have in common.
#[derive(Debug)]
pub struct Rules {
    /// By rate; the last is that of signals from other channels, which are never noticed as
    /// frames.
    forms: Vec<Form>,
    curves: Vec<Curve>,
    levels: Levels,
    seed: u64,
    /// By the number of a transmission that is an A-MPDU: when each of its MPDUs ends, from its
    /// start.
    parts: Vec<Vec<Duration>>,
}

impl Rules {
    /// Reception of frames at these rates.
    pub fn new(waveforms: &[Waveform], levels: Levels, seed: u64) -> Rules {
        let mut codings = Vec::new();
        let mut place = |coding: Coding| {
            codings.iter().position(|&known| known == coding).unwrap_or_else(|| {
                codings.push(coding);
                codings.len() - 1
            })
        };
        let mut forms: Vec<Form> = waveforms
            .iter()
            .map(|waveform| (waveform, noise_w(waveform.bandwidth_hz, levels.noise_figure_db)))
            .map(|(waveform, noise_w)| Form {
                waveform: *waveform,
                noise_w,
                noticed_w: levels.carrier_sense_w.max(levels.preamble_ratio * noise_w),
                payload: place(waveform.payload.0),
                header: place(waveform.header.0),
                sure_ratio: 0.0,
            })
            .collect();
        let curves: Vec<Curve> = codings.into_iter().map(Curve::of).collect();
        for form in &mut forms {
            let both = [form.payload, form.header].map(|place| curves[place].sure_from());
            form.sure_ratio = both[0].max(both[1]);
        }
        if let Some(last) = forms.last() {
            let (noise_w, noticed_w) = (f64::INFINITY, f64::INFINITY);
            forms.push(Form { noise_w, noticed_w, ..last.clone() });
        }
        Rules { forms, curves, levels, seed, parts: Vec::new() }
    }

    /// The rate that stands for a signal from another channel: there is power, and no frame.
    pub fn foreign(&self) -> Rate {
        Rate(self.forms.len() as u8 - 1)
    }

    /// The least power \[W\] at which a frame of this rate can be received where nothing else is on
    /// the air.
    #[inline]
    pub fn noticed_w(&self, rate: Rate) -> f64 {
        self.forms[rate.index()].noticed_w
    }

    /// Whether a frame of this power and rate can be received where nothing else is on the air.
    #[inline]
    pub fn is_noticed(&self, power_w: f64, rate: Rate) -> bool {
        power_w >= self.noticed_w(rate)
    }

    /// The power \[W\] at which a payload of `bytes` is received at `rate` with chance `share`,
    /// without interference.
    pub fn needed_w(&self, rate: Rate, bytes: u32, share: f64) -> f64 {
        let form = &self.forms[rate.index()];
        let bits = 8.0 * f64::from(bytes);
        let is_enough = |snr: f64| bits * self.curves[form.payload].ln_good(snr) >= share.ln();
        // From -18 dB in steps of a tenth of a decibel.
        let mut steps = (0..600).map(|step| libm::pow(10.0, f64::from(step) / 100.0 - 1.8));
        steps.find(|&snr| is_enough(snr)).unwrap_or(f64::INFINITY) * form.noise_w
    }
}
