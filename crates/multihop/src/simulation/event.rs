//! The events. They are small and plain: whatever is large is in a table, by number.

use crate::wire::{FlowId, NodeId};

/// Something that happens at its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// A transmission ends at its next receiver.
    FrameEnd(u32),
    /// A station's wait for a CTS or an ACK is over, or it has sent a frame that needs no answer.
    Response(NodeId),
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
    /// A flow starts.
    FlowStart(FlowId),
    /// A flow stops.
    FlowStop(FlowId),
    /// An application's timer.
    Application(FlowId),
    /// A TCP sender's retransmission timer.
    Retransmission(FlowId),
    /// The clock of a TCP sender that paces its segments.
    Pacing(FlowId),
    /// A TCP receiver's delayed acknowledgment.
    AckDue(FlowId),
    /// The deferral of a packet at a station's MAC ends.
    Deferral(NodeId),
    /// A packet that a station's link held back may go.
    Release(NodeId),
    /// An ARP request may have been lost, by its number.
    ArpAgain(u32),
    /// A station has held packets for a missing one long enough.
    HoldOver(NodeId),
    /// The series are sampled.
    Sample,
    /// A link is cut or restored, or a node switched off or on, by its number.
    Outage(u32),
}
