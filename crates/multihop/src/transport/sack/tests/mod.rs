//! The sender stepped by scripts, and over a network that loses, repeats and reorders.

mod kernel;
mod script;
