//! What became of frames and packets, as comments on the blocks of a capture.

use std::collections::BTreeMap;
use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Frames, is_seen};
use crate::capture::Events;
use crate::capture::note::SentFrame;
use crate::capture::row::{Detail, Happening, NONE, Row};
use crate::wire::{FrameKind, NodeId};

/// Comments on the blocks of a capture, by their place among all blocks of frames.
#[derive(Debug, Default)]
pub struct Notes {
    comments: FxHashMap<u32, String>,
    /// Frames after which their MAC gave up.
    failed: FxHashSet<u32>,
    nodes: Vec<AtNode>,
    /// First and last instant \[ns\].
    pub span_ns: [u64; 2],
}

/// What is counted at a node.
#[derive(Clone, Debug, Default)]
pub struct AtNode {
    /// Frames received.
    pub received: u64,
    /// Packets dropped, by reason.
    drops: BTreeMap<&'static str, u64>,
}

impl AtNode {
    /// Packets dropped.
    pub fn dropped(&self) -> u64 {
        self.drops.values().sum()
    }

    /// Why packets were dropped, if any were.
    pub fn comment(&self) -> Option<String> {
        let reasons: Vec<String> =
            self.drops.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        (!reasons.is_empty()).then(|| format!("packets dropped: {}", reasons.join(", ")))
    }
}

/// Which blocks a later event may be about.
#[derive(Debug)]
struct Blocks {
    /// By frame, the block of its transmission.
    sent: Vec<u32>,
    /// By node, the last frame that it sent.
    last_sent: Vec<u32>,
    /// The last frame with a packet at a node: (node, packet).
    last_with: FxHashMap<(u32, u32), u32>,
    /// By node, the packet that its MAC gave up last, when, and the frame after which it did.
    given_up: FxHashMap<u32, (u32, u64, u32)>,
    /// Sequence control of the last data frame for a node from another: (node, other).
    heard: FxHashMap<(u32, u32), u16>,
}

impl Blocks {
    fn note_packet(&mut self, row: &Row, block: u32) {
        if row.packet != NONE {
            self.last_with.insert((row.node, row.packet), block);
        }
    }
}

impl Notes {
    /// What there is to say about the blocks of `events`.
    pub fn of(events: &Events, frames: &Frames) -> Notes {
        let nodes = events.stations.count();
        let mut notes = Notes { nodes: vec![AtNode::default(); nodes], ..Notes::default() };
        let mut past = Blocks {
            sent: vec![NONE; events.sent.len()],
            last_sent: vec![NONE; nodes],
            last_with: FxHashMap::default(),
            given_up: FxHashMap::default(),
            heard: FxHashMap::default(),
        };
        let mut blocks = 0;
        for row in events.rows_of_stations() {
            if blocks == 0 {
                notes.span_ns[0] = row.time_ns;
            }
            notes.span_ns[1] = row.time_ns;
            notes.note(events, frames, &mut past, blocks, &row);
            blocks += u32::from(is_seen(&row));
        }
        notes
    }

    /// The comment on `block`.
    pub fn about(&self, block: u32) -> Option<&str> {
        self.comments.get(&block).map(String::as_str)
    }

    /// Whether the MAC gave up after the frame in `block`.
    pub fn has_failed(&self, block: u32) -> bool {
        self.failed.contains(&block)
    }

    /// What is counted at `node`.
    pub fn at(&self, node: u32) -> &AtNode {
        &self.nodes[node as usize]
    }

    fn note(&mut self, events: &Events, frames: &Frames, past: &mut Blocks, block: u32, row: &Row) {
        let node = row.node as usize;
        match row.happening {
            Happening::Transmit => {
                past.sent[row.frame as usize] = block;
                past.last_sent[node] = block;
                past.note_packet(row, block);
            }
            Happening::Receive => {
                self.nodes[node].received += 1;
                past.note_packet(row, block);
                let SentFrame { transmitter, packet, .. } = events.sent[row.frame as usize];
                if row.kind == Some(FrameKind::Data) && packet.peer != NONE {
                    let sequence = frames.kept[row.frame as usize].sequence;
                    let before = past.heard.insert((row.node, transmitter.0), sequence);
                    if before == Some(sequence) {
                        self.say(block, format_args!("duplicate, which the MAC discards"));
                    }
                }
            }
            Happening::Miss => {
                let about = past.sent[row.frame as usize];
                let (node, why) = (events.called.station(NodeId(row.node)), word(row.detail));
                match row.extent {
                    NONE => self.say(about, format_args!("lost at node {node}: {why}")),
                    by => self.say(about, format_args!("lost at node {node}: {why}, frame {by}")),
                }
            }
            Happening::GiveUp => {
                let about = past.last_sent[node];
                self.failed.insert(about);
                past.given_up.insert(row.node, (row.packet, row.time_ns, about));
                let why = match events.stations.is_wire(NodeId(row.node)) {
                    true => "the wire is cut",
                    false => "the retry limit is reached",
                };
                self.say(about, format_args!("given up: {why}"));
            }
            Happening::Drop => {
                let why = word(row.detail);
                *self.nodes[node].drops.entry(why).or_default() += 1;
                let about = match past.given_up.get(&row.node) {
                    Some(&(packet, at, about)) if (packet, at) == (row.packet, row.time_ns) => {
                        Some(about)
                    }
                    _ => past.last_with.get(&(row.node, row.packet)).copied(),
                };
                if let Some(about) = about {
                    let node = events.called.station(NodeId(row.node));
                    self.say(about, format_args!("packet dropped at node {node}: {why}"));
                }
            }
            _ => {}
        }
    }

    fn say(&mut self, block: u32, what: std::fmt::Arguments) {
        if block == NONE {
            return;
        }
        let comment = self.comments.entry(block).or_default();
        if !comment.is_empty() {
            comment.push_str("; ");
        }
        let _ = comment.write_fmt(what);
    }
}

fn word(detail: Detail) -> &'static str {
    Detail::WORDS[detail as usize].0
}
