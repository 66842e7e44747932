//! The largest packets that flows send.

use super::Scenario;
use super::flows::{FlowLoad, FlowSpec};
use crate::wire::IP_HEADER_BYTES;
use crate::wire::tcp::{TCP_IP_HEADER_BYTES, TIMESTAMPS_BYTES};
use crate::wire::udp::UDP_HEADER_BYTES;

/// Payload of a packet over IP at most \[bytes\].
const MOST_PAYLOAD_BYTES: u32 = 65_495;

/// The largest packet of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LargestPacket {
    /// Its payload \[bytes\].
    pub payload: u32,
    /// Its least size in a MAC \[bytes\]: what routing adds does not count.
    pub bytes: u32,
    /// All are as large.
    pub is_even: bool,
}

impl LargestPacket {
    /// That of `flow` in `scenario`.
    pub fn of(scenario: &Scenario, flow: &FlowSpec) -> LargestPacket {
        let over_ip =
            |payload, is_even| LargestPacket { payload, bytes: payload + IP_HEADER_BYTES, is_even };
        match (&flow.tcp, &flow.load) {
            (Some(tcp), _) if tcp.has_connection() => {
                let bytes = tcp.segment_bytes + UDP_HEADER_BYTES + IP_HEADER_BYTES;
                LargestPacket { payload: tcp.segment_bytes, bytes, is_even: false }
            }
            (Some(tcp), load) => {
                let options = u32::from(tcp.timestamps(scenario.profile)) * TIMESTAMPS_BYTES;
                let bytes = tcp.segment_bytes + TCP_IP_HEADER_BYTES + options;
                let is_even = matches!(load, FlowLoad::Endless);
                LargestPacket { payload: tcp.segment_bytes, bytes, is_even }
            }
            (None, FlowLoad::Cbr(cbr)) => over_ip(cbr.packet_bytes, true),
            (None, FlowLoad::OnOff(on_off)) => over_ip(on_off.packet_bytes, true),
            (None, FlowLoad::Voice(voice)) => over_ip(voice.codec.packet_bytes(), true),
            (None, FlowLoad::Trace(messages)) => {
                let largest = messages.iter().map(|&(_, bytes)| bytes).max().unwrap_or(1);
                let largest = u32::try_from(largest).unwrap_or(MOST_PAYLOAD_BYTES);
                over_ip(largest.min(MOST_PAYLOAD_BYTES), false)
            }
            (None, _) => over_ip(MOST_PAYLOAD_BYTES, false),
        }
    }
}
