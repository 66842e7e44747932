//! Named schemes that span layers, one file for each paper, one for today's TCP,
//! and one for what was learned.

pub mod considerate;
pub mod elfn;
pub mod learned;
pub mod linux;
pub mod quic;
pub mod reservation;
pub mod semi_tcp;
pub mod tcp_ap;
pub mod windows;
