//! ETX and airtime on hand-driven networks with lossy links, and over the real MAC.

mod airtime;
mod harness;
mod network;
mod probes;
mod routes;
mod source_routes;
