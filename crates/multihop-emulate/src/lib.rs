//! Real programs over a simulated mesh, in real time.
//!
//! Each node of a scenario can have a TAP device in a network namespace of its own. [`Emulation`] reads the Ethernet frames that
//! programs send there, has [`multihop::simulation::Simulation`] carry them, and writes them to the device that they are for when
//! they have arrived: never earlier, and it measures how much later. [`frame`] says what becomes of a frame: most travel, and
//! where routing makes the mesh one link, questions for addresses are answered on the spot.
//!
//! Linux only. Making the namespaces and devices is the caller's.

#![cfg(target_os = "linux")]

mod device;
mod emulation;
pub mod frame;
mod lateness;

pub use emulation::{Emulation, EmulationReport, FrameCounts, Order};
pub use lateness::{Late, LatenessReport};
