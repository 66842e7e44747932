//! Slots that are reserved anew each time, in rounds of requests that everyone makes at once.
//!
//! Source: ours. The order of things is that of the five-phase reservation protocol (C. Zhu, M.
//! S. Corson, "A Five-Phase Reservation Protocol (FPRP) for Mobile Ad Hoc Networks", Wireless
//! Networks 7, 2001): a request, what comes of it, a report of who is disturbed. Time is cut into
//! slots, the same for all stations but for the error of their clocks. A slot begins with calls,
//! then come `rounds` rounds, then data, then acknowledgments.
//!
//! A round: stations with packets count down, the sooner the more packets they have for one
//! neighbour, and the first in each place sends a tone, which silences those that sense it. Then
//! all that won this round or an earlier one of the slot send their requests (RTS) *at the same
//! time*, so that each receiver finds out whether it will understand its sender beside all others.
//! Those that do grant (CTS), again at once. Whoever had won before and no longer understands its
//! peer objects by a tone, and the new ones that sense it withdraw.
//!
//! After its acknowledgment a receiver may return short packets to its sender, such as TCP's
//! acknowledgments: its grant was tried beside all others as well.
//!
//! A broadcast has no receiver to grant it: who has one calls with a tone for an open slot, and who
//! senses that passes it on. There all broadcasts nearby contend by random access, and nobody asks.
//!
//! So a station never waits for a neighbour whom it would not disturb, as it would under carrier
//! sense, and what is sent at the same time has been tried before.

mod config;
mod held;
mod station;
mod timeline;

use super::windows::Needs;

pub use config::ReservationConfig;
pub use station::Reserving;
pub use timeline::{Mark, PACKET_BYTES, Timeline};

/// As the scenario names it.
pub const NAME: &str = "slot-reservation";

/// What the stations have to be told: that a neighbour is there is heard from any of its frames.
pub const NEEDS: Needs = Needs { backlog: false, overhearing: true, order: false };

#[cfg(test)]
mod tests;
