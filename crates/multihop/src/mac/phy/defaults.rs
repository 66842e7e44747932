//! What a PHY gives the MAC.

/// What a PHY gives the MAC where the scenario does not set it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MacDefaults {
    /// Rate of unicast data frames \[bit/s\].
    pub data_rate_bps: f64,
    /// Rate of RTS and broadcasts, and at most of CTS and ACK \[bit/s\].
    pub basic_rate_bps: f64,
    /// Slot time \[s\].
    pub slot_s: f64,
    /// Short interframe space \[s\].
    pub sifs_s: f64,
    /// Smallest contention window \[slots\].
    pub cw_min: u32,
    /// Largest contention window \[slots\].
    pub cw_max: u32,
}
