//! What the management of a queue decides, ours as well as one of another crate.

use std::fmt::Debug;

use super::lines::Lines;
use crate::kernel::{Duration, Instant};
use crate::measure::Counts;
use crate::wire::Packet;

/// The management of a node's interface queue: in which lines packets wait, whose turn it is, what
/// is dropped where there is no room, and what is dropped or marked to make packets wait less.
///
/// The defaults are those of a queue in which transports' packets leave in order of arrival, behind
/// routing and ARP packets, each of the two with room of their own.
///
/// ```
/// use multihop::api::kernel::{Duration, Instant};
/// use multihop::api::link::{Backlog, QueueRule, Verdict};
/// use multihop::api::wire::{Body, FlowId, NodeId, Packet, udp::Datagram};
///
/// /// Drops what has waited for more than a second.
/// #[derive(Debug)]
/// struct Deadline;
///
/// impl QueueRule for Deadline {
///     fn on_departure(&mut self, _: Instant, _: &Packet, waited: Duration, _: Backlog) -> Verdict {
///         if waited > Duration::from_secs(1) { Verdict::Drop } else { Verdict::Pass }
///     }
/// }
///
/// let datagram = Body::Udp(Datagram::zeros(FlowId(0), 0, 100));
/// let packet = Packet::new(NodeId(0), NodeId(1), Instant::ZERO, datagram);
/// let none = Backlog { line: 1, packets: 0, bytes: 0, most_packets: 50 };
/// let mut late = |s| Deadline.on_departure(Instant::ZERO, &packet, Duration::from_secs(s), none);
/// assert_eq!((late(1), late(2)), (Verdict::Pass, Verdict::Drop));
/// ```
pub trait QueueRule: Debug + Send + Sync {
    /// Where `packet` waits. Default: routing and ARP packets in line 0, all others in line 1.
    fn place(&self, packet: &Packet) -> Place {
        Place::at_end_of(usize::from(packet.is_transport()))
    }

    /// Whether one more packet may wait in `line`. Default: as many as the queue's size in line 0,
    /// and as many in all other lines together.
    fn has_room(&self, line: usize, lines: &Lines) -> bool {
        let first = lines.packets_in(0);
        let packets = if line == 0 { first } else { lines.packets() - first };
        packets < lines.most_packets()
    }

    /// Whether any packet but a routing packet would find room. Default: in lines 0 and 1.
    fn has_place(&self, lines: &Lines) -> bool {
        self.has_room(0, lines) && self.has_room(1, lines)
    }

    /// What is dropped because `packet`, which is to wait in `line`, finds no room. Default:
    /// `packet`.
    fn on_full(&mut self, _packet: &Packet, _line: usize, _lines: &Lines) -> Overflow {
        Overflow::Arriving
    }

    /// A transport's `packet` arrives behind `backlog`.
    fn on_arrival(&mut self, _now: Instant, _packet: &Packet, _backlog: Backlog) -> Verdict {
        Verdict::Pass
    }

    /// A packet joins `line`: a new one, or one that was taken and comes back.
    fn on_join(&mut self, _line: usize) {}

    /// The line whose first packet is to leave; none if nothing waits. It is asked again if all
    /// that waits there is dropped. Default: the first in which a packet waits.
    fn next(&mut self, lines: &Lines) -> Option<usize> {
        (0..lines.count()).find(|&line| lines.packets_in(line) > 0)
    }

    /// A transport's `packet` is about to leave after it has `waited`; `backlog` stays behind.
    fn on_departure(
        &mut self,
        _now: Instant,
        _packet: &Packet,
        _waited: Duration,
        _backlog: Backlog,
    ) -> Verdict {
        Verdict::Pass
    }

    /// `packet` has left `line` in its turn.
    fn on_sent(&mut self, _line: usize, _packet: &Packet) {}

    /// Whether packets of `line` are to go before those of the next where the service of the link,
    /// not this rule, says which packet leaves (hop-by-hop pacing, A-MPDUs). Default: they are.
    fn precedes(&self, _line: usize) -> bool {
        true
    }

    /// Where the service of the link says which packet leaves: all that it meant in `line` have
    /// been dropped.
    fn on_exhausted(&mut self, _line: usize) {}

    /// Adds what it has counted of its own to the result, where it stands under the name that
    /// scenarios have for it.
    fn report(&self, _counts: &mut Counts) {}
}

/// Where a packet waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line, counted from 0.
    pub line: usize,
    /// Before all others of the line, not after them.
    pub is_first: bool,
}

impl Place {
    /// After all others of `line`.
    pub fn at_end_of(line: usize) -> Place {
        Place { line, is_first: false }
    }
}

/// What is dropped for want of room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The packet that arrives.
    Arriving,
    /// The first packet of this line, once the one that arrives has joined its own.
    First(usize),
    /// The last packet of this line, once the one that arrives has joined its own.
    Last(usize),
}

/// Packets that wait in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// The line.
    pub line: usize,
    /// How many.
    pub packets: usize,
    /// Their size \[bytes\].
    pub bytes: u64,
    /// How many may wait (`mac.queue_packets`).
    pub most_packets: usize,
}

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It goes on.
    Pass,
    /// It is marked (RFC 3168), or dropped if it is not capable of ECN.
    Mark,
    /// It is dropped.
    Drop,
}
