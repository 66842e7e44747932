//! AODV (RFC 3561).

/// A node's AODV.
#[derive(Debug)]
pub struct Aodv;
