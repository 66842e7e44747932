//! A digest of a run's trajectory.
//!
//! It covers every transmission and every delivery to transport, with its instant: runs with equal
//! digests behaved identically. It proves sameness, not correctness, and does not depend on the
//! engine's internals.

use crate::wire::FlowId;

/// A running digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Fingerprint(0xCBF2_9CE4_8422_2325)
    }
}

impl Fingerprint {
    /// Adds one value: multiply and fold, starting from the FNV offset basis.
    #[inline]
    pub fn add(&mut self, value: u64) {
        let wide = u128::from(self.0 ^ value) * u128::from(0x9E37_79B9_7F4A_7C15_u64);
        self.0 = (wide as u64) ^ ((wide >> 64) as u64).rotate_left(23);
    }

    /// Adds that segment or datagram `number` of a flow has arrived.
    #[inline]
    pub fn add_numbered(&mut self, flow: FlowId, number: u32) {
        self.add(u64::from(flow.0) << 32 | u64::from(number));
    }

    /// The digest as 16 hexadecimal digits.
    pub fn hex(self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_value_matter() {
        let digest = |values: &[u64]| {
            let mut fingerprint = Fingerprint::default();
            values.iter().for_each(|&v| fingerprint.add(v));
            fingerprint.hex()
        };
        assert_ne!(digest(&[1, 2]), digest(&[2, 1]));
        assert_ne!(digest(&[0]), digest(&[0, 0]));
        assert_eq!(digest(&[]), "cbf29ce484222325");
    }
}
