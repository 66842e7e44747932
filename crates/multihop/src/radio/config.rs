//! The keys of the scenario's `[radio]` table.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use toml::{Table, Value};

use super::energy::EnergyTable;
use super::fading::{Fades, Fading};
use super::sinr::{Levels, noise_w, watts};
use super::{FreeSpace, LogDistance, PathLoss, TwoRayGround};
use crate::config::document::read;
use crate::config::{ConfigError, Decibels, Error, NodeOrName, positive, within};
use crate::kernel::Duration;

/// The radio's parameters; the defaults are those of the papers and of ns-2's classic card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RadioConfig {
    /// How power falls with distance.
    pub propagation: Propagation,
    /// Which frames are received.
    pub reception: Reception,
    /// Frames from within this distance can be decoded (m).
    pub receive_range_m: f64,
    /// Frames from within this distance make the medium busy (m).
    pub sense_range_m: f64,
    /// A frame being received survives a later one that is weaker by this much (dB); `inf`: none
    /// does.
    pub capture_db: Decibels,
    /// Height of all antennas (m); two-ray ground only, 1.5 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub antenna_height_m: Option<f64>,
    /// How power falls with distance beyond 1 m; log-distance only, 3 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub path_loss_exponent: Option<f64>,
    /// Carrier frequency (Hz).
    pub frequency_hz: f64,
    /// Transmit power (W). With reception by threshold only ratios of powers matter.
    pub transmit_power_w: f64,
    /// The same in dBm; give one of the two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub transmit_power_dbm: Option<f64>,
    /// The gain of each link: from, to, and what is received over what was sent (dB). The way back
    /// is the same unless it is listed too; a pair that is not listed hears nothing. Propagation
    /// "measured" only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<(NodeOrName, NodeOrName, f64)>")]
    pub gains_db: Option<Vec<(u32, u32, f64)>>,
    /// The same from a CSV file with the columns from, to and gain_db.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub file: Option<String>,
    /// By how much a receiver is noisier than its antenna (dB); 7 unless given. This and all below:
    /// reception "sinr" only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub noise_figure_db: Option<f64>,
    /// The weakest frame that a receiver notices (dBm); -82 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub carrier_sense_dbm: Option<f64>,
    /// How strong all signals together have to be to make the medium busy (dBm); -62 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub energy_detect_dbm: Option<f64>,
    /// The smallest ratio of signal to noise and interference at which a frame is noticed (dB); 4
    /// unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub preamble_db: Option<f64>,
    /// Standard deviation of the shadowing of links (dB); 0 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub shadowing_db: Option<f64>,
    /// How the power of frames varies around the mean of their link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "FadingName")]
    pub fading: Option<FadingName>,
    /// How long a link fades alike (s); with fading only, 0.01 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub coherence_s: Option<f64>,
    /// Power of the direct path over that of all others (dB); fading "rician" only, 6 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub rician_k_db: Option<f64>,
    /// The shape of the distribution; fading "nakagami" only, 1.5 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub nakagami_m: Option<f64>,
    /// Whether what is sent on one channel disturbs receivers on the next ones, by the PHYs'
    /// spectrum masks. Channels are then those of 802.11.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub neighbouring_channels: bool,
    /// What radios use; not counted unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "EnergyTable")]
    pub energy: Option<EnergyTable>,
}

/// Which frames are received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reception {
    /// Those from within `receive_range_m`, as in ns-2.
    #[default]
    Threshold,
    /// By error rates, from signal over noise and interference.
    Sinr,
}

impl Reception {
    fn name(self) -> &'static str {
        match self {
            Reception::Threshold => "threshold",
            Reception::Sinr => "sinr",
        }
    }
}

/// The distribution of fading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FadingName {
    /// All frames on a link have its mean power.
    #[default]
    None,
    /// No direct path.
    Rayleigh,
    /// With a direct path.
    Rician,
    /// Gamma distributed power.
    Nakagami,
}

impl FadingName {
    fn name(self) -> &'static str {
        match self {
            FadingName::None => "none",
            FadingName::Rayleigh => "rayleigh",
            FadingName::Rician => "rician",
            FadingName::Nakagami => "nakagami",
        }
    }
}

/// What the radio has to know of the PHY.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignalNeeds {
    /// The weakest signal that a receiver has to understand at the rate of data \[dBm\].
    pub sensitivity_dbm: f64,
    /// A frequency of its band \[Hz\].
    pub frequency_hz: f64,
}

/// How power falls with distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Propagation {
    /// Two-ray ground, with free space below the crossover distance.
    #[default]
    TwoRayGround,
    /// Free space: Friis' law at every distance.
    FreeSpace,
    /// Log-distance: free space up to 1 m, then with `path_loss_exponent`.
    LogDistance,
    /// As measured: a gain for each link, whatever the distance.
    Measured,
}

impl Propagation {
    /// As the scenario names it.
    fn name(self) -> &'static str {
        match self {
            Propagation::TwoRayGround => "two-ray-ground",
            Propagation::FreeSpace => "free-space",
            Propagation::LogDistance => "log-distance",
            Propagation::Measured => "measured",
        }
    }
}

/// Height of all antennas \[m\] where it matters and is not given: ns-2's.
const ANTENNA_HEIGHT_M: f64 = 1.5;
/// Path loss exponent where it matters and is not given: a city's.
const PATH_LOSS_EXPONENT: f64 = 3.0;

/// Reception by signal and noise: what is not given. Levels as receivers of OFDM in 20 MHz have to
/// keep them.
const SINR_POWER_W: f64 = 0.1;
const NOISE_FIGURE_DB: f64 = 7.0;
const CARRIER_SENSE_DBM: f64 = -82.0;
const ENERGY_DETECT_DBM: f64 = -62.0;
const PREAMBLE_DB: f64 = 4.0;
const COHERENCE_S: f64 = 0.01;
const RICIAN_K_DB: f64 = 6.0;
const NAKAGAMI_M: f64 = 1.5;
/// Signals weaker than the noise by more than this do not count \[dB\]: one alone is worth 1 dB.
const WEAKEST_DB: f64 = -6.0;
/// So many standard deviations of shadowing above the mean are allowed for.
pub const LUCKY_DEVIATIONS: f64 = 2.0;

impl Default for RadioConfig {
    fn default() -> Self {
        RadioConfig {
            propagation: Propagation::default(),
            receive_range_m: 250.0,
            sense_range_m: 550.0,
            capture_db: Decibels(10.0),
            antenna_height_m: Some(ANTENNA_HEIGHT_M),
            path_loss_exponent: None,
            reception: Reception::default(),
            frequency_hz: 914e6,
            transmit_power_w: 0.281_838_15,
            transmit_power_dbm: None,
            gains_db: None,
            file: None,
            noise_figure_db: None,
            carrier_sense_dbm: None,
            energy_detect_dbm: None,
            preamble_db: None,
            shadowing_db: None,
            fading: None,
            coherence_s: None,
            rician_k_db: None,
            nakagami_m: None,
            neighbouring_channels: false,
            energy: None,
        }
    }
}

impl RadioConfig {
    /// Reads the table, and fills in what the choices in it and the PHY give.
    ///
    /// # Errors
    /// If a key is unknown or its value has the wrong shape.
    pub fn read(mut table: Table, signal: Option<SignalNeeds>) -> Result<RadioConfig, Error> {
        let is_given = |key: &str| table.contains_key(key);
        if is_given("transmit_power_w") && is_given("transmit_power_dbm") {
            let fault = "cannot be given together with transmit_power_w";
            return Err(Error::new("radio.transmit_power_dbm", fault));
        }
        let has_ranges = [is_given("receive_range_m"), is_given("sense_range_m")];
        let is_sinr = table.get("reception").is_some_and(|value| value.as_str() == Some("sinr"));
        if let (true, Some(signal)) = (is_sinr, signal) {
            let mut fill = |key: &str, value: f64| {
                table.entry(key).or_insert(Value::from(value));
            };
            fill("frequency_hz", signal.frequency_hz);
            fill("transmit_power_w", SINR_POWER_W);
        }
        let mut radio: RadioConfig = read("radio", table.into())?;
        if let Some(dbm) = radio.transmit_power_dbm {
            radio.transmit_power_w = watts(dbm);
        }
        radio = radio.with_defaults();
        if let (Reception::Sinr, Some(signal)) = (radio.reception, signal) {
            radio.fill_in_ranges(has_ranges, signal);
        }
        Ok(radio)
    }

    /// With reception by signal and noise: how far the mean power suffices for data, and how far it
    /// matters.
    fn fill_in_ranges(&mut self, is_given: [bool; 2], signal: SignalNeeds) {
        let path_loss = self.path_loss();
        if !is_given[0] {
            self.receive_range_m = path_loss.range_m(watts(signal.sensitivity_dbm));
        }
        if !is_given[1] {
            let luck_db = LUCKY_DEVIATIONS * self.shadowing_db.unwrap_or(0.0);
            let range_m = path_loss.range_m(self.weakest_w() * watts(30.0 - luck_db));
            self.sense_range_m = range_m.max(self.receive_range_m);
        }
    }

    /// The weakest signal that counts as interference \[W\].
    pub fn weakest_w(&self) -> f64 {
        let noise_figure_db = self.noise_figure_db.unwrap_or(NOISE_FIGURE_DB);
        noise_w(20e6, noise_figure_db) * watts(30.0 + WEAKEST_DB)
    }

    /// The levels of reception by signal and noise.
    pub fn levels(&self) -> Levels {
        let ratio = |db: f64| Decibels(db).ratio();
        Levels {
            noise_figure_db: self.noise_figure_db.unwrap_or(NOISE_FIGURE_DB),
            energy_detect_w: watts(self.energy_detect_dbm.unwrap_or(ENERGY_DETECT_DBM)),
            carrier_sense_w: watts(self.carrier_sense_dbm.unwrap_or(CARRIER_SENSE_DBM)),
            preamble_ratio: ratio(self.preamble_db.unwrap_or(PREAMBLE_DB)),
            capture_ratio: self.capture_db.ratio(),
        }
    }

    /// The fading of links in the run with this seed, if there is any.
    pub fn fades(&self, seed: u64) -> Option<Fades> {
        let fading = match self.fading.unwrap_or_default() {
            FadingName::None => return None,
            FadingName::Rayleigh => Fading::Rayleigh,
            FadingName::Rician => {
                Fading::Rician(Decibels(self.rician_k_db.unwrap_or(RICIAN_K_DB)).ratio())
            }
            FadingName::Nakagami => Fading::Nakagami(self.nakagami_m.unwrap_or(NAKAGAMI_M)),
        };
        let coherence = Duration::from_secs_f64(self.coherence_s.unwrap_or(COHERENCE_S));
        Some(Fades::new(fading, coherence, seed))
    }

    /// This table with the defaults of the chosen models' own keys filled in.
    pub fn with_defaults(mut self) -> RadioConfig {
        self.transmit_power_dbm = None;
        if self.reception == Reception::Sinr {
            self.noise_figure_db.get_or_insert(NOISE_FIGURE_DB);
            self.carrier_sense_dbm.get_or_insert(CARRIER_SENSE_DBM);
            self.energy_detect_dbm.get_or_insert(ENERGY_DETECT_DBM);
            self.preamble_db.get_or_insert(PREAMBLE_DB);
            self.shadowing_db.get_or_insert(0.0);
            let fading = *self.fading.get_or_insert_default();
            if fading != FadingName::None {
                self.coherence_s.get_or_insert(COHERENCE_S);
            }
            match fading {
                FadingName::Rician => _ = self.rician_k_db.get_or_insert(RICIAN_K_DB),
                FadingName::Nakagami => _ = self.nakagami_m.get_or_insert(NAKAGAMI_M),
                FadingName::None | FadingName::Rayleigh => {}
            }
        }
        match self.propagation {
            Propagation::TwoRayGround => {
                self.antenna_height_m.get_or_insert(ANTENNA_HEIGHT_M);
            }
            Propagation::FreeSpace | Propagation::Measured => {}
            Propagation::LogDistance => {
                self.path_loss_exponent.get_or_insert(PATH_LOSS_EXPONENT);
            }
        }
        self
    }

    /// How power falls with distance.
    pub fn path_loss(&self) -> PathLoss {
        let (power_w, frequency_hz) = (self.transmit_power_w, self.frequency_hz);
        match self.propagation {
            Propagation::TwoRayGround => {
                let height_m = self.antenna_height_m.unwrap_or(ANTENNA_HEIGHT_M);
                PathLoss::TwoRayGround(TwoRayGround::new(power_w, frequency_hz, height_m))
            }
            // Measured gains do not follow from distance; where one is asked for, this is the most
            // it can be.
            Propagation::FreeSpace | Propagation::Measured => {
                PathLoss::FreeSpace(FreeSpace::new(power_w, frequency_hz))
            }
            Propagation::LogDistance => {
                let exponent = self.path_loss_exponent.unwrap_or(PATH_LOSS_EXPONENT);
                PathLoss::LogDistance(LogDistance::new(power_w, frequency_hz, exponent))
            }
        }
    }

    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        positive("receive_range_m", self.receive_range_m, 1e5)?;
        positive("sense_range_m", self.sense_range_m, 1e5)?;
        if self.sense_range_m < self.receive_range_m {
            let fault = format!(
                "must be at least receive_range_m, {} (got {})",
                self.receive_range_m, self.sense_range_m
            );
            return Err(ConfigError::new("sense_range_m", fault));
        }
        let capture = self.capture_db.0;
        if capture.is_nan() || capture < 0.0 {
            return Err(ConfigError::new(
                "capture_db",
                format!("must be 0 or more, or inf (got {capture})"),
            ));
        }
        let owners = [
            ("antenna_height_m", self.antenna_height_m, Propagation::TwoRayGround),
            ("path_loss_exponent", self.path_loss_exponent, Propagation::LogDistance),
        ];
        for (key, value, owner) in owners {
            if value.is_some() && self.propagation != owner {
                let chosen = self.propagation.name();
                return Err(ConfigError::only_with(key, "propagation", owner.name(), chosen));
            }
        }
        if let Some(height_m) = self.antenna_height_m {
            positive("antenna_height_m", height_m, 1e4)?;
        }
        if let Some(exponent) = self.path_loss_exponent {
            within("path_loss_exponent", exponent, 1.0, 10.0)?;
        }
        positive("frequency_hz", self.frequency_hz, 1e12)?;
        positive("transmit_power_w", self.transmit_power_w, 1e6)?;
        self.check_sinr()
    }

    /// Checks the measured gains of a network of `nodes`.
    ///
    /// # Errors
    /// If there are none, or too many, or one is impossible.
    pub fn check_gains(&self, nodes: usize) -> Result<(), ConfigError> {
        let is_measured = self.propagation == Propagation::Measured;
        let chosen = self.propagation.name();
        for (key, is_given) in
            [("gains_db", self.gains_db.is_some()), ("file", self.file.is_some())]
        {
            if is_given && !is_measured {
                return Err(ConfigError::only_with(key, "propagation", "measured", chosen));
            }
        }
        if !is_measured {
            return Ok(());
        }
        if self.reception == Reception::Threshold {
            let fault =
                "\"measured\" can be given only with reception \"sinr\" (got \"threshold\")";
            return Err(ConfigError::new("propagation", fault));
        }
        let fault = |text: String| Err(ConfigError::new("gains_db", text));
        let gains = self.gains_db.as_deref().unwrap_or_default();
        if gains.is_empty() {
            return fault("must list at least one link with propagation \"measured\"".to_owned());
        }
        let mut links = HashSet::new();
        match gains.iter().find_map(|&link| gain_fault(link, nodes, &mut links)) {
            Some(text) => fault(text),
            None => Ok(()),
        }
    }

    /// Checks the keys of reception by signal and noise.
    fn check_sinr(&self) -> Result<(), ConfigError> {
        let bounds = [
            ("noise_figure_db", self.noise_figure_db, 0.0, 50.0),
            ("carrier_sense_dbm", self.carrier_sense_dbm, -150.0, 50.0),
            ("energy_detect_dbm", self.energy_detect_dbm, -150.0, 50.0),
            ("preamble_db", self.preamble_db, -20.0, 50.0),
            ("shadowing_db", self.shadowing_db, 0.0, 30.0),
            ("coherence_s", self.coherence_s, 1e-6, 1e6),
            ("rician_k_db", self.rician_k_db, -30.0, 50.0),
            ("nakagami_m", self.nakagami_m, 0.5, 100.0),
        ];
        let is_fading_given = self.fading.is_some();
        let given = bounds.iter().filter(|(_, value, ..)| value.is_some()).map(|(key, ..)| *key);
        let first = given.chain(is_fading_given.then_some("fading")).next();
        if let (Some(key), Reception::Threshold) = (first, self.reception) {
            let (owner, chosen) = (Reception::Sinr.name(), self.reception.name());
            return Err(ConfigError::only_with(key, "reception", owner, chosen));
        }
        let fading = self.fading.unwrap_or_default();
        for (key, value, owner) in [
            ("rician_k_db", self.rician_k_db, FadingName::Rician),
            ("nakagami_m", self.nakagami_m, FadingName::Nakagami),
        ] {
            if value.is_some() && fading != owner {
                return Err(ConfigError::only_with(key, "fading", owner.name(), fading.name()));
            }
        }
        if self.coherence_s.is_some() && fading == FadingName::None {
            let fault = "can be given only with fading (got \"none\")";
            return Err(ConfigError::new("coherence_s", fault));
        }
        for (key, value, low, high) in bounds {
            if let Some(value) = value {
                within(key, value, low, high)?;
            }
        }
        Ok(())
    }
}

/// What is wrong with the measured gain of the link (from, to, gain \[dB\]) between two of `nodes`,
/// given `links` before it, among which it is then.
pub fn gain_fault(
    (from, to, gain_db): (u32, u32, f64),
    nodes: usize,
    links: &mut HashSet<(u32, u32)>,
) -> Option<String> {
    if from == to || from.max(to) as usize >= nodes {
        let last = nodes.saturating_sub(1);
        return Some(format!("must join two nodes of 0 to {last} (got {from} and {to})"));
    }
    if !(-300.0..=30.0).contains(&gain_db) {
        return Some(format!("gain_db must be -300 to 30 (got {gain_db} from {from} to {to})"));
    }
    let is_new = links.insert((from, to));
    (!is_new).then(|| format!("the link {from} to {to} is listed twice"))
}
