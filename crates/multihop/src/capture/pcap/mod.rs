//! Packet captures: every frame with the bytes that it would have on the air, in a pcapng file.
//!
//! The model has packets of fields and sizes. Here they become bytes: radiotap and 802.11
//! (`ieee80211.rs`), or Ethernet on wires, IPv4, TCP and UDP (`ipv4.rs`), AODV and DSR in files of
//! their own. Frames are written down as they are sent; the file is made at the end, when it is
//! known what became of them (`notes.rs`). docs/use/pcap.md says what is the model's and what is
//! made up, and where real headers have another size than the model's.

mod dsr;
mod ieee80211;
mod ipv4;
mod notes;
mod pcapng;
mod protocol;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io::{self, Write};

use rustc_hash::FxHashMap;

use super::Events;
use super::called::shown;
use super::row::{Happening, NONE, Row};
use crate::kernel::{Duration, Instant};
use crate::wire::put::Put;
use crate::wire::{
    Body, Carrier, Frame, FrameKind, Message, Modulation, NodeId, Packet, arp, ipv6,
};
use ieee80211::{FCS_BYTES, Reception};
use ipv4::Flows;
pub use ipv4::Form;
use notes::Notes;
use pcapng::{Link, Statistics, Writer};

const ETHER_TYPE_IPV4: u16 = 0x0800;
const ETHER_TYPE_ARP: u16 = 0x0806;
/// The shortest frame of Ethernet, without its check sequence (IEEE Std 802.3).
const LEAST_ETHERNET_BYTES: usize = 60;

/// The bytes of every frame sent.
#[derive(Clone, Debug)]
pub struct Frames {
    /// Bytes kept of a frame; 0 for all.
    snap: u32,
    /// By kind of station, those of its rates.
    modulations: Vec<Vec<Modulation>>,
    bytes: Vec<u8>,
    /// By the frame's number.
    kept: Vec<Kept>,
    /// By the frame's number, what a protocol calls the message in it, if it does.
    names: FxHashMap<u32, &'static str>,
}

/// What is kept of a frame.
#[derive(Clone, Copy, Debug)]
struct Kept {
    /// Where its bytes begin.
    start: usize,
    /// All of its bytes.
    length: u32,
    airtime_ns: u32,
    /// Sequence control of a data frame.
    sequence: u16,
    /// Earlier attempts at it.
    attempts: u8,
    rate: u8,
    /// Where it is in an A-MPDU, if it is in one.
    place: Option<Place>,
}

/// The place of a frame in an A-MPDU.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The first frame of the A-MPDU.
    pub first: u32,
    /// Whether this is the first.
    pub is_first: bool,
    /// Whether this is the last.
    pub is_last: bool,
}

/// Writes down frames as they are sent.
#[derive(Debug)]
pub struct Encoder {
    frames: Frames,
    flows: Flows,
    /// By station, receiver and sequence control of its last data frame, and how often it had been
    /// sent before.
    last: Vec<Option<(NodeId, u16, u8)>>,
}

impl Encoder {
    /// Keeps `snap` bytes of each frame, all of them if it is 0, in a network of so many
    /// `stations`, whose rates are these by kind, with flows that look so.
    pub fn new(
        snap: u32,
        stations: usize,
        modulations: Vec<Vec<Modulation>>,
        forms: Vec<Form>,
    ) -> Encoder {
        let (bytes, kept, names) = Default::default();
        let frames = Frames { snap, modulations, bytes, kept, names };
        Encoder { frames, flows: Flows::new(forms), last: vec![None; stations] }
    }

    /// Writes down the next frame, which carries packet `number`.
    pub(super) fn add(&mut self, frame: &Frame, airtime: Duration, number: u32) {
        let attempts = self.attempts(frame);
        self.put(frame, airtime, number, attempts, None);
    }

    /// Writes down the next frame, at `place` of an A-MPDU, which has been sent as often as
    /// `attempts` before.
    #[cold]
    pub(super) fn add_part(
        &mut self,
        frame: &Frame,
        airtime: Duration,
        number: u32,
        attempts: u32,
        place: Place,
    ) {
        self.put(frame, airtime, number, attempts.min(255) as u8, Some(place));
    }

    fn put(
        &mut self,
        frame: &Frame,
        airtime: Duration,
        number: u32,
        attempts: u8,
        place: Option<Place>,
    ) {
        let Frames { snap, bytes, kept, names, .. } = &mut self.frames;
        let message = frame.packets().next().and_then(Packet::message);
        if let Some(name) = message.map(Message::name).filter(|name| !name.is_empty()) {
            names.insert(kept.len() as u32, name);
        }
        let start = bytes.len();
        let management = message.and_then(Message::carrier).and_then(|carrier| match carrier {
            Carrier::Management(subtype) => Some(subtype),
            Carrier::EtherType(_) => None,
        });
        let is = ieee80211::Traits { retry: attempts > 0, part: place.is_some(), management };
        let zeros = put_frame(bytes, &mut self.flows, frame, is, number);
        let mut length = bytes.len() - start + zeros;
        let is_of_wire = frame.kind == FrameKind::Ethernet;
        if is_of_wire {
            length = length.max(LEAST_ETHERNET_BYTES);
        }
        // Captures of Ethernet have no check sequence.
        let check_bytes = if is_of_wire { 0 } else { FCS_BYTES };
        let is_whole = *snap == 0 || length + check_bytes <= *snap as usize;
        bytes.resize(start + if is_whole { length } else { length.min(*snap as usize) }, 0);
        if is_whole && !is_of_wire {
            let check = crc32fast::hash(&bytes[start..]);
            bytes.extend(check.to_le_bytes());
        }
        let length = length + check_bytes;
        kept.push(Kept {
            start,
            length: length as u32,
            airtime_ns: u32::try_from(airtime.as_nanos()).unwrap_or(u32::MAX),
            sequence: frame.sequence,
            attempts,
            rate: frame.rate.0,
            place,
        });
    }

    /// Leaves the next frame out.
    pub(super) fn skip(&mut self, frame: &Frame) {
        self.attempts(frame);
        if let Some(packet) = frame.packet() {
            self.flows.learn(packet);
        }
        let start = self.frames.bytes.len();
        let (sequence, rate) = (frame.sequence, frame.rate.0);
        self.frames.kept.push(Kept {
            start,
            length: 0,
            airtime_ns: 0,
            sequence,
            attempts: 0,
            rate,
            place: None,
        });
    }

    /// How often `frame` has been sent before.
    fn attempts(&mut self, frame: &Frame) -> u8 {
        if frame.kind != FrameKind::Data || frame.receiver.is_broadcast() {
            return 0;
        }
        let last = &mut self.last[frame.transmitter.index()];
        let attempts = match *last {
            Some((receiver, sequence, attempts))
                if (receiver, sequence) == (frame.receiver, frame.sequence) =>
            {
                attempts.saturating_add(1)
            }
            _ => 0,
        };
        *last = Some((frame.receiver, frame.sequence, attempts));
        attempts
    }

    pub(super) fn finish(self) -> Frames {
        self.frames
    }
}

/// Appends `frame` up to its payload. Returns how many zeros follow before its check sequence.
fn put_frame(
    out: &mut Vec<u8>,
    flows: &mut Flows,
    frame: &Frame,
    is: ieee80211::Traits,
    number: u32,
) -> usize {
    let put_type: fn(&mut Vec<u8>, u16) = match frame.kind {
        FrameKind::Ethernet => {
            out.extend(ieee80211::address(frame.receiver));
            out.extend(ieee80211::address(frame.transmitter));
            Put::put16
        }
        _ => {
            ieee80211::put_header(out, frame, is);
            ieee80211::put_snap
        }
    };
    match frame.packets().next() {
        Some(packet @ Packet { body: Body::Arp(message), .. }) => {
            put_type(out, ETHER_TYPE_ARP);
            let target = match message {
                arp::Message::Request { target } => Some(*target),
                arp::Message::Reply => None,
            };
            ieee80211::put_arp(out, packet, target);
            0
        }
        Some(packet) => match ipv4::bare_frame(packet) {
            Some((ether_type, payload)) => {
                put_type(out, ether_type);
                out.extend(payload);
                0
            }
            None if let Some(message) = packet.message()
                && let Some(carrier) = message.carrier() =>
            {
                if let Carrier::EtherType(ether_type) = carrier {
                    put_type(out, ether_type);
                }
                message.write(packet, out);
                0
            }
            None if let Some(message) = packet.message()
                && let Some(group) = message.group() =>
            {
                put_type(out, ipv6::ETHER_TYPE);
                ipv6::put_message(out, packet, message, group);
                0
            }
            None => {
                put_type(out, ETHER_TYPE_IPV4);
                ipv4::put_packet(out, flows, packet, number, frame.transmitter)
            }
        },
        None => 0,
    }
}

impl Frames {
    fn bytes_of(&self, frame: u32) -> &[u8] {
        let place = frame as usize;
        let end = self.kept.get(place + 1).map_or(self.bytes.len(), |next| next.start);
        &self.bytes[self.kept[place].start..end]
    }
}

impl Events {
    /// What a node is called as a host.
    fn host(&self, node: NodeId) -> String {
        self.called.named(node).map_or_else(|| format!("node-{}", node.0), str::to_owned)
    }

    /// What a station is called: as its node, and its interface where nodes have several.
    fn interface(&self, station: NodeId) -> String {
        let host = self.host(self.stations.node(station));
        match self.stations.are_several() {
            true => format!("{host}.{}", shown(self.stations.name(station))),
            false => host,
        }
    }

    /// Writes a capture of the frames recorded, if they were kept: one where it is sent and one
    /// wherever it is received.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn write_pcap(&self, out: impl Write) -> io::Result<()> {
        let Some(frames) = &self.frames else { return Ok(()) };
        let notes = Notes::of(self, frames);
        let application = concat!("multihop ", env!("CARGO_PKG_VERSION"));
        let comment = "A simulation: time 0 is its beginning, node n is 10.1.0.0 + n.";
        let mut out = Writer::new(out, application, comment)?;
        let stations = &self.stations;
        for station in (0..stations.count() as u32).map(NodeId) {
            let name = self.interface(station);
            let address = ieee80211::address(station);
            let (link, before) = match stations.is_wire(station) {
                true => (Link::Ethernet, 0),
                false => (Link::Radiotap, ieee80211::RADIOTAP_BYTES),
            };
            let snap = if frames.snap == 0 { 0 } else { frames.snap + before };
            out.interface(&name, link, (station.address(), address), snap)?;
        }
        let nodes = (0..stations.nodes() as u32).map(NodeId);
        out.names(nodes.map(|node| (node.address(), self.host(node))))?;
        let frame_rows = self.rows_of_stations().filter(is_seen);
        for (block, row) in (0..).zip(frame_rows) {
            // Tones have no bytes.
            if frames.kept[row.frame as usize].length > 0 {
                self.write_frame(&mut out, frames, &notes, block, &row)?;
            }
        }
        for node in 0..stations.count() as u32 {
            let at = notes.at(node);
            let statistics =
                Statistics { span_ns: notes.span_ns, received: at.received, dropped: at.dropped() };
            out.statistics(node, &statistics, at.comment().as_deref())?;
        }
        out.finish()
    }

    fn write_frame<W: Write>(
        &self,
        out: &mut Writer<W>,
        frames: &Frames,
        notes: &Notes,
        block: u32,
        row: &Row,
    ) -> io::Result<()> {
        let kept = &frames.kept[row.frame as usize];
        let kind = usize::from(self.stations.kind(NodeId(row.node)).0);
        let is_inbound = row.happening == Happening::Receive;
        let start_ns = match is_inbound {
            true => row.time_ns.saturating_sub(u64::from(kept.airtime_ns)),
            false => row.time_ns,
        };
        let is_unicast = self.sent[row.frame as usize].packet.peer != NONE;
        let mut radiotap = Vec::new();
        if !self.stations.is_wire(NodeId(row.node)) {
            ieee80211::put_radiotap(
                &mut radiotap,
                &Reception {
                    start: Instant::from_nanos(start_ns),
                    modulation: frames.modulations[kind][usize::from(kept.rate)],
                    place: kept.place,
                    sent: (!is_inbound).then(|| (kept.attempts, notes.has_failed(block))),
                    is_unicast,
                },
            );
        }
        let name = frames.names.get(&row.frame).copied();
        let comment = match (name, notes.about(block)) {
            (Some(name), Some(fate)) => Some(Cow::from(format!("{name}; {fate}"))),
            (name, fate) => name.or(fate).map(Cow::from),
        };
        out.packet(&pcapng::Packet {
            interface: row.node,
            time_ns: row.time_ns,
            data: [&radiotap, frames.bytes_of(row.frame)],
            length: kept.length + radiotap.len() as u32,
            is_inbound,
            is_unicast,
            id: u64::from(row.frame),
            comment: comment.as_deref(),
        })
    }
}

/// Whether an event becomes a block of the capture.
fn is_seen(row: &Row) -> bool {
    matches!(row.happening, Happening::Transmit | Happening::Receive) && row.frame != NONE
}
