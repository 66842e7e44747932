//! What an application is to the network: something that gives messages and learns when they have
//! arrived.

use std::fmt::Debug;

use crate::kernel::Instant;

/// A direction of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the flow's source to its destination.
    Forth,
    /// From its destination to its source.
    Back,
}

impl Way {
    /// The other one.
    pub fn other(self) -> Way {
        match self {
            Way::Forth => Way::Back,
            Way::Back => Way::Forth,
        }
    }
}

/// What an application wants done, in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Send a message: over TCP of any length, over UDP a packet of at most 65 495 bytes.
    Send {
        /// Its direction; over UDP only forth.
        way: Way,
        /// Its payload \[bytes\].
        bytes: u64,
    },
    /// Call `on_timer` then. Several timers may run.
    Wait(Instant),
    /// What the user waits for begins: a file, an answer, a page of so many bytes.
    Begin {
        /// Its bytes.
        bytes: u64,
    },
    /// The earliest that has begun and not ended is complete.
    Complete,
    /// There is nothing more to do: the flow stops.
    Done,
}

/// An application and its peer at the flow's other end. It is called by hand, and has no clock of
/// its own: what it wants it appends to `out`.
pub trait Application: Debug + Send + Sync {
    /// The flow starts.
    fn on_start(&mut self, now: Instant, out: &mut Vec<Action>);

    /// A timer has expired.
    fn on_timer(&mut self, _now: Instant, _out: &mut Vec<Action>) {}

    /// The earliest message in this direction that had not arrived whole has, over TCP.
    fn on_delivered(&mut self, _now: Instant, _way: Way, _out: &mut Vec<Action>) {}
}
