//! What a transport has at both ends of a flow.

use std::fmt::Debug;

use super::flow::{Flow, Tally};
use crate::capture::pcap::Form;
use crate::kernel::Instant;
use crate::link::back_pressure::Asking;
use crate::measure::{PartCounts, Progress};
use crate::simulation::clock::Clock;
use crate::simulation::event::FlowTimer;
use crate::simulation::monitor::Monitor;
use crate::traffic::Way;
use crate::transport::{Glance, SenderCounters, Setting};
use crate::wire::udp::Carried;
use crate::wire::{FlowId, NodeId, Packet};

/// Both ends of a flow, and of the one that carries what goes back over its connection, if there is
/// one: `Way` says which of the two flows is meant. [`Ends::on_start`] comes first.
pub trait Ends: Debug + Send + Sync {
    /// The flow that opens the connection starts.
    fn on_start(&mut self, _cx: &mut EndsContext<'_>) {}

    /// The flow stops.
    fn on_stop(&mut self, _way: Way, _cx: &mut EndsContext<'_>) {}

    /// One of the flow's timers has expired.
    fn on_timer(&mut self, _way: Way, _timer: FlowTimer, _cx: &mut EndsContext<'_>) {}

    /// Routing at the flow's source has lost its route to the destination.
    fn on_route_error(&mut self, _way: Way, _cx: &mut EndsContext<'_>) {}

    /// The node of the flow's source has room for a packet.
    fn on_room(&mut self, _way: Way, _cx: &mut EndsContext<'_>) {}

    /// An acknowledgment of the flow waits for room after all, or has been waiting and leaves now.
    fn on_acknowledgment_held(&mut self, _way: Way, _is_held: bool) {}

    /// The application gives a message of `bytes`.
    fn on_supply(&mut self, way: Way, bytes: u64, cx: &mut EndsContext<'_>);

    /// A program at the flow's source sends `frame`, in a packet of `payload_bytes`.
    fn on_frame(&mut self, _payload_bytes: u32, _frame: Carried, _cx: &mut EndsContext<'_>) {}

    /// `packet` of the flow has arrived: at its destination, or what answers it at its source.
    fn on_arrival(&mut self, way: Way, packet: &Packet, cx: &mut EndsContext<'_>);

    /// What is sent arrives, sooner or later.
    fn is_reliable(&self) -> bool {
        true
    }

    /// Segments or datagrams that the flow has sent so far.
    fn sent(&self, way: Way) -> u64;

    /// Progress for the time series.
    fn progress(&self, way: Way) -> Progress;

    /// What the flow has achieved up to `now`.
    fn tally(&self, way: Way, now: Instant) -> Tally;

    /// What its sender knows and has done; none without a window.
    fn sender_status(&self, _way: Way) -> Option<SenderStatus> {
        None
    }

    /// Applies `setting` to its sender. Returns whether that can be.
    fn apply(&mut self, _way: Way, _setting: Setting) -> bool {
        false
    }

    /// How its sender asks its node for room, if it does.
    fn asking(&self, _way: Way) -> Option<Asking> {
        None
    }

    /// How its packets look in a capture.
    fn form(&self, _way: Way) -> Form {
        Form::default()
    }

    /// Adds what the parts of its sender have counted of their own.
    fn report_parts(&self, _way: Way, _parts: &mut PartCounts) {}
}

/// What a TCP sender knows and has done.
#[derive(Clone, Copy, Debug)]
pub struct SenderStatus {
    /// Its state.
    pub glance: Glance,
    /// Hops that the last acknowledgment has travelled; 0 before the first.
    pub ack_hops: u32,
    /// Segments acknowledged with all before them, the SYN included.
    pub acked_segments: u64,
    /// What it has done.
    pub counters: SenderCounters,
}

/// What ends see of the simulation, and where they leave what follows.
#[derive(Debug)]
pub struct EndsContext<'a> {
    /// Time and timers.
    pub clock: &'a mut Clock,
    /// What counts and records.
    pub monitor: &'a mut Monitor,
    /// The flows, by number.
    pub flows: &'a mut [Flow],
    /// What follows, in order.
    pub effects: &'a mut Vec<Effect>,
}

/// What follows outside the endpoints from what has happened to them. Each is carried out, with
/// everything that follows from it, before the next.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// A flow sends a packet, or lets it wait for room in its node.
    Send(FlowId, Packet),
    /// A packet reaches its destination without crossing the network.
    Arrive(Packet),
    /// A transport at this node has something to send, or a reason to, that it did not have before.
    Demand(NodeId),
    /// A flow has started: its application is called.
    Started(FlowId),
    /// A message of the application of a flow has arrived whole.
    Delivered(FlowId, Way),
    /// The application of a flow is to be called then.
    Wait(FlowId, Instant),
}
