//! ETX on hand-driven networks with lossy links, and over the real MAC.

mod harness;
mod network;
mod probes;
mod routes;
