//! HWMP's elements and the frames around them, and the frames by which mesh stations meet (IEEE Std
//! 802.11-2012 sections 8.4.2.107 to 8.4.2.117 and 8.5.16 to 8.5.17).
//!
//! Fields are little-endian, addresses those of the stations. A PREQ has one target.

use crate::wire::aodv::SequenceNumber;
use crate::wire::{Carrier, NodeId, Octets, Packet, Part, Parts, ethernet};

/// Subtypes of management frames (table 8-1).
const BEACON: u8 = 8;
const ACTION: u8 = 13;
/// Categories of action frames (table 8-38), and the actions in them.
const MESH: u8 = 13;
const PATH_SELECTION: u8 = 1;
const SELF_PROTECTED: u8 = 15;
const PEERING_OPEN: u8 = 1;
const PEERING_CONFIRM: u8 = 2;
/// Identifiers of elements (table 8-54).
const SSID_ELEMENT: u8 = 0;
const RATES_ELEMENT: u8 = 1;
const MESH_CONFIGURATION_ELEMENT: u8 = 113;
const MESH_ID_ELEMENT: u8 = 114;
const PEERING_ELEMENT: u8 = 117;
const RANN_ELEMENT: u8 = 126;
const PREQ_ELEMENT: u8 = 130;
const PREP_ELEMENT: u8 = 131;
const PERR_ELEMENT: u8 = 132;

/// The Mesh ID.
const MESH_NAME: &[u8] = b"mesh";
/// 1, 2, 5.5 and 11 Mbit/s, all basic.
const RATES: [u8; 4] = [0x82, 0x84, 0x8b, 0x96];
/// Path selection by HWMP and the airtime link metric, no congestion control, synchronization by
/// neighbour offset, no authentication; capability: takes peerings, forwards.
const MESH_CONFIGURATION: [u8; 5] = [1, 1, 0, 1, 0];
const MESH_CAPABILITY: u8 = 0x09;

/// Bits of flags.
const INDIVIDUAL: u8 = 0x02;
const PROACTIVE_PREP: u8 = 0x04;
const TARGET_ONLY: u8 = 0x01;
const UNKNOWN_SEQUENCE: u8 = 0x04;

/// A path request (section 8.4.2.115).
#[derive(Clone, Debug, PartialEq)]
pub struct Preq {
    /// Whether it goes to one node, to confirm the path to a root.
    pub is_individual: bool,
    /// Whether a root asks all to answer.
    pub wants_prep: bool,
    /// Hops from the originator to the transmitter.
    pub hops: u8,
    /// Hops that it may still go.
    pub ttl: u8,
    /// The originator's number for it.
    pub id: u32,
    /// Who looks for a path.
    pub originator: NodeId,
    /// Its own sequence number.
    pub sequence: SequenceNumber,
    /// How long the path to the originator lasts (TU).
    pub lifetime_tu: u32,
    /// Metric from the originator to the transmitter.
    pub metric: u32,
    /// Who is sought; all, if a root makes itself known.
    pub target: NodeId,
    /// Whether only the target may answer.
    pub target_only: bool,
    /// The newest number of the target that the originator knows, if any.
    pub target_sequence: Option<SequenceNumber>,
}

/// A path reply (section 8.4.2.116).
#[derive(Clone, Debug, PartialEq)]
pub struct Prep {
    /// Hops from the target to the transmitter.
    pub hops: u8,
    /// Hops that it may still go.
    pub ttl: u8,
    /// Where the path leads.
    pub target: NodeId,
    /// The target's sequence number.
    pub target_sequence: SequenceNumber,
    /// How long the path lasts (TU).
    pub lifetime_tu: u32,
    /// Metric from the target to the transmitter.
    pub metric: u32,
    /// Who asked.
    pub originator: NodeId,
    /// The number of the originator that the PREQ had.
    pub sequence: SequenceNumber,
}

/// Why a destination cannot be reached (table 8-36).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A frame came for it that the node has no path for.
    NoForwardingInformation = 62,
    /// The link to the next hop is gone.
    Unreachable = 63,
}

/// A destination in a path error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unreachable {
    /// The destination.
    pub node: NodeId,
    /// Its sequence number, if one is known.
    pub sequence: Option<SequenceNumber>,
    /// Why.
    pub reason: Reason,
}

/// A path error (section 8.4.2.117).
#[derive(Clone, Debug, PartialEq)]
pub struct Perr {
    /// Hops that it may still go.
    pub ttl: u8,
    /// What cannot be reached.
    pub unreachable: Vec<Unreachable>,
}

/// A root announcement (section 8.4.2.114).
#[derive(Clone, Debug, PartialEq)]
pub struct Rann {
    /// Hops from the root to the transmitter.
    pub hops: u8,
    /// Hops that it may still go.
    pub ttl: u8,
    /// The root.
    pub root: NodeId,
    /// Its sequence number.
    pub sequence: SequenceNumber,
    /// The time between its announcements (TU).
    pub interval_tu: u32,
    /// Metric from the root to the transmitter.
    pub metric: u32,
}

/// What a mesh station sends beside data.
#[derive(Clone, Debug, PartialEq)]
pub enum MeshFrame {
    /// It is there.
    Beacon {
        /// The time between its beacons (TU).
        interval_tu: u16,
        /// How many peers it has.
        peers: u8,
    },
    /// It wants to be a peer, by its number for the link.
    Open(u16),
    /// It agrees to be a peer: its number for the link, and the other's.
    Confirm(u16, u16),
    /// A path request.
    Preq(Preq),
    /// A path reply.
    Prep(Prep),
    /// A path error.
    Perr(Perr),
    /// A root announcement.
    Rann(Rann),
}

impl MeshFrame {
    /// The body of the frame, behind the MAC header \[bytes\].
    pub fn bytes(&self) -> u32 {
        let mut out = Vec::new();
        self.write(&mut out);
        out.len() as u32
    }
}

impl Octets for MeshFrame {
    const KIND: u8 = 142;
    const NAME: &'static str = "hwmp";

    fn carrier(&self) -> Option<Carrier> {
        let is_beacon = matches!(self, MeshFrame::Beacon { .. });
        Some(Carrier::Management(if is_beacon { BEACON } else { ACTION }))
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            MeshFrame::Beacon { interval_tu, peers } => {
                // The timestamp is left at 0; the capability of a mesh station is 0, too.
                out.extend([0; 8]);
                out.extend(interval_tu.to_le_bytes());
                out.extend([0, 0]);
                out.extend([SSID_ELEMENT, 0]);
                put_mesh(out, *peers);
            }
            MeshFrame::Open(link) => {
                out.extend([SELF_PROTECTED, PEERING_OPEN, 0, 0]);
                put_mesh(out, 0);
                out.extend([PEERING_ELEMENT, 4, 0, 0]);
                out.extend(link.to_le_bytes());
            }
            MeshFrame::Confirm(link, of_peer) => {
                out.extend([SELF_PROTECTED, PEERING_CONFIRM, 0, 0, 0, 0]);
                put_mesh(out, 0);
                out.extend([PEERING_ELEMENT, 6, 0, 0]);
                out.extend(link.to_le_bytes());
                out.extend(of_peer.to_le_bytes());
            }
            MeshFrame::Preq(preq) => put_element(out, PREQ_ELEMENT, |out| preq.write(out)),
            MeshFrame::Prep(prep) => put_element(out, PREP_ELEMENT, |out| prep.write(out)),
            MeshFrame::Perr(perr) => put_element(out, PERR_ELEMENT, |out| perr.write(out)),
            MeshFrame::Rann(rann) => put_element(out, RANN_ELEMENT, |out| rann.write(out)),
        }
    }

    fn parts(&self, _: &Packet) -> Parts {
        let of = |hops: u8| if hops == 0 { Part::Originated } else { Part::Renewed };
        match self {
            MeshFrame::Beacon { .. } => Parts { hello: true, ..Parts::default() },
            MeshFrame::Preq(preq) => Parts { request: of(preq.hops), ..Parts::default() },
            MeshFrame::Prep(prep) => Parts { reply: of(prep.hops), ..Parts::default() },
            MeshFrame::Perr(_) => Parts { error: Part::Originated, ..Parts::default() },
            MeshFrame::Open(_) | MeshFrame::Confirm(..) | MeshFrame::Rann(_) => Parts::default(),
        }
    }

    fn number(&self) -> Option<u32> {
        match self {
            MeshFrame::Preq(preq) => Some(preq.id),
            MeshFrame::Rann(rann) => Some(rann.sequence.0),
            _ => None,
        }
    }

    fn ends(&self) -> Option<(NodeId, NodeId)> {
        match self {
            MeshFrame::Preq(preq) => Some((preq.originator, preq.target)),
            MeshFrame::Prep(prep) => Some((prep.originator, prep.target)),
            _ => None,
        }
    }
}

impl Preq {
    fn write(&self, out: &mut Vec<u8>) {
        let individual = if self.is_individual { INDIVIDUAL } else { 0 };
        out.push(individual | if self.wants_prep { PROACTIVE_PREP } else { 0 });
        out.extend([self.hops, self.ttl]);
        out.extend(self.id.to_le_bytes());
        put_station(out, self.originator, self.sequence);
        out.extend(self.lifetime_tu.to_le_bytes());
        out.extend(self.metric.to_le_bytes());
        let only = if self.target_only { TARGET_ONLY } else { 0 };
        let unknown = if self.target_sequence.is_none() { UNKNOWN_SEQUENCE } else { 0 };
        out.extend([1, only | unknown]);
        put_station(out, self.target, self.target_sequence.unwrap_or_default());
    }
}

impl Prep {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend([0, self.hops, self.ttl]);
        put_station(out, self.target, self.target_sequence);
        out.extend(self.lifetime_tu.to_le_bytes());
        out.extend(self.metric.to_le_bytes());
        put_station(out, self.originator, self.sequence);
    }
}

impl Perr {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend([self.ttl, self.unreachable.len() as u8]);
        for one in &self.unreachable {
            out.push(0);
            put_station(out, one.node, one.sequence.unwrap_or_default());
            out.extend((one.reason as u16).to_le_bytes());
        }
    }
}

impl Rann {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend([0, self.hops, self.ttl]);
        put_station(out, self.root, self.sequence);
        out.extend(self.interval_tu.to_le_bytes());
        out.extend(self.metric.to_le_bytes());
    }
}

/// Appends an action frame of path selection with one element.
fn put_element(out: &mut Vec<u8>, element: u8, put: impl FnOnce(&mut Vec<u8>)) {
    out.extend([MESH, PATH_SELECTION, element, 0]);
    let start = out.len();
    put(out);
    out[start - 1] = (out.len() - start) as u8;
}

/// Appends the elements by which a station tells its mesh.
fn put_mesh(out: &mut Vec<u8>, peers: u8) {
    out.extend([RATES_ELEMENT, RATES.len() as u8]);
    out.extend(RATES);
    out.extend([MESH_ID_ELEMENT, MESH_NAME.len() as u8]);
    out.extend(MESH_NAME);
    out.extend([MESH_CONFIGURATION_ELEMENT, 7]);
    out.extend(MESH_CONFIGURATION);
    // The number of peerings is in bits 1 to 6 of the formation info.
    out.extend([peers.min(63) << 1, MESH_CAPABILITY]);
}

fn put_station(out: &mut Vec<u8>, node: NodeId, sequence: SequenceNumber) {
    out.extend(if node.is_broadcast() { [0xff; 6] } else { ethernet::mac(node) });
    out.extend(sequence.0.to_le_bytes());
}
