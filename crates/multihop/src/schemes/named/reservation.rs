//! TCP over slots that are reserved anew each time.

use crate::config::Named;
use crate::mac::reservation::NAME;

/// The scheme.
pub const NAMED: &[Named] = &[Named::new(
    NAME,
    "AODV, TCP NewReno with a window of 16, slots that stations reserve anew each time",
    &[
        // Requests are flooded and links are not repaired, as the tournament has it.
        ("routing", "{scheme = \"aodv\", expanding_ring = false, local_repair = false}"),
        ("transport.scheme", "\"newreno\""),
        ("transport.window_segments", "16"),
        ("transport.acks", "{delayed = true}"),
        ("transport.link_failure", "\"ignore\""),
        ("mac.access", "\"slot-reservation\""),
        // A mesh at layer 2 has no ARP a hop; a broadcast that nobody grants is easily lost.
        ("link.arp", "false"),
    ],
)];
