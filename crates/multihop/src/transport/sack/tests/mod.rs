//! The sender stepped by scripts, and over a network that loses, copies and delays.

mod kernel;
mod properties;
mod script;
