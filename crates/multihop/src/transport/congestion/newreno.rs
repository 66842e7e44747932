//! NewReno (RFC 6582): Reno whose recovery lasts until all that was outstanding at the loss is
//! acknowledged (`recovery.rs`).

use super::reno::Reno;
use crate::transport::recovery::Recovery;
use crate::transport::scheme::Scheme;

/// `transport.scheme = "newreno"`.
pub const SCHEME: Scheme = Scheme::windowed(|| Box::new(Reno), Recovery::NewReno);
