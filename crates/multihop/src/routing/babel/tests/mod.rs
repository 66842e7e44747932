//! Babel by hand. Each test of conformance names the section of RFC 8966 that it is about.

mod encoding;
mod links;
mod network;
mod properties;
mod requests;
mod routes;
mod script;
mod updates;
