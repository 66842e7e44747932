//! Several nodes' multipath AODV, joined by hand.

mod discovery;
mod failure;
mod harness;
mod properties;
mod scheduling;
