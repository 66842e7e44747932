//! A voice call in one direction: a packet every 20 ms, as RTP over UDP (RFC 3550, 3551).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::application::{Action, Application, Way};
use crate::kernel::{Duration, Instant};
use crate::measure::Impairment;

/// Time that a packet's speech takes.
pub const FRAME: Duration = Duration::from_millis(20);
/// An RTP header (RFC 3550, section 5.1) and a UDP header, which datagrams have not otherwise here.
const HEADER_BYTES: u32 = 12 + 8;

/// How speech is coded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Codec {
    /// G.711, 64 kbit/s, with concealment of losses.
    #[default]
    G711,
    /// G.729A with silence suppression counted in its quality, 8 kbit/s.
    G729,
}

impl Codec {
    /// Bytes of a packet above the network layer.
    pub fn packet_bytes(self) -> u32 {
        HEADER_BYTES
            + match self {
                Codec::G711 => 160,
                Codec::G729 => 20,
            }
    }

    /// Time to gather a packet's speech and to look ahead, before it is sent.
    pub fn delay(self) -> Duration {
        match self {
            Codec::G711 => FRAME,
            Codec::G729 => FRAME + Duration::from_millis(5),
        }
    }

    /// What the E-model has to know of it (ITU-T G.113, appendix I).
    pub fn impairment(self) -> Impairment {
        match self {
            Codec::G711 => Impairment { equipment: 0.0, robustness: 25.1 },
            Codec::G729 => Impairment { equipment: 11.0, robustness: 19.0 },
        }
    }
}

/// A speaker at the source.
#[derive(Clone, Copy, Debug)]
pub struct Voice {
    /// The codec.
    pub codec: Codec,
}

impl Application for Voice {
    fn on_start(&mut self, now: Instant, out: &mut Vec<Action>) {
        self.on_timer(now, out);
    }

    fn on_timer(&mut self, now: Instant, out: &mut Vec<Action>) {
        let send = Action::Send { way: Way::Forth, bytes: self.codec.packet_bytes().into() };
        out.extend([Action::Wait(now + FRAME), send]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifty_packets_a_second() {
        let (mut voice, mut out) = (Voice { codec: Codec::G729 }, Vec::new());
        let now = Instant::from_secs_f64(2.0);
        voice.on_timer(now, &mut out);
        let next = Action::Wait(now + Duration::from_millis(20));
        // 20 bytes of speech are 8 kbit/s.
        assert_eq!(out, [next, Action::Send { way: Way::Forth, bytes: 40 }]);
    }
}
