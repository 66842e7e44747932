//! The schemes that `transport.scheme` chooses among.

use schemars::JsonSchema;
use serde::Serialize;

use super::outside::{Make, Outside};
use crate::config::outside::{chosen_by_name, one_of};

macro_rules! flavours {
    ($($(#[$attribute:meta])* $variant:ident = $name:literal,)*) => {
        /// Congestion control.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
        #[schemars(transform = one_of)]
        #[non_exhaustive]
        pub enum Flavour {
            $($(#[$attribute])* #[serde(rename = $name)] $variant,)*
            /// One of another crate, or of a file of Python: `FILE.py:CLASS`.
            #[serde(untagged)]
            Outside(Outside),
        }

        impl Flavour {
            /// Every flavour of ours, by name.
            pub const OURS: &[(&'static str, Flavour)] = &[$(($name, Flavour::$variant)),*];
        }
    };
}

flavours! {
    /// Reno (RFC 5681).
    Reno = "reno",
    /// NewReno (RFC 6582).
    #[default]
    NewReno = "newreno",
    /// CUBIC (RFC 9438).
    Cubic = "cubic",
    /// Vegas: one to three segments wait in queues, as the round trip tells.
    Vegas = "vegas",
    /// Westwood+: a loss leaves what the estimated bandwidth fills.
    Westwood = "westwood",
    /// BBR (draft-ietf-ccwg-bbr): paced at the path's rate, as estimated, and bounded where losses
    /// were many.
    Bbr = "bbr",
    /// BBR's first version, as Linux has it: paced at the path's rate, as estimated.
    Bbr1 = "bbr1",
    /// NewReno with adaptive pacing: segments leave spaced by the delay over four hops. The
    /// retransmission timeout does not double.
    TcpAp = "tcp-ap",
    /// None: segments leave as the node has room, and again when the retransmission timer expires,
    /// which does not double.
    SemiTcp = "semi-tcp",
    /// QUIC in place of TCP, with a congestion control of its own (`quic.congestion_control`).
    Quic = "quic",
}

chosen_by_name! {
    impl Choice for Flavour {
        type Make = Make;
        const KEY = "transport.scheme";
        const DEFINITION = "Flavour";
        const OURS = Flavour::OURS;
    }
}
