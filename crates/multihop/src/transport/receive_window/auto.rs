//! A receive buffer that is sized by what the application takes.

use crate::kernel::{Duration, Instant};
use crate::transport::acknowledging::arriving::Arriving;
use crate::transport::config::TcpConfig;
use crate::transport::receiver::Receiver;
use crate::transport::rules::Rules;
use crate::wire::tcp::WindowFields;

/// Segments that the sender is thought to send in a round trip at first (RFC 6928).
const FIRST_ROUND: u64 = 10;

/// A window that grows.
#[derive(Clone, Debug)]
pub struct AutoWindow {
    rules: Rules,
    /// Payload of a full segment \[bytes\].
    segment: u64,
    fields: WindowFields,
    /// What the buffer has room for \[bytes\], and the largest one.
    room: u64,
    most: u64,
    /// Window that is offered \[bytes\].
    window: u64,
    /// What has been offered ends here, counted from the first byte.
    edge: u64,
    /// Round trip as the receiver sees it, and the echo that it was last measured by.
    round_trip: Option<Duration>,
    echo: Option<Instant>,
    /// When the round trip that is watched began, and what the application had taken by then
    /// \[bytes\].
    since: Option<(Instant, u64)>,
    /// The most that it has taken in a round trip \[bytes\].
    taken: u64,
}

impl AutoWindow {
    /// The window of a receiver that has got nothing.
    pub fn new(config: &TcpConfig, rules: Rules) -> AutoWindow {
        // Of a full segment's buffer 5/8 are data in Linux (evidence/kernel-tcp.md).
        let window = |bytes: u32| match rules {
            Rules::Linux => u64::from(bytes) * 5 / 8,
            Rules::Ns2 | Rules::Standard => u64::from(bytes),
        };
        let first = config.first_window(rules);
        let segment = u64::from(config.segment_bytes);
        AutoWindow {
            rules,
            segment,
            fields: config.window_fields(rules),
            room: window(config.receive_buffer.initial_bytes).max(first),
            most: window(config.receive_buffer.largest_bytes).max(first),
            window: first,
            edge: first,
            round_trip: None,
            echo: None,
            since: None,
            taken: FIRST_ROUND * segment,
        }
    }

    /// The connection is open.
    pub fn on_open(&mut self, now: Instant) {
        self.since.get_or_insert((now, 0));
    }

    /// A segment has arrived. Returns whether the window has grown and asks for an acknowledgment.
    pub fn on_segment(&mut self, receiver: &Receiver, segment: &Arriving) -> bool {
        if segment.number == 0 {
            return false;
        }
        self.on_open(segment.now);
        self.measure(segment);
        // The segment itself is in the buffer until it is read.
        let room = (self.room - self.segment.min(self.room)).max(self.window);
        if receiver.has_holes() || room <= self.window {
            return false;
        }
        self.window = match self.rules {
            Rules::Linux => room.min(self.window + 2 * self.segment),
            Rules::Ns2 | Rules::Standard => room,
        };
        self.rules == Rules::Linux
    }

    /// Takes a round trip from what a segment echoes: the shortest counts at once, longer ones by
    /// an eighth.
    fn measure(&mut self, segment: &Arriving) {
        if segment.echo == Instant::FAR || self.echo == Some(segment.echo) {
            return;
        }
        self.echo = Some(segment.echo);
        let sample = segment.now.saturating_since(segment.echo);
        self.round_trip = Some(match self.round_trip {
            Some(mean) if sample > mean => mean + (sample - mean) / 8,
            _ => sample,
        });
    }

    /// The application has taken all of the first `taken` bytes.
    pub fn on_read(&mut self, now: Instant, taken: u64) {
        let (Some((since, before)), Some(round_trip)) = (self.since, self.round_trip) else {
            return;
        };
        if now.saturating_since(since) < round_trip {
            return;
        }
        self.since = Some((now, taken));
        let in_round = taken - before;
        if in_round > self.taken {
            self.room = self.room.max(self.needed(in_round)).min(self.most);
            self.taken = in_round;
        }
    }

    /// Window for an application that takes `bytes` in a round trip: room for those that are sent
    /// meanwhile too (Fisk and Feng, section 3), and in Linux for twice the growth since.
    fn needed(&self, bytes: u64) -> u64 {
        let doubled = 2 * bytes;
        match self.rules {
            Rules::Linux => {
                let growth = doubled.saturating_mul(bytes - self.taken) / self.taken.max(1);
                doubled.saturating_add(growth.saturating_mul(2))
            }
            Rules::Ns2 | Rules::Standard => doubled,
        }
    }

    /// The window field of an acknowledgment that leaves: low bits are lost (RFC 7323 section 2.3),
    /// but none that was offered. Linux rounds up. That of the SYN's answer is not scaled.
    pub fn field(&mut self, receiver: &Receiver) -> u16 {
        if receiver.unique_segments() == 0 {
            return self.fields.first;
        }
        let (scale, taken) = (self.fields.scale, receiver.delivered_bytes());
        let offered = self.edge.saturating_sub(taken);
        let units = match self.rules {
            Rules::Linux => self.window.max(offered).div_ceil(1 << scale),
            Rules::Ns2 | Rules::Standard => {
                (self.window >> scale).max(offered.div_ceil(1 << scale))
            }
        };
        let units = super::clamp(units);
        self.edge = match self.rules {
            Rules::Linux => self.edge.max(taken + self.window),
            Rules::Ns2 | Rules::Standard => taken + (u64::from(units) << scale),
        };
        units
    }
}
