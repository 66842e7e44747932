//! The keys of `[mac]` that a PHY gives, or that only some have.

use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::{ADMISSION_SCHEME, AccessKind, MacConfig};
use crate::config::document::read;
use crate::config::{ConfigError, Error, within};
use crate::kernel::Duration;
use crate::mac::aggregation::{self, Limits};
use crate::mac::categories::{CategoriesConfig, MOST_CW};
use crate::mac::phy::ht::Choices;
use crate::mac::phy::{
    Dsss, GuardInterval, MacDefaults, Phy, PhyName, Protection, RateTable, Row, dsss, he, hr_dsss,
    ht, ofdm, vht,
};
use crate::mac::rates::RateChoice;
use crate::radio::config::SignalNeeds;
use crate::wire::Format;

/// The keys that a PHY gives or that it alone has.
const OF_PHY: [&str; 21] = [
    "data_rate_bps",
    "basic_rate_bps",
    "basic_rates_bps",
    "mcs",
    "channel_mhz",
    "streams",
    "guard_interval",
    "band_ghz",
    "aggregate",
    "aggregate_bytes",
    "aggregate_s",
    "protection",
    "preamble",
    "plcp_rate_bps",
    "preamble_bits",
    "plcp_header_bits",
    "slot_s",
    "sifs_s",
    "cw_min",
    "cw_max",
    "phy",
];

/// A channel in the middle of the band of 2.4 GHz, and the first of that of 5 GHz.
const CHANNEL_6_HZ: f64 = 2.437e9;
const CHANNEL_36_HZ: f64 = 5.18e9;

/// Whether the band is that of 2.4 GHz.
fn is_low(band_ghz: Option<f64>) -> bool {
    band_ghz == Some(2.4)
}

impl PhyName {
    /// Widths that it has \[MHz\], and streams at most.
    fn widths_and_streams(self) -> (&'static [u32], u32) {
        match self {
            PhyName::Ieee80211ac | PhyName::Ieee80211ax => (&[20, 40, 80], 4),
            _ => (&[20, 40], 2),
        }
    }

    fn usual_guard_interval(self) -> GuardInterval {
        match self {
            PhyName::Ieee80211ax => GuardInterval::Short,
            _ => GuardInterval::Long,
        }
    }

    /// MPDUs in an A-MPDU, and its bytes, at most.
    fn most_aggregated(self) -> (u16, u32) {
        let [ht, vht, he] = aggregation::MOST_BYTES;
        match self {
            PhyName::Ieee80211ac => (aggregation::WINDOW, vht),
            PhyName::Ieee80211ax => (aggregation::LARGEST_WINDOW, he),
            _ => (aggregation::WINDOW, ht),
        }
    }

    /// What is chosen of it, of what it has.
    fn choices(
        self,
        channel_mhz: Option<u32>,
        streams: Option<u32>,
        guard_interval: Option<GuardInterval>,
        band_ghz: Option<f64>,
    ) -> Choices {
        let (widths, most_streams) = self.widths_and_streams();
        Choices {
            channel_mhz: channel_mhz.filter(|mhz| widths.contains(mhz)).unwrap_or(20),
            streams: streams.unwrap_or(1).clamp(1, most_streams),
            guard_interval: guard_interval.unwrap_or(self.usual_guard_interval()),
            is_low_band: is_low(band_ghz),
        }
    }
}

impl MacConfig {
    /// Fills in what the chosen PHY gives where `table`, as read from a scenario, does not set it.
    pub fn fill_in_phy(table: &mut Table) {
        // What is wrong with these is said when the table is read and checked.
        fn given<T: DeserializeOwned + Default>(table: &Table, key: &str) -> T {
            table.get(key).and_then(|value| value.clone().try_into().ok()).unwrap_or_default()
        }
        let phy: PhyName = given(table, "phy");
        let protection: Protection = given(table, "protection");
        let choices = phy.choices(
            given(table, "channel_mhz"),
            given(table, "streams"),
            given(table, "guard_interval"),
            given(table, "band_ghz"),
        );
        let mut defaults: MacDefaults = match phy {
            PhyName::Dsss1999 => Dsss::MAC_DEFAULTS,
            PhyName::Ieee80211b => hr_dsss::MAC_DEFAULTS,
            PhyName::Ieee80211a => ofdm::MAC_DEFAULTS,
            PhyName::Ieee80211g => ofdm::extended_defaults(protection),
            PhyName::Ieee80211n => ht::mac_defaults(&choices),
            PhyName::Ieee80211ac => vht::mac_defaults(&choices),
            PhyName::Ieee80211ax => he::mac_defaults(&choices),
        };
        if let Some(mcs) = given::<Option<u8>>(table, "mcs") {
            let phy = Phy::of_choices(phy, &choices);
            let chosen = phy.as_ref().and_then(|phy| phy.rate_of_mcs(mcs, choices.streams));
            if let (Some(phy), Some(rate)) = (&phy, chosen) {
                defaults.data_rate_bps = phy.rates_bps()[rate.index()];
            }
        }
        let mut fill = |key: &str, value: Value| {
            table.entry(key).or_insert(value);
        };
        fill("data_rate_bps", defaults.data_rate_bps.into());
        fill("basic_rate_bps", defaults.basic_rate_bps.into());
        fill("slot_s", defaults.slot_s.into());
        fill("sifs_s", defaults.sifs_s.into());
        fill("cw_min", defaults.cw_min.into());
        fill("cw_max", defaults.cw_max.into());
        if phy.is_high() {
            fill("channel_mhz", 20.into());
            fill("streams", 1.into());
            fill("guard_interval", phy.usual_guard_interval().name().into());
            fill("aggregate", 1.into());
        }
        match phy {
            PhyName::Dsss1999 => {
                fill("plcp_rate_bps", dsss::PLCP_RATE_BPS.into());
                fill("preamble_bits", dsss::PREAMBLE_BITS.into());
                fill("plcp_header_bits", dsss::PLCP_HEADER_BITS.into());
            }
            PhyName::Ieee80211b => fill("preamble", "long".into()),
            PhyName::Ieee80211a | PhyName::Ieee80211ac => {}
            PhyName::Ieee80211g => {
                fill("preamble", "long".into());
                fill("protection", "none".into());
            }
            PhyName::Ieee80211n | PhyName::Ieee80211ax => fill("band_ghz", 5.0.into()),
        }
        if table.get("edca") == Some(&Value::Boolean(true)) {
            let [low, high] = ["cw_min", "cw_max"].map(|key| {
                let slots = table.get(key).and_then(Value::as_integer).unwrap_or_default();
                slots.clamp(1, MOST_CW.into()) as u32
            });
            let categories = table.entry("categories").or_insert_with(|| Table::new().into());
            if let Value::Table(categories) = categories {
                CategoriesConfig::fill_in(categories, low, high);
            }
        }
    }

    /// That of the `[mac]` table `table`, as read from a scenario, with `own` keys in place of its
    /// own; with another PHY than it has also without all that its PHY gives.
    ///
    /// # Errors
    /// The first key with the wrong shape.
    pub fn with_own(table: &Table, own: Table) -> Result<MacConfig, Error> {
        let mut table = table.clone();
        if own.get("phy").is_some_and(|phy| table.get("phy") != Some(phy)) {
            for key in OF_PHY {
                table.remove(key);
            }
            let high = PhyName::HIGH.map(|phy| Value::from(phy.name()));
            if !own.get("phy").is_some_and(|phy| high.contains(phy)) {
                table.remove("edca");
                table.remove("categories");
            }
        }
        table.extend(own);
        MacConfig::fill_in_phy(&mut table);
        read("mac", table.into())
    }

    /// What the radio has to know of the PHY; none where the PHY leaves it open. The table need not
    /// have been checked.
    pub fn signal(&self) -> Option<SignalNeeds> {
        if self.phy == PhyName::Dsss1999 {
            return None;
        }
        let phy = self.physical_layer();
        let rate = match (self.rate, self.mcs) {
            (RateChoice::Fixed, Some(mcs)) => phy.rate_of_mcs(mcs, self.choices().streams),
            (RateChoice::Fixed, None) => phy.rate(self.data_rate_bps),
            _ => phy.rate(self.basic_rate_bps),
        };
        let row = phy.rows().get(rate.unwrap_or_default().index())?;
        let frequency_hz = match self.phy {
            PhyName::Ieee80211a => CHANNEL_36_HZ,
            phy if phy.is_high() && !is_low(self.band_ghz) => CHANNEL_36_HZ,
            _ => CHANNEL_6_HZ,
        };
        Some(SignalNeeds { sensitivity_dbm: row.sensitivity_dbm, frequency_hz })
    }

    /// The physical layer that it, which has been checked, asks for.
    pub fn physical_layer(&self) -> Phy {
        let preamble = self.preamble.unwrap_or_default();
        let rows = match self.phy {
            PhyName::Dsss1999 => return Phy::Dsss(self.dsss()),
            PhyName::Ieee80211b => hr_dsss::rows(preamble).into(),
            PhyName::Ieee80211a => ofdm::rows(),
            PhyName::Ieee80211g => ofdm::extended_rows(preamble),
            high => return Phy::of_choices(high, &self.choices()).expect("of high throughput"),
        };
        Phy::Table(RateTable::new(rows))
    }

    fn dsss(&self) -> Dsss {
        let preamble_bits = self.preamble_bits.unwrap_or(dsss::PREAMBLE_BITS);
        let header_bits = self.plcp_header_bits.unwrap_or(dsss::PLCP_HEADER_BITS);
        let plcp_rate_bps = self.plcp_rate_bps.unwrap_or(dsss::PLCP_RATE_BPS);
        let frames_bps = [self.basic_rate_bps, self.data_rate_bps];
        Dsss::new(frames_bps, plcp_rate_bps, preamble_bits + header_bits)
    }

    /// What is chosen of a PHY of high throughput.
    pub(in crate::mac) fn choices(&self) -> Choices {
        self.phy.choices(self.channel_mhz, self.streams, self.guard_interval, self.band_ghz)
    }

    /// Width of its channel \[MHz\].
    pub fn width_mhz(&self) -> u32 {
        match self.phy {
            PhyName::Dsss1999 | PhyName::Ieee80211b => 22,
            _ => self.choices().channel_mhz,
        }
    }

    /// Whether frames at a rate of either look alike to a receiver: of one PHY, width and guard
    /// interval, and as many streams.
    pub fn sends_as(&self, other: &MacConfig) -> bool {
        self.phy == other.phy && self.choices() == other.choices()
    }

    /// The limits of A-MPDUs, if frames are aggregated.
    pub fn aggregation(&self) -> Option<Limits> {
        let mpdus = self.aggregate.filter(|&mpdus| mpdus > 1)?;
        let (_, most_bytes) = self.phy.most_aggregated();
        Some(Limits {
            mpdus: mpdus as usize,
            bytes: self.aggregate_bytes.unwrap_or(most_bytes),
            time: Duration::from_secs_f64(self.aggregate_s.unwrap_or(aggregation::MOST_S)),
        })
    }

    pub(super) fn check_aggregates(&self) -> Result<(), ConfigError> {
        let (most_mpdus, most) = self.phy.most_aggregated();
        let mpdus = f64::from(self.aggregate.unwrap_or(1));
        within("aggregate", mpdus, 1.0, f64::from(most_mpdus))?;
        let least = aggregation::LEAST_BYTES;
        let bytes = self.aggregate_bytes.unwrap_or(most);
        within("aggregate_bytes", bytes.into(), least.into(), most.into())?;
        let time_s = self.aggregate_s.unwrap_or(aggregation::MOST_S);
        within("aggregate_s", time_s, 1e-6, aggregation::MOST_S)?;
        if self.is_admitting() && self.aggregation().is_some() {
            let fault = format!(
                "must be 1 with scheme \"{ADMISSION_SCHEME}\", which admits packets one by one (got {mpdus})"
            );
            return Err(ConfigError::new("aggregate", fault));
        }
        Ok(())
    }

    /// Checks that the PHY has the rates, and that the keys of no other PHY are given.
    pub(super) fn check_phy(&self) -> Result<(), ConfigError> {
        use PhyName::{Dsss1999, Ieee80211ax, Ieee80211b, Ieee80211g, Ieee80211n};
        const HIGH: &[PhyName] = &PhyName::HIGH;
        let owners: [(_, _, &[PhyName]); 13] = [
            ("preamble", self.preamble.is_some(), &[Ieee80211b, Ieee80211g]),
            ("plcp_rate_bps", self.plcp_rate_bps.is_some(), &[Dsss1999]),
            ("preamble_bits", self.preamble_bits.is_some(), &[Dsss1999]),
            ("plcp_header_bits", self.plcp_header_bits.is_some(), &[Dsss1999]),
            ("mcs", self.mcs.is_some(), HIGH),
            ("channel_mhz", self.channel_mhz.is_some(), HIGH),
            ("streams", self.streams.is_some(), HIGH),
            ("guard_interval", self.guard_interval.is_some(), HIGH),
            ("band_ghz", self.band_ghz.is_some(), &[Ieee80211n, Ieee80211ax]),
            ("aggregate", self.aggregate.is_some(), HIGH),
            ("aggregate_bytes", self.aggregate_bytes.is_some(), HIGH),
            ("aggregate_s", self.aggregate_s.is_some(), HIGH),
            ("protection", self.protection.is_some(), &[Ieee80211g]),
        ];
        for (key, is_given, owners) in owners {
            if is_given && !owners.contains(&self.phy) {
                let names: Vec<&str> = owners.iter().map(|owner| owner.name()).collect();
                let owner = names.join("\" or \"");
                return Err(ConfigError::only_with(key, "phy", &owner, self.phy.name()));
            }
        }
        self.check_choices()?;
        let phy = self.physical_layer();
        for (key, rate_bps) in
            [("data_rate_bps", self.data_rate_bps), ("basic_rate_bps", self.basic_rate_bps)]
        {
            if phy.rate(rate_bps).is_none() {
                return Err(self.no_such_rate(key, rate_bps, &phy, phy.rates_bps()));
            }
        }
        self.check_basic_rates(&phy)?;
        self.check_mcs(&phy)
    }

    /// Checks that access categories are only where they can be.
    pub(super) fn check_categories(&self) -> Result<(), ConfigError> {
        let Some(categories) = &self.categories else { return Ok(()) };
        if !self.edca {
            return Err(ConfigError::new("categories", "can be given only with edca = true"));
        }
        if !self.phy.is_high() {
            let fault =
                "must be false with this phy: \"802.11n\", \"802.11ac\" and \"802.11ax\" have it";
            return Err(ConfigError::new("edca", fault));
        }
        for (key, is_wrong) in
            [("scheme", self.is_admitting()), ("access", self.access != AccessKind::Dcf)]
        {
            if is_wrong {
                return Err(ConfigError::new(key, "must be \"dcf\" with edca = true"));
            }
        }
        categories.check()
    }

    /// Checks width, streams, guard interval and band.
    fn check_choices(&self) -> Result<(), ConfigError> {
        let one_of = |key, value: f64, known: &[f64]| {
            if known.contains(&value) {
                return Ok(());
            }
            let known: Vec<String> = known.iter().map(f64::to_string).collect();
            let (last, others) = known.split_last().expect("a value at least");
            let fault = format!("must be {} or {last} (got {value})", others.join(", "));
            Err(ConfigError::new(key, fault))
        };
        let (widths, most_streams) = self.phy.widths_and_streams();
        let widths: Vec<f64> = widths.iter().copied().map(f64::from).collect();
        let streams: Vec<f64> = (1..=most_streams).map(f64::from).collect();
        let width = self.channel_mhz.unwrap_or(20);
        one_of("channel_mhz", width.into(), &widths)?;
        one_of("streams", self.streams.unwrap_or(1).into(), &streams)?;
        one_of("band_ghz", self.band_ghz.unwrap_or(5.0), &[2.4, 5.0])?;
        if width == 80 && is_low(self.band_ghz) {
            let fault = "must be 20 or 40 in the 2.4 GHz band (got 80)";
            return Err(ConfigError::new("channel_mhz", fault));
        }
        let guard_interval = self.guard_interval.unwrap_or_default();
        if guard_interval == GuardInterval::Medium && self.phy != PhyName::Ieee80211ax {
            let fault = format!(
                "must be \"long\" or \"short\" with phy \"{}\" (got \"medium\")",
                self.phy.name()
            );
            return Err(ConfigError::new("guard_interval", fault));
        }
        Ok(())
    }

    fn no_such_rate(
        &self,
        key: &'static str,
        got: f64,
        phy: &Phy,
        allowed_bps: &[f64],
    ) -> ConfigError {
        let whole =
            |rate_bps: &f64| if phy.rows().is_empty() { *rate_bps } else { rate_bps.round() };
        let mut own: Vec<f64> = allowed_bps.iter().map(whole).collect();
        own.sort_by(f64::total_cmp);
        own.dedup();
        let own: Vec<String> = own.iter().map(f64::to_string).collect();
        let phy = self.phy.name();
        let fault = format!("must be one of {} with phy \"{phy}\" (got {got})", own.join(", "));
        ConfigError::new(key, fault)
    }

    /// Checks that every station can hear what goes at basic rates.
    fn check_basic_rates(&self, phy: &Phy) -> Result<(), ConfigError> {
        const KEY: &str = "basic_rates_bps";
        let is_plain = |row: &&Row| row.high_throughput.is_none();
        let plain: Vec<f64> = match phy.rows() {
            [] => phy.rates_bps().to_vec(),
            rows => rows.iter().filter(is_plain).map(|row| row.rate_bps).collect(),
        };
        if !plain.contains(&self.basic_rate_bps) {
            return Err(self.no_such_rate("basic_rate_bps", self.basic_rate_bps, phy, &plain));
        }
        let row = phy.rate(self.basic_rate_bps).and_then(|rate| phy.rows().get(rate.index()));
        if self.is_protected() && row.is_some_and(|row| row.coding.is_ofdm()) {
            let fault = format!(
                "must be a rate of 802.11b with protection \"cts-to-self\" (got {})",
                self.basic_rate_bps
            );
            return Err(ConfigError::new("basic_rate_bps", fault));
        }
        let Some(rates) = &self.basic_rates_bps else { return Ok(()) };
        if let Some(&other) = rates.iter().find(|rate| !plain.contains(rate)) {
            return Err(self.no_such_rate(KEY, other, phy, &plain));
        }
        if !rates.contains(&self.basic_rate_bps) {
            let fault = format!("must contain basic_rate_bps, {}", self.basic_rate_bps);
            return Err(ConfigError::new(KEY, fault));
        }
        Ok(())
    }

    fn check_mcs(&self, phy: &Phy) -> Result<(), ConfigError> {
        let Some(mcs) = self.mcs else { return Ok(()) };
        let streams = self.streams.unwrap_or(1);
        let Some(rate) = phy.rate_of_mcs(mcs, streams) else {
            let own = phy.rows().iter().filter_map(|row| row.high_throughput);
            let own = own.filter(|it| it.format == Format::Ht || u32::from(it.streams) == streams);
            let numbers: Vec<u8> = own.map(|it| it.mcs).collect();
            let last = numbers.last().copied().unwrap_or_default();
            let gaps = (0..last).filter(|number| !numbers.contains(number));
            let gaps: String = gaps.map(|number| format!(" but {number}")).collect();
            let width = match self.phy {
                PhyName::Ieee80211n => String::new(),
                _ => format!("channel_mhz = {} and ", self.channel_mhz.unwrap_or(20)),
            };
            let fault =
                format!("must be 0 to {last}{gaps} with {width}streams = {streams} (got {mcs})");
            return Err(ConfigError::new("mcs", fault));
        };
        let own_bps = phy.rates_bps()[rate.index()];
        if (own_bps / self.data_rate_bps - 1.0).abs() > 1e-3 {
            let fault = format!(
                "is {own_bps:.0} bit/s, but data_rate_bps is {}: give one of the two",
                self.data_rate_bps
            );
            return Err(ConfigError::new("mcs", fault));
        }
        Ok(())
    }
}
