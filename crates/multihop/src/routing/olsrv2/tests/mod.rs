//! Tests of OLSRv2.

mod airtime;
mod bytes;
mod choices;
mod discovery;
mod harness;
mod properties;
mod quality;
mod routes;
mod topology;
