//! The TCP connections through one node.

use super::config::DcarConfig;
use crate::kernel::{Duration, Instant};
use crate::wire::{Body, FlowId, NodeId, Packet};

/// Connections whose packets were seen recently.
#[derive(Debug, Default)]
pub struct Connections {
    entries: Vec<Connection>,
}

#[derive(Debug)]
struct Connection {
    flow: FlowId,
    source: NodeId,
    destination: NodeId,
    last_packet: Instant,
    /// Mean time between packets \[s\], from the second packet on.
    mean_interval_s: Option<f64>,
    /// When the alive timer expires.
    alive_until: Instant,
}

/// How long a connection counts after a packet.
#[derive(Clone, Copy, Debug)]
pub struct AliveTimer {
    factor: f64,
    initial: Duration,
    min: Duration,
    max: Duration,
    newest_weight: f64,
}

impl AliveTimer {
    /// The timer with the parameters of `config`.
    pub fn new(config: &DcarConfig) -> AliveTimer {
        AliveTimer {
            factor: config.alive_factor,
            initial: Duration::from_secs_f64(config.alive_initial_s),
            min: Duration::from_secs_f64(config.alive_min_s),
            max: Duration::from_secs_f64(config.alive_max_s),
            newest_weight: config.interval_weight,
        }
    }

    fn length(&self, mean_interval_s: f64) -> Duration {
        Duration::from_secs_f64(self.factor * mean_interval_s).clamp(self.min, self.max)
    }
}

impl Connections {
    /// `packet` was sent, forwarded or received by this node at `now`; data and acknowledgments
    /// belong to the same connection.
    pub fn see(&mut self, now: Instant, packet: &Packet, timer: &AliveTimer) {
        let Body::Tcp(segment) = &packet.body else { return };
        self.entries.retain(|connection| connection.alive_until > now);
        match self.entries.iter_mut().find(|connection| connection.flow == segment.flow) {
            Some(connection) => {
                let interval_s = (now - connection.last_packet).as_secs_f64();
                let old_s = connection.mean_interval_s.unwrap_or(interval_s);
                let mean_s = old_s + timer.newest_weight * (interval_s - old_s);
                connection.mean_interval_s = Some(mean_s);
                connection.last_packet = now;
                connection.alive_until = now + timer.length(mean_s);
            }
            None => {
                let (source, destination) = match segment.is_ack() {
                    true => (packet.destination, packet.source),
                    false => (packet.source, packet.destination),
                };
                self.entries.push(Connection {
                    flow: segment.flow,
                    source,
                    destination,
                    last_packet: now,
                    mean_interval_s: None,
                    alive_until: now + timer.initial,
                });
            }
        }
    }

    /// Connections that count at `now`.
    pub fn count(&self, now: Instant) -> u32 {
        self.entries.iter().filter(|connection| connection.alive_until > now).count() as u32
    }

    /// The connections that use the route to `destination`, their source or destination.
    pub fn over_route_to(&self, destination: NodeId) -> Vec<FlowId> {
        let needs = |connection: &&Connection| {
            connection.destination == destination || connection.source == destination
        };
        self.entries.iter().filter(needs).map(|connection| connection.flow).collect()
    }

    /// Removes connection `flow`.
    pub fn remove(&mut self, flow: FlowId) {
        self.entries.retain(|connection| connection.flow != flow);
    }

    /// `source` searches for a new route to `destination`: removes their connections.
    pub fn remove_between(&mut self, source: NodeId, destination: NodeId) {
        self.entries.retain(|connection| {
            (connection.source, connection.destination) != (source, destination)
        });
    }
}
