//! The sender stepped by scripts, and over a network that loses, copies and delays.

mod properties;
mod script;
