//! QUIC in place of TCP.

use crate::config::Named;

/// The schemes.
pub const NAMED: &[Named] = &[
    Named::new(
        "quic",
        "AODV as ns-2.35 runs it, QUIC with NewReno in place of TCP",
        &[
            ("routing", "{scheme = \"aodv\"}"),
            ("transport.scheme", "\"quic\""),
            ("transport.segment_bytes", "1460"),
            ("transport.window_segments", "4096"),
        ],
    ),
    Named::new(
        "quic-cubic",
        "the same with CUBIC",
        &[
            ("routing", "{scheme = \"aodv\"}"),
            ("transport.scheme", "\"quic\""),
            ("transport.quic", "{congestion_control = \"cubic\"}"),
            ("transport.segment_bytes", "1460"),
            ("transport.window_segments", "4096"),
        ],
    ),
];
