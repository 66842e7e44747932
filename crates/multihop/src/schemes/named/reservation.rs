//! TCP over slots that are reserved anew each time.

use crate::config::Named;
use crate::mac::reservation::NAME;

/// The scheme.
pub const NAMED: &[Named] = &[Named::new(
    NAME,
    "AODV by whom a path disturbs, TCP NewReno with a window of 16, slots reserved anew each time",
    &[
        // Links are not repaired, as the tournament has it.
        ("routing", "{scheme = \"aodv-iru\", local_repair = false}"),
        ("transport.scheme", "\"newreno\""),
        ("transport.window_segments", "16"),
        ("transport.acks", "{delayed = true}"),
        ("transport.link_failure", "\"ignore\""),
        ("mac.access", "\"slot-reservation\""),
        // As a mesh at layer 2 has it.
        ("link.arp", "false"),
    ],
)];
