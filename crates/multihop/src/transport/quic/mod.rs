//! QUIC (RFC 9000, RFC 9002): a connection is two state machines of `quinn-proto`, a client at the
//! flow's source and a server at its destination, which exchange real datagrams.
//!
//! [`Connection`] has both. It is called with what happens (`on_start`, `on_supply`, `on_datagram`,
//! `on_timer`, `close`), and each time asked for what follows from it ([`Connection::step`]).
//! `peer.rs` drives one end, `streams.rs` is its application: bytes in, bytes out. A connection
//! with data in both directions has a stream for each message, as HTTP/3 has for each object;
//! others have one stream.
//!
//! Nothing is encrypted (`crypto/`): datagrams only have the sizes that encryption gives them, and
//! the handshake its messages. What that leaves out is processor time. Randomness comes from the
//! flow's stream, and time from the simulation: of the machine's clock only differences are used.
//!
//! Omitted: 0-RTT, session tickets, connection migration, discovery of the path's MTU, unreliable
//! datagrams.

mod account;
mod check;
pub(super) mod config;
mod connection;
mod crypto;
mod endpoint;
mod peer;
mod streams;

pub use account::Account;
pub use config::{QuicConfig, QuicControl};
pub use connection::{Connection, End, Leaving, Step};

use super::pacing::PacingScheme;
use super::sack::RecoveryScheme;
use super::scheme::{Scheme, Sending};

/// `transport.scheme = "quic"`.
pub const SCHEME: Scheme = Scheme {
    sending: Sending::Connection,
    recovery: RecoveryScheme::DuplicateAcks,
    pacing: PacingScheme::None,
    rto_backoff: true,
    pull: |_| None,
    check: check::check,
};

#[cfg(test)]
mod tests;
