//! How a receiver answers segments.
//!
//! A receiver of a sender with a scoreboard reports what has arrived behind missing segments, the
//! newest first (RFC 2018 section 4), and what has arrived twice (RFC 2883), echoes times as RFC
//! 7323 section 4.3 has it, and may delay acknowledgments (RFC 5681 section 4.2): of two full
//! segments the second is answered at once, as is any that leaves or fills a hole. Others answer
//! every segment (ns-2's sink) unless told to delay, or as the scheme says whose node asks for
//! segments.

pub(super) mod arriving;
pub(super) mod config;
mod selective;

use std::num::NonZeroU32;

use crate::kernel::Instant;
use crate::profile::Profile;
use crate::wire::tcp::{PiggybackedAck, SACK_BLOCKS, SegmentKind};

pub use arriving::Arriving;
pub use config::AcksConfig;
use selective::Selective;

use super::config::TcpConfig;
use super::receive_window::ReceiveWindow;
use super::receiver::{Received, Receiver};
use super::sack::RecoveryScheme;
use super::scheme::Pull;

/// What answers the segments of one flow.
#[derive(Clone, Debug, Default)]
pub struct Acknowledger {
    answers: Answers,
    window: ReceiveWindow,
}

#[derive(Clone, Debug, Default)]
enum Answers {
    /// A cumulative acknowledgment for every segment.
    #[default]
    Every,
    /// As the scheme says whose node asks for segments; out-of-order segments since the last
    /// answer.
    Asked(Pull, u32),
    /// With selective acknowledgments, or delayed ones.
    Selective(Selective),
}

impl Acknowledger {
    /// The answers that the sender of `config` expects.
    pub fn new(config: &TcpConfig, profile: Profile) -> Acknowledger {
        let rules = config.rules(profile);
        let answers = match config.pull() {
            Some(pull) => Answers::Asked(pull, 0),
            None if config.recovery_scheme(rules) == RecoveryScheme::DuplicateAcks => {
                match config.acks.delayed {
                    Some(true) => Answers::Selective(Selective::new(&config.acks, 0, rules)),
                    _ => Answers::Every,
                }
            }
            None => {
                let room = SACK_BLOCKS - usize::from(config.timestamps(profile));
                Answers::Selective(Selective::new(&config.acks, room, rules))
            }
        };
        Acknowledger { answers, window: ReceiveWindow::new(config, rules) }
    }

    /// A segment has arrived. The acknowledgment that leaves now, if any.
    pub fn on_segment(
        &mut self,
        receiver: &mut Receiver,
        segment: Arriving,
    ) -> Option<SegmentKind> {
        let Arriving { number, payload_bytes, probe, sent, .. } = segment;
        let received = receiver.on_segment(number, payload_bytes);
        let asks = self.window.on_segment(receiver, &segment);
        let answer = match &mut self.answers {
            Answers::Every => {
                Some(SegmentKind::Ack { number: receiver.cumulative(), probe, sent, window: 0 })
            }
            Answers::Asked(pull, unanswered) => {
                asked(*pull, unanswered, receiver, received, segment)
            }
            Answers::Selective(selective) => {
                selective.on_segment(receiver, received, segment, asks)
            }
        };
        let answer = answer.map(|kind| self.advertise(receiver, kind));
        if received == Received::InOrder {
            self.window.on_read(receiver, &segment);
        }
        answer
    }

    /// The acknowledgment `kind` with the window that it offers.
    fn advertise(&mut self, receiver: &Receiver, mut kind: SegmentKind) -> SegmentKind {
        if let SegmentKind::Ack { window, .. } | SegmentKind::Sack { window, .. } = &mut kind {
            *window = self.window.field(receiver);
        }
        kind
    }

    /// Data leave for the sender of what has arrived: they carry the acknowledgment that waits, if
    /// one does. What is behind missing segments is told by acknowledgments of their own.
    pub fn on_departure(&mut self, receiver: &Receiver) -> Option<PiggybackedAck> {
        let Answers::Selective(selective) = &mut self.answers else { return None };
        let sent = selective.on_departure(receiver)?;
        let number = NonZeroU32::new(receiver.cumulative())?;
        Some(PiggybackedAck { sent, number, window: self.window.field(receiver) })
    }

    /// Whether an acknowledgment may wait.
    pub fn may_delay(&self) -> bool {
        matches!(self.answers, Answers::Selective(_))
    }

    /// When a delayed acknowledgment is due, if one is.
    pub fn due(&self) -> Option<Instant> {
        match &self.answers {
            Answers::Selective(selective) => selective.due(),
            Answers::Every | Answers::Asked(..) => None,
        }
    }

    /// The delay is over: the acknowledgment that leaves.
    pub fn on_timer(&mut self, receiver: &Receiver) -> Option<SegmentKind> {
        let answer = match &mut self.answers {
            Answers::Selective(selective) => selective.on_timer(receiver),
            Answers::Every | Answers::Asked(..) => None,
        };
        answer.map(|kind| self.advertise(receiver, kind))
    }
}

/// The answer to a sender whose node asks for segments.
fn asked(
    pull: Pull,
    unanswered: &mut u32,
    receiver: &Receiver,
    received: Received,
    segment: Arriving,
) -> Option<SegmentKind> {
    let Arriving { number, probe, sent, .. } = segment;
    let cumulative = receiver.cumulative();
    if let (1.., Some(blocks)) = (pull.answer_every, receiver.blocks()) {
        *unanswered += u32::from(received == Received::OutOfOrder);
        if received == Received::OutOfOrder && *unanswered < pull.answer_every {
            return None;
        }
        *unanswered = 0;
        return Some(SegmentKind::Sack { number: cumulative, probe, sent, window: 0, blocks });
    }
    let (number, is_selective) = pull.out_of_order_acks.answer(received, number, cumulative)?;
    *unanswered = 0;
    Some(match is_selective {
        true => SegmentKind::SelectiveAck { number },
        false => SegmentKind::Ack { number, probe, sent, window: 0 },
    })
}

#[cfg(test)]
mod tests;
