//! What a DCF under hop-by-hop admission keeps.

use super::outgoing::Outgoing;
use crate::kernel::Instant;
use crate::mac::Admission;

/// The rules of one station, and the packet that they defer.
#[derive(Debug)]
pub struct Admitting {
    pub admission: Admission,
    pub held: Option<Outgoing>,
    /// When the held packet was deferred.
    pub held_since: Instant,
    /// The latest end of its deferral.
    pub end: Instant,
    /// The deferral lasts until `end` or until data frames clear the marks. Otherwise it lasts
    /// while the rules ask for it.
    pub is_fixed: bool,
    /// When the node became congested, if it is.
    pub congested_since: Option<Instant>,
    /// When the MAC got its present data packet.
    pub first_since: Instant,
    /// An RTS for the packet in service was not answered.
    pub is_repeating: bool,
}

impl Admitting {
    /// Nothing deferred under the rules of `admission`.
    pub fn new(admission: Admission) -> Admitting {
        Admitting {
            admission,
            held: None,
            held_since: Instant::ZERO,
            end: Instant::FAR,
            is_fixed: false,
            congested_since: None,
            first_since: Instant::ZERO,
            is_repeating: false,
        }
    }
}
