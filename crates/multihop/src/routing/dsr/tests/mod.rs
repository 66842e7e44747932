//! Several nodes' DSR, joined by hand.

mod discovery;
mod failure;
mod flows;
mod harness;
mod overhear;
