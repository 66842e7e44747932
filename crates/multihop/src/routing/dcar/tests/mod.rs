//! DCAR on hand-driven networks, the paper's small ones among them.

mod alive;
mod collection;
mod grid;
mod harness;
mod hello;
mod nine_nodes;
