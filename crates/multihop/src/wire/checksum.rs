//! The Internet checksum (RFC 1071).

/// The checksum of `bytes` and of what adds up to `before`.
pub fn checksum(before: u32, bytes: &[u8]) -> u16 {
    let mut total = before + sum(bytes);
    while total > 0xffff {
        total = (total & 0xffff) + (total >> 16);
    }
    !(total as u16)
}

/// The sum of 16-bit words.
pub fn sum(bytes: &[u8]) -> u32 {
    let words = bytes.chunks(2);
    words.map(|word| u32::from(word[0]) << 8 | u32::from(*word.get(1).unwrap_or(&0))).sum()
}
