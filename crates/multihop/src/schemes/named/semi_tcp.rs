//! Semi-TCP: hop-by-hop congestion control in the MAC, and a sender with TCP's reliability alone.

use crate::config::Named;

/// The schemes.
pub const NAMED: &[Named] = &[
    Named::new(
        "semi-tcp",
        "AODV as ns-2.35 runs it, semi-TCP: no window, congestion control hop by hop with RTSC and CTSC",
        &[
            ("routing", "{scheme = \"aodv\"}"),
            ("mac.scheme", "\"semi-tcp\""),
            ("transport.scheme", "\"semi-tcp\""),
            ("transport.link_failure", "\"ignore\""),
        ],
    ),
    Named::new(
        "semi-tcp-author",
        "the same with the rules of the program that its first author published",
        &[
            ("routing", "{scheme = \"aodv\"}"),
            ("mac.scheme", "\"semi-tcp\""),
            ("mac.semi.profile", "\"author\""),
            ("transport.scheme", "\"semi-tcp\""),
            ("transport.link_failure", "\"ignore\""),
            ("transport.semi.profile", "\"author\""),
        ],
    ),
];
