//! Named schemes that span layers, one file for each paper.

pub mod elfn;
pub mod semi_tcp;
pub mod tcp_ap;
