//! Tests of OLSR.

mod harness;
mod links;
mod messages;
mod neighbours;
mod routes;
mod topology;
