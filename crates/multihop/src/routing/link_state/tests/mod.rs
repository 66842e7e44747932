//! Tests of what link state protocols share.

mod messages;
mod mpr;
