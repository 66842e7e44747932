//! The keys of `[mac.slot_reservation]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, within};

/// Slots that are reserved anew each time (`mac.access = "slot-reservation"`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReservationConfig {
    /// Rounds of requests in a slot.
    pub rounds: u32,
    /// Places of a round's countdown.
    pub countdown: u32,
    /// A slot has room for so many packets of 1500 bytes at the data rate.
    pub packets: u32,
    /// A receiver may return so many short packets to its sender, of 64 bytes at most each.
    pub returns: u32,
    /// With so many packet-seconds waiting, the packets for a neighbour times the time that the
    /// first has waited, a countdown takes half of its places or so (s).
    pub backlog_s: f64,
    /// The rate at which a countdown ends goes by this power of the packet-seconds that wait.
    pub power: f64,
    /// The probability with which a station that has sent in the last slot leaves the first round
    /// to others. Without it a station that always asks there starves one whose receiver it
    /// disturbs from beyond the range of its tone.
    pub yields: f64,
    /// A station's clock is off by this at most (s).
    pub clock_error_s: f64,
}

impl Default for ReservationConfig {
    fn default() -> Self {
        ReservationConfig {
            rounds: 2,
            countdown: 16,
            packets: 2,
            returns: 1,
            backlog_s: 3.0,
            power: 0.15,
            yields: 0.5,
            clock_error_s: 0.0,
        }
    }
}

impl ReservationConfig {
    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        within("slot_reservation.rounds", f64::from(self.rounds), 1.0, 16.0)?;
        within("slot_reservation.countdown", f64::from(self.countdown), 1.0, 256.0)?;
        within("slot_reservation.packets", f64::from(self.packets), 1.0, 16.0)?;
        within("slot_reservation.returns", f64::from(self.returns), 0.0, 16.0)?;
        within("slot_reservation.backlog_s", self.backlog_s, 1e-3, 1e6)?;
        within("slot_reservation.power", self.power, 0.0, 4.0)?;
        within("slot_reservation.yields", self.yields, 0.0, 1.0)?;
        within("slot_reservation.clock_error_s", self.clock_error_s, 0.0, 1e-3)
    }
}
