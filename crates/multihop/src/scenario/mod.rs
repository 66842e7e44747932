//! temporary
#![allow(missing_docs)]
use crate::kernel::Instant; use crate::wire::NodeId; use crate::radio::Position; use crate::mac::MacConfig; use crate::profile::Profile; use crate::link::config::LinkConfig;
#[derive(Debug, Clone)] pub struct Error(pub String);
#[derive(Debug, Clone)] pub struct Radio { pub transmit_power_w: f64, pub frequency_hz: f64, pub antenna_height_m: f64, pub receive_range_m: f64, pub sense_range_m: f64, pub capture_db: f64 }
#[derive(Debug, Clone)] pub enum Routing { Static }
#[derive(Debug, Clone)] pub enum FlowKind { Ftp { tcp: () }, Cbr { packet_bytes: u32, rate_bps: f64 } }
#[derive(Debug, Clone)] pub struct Flow { pub kind: FlowKind, pub source: NodeId, pub destination: NodeId, pub start: Instant, pub stop: Instant, pub shortest_hops: Option<u32> }
#[derive(Debug, Clone)] pub struct Network { pub positions: Vec<Position>, pub flows: Vec<Flow>, pub warnings: Vec<String> }
#[derive(Debug, Clone)] pub struct Scenario { pub seed: u64, pub duration_s: f64, pub profile: Profile, pub radio: Radio, pub mac: MacConfig, pub link: LinkConfig, pub routing: Routing, pub net: Network }
impl Scenario { pub fn network(&self, _s: u64) -> Result<Network, Error> { Ok(self.net.clone()) } }
