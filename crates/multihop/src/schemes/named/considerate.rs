//! TCP over nodes that pace each flow by its next hop and by the slowest flow that they hear. Ours
//! (docs/model/schemes/considerate.md).

use crate::config::Named;

/// AODV with flooded requests and no local repair, as the tournament has it.
const ROUTING: &str = "{scheme = \"aodv\", expanding_ring = false, local_repair = false}";

/// The scheme.
pub const NAMED: &[Named] = &[Named::new(
    "considerate",
    "AODV, TCP NewReno, each flow paced by its next hop and by the slowest flow heard",
    &[
        ("routing", ROUTING),
        ("transport.scheme", "\"newreno\""),
        ("transport.window_segments", "8"),
        ("transport.link_failure", "\"ignore\""),
        ("link.pacing", "\"hop-by-hop\""),
        ("link.hop_by_hop", "{rest = 0.0, keep_s = 2.0, lead = 4.0, memory_s = 0.5}"),
    ],
)];
