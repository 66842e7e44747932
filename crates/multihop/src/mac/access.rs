//! Access to the medium: what a station does with the packets that its queue hands over and with
//! the frames that its radio receives.
//!
//! An access is a state machine without clock, queue or radio. After each call the caller carries
//! out what is in the [`Outbox`](super::Outbox); if `step` is set it calls
//! [`Access::next_step`]. The [`Dcf`](super::Dcf) contends for the medium,
//! [`Edca`](super::Edca) does so in four categories, [`Windowed`](super::Windowed) with windows that
//! follow backlogs, [`Tdma`](super::Tdma) sends in slots of a table.
//!
//! [`Contention`](super::Contention) is beside the radio's receiver, which reports to it; an access
//! that senses no carrier leaves it alone, and is never called for a backoff.

use std::fmt::Debug;

use super::aggregation::{Room, Several};
use super::categories::{CATEGORIES, Category};
use super::contention::Contention;
use super::context::MacContext;
use super::rates::RateControl;
use super::timing::Timing;
use crate::capture::State;
use crate::kernel::Instant;
use crate::measure::{BackoffCounts, CategoryCounters, PartCounts};
use crate::wire::{Frame, NodeId, Packet};

/// One station's access to the medium.
pub trait Access: Defers + Gathers + Debug + Send + Sync {
    /// Whether no packet is in service.
    fn is_free(&self) -> bool;

    /// The interface queue hands over `packet` for `next_hop`. Called only if [`Access::wants`]
    /// accepts it.
    fn on_packet(&mut self, cx: &mut MacContext, next_hop: NodeId, packet: Packet);

    /// A frame addressed to this station, or broadcast, has been received.
    fn on_frame(&mut self, cx: &mut MacContext, frame: Frame);

    /// The station's timer has expired.
    fn on_timer(&mut self, cx: &mut MacContext);

    /// SIFS is over.
    fn on_sifs(&mut self, cx: &mut MacContext);

    /// The backoff has run out: it is this station's turn.
    fn on_turn(&mut self, _: &mut MacContext) {}

    /// Starts the next response, attempt or packet. Returns whether there is none: the interface
    /// queue may hand over a packet, then [`Access::end_step`] is called.
    fn next_step(&mut self, cx: &mut MacContext) -> bool;

    /// The step is over with a packet, or without one; the station is in no exchange until its next
    /// frame.
    fn end_step(&mut self, _: &mut MacContext) {}

    /// Whether the interface queue may hand over `packet`.
    fn wants(&self, packet: &Packet) -> bool;

    /// Data packets in service or deferred.
    fn data_packets(&self) -> u32;

    /// Payload of the data packets that neighbours have acknowledged \[bytes\].
    fn delivered_payload_bytes(&self) -> u64;

    /// What it is at, attempts in vain so far, and the contention window \[slots\].
    fn state(&self) -> (State, u32, u32);

    /// The backoffs drawn so far; freezes are [`Contention`](super::Contention)'s to count.
    fn backoffs(&self) -> BackoffCounts {
        BackoffCounts::default()
    }

    /// The choice of rates, if they are not fixed.
    fn rates(&self) -> Option<&RateControl> {
        None
    }

    /// Has the rates of data frames be at most this \[bit/s\], if they are not fixed.
    fn order_rate(&mut self, _most_bps: f64) {}

    /// A frame of `neighbour` came with this power \[W\].
    fn on_power(&mut self, _neighbour: NodeId, _power_w: f64) {}

    /// What waits in the interface queue: next hops and packets. Told before each call, if it is
    /// needed at all.
    fn on_backlog(&mut self, _waiting: &mut dyn Iterator<Item = (NodeId, &Packet)>) {}

    /// The packets of the smallest rank leave the interface queue first. Asked only if that is
    /// needed.
    fn rank(&self, _next_hop: NodeId, _packet: &Packet) -> u64 {
        0
    }

    /// Adds what it has counted of its own.
    fn report(&self, _: &mut PartCounts) {}

    /// The access category that the interface queue is asked for a packet of, if there are any.
    fn category(&self) -> Option<Category> {
        None
    }

    /// What each access category has done, if there are any.
    fn by_category(&self) -> Option<[CategoryCounters; CATEGORIES]> {
        None
    }
}

/// An access that may put a packet off while others pass it: hop-by-hop admission.
pub trait Defers {
    /// Whether a data packet is deferred: only routing and ARP packets may be handed over.
    fn is_holding(&self) -> bool {
        false
    }

    /// When to call [`Defers::on_deferral_end`]; none if no packet is deferred.
    fn deferral_end(&self) -> Option<Instant> {
        None
    }

    /// The time of a deferral is over.
    fn on_deferral_end(&mut self, _: &mut MacContext) {}

    /// A frame for another station was overheard. Called only if that is needed.
    fn on_overheard(&mut self, _: &mut MacContext, _: &Frame) {}

    /// The number of packets in the node has changed. Called only under admission.
    fn on_occupancy(&mut self, _: &mut MacContext) {}
}

/// An access that may have several packets in service: A-MPDUs.
pub trait Gathers {
    /// Whether the station's turn goes on after the SIFS that is running: more may join then, too.
    fn goes_on(&self) -> bool {
        false
    }

    /// What may join is about to be asked for.
    fn begin_gathering(&mut self, _: &mut Contention, _now: Instant) {}

    /// What may join the packets in service, if anything may.
    fn room(&self, _: &Timing) -> Option<Room> {
        None
    }

    /// `packet` joins those in service, for which [`Gathers::room`] has asked.
    fn on_more(&mut self, _: Packet) {}

    /// It is about to be this station's turn, and nothing more joins.
    fn prepare(&mut self, _: &Timing) {}

    /// The packets that leave together, if any can.
    fn several(&mut self) -> Option<&mut Several> {
        None
    }

    /// The packets of neighbours that have waited for a missing one for long enough go up.
    fn on_hold_over(&mut self, _: &mut MacContext) {}
}
