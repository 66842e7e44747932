//! What a MAC works with during one call, and what it wants done.

use super::admission::AdmissionCounters;
use super::contention::Contention;
use super::payloads::Payloads;
use super::timing::Timing;
use crate::kernel::{Instant, Rng};
use crate::measure::MacCounters;
use crate::wire::{Frame, NodeId, Packet};

/// What the MAC works with during one call.
#[derive(Debug)]
pub struct MacContext<'a> {
    /// The present time.
    pub now: Instant,
    /// The run's timing.
    pub timing: &'a Timing,
    /// The station's carrier sense and backoff.
    pub contention: &'a mut Contention,
    /// The station's random stream for backoffs.
    pub rng: &'a mut Rng,
    /// The run's counters.
    pub counters: &'a mut MacCounters,
    /// The run's counters of admission.
    pub admission: &'a mut AdmissionCounters,
    /// Data packets in the node outside the MAC; used only under admission.
    pub waiting: u32,
    /// Payloads of frames, to be used again.
    pub payloads: &'a mut Payloads,
    /// What the MAC wants done.
    pub out: &'a mut Outbox,
}

impl MacContext<'_> {
    /// The same for a part of the MAC that has a `timing` of its own.
    #[inline]
    pub fn under<'a>(&'a mut self, timing: &'a Timing) -> MacContext<'a> {
        MacContext {
            now: self.now,
            timing,
            contention: self.contention,
            rng: self.rng,
            counters: self.counters,
            admission: self.admission,
            waiting: self.waiting,
            payloads: self.payloads,
            out: self.out,
        }
    }
}

/// What a MAC call wants done.
#[derive(Debug, Default)]
pub struct Outbox {
    /// Send this frame now.
    pub transmit: Option<Frame>,
    /// What has come.
    pub received: Option<Leaving>,
    /// What could not be delivered.
    pub failed: Option<Leaving>,
    /// An exchange, or a part of it, is over: call `next_step`.
    pub step: bool,
    /// Call `on_sifs` at this instant.
    pub sifs: Option<Instant>,
    /// Change the station's timer.
    pub timer: Option<TimerChange>,
}

/// What leaves the MAC.
#[derive(Debug)]
pub enum Leaving {
    /// A packet, with the neighbour that it comes from or was to go to.
    One(Packet, NodeId),
    /// Those in [`Gathers::several`](super::access::Gathers::several).
    Several,
}

/// A change of the timer, which leads to `on_timer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerChange {
    /// Expire at this instant.
    Set(Instant),
    /// Switch it off.
    Cancel,
}

/// The frame that the station is sending, or whose response it awaits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// None.
    None,
    /// An RTS; a CTS is to come.
    Rts,
    /// A CTS; data are to come.
    Cts,
    /// A CTS to itself; its own data follow.
    OwnCts,
    /// Data; an ACK is to come, unless they were broadcast.
    Data,
    /// An ACK or BlockAck.
    Ack,
}
