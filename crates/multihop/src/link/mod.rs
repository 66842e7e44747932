//! The link layer between routing and the MAC: address resolution and the interface queue.

mod arp;
pub mod config;
mod queue;

pub use arp::{Arp, ArpAction};
pub use config::LinkConfig;
pub use queue::{InterfaceQueue, QueueDiscipline};
