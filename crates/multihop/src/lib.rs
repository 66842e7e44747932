//! multihop: a discrete-event engine for TCP over multi-hop wireless networks.
//!
//! One folder per layer. Data goes down `traffic -> transport -> routing -> link -> mac -> radio`
//! and up the same way; [`simulation`] is the only module that knows all of them. Protocols are
//! state machines without clock, queue or randomness of their own: time and random streams come in
//! as arguments, actions go out.

pub mod capture;
pub mod config;
pub mod kernel;
pub mod link;
pub mod mac;
pub mod measure;
pub mod packing;
pub mod profile;
pub mod radio;
pub mod routing;
pub mod scenario;
pub mod schemes;
pub mod simulation;
pub mod traffic;
pub mod transport;
pub mod wire;
