//! What a value of `transport.scheme` stands for. Each scheme states it in its own file, as a
//! difference from another one where it is that.

use std::fmt::{self, Debug, Formatter};

use super::config::TcpConfig;
use super::congestion::control::CongestionControl;
use super::congestion::outside;
use super::flow_sender::FlowSender;
use super::pacing::config::PacingScheme;
use super::receiver::OutOfOrderAcks;
use super::recovery::Recovery;
use super::sack::config::RecoveryScheme;
use super::supply::Supply;
use crate::config::ConfigError;
use crate::kernel::Rng;
use crate::profile::Profile;

/// What a scheme is made of.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    /// What decides how much may be sent.
    pub sending: Sending,
    /// `recovery.scheme` unless the scenario sets it or follows Linux.
    pub recovery: RecoveryScheme,
    /// `pacing.scheme` unless the scenario sets it.
    pub pacing: PacingScheme,
    /// `rto_backoff` unless the scenario sets it.
    pub rto_backoff: bool,
    /// How it lets its node ask for segments, if it does not send by itself.
    pub pull: fn(&TcpConfig) -> Option<Pull>,
    /// Checks the keys that the scheme restricts.
    pub check: fn(&TcpConfig) -> Result<(), ConfigError>,
}

/// A transport whose node asks for segments while it has room for them, in place of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pull {
    /// Segments leave only while the node holds no data packet.
    pub wants_empty_node: bool,
    /// ACKs that can wait for room at the receiver; of more the oldest is dropped.
    pub stored_acks: usize,
    /// How an out-of-order segment is acknowledged.
    pub out_of_order_acks: OutOfOrderAcks,
    /// Acknowledgments name the holes, and every so many out-of-order segments without one the last
    /// is answered; 0: neither.
    pub answer_every: u32,
}

/// What decides how much may be sent.
#[derive(Clone, Copy, Debug)]
pub enum Sending {
    /// A congestion window, which this controls, and this repair of losses.
    Windowed(Make, Recovery),
    /// A sender of the scheme's own.
    Own(fn(&TcpConfig, Supply, Profile, &mut Rng) -> Box<dyn FlowSender>),
    /// No TCP: a connection with state machines of its own for both ends ([`super::Connection`]).
    Connection,
}

/// Makes the congestion control of a flow.
#[derive(Clone, Copy)]
pub enum Make {
    /// One of this crate.
    Ours(fn() -> Box<dyn CongestionControl>),
    /// One from outside.
    Outside(&'static outside::Make),
}

impl Make {
    /// A new one.
    pub fn make(self) -> Box<dyn CongestionControl> {
        match self {
            Make::Ours(make) => make(),
            Make::Outside(make) => make(),
        }
    }
}

impl Debug for Make {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str("Make")
    }
}

impl Scheme {
    /// A congestion control with this recovery, no pacing, and a timeout that doubles.
    pub const fn windowed(
        control: fn() -> Box<dyn CongestionControl>,
        recovery: Recovery,
    ) -> Scheme {
        Scheme {
            sending: Sending::Windowed(Make::Ours(control), recovery),
            recovery: RecoveryScheme::DuplicateAcks,
            pacing: PacingScheme::None,
            rto_backoff: true,
            pull: |_| None,
            check: |_| Ok(()),
        }
    }
}
