//! Named schemes that span layers, one file a study.

pub mod elfn;
pub mod semi_tcp;
pub mod tcp_ap;
