//! Sequence numbers that wrap around (RFC 3626 section 19, RFC 7181 section 21).

/// Whether number `a` is newer than `b`.
pub fn is_newer(a: u16, b: u16) -> bool {
    a != b && a.wrapping_sub(b) <= u16::MAX / 2
}
