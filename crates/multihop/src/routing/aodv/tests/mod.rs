//! Several nodes' AODV, joined by hand.

mod data;
mod discovery;
mod failure;
mod harness;
mod hello;
mod properties;
mod second_policy;
