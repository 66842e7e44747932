//! multihop: a discrete-event engine for TCP over multi-hop wireless networks.
//!
//! One folder a layer. Data goes down `traffic -> transport -> routing -> link -> mac -> radio` and up
//! the same way; [`simulation`] is the only place that knows all of them. Protocols are state
//! machines without clock, queue or randomness of their own: time and chance come in as arguments,
//! what they want done goes out as actions.

pub mod config;
pub mod kernel;
pub mod link;
pub mod mac;
pub mod measure;
pub mod profile;
pub mod radio;
pub mod routing;
pub mod scenario;
pub mod schemes;
pub mod simulation;
pub mod traffic;
pub mod transport;
pub mod wire;
