//! The configuration of both endpoints: everything that would be random is drawn from the flow's
//! stream.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use quinn_proto::congestion::{ControllerFactory, CubicConfig, NewRenoConfig};
use quinn_proto::{
    ClientConfig, ConnectionId, ConnectionIdGenerator, Endpoint, EndpointConfig, IdleTimeout,
    NoneTokenStore, ServerConfig, TimeSource, TransportConfig, VarInt,
};

use super::config::QuicControl;
use super::crypto::{Client, SeededKey, Server, TokenKey};
use crate::kernel::{Rng, mix};
use crate::transport::TcpConfig;

/// Bytes of a connection ID, and of the one that a client makes up for the server at first.
const ID_BYTES: usize = 8;
const FIRST_ID_BYTES: usize = 20;
/// Most bytes that a sender keeps of what the application gives it, whatever the receiver's window.
const MOST_SENT_BYTES: u64 = 10_000_000;

/// The address of the client and of the server. Nothing depends on them.
pub const ADDRESSES: [SocketAddr; 2] = [address(1, 49152), address(2, 443)];

const fn address(host: u8, port: u16) -> SocketAddr {
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::new(10, 1, 0, host)), port)
}

/// The client's endpoint, with what it connects by.
pub fn client(config: &TcpConfig, rng: &mut Rng) -> (Endpoint, ClientConfig) {
    let mut own = ClientConfig::new(Arc::new(Client));
    let first_id = ConnectionId::new(&octets::<FIRST_ID_BYTES>(rng));
    own.transport_config(Arc::new(transport(config)))
        .token_store(Arc::new(NoneTokenStore))
        .initial_dst_cid_provider(Arc::new(move || first_id));
    (Endpoint::new(endpoint(config, rng), None, false, None), own)
}

/// The server's endpoint.
pub fn server(config: &TcpConfig, rng: &mut Rng) -> Endpoint {
    let certificate_bytes = config.quic.certificate_bytes as usize;
    let mut own = ServerConfig::new(Arc::new(Server { certificate_bytes }), Arc::new(TokenKey));
    own.transport_config(Arc::new(transport(config))).time_source(Arc::new(NoClock));
    Endpoint::new(endpoint(config, rng), Some(Arc::new(own)), false, None)
}

fn endpoint(config: &TcpConfig, rng: &mut Rng) -> Arc<EndpointConfig> {
    let key = u64::from_be_bytes(octets(rng));
    let mut own = EndpointConfig::new(Arc::new(SeededKey(key)));
    own.rng_seed(Some(octets(rng)))
        .grease_quic_bit(false)
        .cid_generator(move || Box::new(SeededIds(key)))
        .max_udp_payload_size(datagram_bytes(config))
        .expect("a scenario is checked");
    Arc::new(own)
}

fn transport(config: &TcpConfig) -> TransportConfig {
    let window = u64::from(config.window_segments) * u64::from(config.segment_bytes);
    let receive_window = VarInt::from_u64(window).expect("a scenario is checked");
    let idle = Duration::from_secs_f64(config.quic.idle_timeout_s);
    let mut own = TransportConfig::default();
    own.initial_mtu(datagram_bytes(config))
        .min_mtu(datagram_bytes(config))
        .mtu_discovery_config(None)
        .stream_receive_window(receive_window)
        .receive_window(receive_window)
        .send_window(window.min(MOST_SENT_BYTES))
        .max_idle_timeout(IdleTimeout::try_from(idle).ok())
        .datagram_receive_buffer_size(None)
        .enable_segmentation_offload(false)
        .congestion_controller_factory(controller(config));
    own
}

fn controller(config: &TcpConfig) -> Arc<dyn ControllerFactory + Send + Sync> {
    let segments = config.initial_window_segments.map(u64::from);
    let window = segments.map(|segments| segments * u64::from(config.segment_bytes));
    match config.quic.congestion_control {
        QuicControl::NewReno => {
            let mut own = NewRenoConfig::default();
            window.map(|window| own.initial_window(window));
            Arc::new(own)
        }
        QuicControl::Cubic => {
            let mut own = CubicConfig::default();
            window.map(|window| own.initial_window(window));
            Arc::new(own)
        }
    }
}

/// The size of a full datagram.
fn datagram_bytes(config: &TcpConfig) -> u16 {
    u16::try_from(config.segment_bytes).unwrap_or(u16::MAX)
}

fn octets<const N: usize>(rng: &mut Rng) -> [u8; N] {
    std::array::from_fn(|_| rng.below(256) as u8)
}

/// Connection IDs from a seed.
struct SeededIds(u64);

impl ConnectionIdGenerator for SeededIds {
    fn generate_cid(&mut self) -> ConnectionId {
        self.0 = mix(self.0);
        ConnectionId::new(&self.0.to_be_bytes())
    }

    fn cid_len(&self) -> usize {
        ID_BYTES
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}

/// The time of day, of which only tokens make use, and there are none.
struct NoClock;

impl TimeSource for NoClock {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH
    }
}
