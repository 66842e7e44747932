//! COPAS on hand-driven networks.

mod establishment;
mod failure;
mod harness;
mod replacement;
mod selection;
