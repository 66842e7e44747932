//! Named schemes that span layers, one file for each paper, and one for today's TCP.

pub mod considerate;
pub mod elfn;
pub mod linux;
pub mod quic;
pub mod semi_tcp;
pub mod tcp_ap;
pub mod windows;
