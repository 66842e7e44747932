//! The most that several tables of a scenario may ask for.

/// Maximum simulated time \[s\]: about 116 days.
pub const MAX_DURATION_S: f64 = 1e7;
/// Maximum seed, so that every reader of JSON and TOML keeps it exactly.
pub const MAX_SEED: u64 = (1 << 53) - 1;
/// Maximum coordinate \[m\].
pub const MAX_METRES: f64 = 1e7;
/// Maximum speed \[m/s\].
pub const MAX_SPEED_MPS: f64 = 10_000.0;
/// Draws before the search for connected places or movements is given up.
pub const MAX_DRAWS: u64 = 1000;
