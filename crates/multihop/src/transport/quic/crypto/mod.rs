//! TLS 1.3 (RFC 8446, RFC 9001) as far as a network sees it: the sizes of its messages and of what
//! it adds to packets. Nothing is encrypted or authenticated, as nobody in a simulation reads or
//! forges.

mod handshake;
mod keys;

pub use handshake::{Client, Server};
pub use keys::{SeededKey, TokenKey};
