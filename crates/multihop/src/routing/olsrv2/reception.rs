//! Which of a neighbour's packets come: told by their numbers and by silence (RFC 7779 sections 8 to
//! 10.1, RFC 6130 section 14.4).

use crate::kernel::{Duration, Instant};

/// How many HELLO intervals after a packet a HELLO counts as lost (DAT_HELLO_TIMEOUT_FACTOR).
const TIMEOUT_FACTOR: f64 = 1.2;
/// Beyond so many missing packets the neighbour has started anew (DAT_SEQNO_RESTART_DETECTION).
const RESTART: u16 = 256;

/// A neighbour's packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reception {
    /// The number of the last one (L_DAT_last_pkt_seqno).
    last: Option<u16>,
    /// When the next one should have come (L_DAT_packet_time).
    next: Option<Instant>,
    /// The time between the neighbour's HELLOs, as it says.
    pub hello_interval: Duration,
    /// HELLO intervals without a packet since the last one.
    pub silent: u32,
}

/// What a packet's number tells of those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Came {
    /// How many are missing.
    pub missed: u32,
    /// Those among them that silence has not told of.
    pub missed_anew: u32,
}

impl Reception {
    /// Whether a packet has come yet.
    pub fn has_begun(&self) -> bool {
        self.last.is_some()
    }

    /// When silence tells of the next loss.
    pub fn due(&self) -> Instant {
        self.next.unwrap_or(Instant::FAR)
    }

    /// Packet `number` has come.
    pub fn receive(&mut self, now: Instant, number: u16) -> Came {
        let step = self.last.map_or(1, |last| number.wrapping_sub(last));
        let step = if step > RESTART { 1 } else { step };
        let missed = u32::from(step.saturating_sub(1));
        let came = Came { missed, missed_anew: missed.saturating_sub(self.silent) };
        let wait = Duration::from_secs_f64(self.hello_interval.as_secs_f64() * TIMEOUT_FACTOR);
        self.last = Some(number);
        self.next = (wait > Duration::ZERO).then(|| now + wait);
        self.silent = 0;
        came
    }

    /// How many losses silence tells of up to `now` that it had not told of.
    pub fn listen(&mut self, now: Instant) -> u32 {
        let before = self.silent;
        while let Some(next) = self.next.filter(|&next| next <= now) {
            self.silent = self.silent.saturating_add(1);
            self.next = Some(next + self.hello_interval);
        }
        self.silent - before
    }
}
