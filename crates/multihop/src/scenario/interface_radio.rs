//! The table `[interfaces.radio]`: what a kind of station has otherwise than `[radio]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Table;

use crate::config::Error;
use crate::config::document::read;
use crate::radio::RadioConfig;
use crate::radio::config::SignalNeeds;

/// The keys of `[radio]` that stations of a kind may have otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InterfaceRadio {
    /// Carrier frequency (Hz).
    pub frequency_hz: f64,
    /// Transmit power (W).
    pub transmit_power_w: f64,
    /// The same in dBm; give one of the two.
    #[serde(default, skip_serializing)]
    #[schemars(with = "f64")]
    pub transmit_power_dbm: Option<f64>,
    /// Its stations decode frames that stations with the power of `[radio]` send from within this
    /// distance, both with antennas of 0 dBi (m).
    pub receive_range_m: f64,
    /// The same for frames that make the medium busy (m).
    pub sense_range_m: f64,
}

impl InterfaceRadio {
    /// The radio of stations for which `own` has other keys than `[radio]`, `usual`, and which need
    /// `signal`. By signal and noise ranges follow from power and PHY unless `own` has them.
    ///
    /// # Errors
    /// The first key that is unknown or of another type.
    pub fn read(
        place: &str,
        own: &Table,
        usual: &Table,
        signal: Option<SignalNeeds>,
    ) -> Result<(InterfaceRadio, RadioConfig), Error> {
        let _: Keys = read(place, own.clone().into())?;
        let mut merged = usual.clone();
        let has_power = own.keys().any(|key| key.starts_with("transmit_power"));
        let is_sinr = usual.get("reception").is_some_and(|value| value.as_str() == Some("sinr"));
        for (is_replaced, keys) in [
            (has_power, ["transmit_power_w", "transmit_power_dbm"]),
            (is_sinr, ["receive_range_m", "sense_range_m"]),
        ] {
            for key in keys.into_iter().filter(|_| is_replaced) {
                merged.remove(key);
            }
        }
        merged.extend(own.clone());
        let at = |error: Error| {
            let key = error.key.replacen("radio", place, 1);
            Error::new(key, error.fault)
        };
        let radio = RadioConfig::read(merged, signal).map_err(at)?;
        let table = InterfaceRadio {
            frequency_hz: radio.frequency_hz,
            transmit_power_w: radio.transmit_power_w,
            transmit_power_dbm: None,
            receive_range_m: radio.receive_range_m,
            sense_range_m: radio.sense_range_m,
        };
        Ok((table, radio))
    }
}

/// The keys of `[interfaces.radio]`, checked for their types.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read for its errors")]
struct Keys {
    frequency_hz: Option<f64>,
    transmit_power_w: Option<f64>,
    transmit_power_dbm: Option<f64>,
    receive_range_m: Option<f64>,
    sense_range_m: Option<f64>,
}
