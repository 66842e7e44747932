//! multihop: a discrete-event engine for TCP over multi-hop wireless networks.
//!
//! One folder per layer. Data goes down `traffic -> transport -> routing -> link -> mac -> radio`
//! and up the same way; `simulation` is the only module that knows all of them. Protocols are
//! state machines without clock, queue or randomness of their own: time and random streams come in
//! as arguments, actions go out.
//!
//! [`api`] is the public face. Everything else is public for the crates of this repository alone,
//! and free to change.

#[doc(hidden)]
pub mod agents;
pub mod api;
#[doc(hidden)]
pub mod bound;
#[doc(hidden)]
pub mod capture;
#[doc(hidden)]
pub mod config;
#[doc(hidden)]
pub mod kernel;
#[doc(hidden)]
pub mod link;
#[doc(hidden)]
pub mod mac;
#[doc(hidden)]
pub mod measure;
#[doc(hidden)]
pub mod profile;
#[doc(hidden)]
pub mod radio;
#[doc(hidden)]
pub mod routing;
#[doc(hidden)]
pub mod scenario;
#[doc(hidden)]
pub mod schemes;
#[doc(hidden)]
pub mod simulation;
#[doc(hidden)]
pub mod traffic;
#[doc(hidden)]
pub mod transport;
#[doc(hidden)]
pub mod wire;
