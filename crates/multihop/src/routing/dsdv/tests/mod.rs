//! Tests of DSDV, driven by hand: each file by a subject of the paper of 1994.

mod advertisements;
mod breaks;
mod data;
mod harness;
mod properties;
mod selection;
mod settling;
