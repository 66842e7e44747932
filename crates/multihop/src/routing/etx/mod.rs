//! Routes over links that are measured: AODV and DSR with other [`Policies`](super::aodv::Policy),
//! by expected transmissions (ETX) or by airtime.
//!
//! - ETX: D. S. J. De Couto, D. Aguayo, J. Bicket, R. Morris, "A High-Throughput Path Metric for
//!   Multi-Hop Wireless Routing", MobiCom 2003, sections 4 and 5. 1/(d_f d_r): how often a packet
//!   is sent until it and its acknowledgment have got through, if the two directions deliver shares
//!   d_f and d_r.
//! - Airtime: IEEE Std 802.11-2012 13.9. (O + B_t/r) / (1 - e_f): how long a frame of 8192 bits
//!   occupies the medium at the rate in use, further attempts included, in units of 0.01 TU.
//! - Link-quality source routing: R. Draves, J. Padhye, B. Zill, "Routing in Multi-Radio, Multi-Hop
//!   Wireless Mesh Networks", MobiCom 2004, section 3.
//!
//! Nodes measure both directions of their links with broadcast probes (`probing.rs`, `links.rs`);
//! for airtime they ask the MAC's choice of rates first. Metrics are in thousandths, so that sums
//! are exact. The policy of AODV is that of any metric (`aodv/by_metric.rs`); `source_routes.rs` is
//! that of DSR.
//!
//! Deviation: the paper of ETX changed DSDV and DSR. In AODV and DSR here only the node sought
//! answers.
//!
//! Deviation: a probe grows with its list of neighbours where the list does not fit; the paper's
//! has a fixed size.

mod config;
mod links;
mod probing;
mod scheme;
mod source_routes;

pub use config::{DsrEtxTable, EtxConfig, EtxTable, Metric};
pub use probing::Probing;
pub use scheme::EtxReport;
pub use source_routes::SourceEtx;

#[cfg(test)]
mod tests;
