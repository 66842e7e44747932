//! The study of TCP-ELFN (Monks, Sinha, Bharghavan) and the hop-by-hop rate control it argues for.

use crate::config::Named;

/// The DSR of the study: the draft of 1999, which had no flow state. Nodes do not reply from their
/// caches, so there is no ring-zero search either, which only serves to use the neighbours' caches.
const ROUTING: &str = "{scheme = \"dsr\", cached_replies = \"none\", ring_zero_search = false, \
                       flow_state = false}";

/// The schemes of the study.
pub const NAMED: &[Named] = &[
    Named::new(
        "tcp",
        "DSR without replies from caches, TCP Reno with a window of 20",
        &[
            ("routing", ROUTING),
            ("transport.scheme", "\"reno\""),
            ("transport.window_segments", "20"),
            ("transport.link_failure", "\"ignore\""),
        ],
    ),
    Named::new(
        "tcp-elfn",
        "the same with explicit link failure notification",
        &[
            ("routing", ROUTING),
            ("transport.scheme", "\"reno\""),
            ("transport.window_segments", "20"),
            ("transport.link_failure", "\"elfn\""),
        ],
    ),
    Named::new(
        "hop-by-hop-rate",
        "the same with hop-by-hop rate control: each node paces a flow by what its next hop forwards",
        &[
            ("routing", ROUTING),
            ("link.pacing", "\"hop-by-hop\""),
            ("transport.scheme", "\"reno\""),
            ("transport.window_segments", "20"),
            ("transport.link_failure", "\"elfn\""),
        ],
    ),
    Named::new(
        "hop-by-hop-rate-no-elfn",
        "tcp with hop-by-hop rate control: each node paces a flow by what its next hop forwards",
        &[
            ("routing", ROUTING),
            ("link.pacing", "\"hop-by-hop\""),
            ("transport.scheme", "\"reno\""),
            ("transport.window_segments", "20"),
            ("transport.link_failure", "\"ignore\""),
        ],
    ),
];
