//! What each value of `transport.scheme` stands for.

use super::congestion::flavour::Flavour;
use super::congestion::{bbr, bbr1, cubic, newreno, reno, vegas, westwood};
use super::pacing::tcp_ap;
use super::recovery::Recovery;
use super::scheme::{Make, Scheme, Sending};
use super::{quic, semi};

impl Flavour {
    /// What the flavour is made of.
    pub fn scheme(self) -> Scheme {
        match self {
            Flavour::Reno => reno::SCHEME,
            Flavour::NewReno => newreno::SCHEME,
            Flavour::Cubic => cubic::SCHEME,
            Flavour::Vegas => vegas::SCHEME,
            Flavour::Westwood => westwood::SCHEME,
            Flavour::Bbr => bbr::SCHEME,
            Flavour::Bbr1 => bbr1::SCHEME,
            Flavour::TcpAp => tcp_ap::SCHEME,
            Flavour::SemiTcp => semi::SCHEME,
            Flavour::Quic => quic::SCHEME,
            Flavour::Outside(outside) => Scheme {
                sending: Sending::Windowed(Make::Outside(outside.maker()), Recovery::NewReno),
                ..newreno::SCHEME
            },
        }
    }
}
