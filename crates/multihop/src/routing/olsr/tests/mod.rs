//! Tests of OLSR.

mod harness;
mod links;
mod messages;
mod mpr;
mod neighbours;
mod routes;
mod topology;
