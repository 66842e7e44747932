//! TCP with adaptive pacing, and the TCP that it is compared with.

use crate::config::Named;

/// The schemes.
pub const NAMED: &[Named] = &[
    Named::new(
        "tcp-newreno",
        "AODV as ns-2.35 runs it, TCP NewReno with a window of 20",
        &[
            ("routing", "{scheme = \"aodv\"}"),
            ("transport.scheme", "\"newreno\""),
            ("transport.window_segments", "20"),
        ],
    ),
    Named::new(
        "tcp-ap",
        "AODV as ns-2.35 runs it, TCP with adaptive pacing and a window of 20",
        &[
            ("routing", "{scheme = \"aodv\"}"),
            ("transport.scheme", "\"tcp-ap\""),
            ("transport.window_segments", "20"),
        ],
    ),
    Named::new(
        "tcp-ap-agent",
        "the same with the spacing of the agent that its authors published",
        &[
            ("routing", "{scheme = \"aodv\"}"),
            ("transport.scheme", "\"tcp-ap\""),
            ("transport.window_segments", "20"),
            ("transport.pacing", "{short_paths = \"one-hop\", spread = \"mean-deviation\"}"),
        ],
    ),
];
