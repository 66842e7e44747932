//! The messages of a full handshake: their types, their lengths, and in them the transport
//! parameters; zeros else.
//!
//! Source: RFC 8446, sections 2 and 4, with X25519, SHA-384 and a server that alone has a
//! certificate.

use std::any::Any;
use std::sync::Arc;

use quinn_proto::crypto::{
    ClientConfig, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey, ServerConfig,
    Session, UnsupportedVersion,
};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId, Side, TransportError, TransportErrorCode};

use super::keys::{keys, packet_keys};

/// Types of messages (RFC 8446 section 4).
const CLIENT_HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;
const ENCRYPTED_EXTENSIONS: u8 = 8;
const CERTIFICATE: u8 = 11;
const FINISHED: u8 = 20;

/// Alerts (section 6).
const UNEXPECTED_MESSAGE: u8 = 10;
const MISSING_EXTENSION: u8 = 109;

/// Bytes of messages, with their headers.
const CLIENT_HELLO_BYTES: usize = 280;
const SERVER_HELLO_BYTES: usize = 122;
const FINISHED_BYTES: usize = 52;
/// Type and length of a message.
const HEADER_BYTES: usize = 4;

/// A client's handshakes.
pub struct Client;

/// A server's handshakes.
pub struct Server {
    /// Its certificate chain and signature \[bytes\].
    pub certificate_bytes: usize,
}

/// What an end does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// The client sends its hello.
    SendClientHello,
    /// The server waits for it.
    AwaitClientHello,
    /// The server answers it.
    SendServerHello,
    /// The client waits for the server's hello.
    AwaitServerHello,
    /// The client has the keys of the handshake.
    TakeHandshakeKeys,
    /// The server sends all else that it has to send.
    SendServerFlight,
    /// The other end's last message is to come.
    AwaitFinished,
    /// The client sends its last message.
    SendFinished,
    /// Nothing.
    Nothing,
}

/// One end of a handshake.
struct Handshake {
    side: Side,
    next: Next,
    /// Own transport parameters, as sent.
    parameters: Vec<u8>,
    peer: Option<TransportParameters>,
    /// What has arrived of a message.
    inbox: Vec<u8>,
    certificate_bytes: usize,
}

impl Handshake {
    fn new(side: Side, parameters: &TransportParameters, certificate_bytes: usize) -> Handshake {
        let next = match side {
            Side::Client => Next::SendClientHello,
            Side::Server => Next::AwaitClientHello,
        };
        let mut written = Vec::new();
        parameters.write(&mut written);
        let (parameters, inbox) = (written, Vec::new());
        Handshake { side, next, parameters, peer: None, inbox, certificate_bytes }
    }

    /// A message of this kind has arrived.
    fn on_message(&mut self, kind: u8, body: &[u8]) -> Result<(), TransportError> {
        self.next = match (self.next, kind) {
            (Next::AwaitClientHello, CLIENT_HELLO) => {
                self.peer = Some(parameters_in(self.side, body)?);
                Next::SendServerHello
            }
            (Next::AwaitServerHello, SERVER_HELLO) => Next::TakeHandshakeKeys,
            (Next::AwaitFinished, ENCRYPTED_EXTENSIONS) if self.side.is_client() => {
                self.peer = Some(parameters_in(self.side, body)?);
                Next::AwaitFinished
            }
            (Next::AwaitFinished, CERTIFICATE) if self.side.is_client() => Next::AwaitFinished,
            (Next::AwaitFinished, FINISHED) if self.side.is_client() => Next::SendFinished,
            (Next::AwaitFinished, FINISHED) => Next::Nothing,
            _ => return Err(TransportErrorCode::crypto(UNEXPECTED_MESSAGE).into()),
        };
        Ok(())
    }
}

/// Appends a message of `kind` with `content`, padded to `bytes`.
fn put(out: &mut Vec<u8>, kind: u8, content: &[u8], bytes: usize) {
    let start = out.len();
    let length = bytes.max(HEADER_BYTES + content.len());
    out.push(kind);
    out.extend(&((length - HEADER_BYTES) as u32).to_be_bytes()[1..]);
    out.extend(content);
    out.resize(start + length, 0);
}

/// Transport parameters as an extension: their length and themselves.
fn extension(parameters: &[u8]) -> Vec<u8> {
    let length = (parameters.len() as u16).to_be_bytes();
    length.into_iter().chain(parameters.iter().copied()).collect()
}

fn parameters_in(side: Side, body: &[u8]) -> Result<TransportParameters, TransportError> {
    let fault = || TransportErrorCode::crypto(MISSING_EXTENSION);
    let (length, rest) = body.split_first_chunk::<2>().ok_or_else(fault)?;
    let mut parameters = rest.get(..u16::from_be_bytes(*length).into()).ok_or_else(fault)?;
    Ok(TransportParameters::read(side, &mut parameters)?)
}

impl Session for Handshake {
    fn initial_keys(&self, _dst_cid: &ConnectionId, _side: Side) -> Keys {
        keys()
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        None
    }

    fn early_data_accepted(&self) -> Option<bool> {
        None
    }

    fn is_handshaking(&self) -> bool {
        self.next != Next::Nothing
    }

    fn read_handshake(&mut self, bytes: &[u8]) -> Result<bool, TransportError> {
        self.inbox.extend(bytes);
        while let Some((&[kind, high, middle, low], rest)) = self.inbox.split_first_chunk() {
            let length = u32::from_be_bytes([0, high, middle, low]) as usize;
            let Some(body) = rest.get(..length) else { break };
            let body = body.to_vec();
            self.inbox.drain(..HEADER_BYTES + length);
            self.on_message(kind, &body)?;
        }
        Ok(false)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        Ok(self.peer)
    }

    fn write_handshake(&mut self, out: &mut Vec<u8>) -> Option<Keys> {
        let (next, has_keys) = match self.next {
            Next::SendClientHello => {
                put(out, CLIENT_HELLO, &extension(&self.parameters), CLIENT_HELLO_BYTES);
                (Next::AwaitServerHello, false)
            }
            Next::SendServerHello => {
                put(out, SERVER_HELLO, &[], SERVER_HELLO_BYTES);
                (Next::SendServerFlight, true)
            }
            Next::SendServerFlight => {
                put(out, ENCRYPTED_EXTENSIONS, &extension(&self.parameters), 0);
                put(out, CERTIFICATE, &[], self.certificate_bytes);
                put(out, FINISHED, &[], FINISHED_BYTES);
                (Next::AwaitFinished, true)
            }
            Next::TakeHandshakeKeys => (Next::AwaitFinished, true),
            Next::SendFinished => {
                put(out, FINISHED, &[], FINISHED_BYTES);
                (Next::Nothing, true)
            }
            waiting => (waiting, false),
        };
        self.next = next;
        has_keys.then(keys)
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        Some(packet_keys())
    }

    fn is_valid_retry(&self, _dst_cid: &ConnectionId, _header: &[u8], _payload: &[u8]) -> bool {
        false
    }

    fn export_keying_material(
        &self,
        _output: &mut [u8],
        _label: &[u8],
        _context: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        Err(ExportKeyingMaterialError)
    }
}

impl ClientConfig for Client {
    fn start_session(
        self: Arc<Self>,
        _version: u32,
        _server_name: &str,
        parameters: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        Ok(Box::new(Handshake::new(Side::Client, parameters, 0)))
    }
}

impl ServerConfig for Server {
    fn initial_keys(
        &self,
        _version: u32,
        _dst_cid: &ConnectionId,
    ) -> Result<Keys, UnsupportedVersion> {
        Ok(keys())
    }

    fn retry_tag(&self, _version: u32, _dst_cid: &ConnectionId, _packet: &[u8]) -> [u8; 16] {
        [0; 16]
    }

    fn start_session(
        self: Arc<Self>,
        _version: u32,
        parameters: &TransportParameters,
    ) -> Box<dyn Session> {
        Box::new(Handshake::new(Side::Server, parameters, self.certificate_bytes))
    }
}
