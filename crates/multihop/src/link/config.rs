//! temporary
#![allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct LinkConfig { pub arp: bool }
