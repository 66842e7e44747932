//! Explicit congestion notification (RFC 3168): the codepoint of a packet and the flags of a
//! segment.

/// The ECN codepoint of a packet (RFC 3168 section 5). ECT(1) is not used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Its ends do not know ECN: a congested node can only drop it.
    #[default]
    NotCapable,
    /// A congested node may mark it: ECT(0).
    Capable,
    /// A node has marked it: congestion experienced.
    Marked,
}

impl Ecn {
    /// Its two bits in an IP header.
    pub const fn bits(self) -> u8 {
        match self {
            Ecn::NotCapable => 0b00,
            Ecn::Capable => 0b10,
            Ecn::Marked => 0b11,
        }
    }
}

/// The ECN flags of a TCP header (RFC 3168 section 6.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EcnFlags {
    /// ECE: a marked packet has arrived.
    pub echo: bool,
    /// CWR: the sender has reduced its window.
    pub reduced: bool,
}

impl EcnFlags {
    /// Neither.
    pub const NONE: EcnFlags = EcnFlags { echo: false, reduced: false };
    /// Those of a SYN that offers ECN (section 6.1.1).
    pub const SETUP: EcnFlags = EcnFlags { echo: true, reduced: true };
    /// ECE alone.
    pub const ECHO: EcnFlags = EcnFlags { echo: true, reduced: false };
    /// CWR alone.
    pub const REDUCED: EcnFlags = EcnFlags { echo: false, reduced: true };
}
