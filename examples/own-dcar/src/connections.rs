//! The TCP connections through one node (section V-A): those whose packets were seen within the
//! alive timer, which is six times the mean time between packets. Deviation: the paper has no
//! bounds; here 0.5 to 10 s, 3 s at first.

use multihop::api::kernel::{Duration, Instant};
use multihop::api::wire::{Body, FlowId, NodeId, Packet};

const ALIVE_FACTOR: f64 = 6.0;
const FIRST_ALIVE: Duration = Duration::from_secs(3);
const LEAST_ALIVE: Duration = Duration::from_millis(500);
const MOST_ALIVE: Duration = Duration::from_secs(10);
/// Weight of the newest interval in the mean.
const NEWEST: f64 = 0.125;

/// Connections whose packets were seen.
#[derive(Debug, Default)]
pub struct Connections(Vec<Connection>);

#[derive(Debug)]
struct Connection {
    flow: FlowId,
    source: NodeId,
    destination: NodeId,
    last_packet: Instant,
    mean_interval_s: Option<f64>,
    alive_until: Instant,
}

impl Connections {
    /// This node has sent, forwarded or received `packet`; data and acknowledgments are of one
    /// connection.
    pub fn see(&mut self, now: Instant, packet: &Packet) {
        let Body::Tcp(segment) = &packet.body else { return };
        self.0.retain(|connection| connection.alive_until > now);
        if let Some(known) = self.0.iter_mut().find(|known| known.flow == segment.flow) {
            let interval_s = (now - known.last_packet).as_secs_f64();
            let old_s = known.mean_interval_s.unwrap_or(interval_s);
            let mean_s = old_s + NEWEST * (interval_s - old_s);
            let alive = Duration::from_secs_f64(ALIVE_FACTOR * mean_s);
            known.mean_interval_s = Some(mean_s);
            known.last_packet = now;
            known.alive_until = now + alive.clamp(LEAST_ALIVE, MOST_ALIVE);
            return;
        }
        let (source, destination) = match segment.is_ack() {
            true => (packet.destination, packet.source),
            false => (packet.source, packet.destination),
        };
        self.0.push(Connection {
            flow: segment.flow,
            source,
            destination,
            last_packet: now,
            mean_interval_s: None,
            alive_until: now + FIRST_ALIVE,
        });
    }

    /// Connections that count at `now`.
    pub fn count(&self, now: Instant) -> u32 {
        self.0.iter().filter(|connection| connection.alive_until > now).count() as u32
    }

    /// The route to `node` is lost, and with it the connections from or to there.
    pub fn remove_to(&mut self, node: NodeId) {
        self.0.retain(|connection| ![connection.source, connection.destination].contains(&node));
    }

    /// `source` looks for a new route to `destination`.
    pub fn remove_between(&mut self, source: NodeId, destination: NodeId) {
        self.0.retain(|connection| {
            (connection.source, connection.destination) != (source, destination)
        });
    }
}
