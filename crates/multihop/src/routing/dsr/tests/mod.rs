//! DSR on hand-driven networks.

mod conformance;
mod discovery;
mod failure;
mod flows;
pub mod harness;
mod overhear;
