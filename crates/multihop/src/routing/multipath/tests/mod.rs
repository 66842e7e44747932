//! Multipath AODV on hand-driven networks.

mod discovery;
mod failure;
mod harness;
mod properties;
mod scheduling;
