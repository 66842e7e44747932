//! Keys that leave packets as they are, and give them the size of protected ones.

use bytes::BytesMut;
use quinn_proto::crypto::{
    AeadKey, CryptoError, HandshakeTokenKey, HeaderKey, HmacKey, KeyPair, Keys, PacketKey,
};

use crate::kernel::mix;

/// Bytes of an authentication tag (AES-GCM; RFC 9001 section 5.3).
const TAG_BYTES: usize = 16;
/// Bytes of the sample for header protection (section 5.4.2).
const SAMPLE_BYTES: usize = 16;

/// A key that does nothing.
struct NoKey;

/// A pair of packet keys.
pub fn packet_keys() -> KeyPair<Box<dyn PacketKey>> {
    KeyPair { local: Box::new(NoKey), remote: Box::new(NoKey) }
}

/// All keys of a packet number space.
pub fn keys() -> Keys {
    let header = KeyPair::<Box<dyn HeaderKey>> { local: Box::new(NoKey), remote: Box::new(NoKey) };
    Keys { header, packet: packet_keys() }
}

impl PacketKey for NoKey {
    /// The tag stays zeros.
    fn encrypt(&self, _packet: u64, _buffer: &mut [u8], _header_len: usize) {}

    fn decrypt(
        &self,
        _packet: u64,
        _header: &[u8],
        payload: &mut BytesMut,
    ) -> Result<(), CryptoError> {
        let length = payload.len().checked_sub(TAG_BYTES).ok_or(CryptoError)?;
        payload.truncate(length);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        TAG_BYTES
    }

    /// That of AES-GCM (RFC 9001 section 6.6).
    fn confidentiality_limit(&self) -> u64 {
        1 << 23
    }

    fn integrity_limit(&self) -> u64 {
        1 << 52
    }
}

impl HeaderKey for NoKey {
    fn decrypt(&self, _pn_offset: usize, _packet: &mut [u8]) {}

    fn encrypt(&self, _pn_offset: usize, _packet: &mut [u8]) {}

    fn sample_size(&self) -> usize {
        SAMPLE_BYTES
    }
}

/// Makes the tokens of stateless resets, different for each connection ID.
pub struct SeededKey(pub u64);

impl HmacKey for SeededKey {
    fn sign(&self, data: &[u8], signature: &mut [u8]) {
        let seed = data.iter().fold(self.0, |hash, byte| mix(hash ^ u64::from(*byte)));
        for (place, bytes) in (0..).zip(signature.chunks_mut(8)) {
            bytes.copy_from_slice(&mix(seed ^ place).to_be_bytes()[..bytes.len()]);
        }
    }

    fn signature_len(&self) -> usize {
        32
    }

    fn verify(&self, data: &[u8], signature: &[u8]) -> Result<(), CryptoError> {
        let mut expected = vec![0; signature.len()];
        self.sign(data, &mut expected);
        if signature == expected { Ok(()) } else { Err(CryptoError) }
    }
}

/// The key of address validation tokens, which no server here gives.
pub struct TokenKey;

impl HandshakeTokenKey for TokenKey {
    fn aead_from_hkdf(&self, _random_bytes: &[u8]) -> Box<dyn AeadKey> {
        Box::new(NoKey)
    }
}

impl AeadKey for NoKey {
    fn seal(&self, _data: &mut Vec<u8>, _additional_data: &[u8]) -> Result<(), CryptoError> {
        Err(CryptoError)
    }

    fn open<'a>(
        &self,
        _data: &'a mut [u8],
        _additional_data: &[u8],
    ) -> Result<&'a mut [u8], CryptoError> {
        Err(CryptoError)
    }
}
