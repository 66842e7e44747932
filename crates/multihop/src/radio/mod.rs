//! The radio: propagation, positions, who hears whom, and what receivers make of frames.
//!
//! Modelled: two-ray ground, free-space and log-distance path loss, thresholds by range,
//! first-frame capture, half duplex, propagation delay; on request measured links, shadowing and
//! fading, and reception by error rates over noise and added-up interference, and what radios use.

pub mod antenna;
pub mod arrival;
pub mod arrivals;
pub mod carrier_sense;
pub mod channel_plan;
pub mod config;
pub mod cuts;
pub mod energy;
mod equipment;
pub mod error_rates;
pub mod fading;
mod grid;
pub mod hearers;
pub mod leakage;
mod leg;
mod motion;
pub mod movement;
pub mod moving_neighbours;
pub mod neighbours;
pub mod old_arrivals;
pub mod position;
pub mod propagation;
pub mod random_waypoint;
pub mod receiver;
pub mod reception;
pub mod setdest;
pub mod sinr;
pub mod spectral_mask;
pub mod stations;

pub use antenna::{Aim, Antenna};
pub use arrival::{Arrival, Traits};
pub use arrivals::Arrivals;
pub use carrier_sense::{CarrierSense, Fate, LastHeard};
pub use config::RadioConfig;
pub use cuts::Cuts;
pub use equipment::Equipment;
pub use error_rates::{CodeRate, Coding, Constellation};
pub use fading::{Fades, Fading};
pub use hearers::Hearers;
pub use leg::Leg;
pub use movement::{Course, Movement};
pub use moving_neighbours::MovingNeighbours;
pub use neighbours::{Neighbour, Neighbours, Reach};
pub use old_arrivals::{Lasting, OldArrivals};
pub use position::Position;
pub use propagation::{FreeSpace, LogDistance, PathLoss, TwoRayGround};
pub use random_waypoint::{RandomWaypoint, Waypoints};
pub use receiver::Receiver;
pub use reception::{Followed, Reception};
pub use setdest::Setdest;
pub use stations::StationLayout;
