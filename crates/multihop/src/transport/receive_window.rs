//! The receiver's window: what it advertises (RFC 9293 section 3.8.6), scaled (RFC 7323 section 2),
//! and how it grows.
//!
//! Either it is always `window_segments`, or the receiver sizes its buffer by what the application
//! takes (Fisk, Feng, "Dynamic Right-Sizing: A Fast, Kernel-Speed Buffer Auto-Tuning", 2001).
//! Applications of the model take all at once, so no window closes, and none is probed. What has
//! been offered is never taken back.

mod auto;
pub(super) mod config;
mod offered;
#[cfg(test)]
mod tests;

pub use auto::AutoWindow;
pub use config::{ReceiveBufferConfig, WindowScheme};
pub use offered::Offered;

use super::acknowledging::arriving::Arriving;
use super::config::TcpConfig;
use super::receiver::Receiver;
use super::rules::Rules;
use crate::wire::tcp::WindowFields;

/// The largest shift of the window scale option (RFC 7323 section 2.3).
const MAX_SCALE: u8 = 14;

impl TcpConfig {
    /// The first window of a receiver that sizes its buffer \[bytes\]: whole segments.
    fn first_window(&self, rules: Rules) -> u64 {
        let buffer = self.receive_buffer.initial_bytes;
        let share = if rules == Rules::Linux { buffer / 2 } else { buffer };
        let segment = self.segment_bytes;
        u64::from((share.min(u32::from(u16::MAX)) / segment).max(1) * segment)
    }

    /// The windows in the headers of a flow's segments.
    pub fn window_fields(&self, rules: Rules) -> WindowFields {
        let (first, largest) = match self.receive_buffer.scheme {
            WindowScheme::Constant => {
                let bytes = u64::from(self.window_segments) * u64::from(self.segment_bytes);
                (bytes, bytes)
            }
            WindowScheme::Auto => {
                (self.first_window(rules), u64::from(self.receive_buffer.largest_bytes))
            }
        };
        let fits = |scale: &u8| largest >> scale <= u64::from(u16::MAX);
        let scale = (0..MAX_SCALE).find(fits).unwrap_or(MAX_SCALE);
        WindowFields { scale, first: clamp(first), idle: clamp(first >> scale) }
    }
}

fn clamp(bytes: u64) -> u16 {
    u16::try_from(bytes).unwrap_or(u16::MAX)
}

/// A receiver's window.
#[derive(Clone, Debug)]
pub enum ReceiveWindow {
    /// Always the same.
    Constant(WindowFields),
    /// As large as the application seems to need.
    Auto(Box<AutoWindow>),
}

impl Default for ReceiveWindow {
    /// That of a receiver which no window limits.
    fn default() -> ReceiveWindow {
        ReceiveWindow::Constant(WindowFields::default())
    }
}

impl ReceiveWindow {
    /// The window of a receiver that has got nothing.
    pub fn new(config: &TcpConfig, rules: Rules) -> ReceiveWindow {
        match config.receive_buffer.scheme {
            WindowScheme::Constant => ReceiveWindow::Constant(config.window_fields(rules)),
            WindowScheme::Auto => ReceiveWindow::Auto(Box::new(AutoWindow::new(config, rules))),
        }
    }

    /// A segment has arrived and is among those that `receiver` holds. Returns whether the window
    /// has grown by it and asks for an acknowledgment.
    pub fn on_segment(&mut self, receiver: &Receiver, segment: &Arriving) -> bool {
        match self {
            ReceiveWindow::Constant(_) => false,
            ReceiveWindow::Auto(auto) => auto.on_segment(receiver, segment),
        }
    }

    /// The window field of an acknowledgment that leaves.
    pub fn field(&mut self, receiver: &Receiver) -> u16 {
        match self {
            ReceiveWindow::Constant(fields) if receiver.unique_segments() == 0 => fields.first,
            ReceiveWindow::Constant(fields) => fields.idle,
            ReceiveWindow::Auto(auto) => auto.field(receiver),
        }
    }

    /// The application takes what has arrived in order, after the segment's acknowledgment if that
    /// has one.
    pub fn on_read(&mut self, receiver: &Receiver, segment: &Arriving) {
        if let ReceiveWindow::Auto(auto) = self {
            auto.on_read(segment.now, receiver.delivered_bytes());
        }
    }
}
