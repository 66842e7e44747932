//! Real programs over a simulated mesh, in real time.
//!
//! Each node of a scenario can have a TAP device in a network namespace of its own. [`Emulation`]
//! reads the Ethernet frames that programs send there, has
//! [`multihop::api::simulation::Simulation`] carry them, and writes them to the device that they
//! are for when they have arrived: never earlier, and it measures how much later. [`frame`] says
//! what becomes of a frame: most travel, and where routing makes the mesh one link, questions for
//! addresses are answered on the spot.
//!
//! Real time is for Linux only; what a result says, and [`carry`], which needs no devices, are
//! there everywhere. Making the namespaces and devices is the caller's.

#[cfg(target_os = "linux")]
mod device;
#[cfg(target_os = "linux")]
mod emulation;
pub mod frame;
#[cfg(target_os = "linux")]
mod lateness;
mod post;
mod report;

#[cfg(target_os = "linux")]
pub use emulation::{Emulation, Order, View};
#[cfg(target_os = "linux")]
pub use lateness::Late;
pub use post::carry;
pub use report::{EmulationReport, FrameCounts, LatenessReport, ProgramReport, extend_schema};
