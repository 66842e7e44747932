//! What waits in the event queue. Small and plain: whatever is large lies in a table.

use crate::wire::{FlowId, NodeId};

/// Something that happens at its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// A transmission ends at its receiver, or at the next of its receivers.
    FrameEnd(u32),
    /// A station's backoff may have run out.
    Backoff(NodeId),
    /// A station has waited long enough for an answer, or has sent a frame that needs none.
    Response(NodeId),
    /// A station has waited SIFS.
    Sifs(NodeId),
    /// A packet comes up from the link, by its place in a table.
    Up(u32),
    /// A packet from the link reaches the interface queue, by its place in a table.
    Down(u32),
    /// A packet that routing delayed goes to the link, by its place in a table.
    DelayedSend(u32),
    /// A routing timer, by its place in a table.
    Routing(u32),
    /// A flow starts.
    FlowStart(FlowId),
    /// A flow stops.
    FlowStop(FlowId),
    /// A CBR source sends its next packet.
    CbrTick(FlowId),
    /// A TCP sender's retransmission timer.
    Retransmission(FlowId),
    /// The clock of a TCP sender that paces its segments.
    Pacing(FlowId),
    /// A packet that a station's MAC deferred may go on.
    Deferral(NodeId),
    /// A packet that a station holds back may go on.
    Release(NodeId),
    /// An ARP request may have been lost, by its place in a table.
    ArpAgain(u32),
    /// Time to record the series.
    Sample,
}
