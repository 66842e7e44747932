//! The link layer between routing and the MAC: address resolution and the interface queue.

mod arp;
pub mod config;
pub mod hop_pacing;
mod queue;

pub use arp::{ASK_AGAIN, Again, Arp, ArpAction};
pub use config::{LinkConfig, Pacing};
pub use hop_pacing::{HopPacer, HopPacingConfig, PacingCounters};
pub use queue::{InterfaceQueue, QueueDiscipline};
