//! Several nodes' DSR, joined by hand.

mod discovery;
mod failure;
mod flows;
pub mod harness;
mod overhear;
