//! temporary
#![allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RetryLimit { Finite(u32), Infinite }
impl RetryLimit { pub fn finite(self) -> Option<u32> { match self { RetryLimit::Finite(n) => Some(n), _ => None } } }
#[derive(Clone, Debug)]
pub struct MacConfig { pub data_rate_bps: f64, pub basic_rate_bps: f64, pub plcp_rate_bps: f64, pub preamble_bits: u32, pub plcp_header_bits: u32, pub slot_s: f64, pub sifs_s: f64, pub cw_min: u32, pub cw_max: u32, pub rts_threshold_bytes: RetryLimit, pub short_retry_limit: RetryLimit, pub long_retry_limit: RetryLimit, pub queue_packets: u32 }
impl Default for MacConfig { fn default() -> Self { MacConfig { data_rate_bps: 2e6, basic_rate_bps: 1e6, plcp_rate_bps: 1e6, preamble_bits: 144, plcp_header_bits: 48, slot_s: 20e-6, sifs_s: 10e-6, cw_min: 31, cw_max: 1023, rts_threshold_bytes: RetryLimit::Finite(0), short_retry_limit: RetryLimit::Finite(7), long_retry_limit: RetryLimit::Finite(4), queue_packets: 50 } } }
