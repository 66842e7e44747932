//! UDP datagrams. As in ns-2 a datagram of zeros has no UDP header; the routing layer adds the IP
//! header. Ethernet frames of programs outside the simulation travel as datagrams too, with the
//! size of what is in them.

use std::sync::Arc;

use super::FlowId;

/// Bytes of a UDP header (RFC 768), for datagrams that carry something.
pub const UDP_HEADER_BYTES: u32 = 8;

/// Stands for no flow.
pub const NO_FLOW: FlowId = FlowId(u32::MAX);

/// A UDP datagram.
#[derive(Clone, Debug, PartialEq)]
pub struct Datagram {
    /// The flow it belongs to.
    pub flow: FlowId,
    /// Its number within the flow, from 0; if it carries something, within its connection.
    pub number: u32,
    /// Payload \[bytes\].
    pub payload_bytes: u32,
    /// What it carries, if that is more than zeros.
    pub carried: Option<Carried>,
}

/// What a datagram carries for a transport above UDP.
#[derive(Clone, Debug, PartialEq)]
pub struct Carried {
    /// The payload. Shared by the copies of a packet.
    pub bytes: Arc<[u8]>,
    /// The flow that has opened the connection; [`NO_FLOW`] if a program has sent it.
    pub opener: FlowId,
    /// Whether it comes from the end that has.
    pub is_from_opener: bool,
    /// It has no data: it answers those of the flow, on the way back.
    pub is_answer: bool,
    /// What nodes on the way can read of a program's TCP.
    pub tcp: Option<ProgramTcp>,
}

/// What a program's frame is to the TCP of the ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramTcp {
    /// Its receiver acknowledges it.
    Acknowledged,
    /// It does nothing but acknowledge what came by this flow.
    Acknowledgment(FlowId),
}

impl Carried {
    /// A frame that a program outside the simulation has sent.
    pub const fn of_program(bytes: Arc<[u8]>, tcp: Option<ProgramTcp>) -> Carried {
        Carried { bytes, opener: NO_FLOW, is_from_opener: true, is_answer: false, tcp }
    }

    /// Whether it is such a frame.
    pub fn is_of_program(&self) -> bool {
        self.opener == NO_FLOW
    }
}

impl Datagram {
    /// A datagram of `payload_bytes` zeros.
    pub const fn zeros(flow: FlowId, number: u32, payload_bytes: u32) -> Datagram {
        Datagram { flow, number, payload_bytes, carried: None }
    }

    /// Whether it has no data, and answers those of the flow.
    pub fn is_answer(&self) -> bool {
        self.carried.as_ref().is_some_and(|carried| carried.is_answer)
    }

    /// What nodes on the way can read of a program's TCP in it.
    pub fn program_tcp(&self) -> Option<ProgramTcp> {
        self.carried.as_ref()?.tcp
    }
}
