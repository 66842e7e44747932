//! The link layer between routing and the MAC: address resolution and the interface queue.

mod queue;

pub use queue::{InterfaceQueue, QueueDiscipline};
