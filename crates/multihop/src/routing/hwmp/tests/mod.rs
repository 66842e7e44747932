//! Tests of HWMP, driven by hand. Sections are those of IEEE Std 802.11-2012.

mod errors;
mod frames;
mod harness;
mod peers;
mod properties;
mod replies;
mod requests;
mod root;
