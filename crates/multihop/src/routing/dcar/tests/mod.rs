//! DCAR on hand-driven networks, the papers' small ones among them.

mod grid;
mod harness;
