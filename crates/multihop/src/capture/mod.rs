//! The record of events: what happened to every frame, packet, queue, route and sender.
//!
//! Off, it costs a look at an empty option. On, each event is a [`Note`], which becomes a [`Row`]
//! when it is read; [`COLUMNS`] are the columns that docs/use/events.md describes. Nothing here
//! feeds back into the run.
//!
//! Runs that are not recorded must not pay for this: what they might call is never inlined.
//!
//! A frame is known by the order of its transmission, a packet by a number that it keeps across
//! retries, relays and routes. A node that lost a frame finds out late, as nodes that only hear get
//! no event of their own (see `radio/receiver.rs`): such notes are put in order at the end.

mod aggregates;
mod called;
mod columns;
mod content;
mod events;
mod look;
mod note;
mod numbers;
pub mod pcap;
mod perfetto;
mod row;
mod sorting;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use crate::config::Error;
use crate::kernel::{Duration, Instant};
use crate::radio::StationLayout;
use crate::wire::{FlowId, Frame, FrameKind, NodeId, Packet, PacketKind};

use look::Looked;
use note::{SentFrame, Subject};
use numbers::Numbers;

pub use called::Called;
pub use columns::{COLUMNS, Column, Type, Words};
pub use events::Events;
pub use look::Passage;
pub use note::{MacState, Note};
pub use row::{Detail, Happening, NONE, Row, SenderState, State};

/// Which events to record.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Watch {
    /// First instant \[s\].
    pub from_s: f64,
    /// The instant before which events are recorded \[s\]; the end where absent.
    pub to_s: Option<f64>,
    /// Only events at these nodes, and transmissions to them; all where empty.
    pub nodes: Vec<u32>,
    /// Only events of these flows, and those of no flow, as routing's; all where empty.
    pub flows: Vec<u32>,
    /// How much of each frame is kept for a packet capture \[bytes\], 0 for all; none is kept where
    /// absent.
    pub snap_bytes: Option<u32>,
    /// Only events that packet captures tell of.
    pub frames_only: bool,
}

impl Watch {
    /// Checks it against a network of `nodes` and `flows`.
    ///
    /// # Errors
    /// If it names a node or flow that there is not, or no span of time.
    pub fn check(&self, nodes: usize, flows: usize) -> Result<(), Error> {
        let limits =
            [("nodes", "a node", &self.nodes, nodes), ("flows", "a flow", &self.flows, flows)];
        for (key, what, chosen, count) in limits {
            if let Some(number) = chosen.iter().find(|&&number| number as usize >= count) {
                let fault = match count {
                    0 => format!("there are none (got {number})"),
                    _ => format!("must be {what}, 0 to {} (got {number})", count - 1),
                };
                return Err(Error::new(format!("events.{key}"), fault));
            }
        }
        if !(self.from_s >= 0.0 && self.to_s.is_none_or(|to_s| to_s > self.from_s)) {
            let fault = "must be a span of time: 0 or later, and to_s after from_s";
            return Err(Error::new("events.from_s", fault));
        }
        Ok(())
    }
}

impl Default for Watch {
    fn default() -> Watch {
        Watch {
            from_s: 0.0,
            to_s: None,
            nodes: Vec::new(),
            flows: Vec::new(),
            snap_bytes: None,
            frames_only: false,
        }
    }
}

/// Longer than any frame's first bit travels, which takes 1 ms for 300 km.
pub const TRAVEL: Duration = Duration::from_millis(1);

/// Records events.
#[derive(Debug)]
pub struct Capture {
    from: Instant,
    to: Instant,
    /// The nodes' stations, which notes are of.
    stations: StationLayout,
    /// By node, whether its events are recorded; empty for all.
    nodes: Vec<bool>,
    flows: Vec<u32>,
    frames_only: bool,
    /// Writes frames down, if they are kept.
    encoder: Option<Box<pcap::Encoder>>,
    /// Whether every event is recorded, so that none has to be judged.
    wants_all: bool,
    notes: Vec<Note>,
    /// What notes are about.
    subjects: Vec<Subject>,
    /// Those that became known later.
    late: Vec<Note>,
    senders: Vec<SenderState>,
    /// Every frame sent, by its number.
    sent: Vec<SentFrame>,
    packets: Numbers,
    /// The names that messages of routing may have.
    messages: Vec<&'static str>,
    /// Where each node last sent packets of a flow in one direction: (node, flow, to the source).
    next_hops: FxHashMap<(NodeId, FlowId, bool), NodeId>,
    last_state: Vec<State>,
    /// By the first frame of an A-MPDU, when each of its frames ends after the first instant.
    aggregates: FxHashMap<u32, Vec<Duration>>,
    looked: Looked,
}

impl Capture {
    /// A record of nothing yet, in a network of nodes with these stations whose routing may send
    /// `messages` of these names.
    pub fn new(watch: &Watch, stations: &StationLayout, messages: Vec<&'static str>) -> Capture {
        let chosen = |node: usize| watch.nodes.iter().any(|&other| other as usize == node);
        Capture {
            from: Instant::from_secs_f64(watch.from_s),
            to: watch.to_s.map_or(Instant::FAR, Instant::from_secs_f64),
            nodes: match watch.nodes.is_empty() {
                true => Vec::new(),
                false => (0..stations.nodes()).map(chosen).collect(),
            },
            stations: stations.clone(),
            flows: watch.flows.clone(),
            frames_only: watch.frames_only,
            encoder: None,
            wants_all: *watch == Watch { snap_bytes: watch.snap_bytes, ..Watch::default() },
            notes: Vec::new(),
            subjects: Vec::new(),
            late: Vec::new(),
            senders: Vec::new(),
            sent: Vec::new(),
            packets: Numbers::default(),
            messages,
            next_hops: FxHashMap::default(),
            last_state: vec![State::Idle; stations.count()],
            aggregates: FxHashMap::default(),
            looked: Looked::default(),
        }
    }

    /// Has every frame written down as well.
    pub fn keep_frames(&mut self, encoder: pcap::Encoder) {
        self.encoder = Some(Box::new(encoder));
    }

    /// The number of `packet`.
    #[inline(never)]
    pub fn number(&mut self, packet: &Packet) -> u32 {
        self.packets.of(packet)
    }

    /// `frame` is sent at `now` for `airtime`.
    #[inline(never)]
    pub fn on_transmission(&mut self, now: Instant, frame: &Frame, airtime: Duration) {
        if let Some(aggregate) = frame.aggregate() {
            return self.on_aggregate(now, frame, aggregate, airtime);
        }
        let packet = match frame.packets().next() {
            Some(packet) => self.subject(packet),
            None => Subject::NOTHING,
        };
        let note = self.note_sent(now, frame, packet, airtime);
        self.notes.extend(note);
        // A tone has no bytes.
        let is_chosen = self.is_of(packet.flow) && frame.kind != FrameKind::Tone;
        if let Some(encoder) = &mut self.encoder {
            // A frame that begins before the time of the record may be received in it.
            let is_in_time = now < self.to && now + airtime + TRAVEL >= self.from;
            match is_in_time && is_chosen {
                true => encoder.add(frame, airtime, packet.packet),
                false => encoder.skip(frame),
            }
        }
    }

    /// The note of `frame`, sent at `now`, if it is wanted.
    #[inline(always)]
    fn note_sent(
        &mut self,
        now: Instant,
        frame: &Frame,
        packet: Subject,
        airtime: Duration,
    ) -> Option<Note> {
        let airtime_ns = u32::try_from(airtime.as_nanos()).unwrap_or(NONE);
        let number = self.sent.len() as u32;
        self.sent.push(SentFrame::new(frame, packet, airtime_ns));
        let transmitter = frame.transmitter;
        let happening = Happening::Transmit;
        let is_wanted = self.is_wanted(now, transmitter, packet.flow, happening)
            || self.is_wanted(now, frame.receiver, packet.flow, happening);
        let note = Note::new(now, happening, transmitter, number);
        is_wanted.then_some(Note { extent: airtime_ns, ..note })
    }

    /// `node` has received frame `number`.
    #[inline(never)]
    pub fn on_reception(&mut self, now: Instant, node: NodeId, number: u32) {
        let sent = &self.sent[number as usize];
        let happening = Happening::Receive;
        if sent.is_for(node) && self.is_wanted(now, node, sent.packet.flow, happening) {
            self.notes.push(Note::new(now, happening, node, number));
        }
    }

    /// It turns out what became of frames, in any order.
    pub fn on_late(&mut self, late: Vec<Note>) {
        let mut late = self.one_by_one(late);
        if !self.wants_all {
            let flow = |note: &Note| self.sent[note.subject as usize].packet.flow;
            late.retain(|note| self.is_wanted(note.at, note.node, flow(note), note.happening));
        }
        self.late.append(&mut late);
    }

    /// Something happens to `packet` at `node`, on the way to or from `peer`; `extent` is what the
    /// happening says it is.
    #[inline(never)]
    pub fn on_packet(
        &mut self,
        now: Instant,
        happening: Happening,
        detail: Detail,
        (node, peer): (NodeId, Option<NodeId>),
        packet: &Packet,
        extent: u32,
    ) {
        let subject = Subject {
            peer: peer.filter(|peer| !peer.is_broadcast()).map_or(NONE, |peer| peer.0),
            ..self.subject(packet)
        };
        self.push(Note { detail, extent, ..Note::new(now, happening, node, NONE) }, subject);
    }

    /// Routing at `node` hands `packet` to the link for `next_hop`.
    #[inline(never)]
    pub fn on_routed(&mut self, now: Instant, node: NodeId, next_hop: NodeId, packet: &Packet) {
        self.on_packet(now, Happening::Route, Detail::None, (node, Some(next_hop)), packet, NONE);
        let Some(flow) = packet.flow() else { return };
        let is_answer = packet.kind() == PacketKind::TcpAck;
        let key = (self.stations.node(node), flow, is_answer);
        let before = self.next_hops.insert(key, next_hop);
        if before != Some(next_hop) {
            let from = before.map_or(NONE, |hop| hop.0);
            let peer = Some(next_hop);
            self.on_packet(now, Happening::NextHop, Detail::None, (node, peer), packet, from);
        }
    }

    /// Something happens at `node` about `peer`, to no packet.
    #[inline(never)]
    pub fn on_node(
        &mut self,
        now: Instant,
        happening: Happening,
        node: NodeId,
        peer: Option<NodeId>,
        extent: u32,
    ) {
        let subject = Subject { peer: peer.map_or(NONE, |peer| peer.0), ..Subject::NOTHING };
        self.push(Note { extent, ..Note::new(now, happening, node, NONE) }, subject);
    }

    /// The MAC of `node` is now in this state.
    pub fn on_mac(&mut self, now: Instant, node: NodeId, mac: MacState) {
        let state = mac.state;
        let is_new = std::mem::replace(&mut self.last_state[node.index()], state) != state;
        if is_new && self.is_wanted(now, node, NONE, Happening::Mac) {
            let note = Note::new(now, Happening::Mac, node, mac.packed());
            self.notes.push(Note { state, extent: mac.cw, ..note });
        }
    }

    /// `cause` has brought the sender of `flow`, at `node`, into this state.
    pub fn on_sender(
        &mut self,
        now: Instant,
        (flow, node): (FlowId, NodeId),
        cause: Detail,
        state: State,
        sender: SenderState,
    ) {
        if !self.is_wanted(now, node, flow.0, Happening::Tcp) {
            return;
        }
        let extent = self.senders.len() as u32;
        let subject = Subject { flow: flow.0, number: sender.number, ..Subject::NOTHING };
        let note = Note::new(now, Happening::Tcp, node, NONE);
        self.push(Note { detail: cause, state, extent, ..note }, subject);
        self.senders.push(sender);
    }

    /// What an event of `packet` is about.
    fn subject(&mut self, packet: &Packet) -> Subject {
        let number = self.packets.of(packet);
        Subject { named: content::named(packet, &self.messages), ..Subject::of(packet, number) }
    }

    /// Notes what has happened to `subject`.
    fn push(&mut self, note: Note, subject: Subject) {
        if self.is_wanted(note.at, note.node, subject.flow, note.happening) {
            self.notes.push(Note { subject: self.subjects.len() as u32, ..note });
            self.subjects.push(subject);
        }
    }

    #[inline]
    fn is_wanted(&self, at: Instant, node: NodeId, flow: u32, happening: Happening) -> bool {
        self.wants_all || self.is_chosen(at, node, flow, happening)
    }

    fn is_chosen(&self, at: Instant, node: NodeId, flow: u32, happening: Happening) -> bool {
        (self.from..self.to).contains(&at)
            && (self.nodes.is_empty()
                || self.nodes.get(self.stations.node(node).index()) == Some(&true))
            && self.is_of(flow)
            && (!self.frames_only || happening.is_in_captures())
    }

    /// Whether events of `flow` are recorded: those of no flow always are.
    fn is_of(&self, flow: u32) -> bool {
        self.flows.is_empty() || flow == NONE || self.flows.contains(&flow)
    }

    /// Everything recorded, in the order of time; `flows` are sources and destinations, and they
    /// and nodes are `called` so.
    pub fn finish(self, flows: Vec<(NodeId, NodeId)>, called: Called) -> Events {
        let Capture { notes, subjects, late, sent, senders, messages, encoder, stations, .. } =
            self;
        let late = sorting::by_time(late);
        let frames = encoder.map(|encoder| encoder.finish());
        let prompt = notes;
        Events { prompt, late, subjects, sent, senders, messages, flows, called, stations, frames }
    }
}
