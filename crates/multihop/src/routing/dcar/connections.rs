//! The TCP connections through one node.

use super::config::DcarConfig;
use crate::kernel::{Duration, Instant};
use crate::wire::{Body, FlowId, NodeId, Packet};

/// Connections of which packets were seen lately.
#[derive(Debug)]
pub struct Connections {
    timer: AliveTimer,
    entries: Vec<Connection>,
}

/// How long a connection counts after a packet.
#[derive(Clone, Copy, Debug)]
struct AliveTimer {
    factor: f64,
    initial: Duration,
    min: Duration,
    max: Duration,
    newest_weight: f64,
}

#[derive(Debug)]
struct Connection {
    flow: FlowId,
    source: NodeId,
    destination: NodeId,
    last_packet: Instant,
    /// Mean time between packets \[s\], from the second packet on.
    mean_interval_s: Option<f64>,
}

impl Connections {
    /// No connections yet.
    pub fn new(config: &DcarConfig) -> Connections {
        let timer = AliveTimer {
            factor: config.alive_factor,
            initial: Duration::from_secs_f64(config.alive_initial_s),
            min: Duration::from_secs_f64(config.alive_min_s),
            max: Duration::from_secs_f64(config.alive_max_s),
            newest_weight: config.interval_weight,
        };
        Connections { timer, entries: Vec::new() }
    }

    /// `packet` was sent, passed on or received by this node at `now`; a connection's data and
    /// acknowledgments count alike.
    pub fn see(&mut self, now: Instant, packet: &Packet) {
        let Body::Tcp(segment) = &packet.body else { return };
        let timer = self.timer;
        self.entries.retain(|connection| timer.end(connection) > now);
        match self.entries.iter_mut().find(|connection| connection.flow == segment.flow) {
            Some(connection) => {
                let interval_s = (now - connection.last_packet).as_secs_f64();
                let mean_s = connection.mean_interval_s.unwrap_or(interval_s);
                let step_s = timer.newest_weight * (interval_s - mean_s);
                connection.mean_interval_s = Some(mean_s + step_s);
                connection.last_packet = now;
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
                });
            }
        }
    }

    /// Connections that count at `now`.
    pub fn count(&self, now: Instant) -> u32 {
        self.entries.iter().filter(|connection| self.timer.end(connection) > now).count() as u32
    }

    /// The route to `destination` is lost, and with it the connections over it, whichever of their ends
    /// that is.
    pub fn lose_route(&mut self, destination: NodeId) {
        self.entries.retain(|connection| {
            connection.destination != destination && connection.source != destination
        });
    }

    /// `source` looks for a new route to `destination`.
    pub fn forget(&mut self, source: NodeId, destination: NodeId) {
        self.entries.retain(|connection| {
            (connection.source, connection.destination) != (source, destination)
        });
    }
}

impl AliveTimer {
    /// When `connection` ceases to count.
    fn end(&self, connection: &Connection) -> Instant {
        let length = match connection.mean_interval_s {
            None => self.initial,
            Some(mean_s) => Duration::from_secs_f64(self.factor * mean_s).clamp(self.min, self.max),
        };
        connection.last_packet + length
    }
}
