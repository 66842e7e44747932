//! What a receiver has offered, as the sender sees it.

use super::config::WindowScheme;
use crate::transport::config::TcpConfig;
use crate::transport::rules::Rules;
use crate::transport::supply::Supply;
use crate::wire::tcp::WindowFields;

/// The window offered by a receiver that sizes its buffer.
#[derive(Clone, Debug)]
pub struct Offered {
    fields: WindowFields,
    /// Payload of a full segment \[bytes\].
    segment: u64,
    /// Bytes acknowledged, bytes sent, and where what has been offered ends.
    acked: u64,
    sent: u64,
    edge: u64,
}

impl Offered {
    /// Nothing is offered yet; none if the window is always the same.
    pub fn new(config: &TcpConfig, rules: Rules) -> Option<Offered> {
        let fields = config.window_fields(rules);
        let segment = u64::from(config.segment_bytes);
        (config.receive_buffer.scheme == WindowScheme::Auto).then_some(Offered {
            fields,
            segment,
            acked: 0,
            sent: 0,
            edge: 0,
        })
    }

    /// The other end's SYN has told its window.
    pub fn on_accept(&mut self) {
        self.edge = u64::from(self.fields.first);
    }

    /// An acknowledgment of all segments below `to`, those below `from` having been acknowledged,
    /// with this window field. What was offered once stays so.
    pub fn on_ack(&mut self, from: u32, to: u32, supply: &Supply, field: u16) {
        let scale = match (from, to) {
            (0, _) => 0,
            // The SYN's answer once more, or a segment is missing: nothing new is offered.
            (_, 0 | 1) => return,
            // One that was overtaken tells where it is counted from no longer (RFC 9293 section
            // 3.10.7.4, SND.WL2).
            _ if to < from => return,
            _ => self.fields.scale,
        };
        self.acked += (from..to).map(|number| u64::from(supply.payload_bytes(number))).sum::<u64>();
        self.edge = self.edge.max(self.acked + (u64::from(field) << scale));
    }

    /// A new segment leaves.
    pub fn on_send(&mut self, payload_bytes: u32) {
        self.sent += u64::from(payload_bytes);
    }

    /// How many segments there is room for, of which the next has this payload; the others are
    /// full.
    pub fn room(&self, next_bytes: u32) -> u32 {
        let bytes = self.edge.saturating_sub(self.sent);
        let Some(behind) = bytes.checked_sub(u64::from(next_bytes)) else { return 0 };
        u32::try_from(1 + behind / self.segment).unwrap_or(u32::MAX)
    }
}
