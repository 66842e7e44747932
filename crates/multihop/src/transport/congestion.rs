//! Congestion control: what a sender may have in the network, and how fast it may send it.
//!
//! A congestion control implements [`CongestionControl`] in a file of its own and states its
//! [`Scheme`](super::scheme::Scheme) there. It gets a `mod` line here, a line in `flavour.rs` and
//! one in `transport/schemes.rs`, and `transport.scheme` knows it.

pub(super) mod bbr;
pub(super) mod bbr1;
pub(super) mod control;
pub(super) mod cubic;
mod filters;
pub(super) mod flavour;
mod hystart;
mod limited_by;
mod models;
pub(super) mod newreno;
pub(super) mod outside;
pub(super) mod reno;
pub(super) mod validation;
pub(super) mod vegas;
pub(super) mod westwood;
pub(super) mod window;

pub use control::{
    Ack, CongestionControl, Delivery, Loss, LostSegment, RateSample, SentSegment, spread,
};
pub use flavour::Flavour;
pub use limited_by::LimitedBy;
pub use outside::Outside;
pub use validation::WindowValidation;
pub use window::Window;
