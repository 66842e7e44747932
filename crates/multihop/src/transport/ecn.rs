//! Both ends of a connection that uses ECN (RFC 3168 section 6.1).
//!
//! New data are capable of it; the SYN, retransmissions, probes and acknowledgments are not. The
//! receiver echoes a mark on every acknowledgment until it hears that the window has been reduced;
//! the sender reduces it once a window of data, whatever tells of congestion.
//!
//! Deviation: a window of one segment that is to be reduced stays, where the RFC has it wait for
//! the retransmission timer (6.1.2).

use super::congestion::control::{Ack, CongestionControl};
use super::congestion::window::Window;
use crate::wire::tcp::SegmentKind;
use crate::wire::{Ecn, EcnFlags};

/// What the receiver has to tell (section 6.1.3).
#[derive(Clone, Copy, Debug, Default)]
pub struct Echo {
    is_due: bool,
    /// A mark has come that no acknowledgment has told of. The sender can't mean that one when it
    /// tells of a reduction.
    is_untold: bool,
}

impl Echo {
    /// A segment with these flags has arrived in a packet with this codepoint.
    pub fn on_segment(&mut self, ecn: Ecn, flags: EcnFlags) {
        self.is_untold |= ecn == Ecn::Marked;
        self.is_due &= flags != EcnFlags::REDUCED;
        self.is_due |= self.is_untold;
    }

    /// The flags of the acknowledgment up to `number` that leaves, the last segment having had
    /// `flags`.
    pub fn answer(&mut self, number: u32, flags: EcnFlags) -> EcnFlags {
        self.is_untold = false;
        let is_setup = number == 0 && flags == EcnFlags::SETUP;
        if is_setup || self.is_due { EcnFlags::ECHO } else { EcnFlags::NONE }
    }
}

/// `control` hears of new data acknowledged. With an echo the window does not grow (section 6.1.2),
/// nor while [validation holds](Window::is_held) it.
pub fn grow(control: &mut dyn CongestionControl, window: &mut Window, event: &Ack, has_echo: bool) {
    let (cwnd, stays) = (window.cwnd, has_echo || window.is_held());
    control.on_ack(window, event);
    if stays {
        window.cwnd = window.cwnd.min(cwnd);
    }
}

/// What the sender makes of echoes (section 6.1.2).
#[derive(Clone, Copy, Debug)]
pub struct EcnSender {
    is_on: bool,
    /// The next new segment is to say that the window has been reduced.
    tells: bool,
    /// Echoes up to this segment, and losses below it, belong to a window of data that has been
    /// reduced for.
    reduced_for: u32,
}

impl EcnSender {
    /// A sender that has sent nothing. The flag on the SYN's answer accepts the offer and echoes no
    /// mark.
    pub fn new(is_on: bool) -> EcnSender {
        EcnSender { is_on, tells: false, reduced_for: 1 }
    }

    /// Whether an echo on the acknowledgment of all segments below `below` asks for a reduction.
    pub fn reduces(&self, below: u32) -> bool {
        self.is_on && below > self.reduced_for
    }

    /// Whether the window has been reduced for an echo since `segment` left.
    pub fn has_reduced_for(&self, segment: u32) -> bool {
        segment < self.reduced_for
    }

    /// The window is reduced for an echo while segments below `unsent` have been sent.
    pub fn on_reduction(&mut self, unsent: u32) {
        self.reduced_for = unsent;
        self.tells = true;
    }

    /// The window is reduced for a loss.
    pub fn on_loss(&mut self) {
        self.tells = self.is_on;
    }

    /// Codepoint and flags of a segment that leaves.
    pub fn on_send(&mut self, segment: &SegmentKind) -> (Ecn, EcnFlags) {
        match *segment {
            _ if !self.is_on => (Ecn::NotCapable, EcnFlags::NONE),
            SegmentKind::Data { number: 0, .. } => (Ecn::NotCapable, EcnFlags::SETUP),
            SegmentKind::Data { retransmission: false, probe: false, .. } => {
                let reduced = std::mem::take(&mut self.tells);
                (Ecn::Capable, EcnFlags { echo: false, reduced })
            }
            _ => (Ecn::NotCapable, EcnFlags::NONE),
        }
    }
}
