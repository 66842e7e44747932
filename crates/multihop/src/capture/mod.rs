//! The record of events: what happened to every frame, packet, queue, route and sender.
//!
//! Off, it costs a look at an empty option. On, each event is a [`Row`] of fixed size; [`COLUMNS`] are the
//! columns that docs/events.md describes. Nothing here feeds back into the run.
//!
//! Runs that are not recorded must not pay for this: what they might call is never inlined.
//!
//! A frame is known by the order of its transmission, a packet by a number that it keeps across retries, relays
//! and routes: it is found by what does not change on its way. A node that lost a frame finds out late, as nodes
//! that only hear get no event of their own (see `radio/receiver.rs`): such rows are put in order at the end.

mod columns;
mod perfetto;
mod row;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use crate::config::Error;
use crate::kernel::{Duration, Instant};
use crate::wire::{FlowId, Frame, Identity, NodeId, Packet, PacketKind};

pub use columns::{COLUMNS, Column, Type, Words};
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
        Watch { from_s: 0.0, to_s: None, nodes: Vec::new(), flows: Vec::new() }
    }
}

/// What a row about a frame repeats of it.
#[derive(Clone, Copy, Debug)]
struct Sent {
    transmitter: u32,
    receiver: u32,
    airtime_ns: u32,
    row: Row,
}

impl Sent {
    /// The row about its end at `node`.
    fn end(&self, at: Instant, happening: Happening, node: NodeId) -> Row {
        Row { time_ns: at.as_nanos(), happening, node: node.0, peer: self.transmitter, ..self.row }
    }
}

/// What became of a frame at a node, as it turned out later.
#[derive(Clone, Copy, Debug)]
pub struct Late {
    /// When the frame ended there.
    pub at: Instant,
    /// The node.
    pub node: NodeId,
    /// The frame, in the order of transmission.
    pub frame: u32,
    /// Whether it was received.
    pub happening: Happening,
    /// Why it was lost.
    pub detail: Detail,
    /// The frame that it was lost to.
    pub by: u32,
}

/// Records events.
#[derive(Debug)]
pub struct Capture {
    from: Instant,
    to: Instant,
    /// By node, whether its events are recorded; empty for all.
    nodes: Vec<bool>,
    flows: Vec<u32>,
    rows: Vec<Row>,
    /// Those that became known later.
    late: Vec<Late>,
    senders: Vec<SenderState>,
    /// Every frame sent, by its number.
    sent: Vec<Sent>,
    packets: FxHashMap<Identity, u32>,
    /// Where each node last sent packets of a flow in one direction: (node, flow, to the source).
    next_hops: FxHashMap<(NodeId, FlowId, bool), NodeId>,
    last_state: Vec<State>,
}

impl Capture {
    /// A record of nothing yet, in a network of `nodes`.
    pub fn new(watch: &Watch, nodes: usize) -> Capture {
        let chosen = |node: usize| watch.nodes.iter().any(|&other| other as usize == node);
        Capture {
            from: Instant::from_secs_f64(watch.from_s),
            to: watch.to_s.map_or(Instant::FAR, Instant::from_secs_f64),
            nodes: match watch.nodes.is_empty() {
                true => Vec::new(),
                false => (0..nodes).map(chosen).collect(),
            },
            flows: watch.flows.clone(),
            rows: Vec::new(),
            late: Vec::new(),
            senders: Vec::new(),
            sent: Vec::new(),
            packets: FxHashMap::default(),
            next_hops: FxHashMap::default(),
            last_state: vec![State::Idle; nodes],
        }
    }

    /// The number of `packet`.
    #[inline(never)]
    pub fn number(&mut self, packet: &Packet) -> u32 {
        let next = self.packets.len() as u32;
        *self.packets.entry(packet.identity()).or_insert(next)
    }

    fn row_of(&mut self, now: Instant, packet: &Packet) -> Row {
        Row { packet: self.number(packet), ..Row::of_packet(now, packet) }
    }

    /// `frame` is sent at `now` for `airtime`.
    #[inline(never)]
    pub fn on_transmission(&mut self, now: Instant, frame: &Frame, airtime: Duration) {
        let mut row = match &frame.packet {
            Some(packet) => self.row_of(now, packet),
            None => Row::at(now),
        };
        row.kind = Some(frame.kind);
        row.frame = self.sent.len() as u32;
        let receiver = frame.receiver;
        let airtime_ns = u32::try_from(airtime.as_nanos()).unwrap_or(NONE);
        let transmitter = frame.transmitter.0;
        self.sent.push(Sent { transmitter, receiver: receiver.0, airtime_ns, row });
        row.happening = Happening::Transmit;
        row.node = transmitter;
        row.peer = if receiver.is_broadcast() { NONE } else { receiver.0 };
        row.extent = airtime_ns;
        if self.is_wanted(&row) || self.is_wanted(&Row { node: row.peer, ..row }) {
            self.rows.push(row);
        }
    }

    /// `node` has received frame `number`.
    #[inline(never)]
    pub fn on_reception(&mut self, now: Instant, node: NodeId, number: u32) {
        let sent = &self.sent[number as usize];
        let row = sent.end(now, Happening::Receive, node);
        if sent.receiver == node.0 || sent.receiver == NodeId::BROADCAST.0 {
            self.push(row);
        }
    }

    /// It turns out what became of a frame.
    pub fn on_late(&mut self, late: Late) {
        let sent = &self.sent[late.frame as usize];
        if self.is_wanted(&sent.end(late.at, late.happening, late.node)) {
            self.late.push(late);
        }
    }

    /// Something happens to `packet` at `node`, on the way to or from `peer`; `extent` is what the happening
    /// says it is.
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
        let row = Row {
            happening,
            detail,
            node: node.0,
            peer: peer.filter(|peer| !peer.is_broadcast()).map_or(NONE, |peer| peer.0),
            extent,
            ..self.row_of(now, packet)
        };
        self.push(row);
    }

    /// Routing at `node` hands `packet` to the link for `next_hop`.
    #[inline(never)]
    pub fn on_routed(&mut self, now: Instant, node: NodeId, next_hop: NodeId, packet: &Packet) {
        self.on_packet(now, Happening::Route, Detail::None, (node, Some(next_hop)), packet, NONE);
        let Some(flow) = packet.flow() else { return };
        let is_answer = packet.kind() == PacketKind::TcpAck;
        let before = self.next_hops.insert((node, flow, is_answer), next_hop);
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
        let peer = peer.map_or(NONE, |peer| peer.0);
        self.push(Row { happening, node: node.0, peer, extent, ..Row::at(now) });
    }

    /// The MAC of `node` is now in `state`, with this many retries.
    pub fn on_mac(&mut self, now: Instant, node: NodeId, state: State, retries: u32, cw: u32) {
        if std::mem::replace(&mut self.last_state[node.index()], state) != state {
            let happening = Happening::Mac;
            self.push(Row {
                happening,
                node: node.0,
                state,
                number: retries,
                extent: cw,
                ..Row::at(now)
            });
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
        let extent = self.senders.len() as u32;
        let row = Row {
            happening: Happening::Tcp,
            detail: cause,
            state,
            node: node.0,
            flow: flow.0,
            number: sender.number,
            extent,
            ..Row::at(now)
        };
        if self.is_wanted(&row) {
            self.senders.push(sender);
            self.rows.push(row);
        }
    }

    fn push(&mut self, row: Row) {
        if self.is_wanted(&row) {
            self.rows.push(row);
        }
    }

    #[inline]
    fn is_wanted(&self, row: &Row) -> bool {
        (self.from.as_nanos()..self.to.as_nanos()).contains(&row.time_ns)
            && (self.nodes.is_empty() || self.nodes.get(row.node as usize) == Some(&true))
            && (self.flows.is_empty() || row.flow == NONE || self.flows.contains(&row.flow))
    }

    /// Everything recorded, in the order of time; `flows` are sources and destinations.
    pub fn finish(mut self, flows: Vec<(NodeId, NodeId)>) -> Events {
        self.late.sort_by_key(|late| late.at);
        let Capture { rows, late, sent, senders, .. } = self;
        Events { prompt: rows, late, sent, senders, flows }
    }
}

/// A finished record.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// Rows noted as they happened, and what turned out later; both in the order of time.
    prompt: Vec<Row>,
    late: Vec<Late>,
    sent: Vec<Sent>,
    senders: Vec<SenderState>,
    /// Source and destination of each flow.
    flows: Vec<(NodeId, NodeId)>,
}

impl Events {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.prompt.len() + self.late.len()
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows, in the order of time; of equal times, in the order in which they were noted, and what turned
    /// out later first.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        let mut late = self.late.iter().peekable();
        let mut prompt = self.prompt.iter();
        let mut next = prompt.next();
        std::iter::from_fn(move || {
            let until = next.map_or(u64::MAX, |row| row.time_ns);
            match late.next_if(|late| late.at.as_nanos() <= until) {
                Some(late) => {
                    let end =
                        self.sent[late.frame as usize].end(late.at, late.happening, late.node);
                    Some(Row { detail: late.detail, extent: late.by, ..end })
                }
                None => std::mem::replace(&mut next, prompt.next()).copied(),
            }
        })
    }
}
