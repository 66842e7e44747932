//! A flow's TCP sender: the closed set of those there are.

use super::config::{Flavour, TcpConfig};
use super::{
    Acknowledgment, LinkFailureCounters, SemiSender, Sender, SenderActions, SenderCounters,
};
use crate::kernel::{Instant, Rng};
use crate::profile::Profile;
use crate::wire::FlowId;

/// A TCP sender.
#[derive(Debug)]
pub enum TcpSender {
    /// With a congestion window.
    Windowed(Box<Sender>),
    /// Semi-TCP: segments leave as the node has room.
    Semi(Box<SemiSender>),
}

impl TcpSender {
    /// The sender that `config` asks for; it has sent nothing.
    pub fn new(config: &TcpConfig, profile: Profile, flow: FlowId, rng: &mut Rng) -> TcpSender {
        match config.scheme {
            Flavour::SemiTcp => TcpSender::Semi(Box::new(SemiSender::new(config, profile, rng))),
            _ => TcpSender::Windowed(Box::new(Sender::new(config, profile, flow, rng))),
        }
    }

    /// The application starts.
    pub fn on_start(&mut self, now: Instant, out: &mut SenderActions) {
        match self {
            TcpSender::Windowed(sender) => sender.on_start(now, out),
            TcpSender::Semi(sender) => sender.on_start(),
        }
    }

    /// The application stops.
    pub fn on_stop(&mut self, now: Instant) {
        match self {
            TcpSender::Windowed(sender) => sender.on_stop(now),
            TcpSender::Semi(sender) => sender.on_stop(),
        }
    }

    /// A cumulative acknowledgment has arrived.
    pub fn on_ack(&mut self, now: Instant, ack: Acknowledgment, out: &mut SenderActions) {
        match self {
            TcpSender::Windowed(sender) => sender.on_ack(now, ack, out),
            TcpSender::Semi(sender) => sender.on_ack(now, ack.number, out),
        }
    }

    /// An acknowledgment of segment `number` alone has arrived.
    pub fn on_selective_ack(&mut self, now: Instant, number: u32, out: &mut SenderActions) {
        match self {
            TcpSender::Windowed(_) => {}
            TcpSender::Semi(sender) => sender.on_selective_ack(now, number, out),
        }
    }

    /// The retransmission timer has expired.
    pub fn on_timeout(&mut self, now: Instant, out: &mut SenderActions) {
        match self {
            TcpSender::Windowed(sender) => sender.on_timeout(now, out),
            TcpSender::Semi(sender) => sender.on_timeout(now, out),
        }
    }

    /// A tick of the pacing clock.
    pub fn on_pacing_tick(&mut self, now: Instant, out: &mut SenderActions) {
        match self {
            TcpSender::Windowed(sender) => sender.on_pacing_tick(now, out),
            TcpSender::Semi(_) => {}
        }
    }

    /// The node has room for a packet of its own.
    pub fn on_room(&mut self, now: Instant, out: &mut SenderActions) {
        match self {
            TcpSender::Windowed(_) => {}
            TcpSender::Semi(sender) => sender.on_room(now, out),
        }
    }

    /// Routing reports that the route has broken.
    pub fn on_route_error(&mut self, now: Instant, out: &mut SenderActions) {
        match self {
            TcpSender::Windowed(sender) => sender.on_route_error(now, out),
            TcpSender::Semi(_) => {}
        }
    }

    /// Congestion window \[segments\]; 0 without one.
    pub fn cwnd(&self) -> f64 {
        match self {
            TcpSender::Windowed(sender) => sender.cwnd(),
            TcpSender::Semi(_) => 0.0,
        }
    }

    /// Highest segment acknowledged, if any is.
    pub fn highest_ack(&self) -> Option<u32> {
        match self {
            TcpSender::Windowed(sender) => sender.highest_ack(),
            TcpSender::Semi(sender) => sender.highest_ack(),
        }
    }

    /// What the sender has done so far.
    pub fn counters(&self) -> SenderCounters {
        match self {
            TcpSender::Windowed(sender) => sender.counters(),
            TcpSender::Semi(sender) => sender.counters(),
        }
    }

    /// What broken routes did to it, up to `now`.
    pub fn link_failure_counters(&self, now: Instant) -> LinkFailureCounters {
        match self {
            TcpSender::Windowed(sender) => sender.link_failure_counters(now),
            TcpSender::Semi(_) => LinkFailureCounters::default(),
        }
    }

    /// Mean of all round-trip times measured \[s\].
    pub fn mean_rtt_s(&self) -> Option<f64> {
        match self {
            TcpSender::Windowed(sender) => sender.mean_rtt_s(),
            TcpSender::Semi(sender) => sender.mean_rtt_s(),
        }
    }
}
