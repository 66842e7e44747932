//! DSR on hand-driven networks.

mod discovery;
mod failure;
mod flows;
pub mod harness;
mod overhear;
