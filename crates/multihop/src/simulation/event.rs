//! The events. They are small and plain: whatever is large is in a table, by number.

use crate::wire::{FlowId, NodeId};

/// Something that happens at its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// A transmission ends at its next receiver.
    FrameEnd(u32),
    /// A timer expires.
    Timer(Timer),
    /// A station has waited SIFS.
    Sifs(NodeId),
    /// A packet comes up from the link, by its number.
    Up(u32),
    /// A packet from the link reaches the interface queue, by its number.
    Down(u32),
    /// A packet that routing delayed goes to the link, by its number.
    DelayedSend(u32),
    /// A routing timer, by its number.
    Routing(u32),
    /// The nodes' routing sweeps.
    Sweep,
    /// A flow starts.
    FlowStart(FlowId),
    /// A flow stops.
    FlowStop(FlowId),
    /// An application's timer.
    Application(FlowId),
    /// An ARP request may have been lost, by its number.
    ArpAgain(u32),
    /// A station has held packets for a missing one long enough.
    HoldOver(NodeId),
    /// The series are sampled.
    Sample,
    /// A node's battery may be empty.
    Battery(NodeId),
    /// A link is cut or restored, or a node switched off or on, by its number.
    Outage(u32),
    /// An access point's beacon is due, or something of a client's.
    Cell(NodeId),
    /// A frame arrives by a wire, by its number among those under way.
    Wire(u32),
}

/// What is set, put off and called off many times before it happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Timer {
    /// A station's wait for a CTS or an ACK is over, or it has sent a frame that needs no answer.
    Response(NodeId),
    /// The deferral of a packet at a station's MAC ends.
    Deferral(NodeId),
    /// A packet that a station's link held back may go.
    Release(NodeId),
    /// One of a flow's transport.
    Flow(FlowId, FlowTimer),
}

impl Timer {
    /// How many a station has.
    pub const PER_STATION: usize = 3;
}

/// A flow's timers: those of a TCP connection's ends, or one for each end of another transport's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FlowTimer {
    /// The retransmission timer of a TCP sender; what the end waits for that opened a connection.
    Retransmission,
    /// The clock of a TCP sender that paces its segments; what the other end waits for.
    Pacing,
    /// A TCP receiver's delayed acknowledgment.
    Ack,
}

impl FlowTimer {
    /// All.
    pub const ALL: [FlowTimer; 3] = [FlowTimer::Retransmission, FlowTimer::Pacing, FlowTimer::Ack];
    /// How many a flow has.
    pub const PER_FLOW: usize = FlowTimer::ALL.len();
}
