//! Protocol numbers of IP headers (IANA).

/// TCP.
pub const TCP: u8 = 6;
/// UDP.
pub const UDP: u8 = 17;
/// DSR.
pub const DSR: u8 = 48;
/// No next header.
pub const NONE: u8 = 59;
/// Ethernet (RFC 8986, section 10.1).
pub const ETHERNET: u8 = 143;
