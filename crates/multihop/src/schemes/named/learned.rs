//! Schemes of learned policies: TCP NewReno whose pace they set, and contention windows.
//! `evidence/learning.md` tells how they were learned and how they fare.

use crate::config::Named;

/// What the policies were learned over.
const ROUTING: (&str, &str) = ("routing", "{scheme = \"aodv\"}");
const FLAVOUR: (&str, &str) = ("transport.scheme", "\"newreno\"");
const WINDOW: (&str, &str) = ("transport.window_segments", "32");

/// The schemes.
pub const NAMED: &[Named] = &[
    Named::new(
        "learned-pace",
        "AODV as ns-2.35 runs it, TCP NewReno whose pace a policy sets, learned on many networks",
        &[ROUTING, FLAVOUR, WINDOW, ("agents", "[{policy = \"pace\"}]")],
    ),
    Named::new(
        "learned-pace-chains",
        "the same with a policy learned on chains",
        &[ROUTING, FLAVOUR, WINDOW, ("agents", "[{policy = \"pace-chains\"}]")],
    ),
    Named::new(
        "learned-slots",
        "AODV as ns-2.35 runs it, TCP NewReno; a learned policy at each node sets its contention window",
        &[ROUTING, FLAVOUR, WINDOW, ("agents", "[{policy = \"slots\"}]")],
    ),
];
