//! TCP as hosts of today have it.

use crate::config::Named;

/// The schemes.
pub const NAMED: &[Named] = &[
    Named::new(
        "linux-reno",
        "AODV as ns-2.35 runs it, TCP as Linux has it: RACK-TLP, delayed acknowledgments, Reno",
        &[
            ("routing", "{scheme = \"aodv\"}"),
            ("transport.profile", "\"linux\""),
            ("transport.scheme", "\"reno\""),
            ("transport.window_segments", "4096"),
        ],
    ),
    Named::new(
        "linux-cubic",
        "the same with CUBIC and HyStart, Linux's default",
        &[
            ("routing", "{scheme = \"aodv\"}"),
            ("transport.profile", "\"linux\""),
            ("transport.scheme", "\"cubic\""),
            ("transport.window_segments", "4096"),
        ],
    ),
    Named::new(
        "linux-bbr",
        "the same with BBR's first version, which Linux has",
        &[
            ("routing", "{scheme = \"aodv\"}"),
            ("transport.profile", "\"linux\""),
            ("transport.scheme", "\"bbr1\""),
            ("transport.window_segments", "4096"),
        ],
    ),
    Named::new(
        "sack",
        "AODV as ns-2.35 runs it, NewReno's window of 20 with selective acknowledgments (RFC 6675)",
        &[
            ("routing", "{scheme = \"aodv\"}"),
            ("transport.scheme", "\"newreno\""),
            ("transport.recovery", "{scheme = \"sack\"}"),
            ("transport.window_segments", "20"),
        ],
    ),
];
