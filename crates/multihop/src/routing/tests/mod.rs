//! Tests that several protocols share.

mod several_stations;
