//! AODV on hand-driven networks.

mod conformance;
mod data;
mod discovery;
mod failure;
pub mod harness;
mod hello;
mod properties;
mod second_policy;
