//! The link layer between routing and the MAC: address resolution, the interface queue and its
//! service.

mod arp;
pub mod association;
pub mod back_pressure;
pub mod config;
pub mod hop_pacing;
mod queue;
mod service;

pub use arp::{ASK_AGAIN, Again, Arp, ArpAction};
pub use back_pressure::BackPressure;
pub use config::{LinkConfig, Pacing};
pub use hop_pacing::{HopPacer, HopPacingConfig, PacingCounters};
pub use queue::{
    Backlog, Codel, CodelConfig, DropTail, FqCodel, InterfaceQueue, Lines, Outside, Overflow,
    Place, PriorityClasses, QueueDiscipline, QueueRule, RoutingFirst, Verdict,
};
pub use service::LinkService;
