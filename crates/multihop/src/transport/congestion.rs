//! Congestion control: what a sender may have in the network, and how fast it may send it.
//!
//! A congestion control implements [`CongestionControl`] in a file of its own and states its
//! [`Scheme`] there. It gets a `mod` line and a line in the list below, and `transport.scheme`
//! knows it.

mod bbr;
pub(super) mod bbr1;
mod control;
mod cubic;
mod filters;
mod hystart;
pub(super) mod newreno;
mod outside;
mod reno;
mod validation;
mod vegas;
mod westwood;
mod window;

use schemars::JsonSchema;
use serde::Serialize;

pub use control::{
    Ack, CongestionControl, Delivery, LimitedBy, Loss, LostSegment, RateSample, Sent, spread,
};
pub use outside::Outside;
pub use validation::WindowValidation;
pub use window::Window;

use super::config::TcpConfig;
use super::pacing::tcp_ap;
use super::quic;
use super::sack::RecoveryScheme;
use super::scheme::Scheme;
use super::semi;
use crate::config::ConfigError;
use crate::config::outside::one_of;

/// Checks the keys of a congestion control that models the path: losses are noticed by selective
/// acknowledgments, which alone tell how much is delivered, and the window is not validated, as it
/// follows from the model.
fn suits_a_model(config: &TcpConfig) -> Result<(), ConfigError> {
    if config.window_validation != WindowValidation::None {
        return Err(ConfigError::new(
            "window_validation",
            "must be \"none\" with this scheme, whose window does not grow by acknowledgments \
             (got \"rfc7661\")",
        ));
    }
    match config.recovery.scheme {
        Some(RecoveryScheme::DuplicateAcks) => Err(ConfigError::new(
            "recovery.scheme",
            "must be \"rack-tlp\" or \"sack\" with this scheme (got \"duplicate-acks\")",
        )),
        _ => Ok(()),
    }
}

macro_rules! flavours {
    ($($(#[$attribute:meta])* $variant:ident = $name:literal => $scheme:path,)*) => {
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

            /// What the flavour is made of.
            pub fn scheme(self) -> &'static Scheme {
                match self {
                    $(Flavour::$variant => &$scheme,)*
                    Flavour::Outside(outside) => outside.maker(),
                }
            }
        }
    };
}

flavours! {
    /// Reno (RFC 5681).
    Reno = "reno" => reno::SCHEME,
    /// NewReno (RFC 6582).
    #[default]
    NewReno = "newreno" => newreno::SCHEME,
    /// CUBIC (RFC 9438).
    Cubic = "cubic" => cubic::SCHEME,
    /// Vegas: one to three segments wait in queues, as the round trip tells.
    Vegas = "vegas" => vegas::SCHEME,
    /// Westwood+: a loss leaves what the estimated bandwidth fills.
    Westwood = "westwood" => westwood::SCHEME,
    /// BBR (draft-ietf-ccwg-bbr): paced at the path's rate, as estimated, and bounded where losses
    /// were many.
    Bbr = "bbr" => bbr::SCHEME,
    /// BBR's first version, as Linux has it: paced at the path's rate, as estimated.
    Bbr1 = "bbr1" => bbr1::SCHEME,
    /// NewReno with adaptive pacing: segments leave spaced by the delay over four hops. The
    /// retransmission timeout does not double.
    TcpAp = "tcp-ap" => tcp_ap::SCHEME,
    /// None: segments leave as the node has room, and again when the retransmission timer expires,
    /// which does not double.
    SemiTcp = "semi-tcp" => semi::SCHEME,
    /// QUIC in place of TCP, with a congestion control of its own (`quic.congestion_control`).
    Quic = "quic" => quic::SCHEME,
}
