//! TCP over contention windows that follow backlogs.

use crate::config::Named;

/// AODV with flooded requests and no local repair, as the tournament has it.
const ROUTING: &str = "{scheme = \"aodv\", expanding_ring = false, local_repair = false}";

/// The same of all of them, and how stations take turns.
macro_rules! over_aodv {
    ($name:literal, $about:literal, $access:literal $(, $more:expr)?) => {
        Named::new(
            $name,
            $about,
            &[
                ("routing", ROUTING),
                ("transport.scheme", "\"newreno\""),
                ("transport.window_segments", "8"),
                ("transport.link_failure", "\"ignore\""),
                ("mac.access", $access),
                $($more,)?
            ],
        )
    };
}

/// The schemes.
pub const NAMED: &[Named] = &[
    over_aodv!(
        "adaptive-csma",
        "AODV, TCP NewReno, stations that contend sooner the more packets wait",
        "\"adaptive-csma\"",
        // 802.11 has collisions, which the theory has not.
        ("mac.adaptive_csma", "{doubling = true}")
    ),
    over_aodv!(
        "ez-flow",
        "AODV, TCP NewReno, stations that contend later the more packets their successor has",
        "\"ez-flow\""
    ),
    over_aodv!(
        "diffq",
        "AODV, TCP NewReno, stations that contend sooner the more packets wait than at the next hop",
        "\"diffq\""
    ),
];
