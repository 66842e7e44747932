//! Packets of the trace, written one after the other.

use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::io::{self, Write};

use prost::Message;
use rustc_hash::FxHashMap;

use super::format::{
    DebugAnnotation, InternedData, InternedText, SEQ_INCREMENTAL_STATE_CLEARED,
    SEQ_NEEDS_INCREMENTAL_STATE, TracePacket, TrackDescriptor, TrackEvent, Type, Uuid,
};
use super::names::Name;
use crate::capture::row::Row;
use crate::capture::{NONE, content};
use crate::wire::Content;

/// The one sequence of packets that the trace is.
const SEQUENCE: u32 = 1;
/// Key of `Trace.packet`, its only field: number 1, of variable length.
const PACKET_KEY: u8 = 1 << 3 | 2;
/// Bytes that are handed over together.
const BLOCK_BYTES: usize = 1 << 16;

/// Writes packets.
#[derive(Debug)]
pub struct Packets<'a, W> {
    file: W,
    /// The names of messages.
    messages: &'a [&'static str],
    /// Packets not handed over yet.
    block: Vec<u8>,
    is_begun: bool,
    names: Texts<Name>,
    keys: Texts<&'static str>,
    words: Texts<&'static str>,
    /// Texts that the next packet is the first to use.
    fresh: InternedData,
    /// Used again for each packet, so that its lists stay where they are.
    event: TrackEvent,
}

impl<'a, W: Write> Packets<'a, W> {
    /// Writes to `file`; `messages` are the names that messages may have.
    pub fn new(file: W, messages: &'a [&'static str]) -> Packets<'a, W> {
        Packets {
            file,
            messages,
            block: Vec::with_capacity(2 * BLOCK_BYTES),
            is_begun: false,
            names: Texts::default(),
            keys: Texts::default(),
            words: Texts::default(),
            fresh: InternedData::default(),
            event: TrackEvent::default(),
        }
    }

    /// Writes a track, before anything on it.
    pub fn track(&mut self, track: TrackDescriptor) -> io::Result<()> {
        self.packet(TracePacket { track_descriptor: Some(track), ..TracePacket::default() })
    }

    /// Begins an event called `name`; annotations and arrows follow, then [`Self::write`].
    pub fn event(&mut self, kind: Type, track: Uuid, name: Name) -> &mut Packets<'a, W> {
        self.clear(kind, track);
        self.event.name_iid = Some(self.names.number(name, &mut self.fresh.event_names));
        self
    }

    /// A number that the event has, unless it is [`NONE`].
    pub fn number(&mut self, key: &'static str, number: u32) -> &mut Packets<'a, W> {
        if number != NONE {
            let uint_value = Some(u64::from(number));
            self.annotate(key, DebugAnnotation { uint_value, ..DebugAnnotation::default() });
        }
        self
    }

    /// A word that the event has, unless it is empty.
    pub fn word(&mut self, key: &'static str, word: &'static str) -> &mut Packets<'a, W> {
        if !word.is_empty() {
            let texts = &mut self.fresh.debug_annotation_string_values;
            let string_value_iid = Some(self.words.number(word, texts));
            self.annotate(key, DebugAnnotation { string_value_iid, ..DebugAnnotation::default() });
        }
        self
    }

    /// What a packet is.
    pub fn content(&self, content: Content, named: u8) -> &'static str {
        content::word(content, named, self.messages)
    }

    /// What the record says of the frame and the packet that `row` is about.
    pub fn packet_of(&mut self, row: &Row) -> &mut Packets<'a, W> {
        let content = self.content(row.content, row.named);
        self.number("frame", row.frame)
            .number("packet", row.packet)
            .word("content", content)
            .number("bytes", row.bytes)
            .number("flow", row.flow)
            .number("number", row.number)
            .number("origin", row.origin)
            .number("target", row.target)
    }

    fn annotate(&mut self, key: &'static str, value: DebugAnnotation) {
        let name_iid = self.keys.number(key, &mut self.fresh.debug_annotation_names);
        self.event.debug_annotations.push(DebugAnnotation { name_iid, ..value });
    }

    /// Arrows that begin at the event.
    pub fn begin_arrows(&mut self, numbers: impl Iterator<Item = u64>) -> &mut Packets<'a, W> {
        self.event.flow_ids.extend(numbers);
        self
    }

    /// An arrow that ends at the event.
    pub fn end_arrow(&mut self, number: Option<u64>) -> &mut Packets<'a, W> {
        self.event.terminating_flow_ids.extend(number);
        self
    }

    /// Writes the event that was begun.
    pub fn write(&mut self, time_ns: u64) -> io::Result<()> {
        let mut packet = TracePacket {
            timestamp: Some(time_ns),
            track_event: Some(std::mem::take(&mut self.event)),
            ..TracePacket::default()
        };
        if self.fresh != InternedData::default() {
            packet.interned_data = Some(std::mem::take(&mut self.fresh));
        }
        self.packet(packet)
    }

    /// Ends the slice that is open on `track`.
    pub fn end(&mut self, time_ns: u64, track: Uuid) -> io::Result<()> {
        self.clear(Type::SliceEnd, track);
        self.write(time_ns)
    }

    /// Writes a whole number of the counter `track`.
    pub fn count(&mut self, time_ns: u64, track: Uuid, value: u32) -> io::Result<()> {
        self.clear(Type::Counter, track);
        self.event.counter_value = Some(i64::from(value));
        self.write(time_ns)
    }

    /// Writes a real number of the counter `track`.
    pub fn measure(&mut self, time_ns: u64, track: Uuid, value: f32) -> io::Result<()> {
        self.clear(Type::Counter, track);
        self.event.double_counter_value = Some(f64::from(value));
        self.write(time_ns)
    }

    fn clear(&mut self, kind: Type, track: Uuid) {
        let TrackEvent { mut debug_annotations, mut flow_ids, mut terminating_flow_ids, .. } =
            std::mem::take(&mut self.event);
        debug_annotations.clear();
        flow_ids.clear();
        terminating_flow_ids.clear();
        self.event = TrackEvent {
            debug_annotations,
            r#type: kind as i32,
            track_uuid: track.0,
            flow_ids,
            terminating_flow_ids,
            ..TrackEvent::default()
        };
    }

    fn packet(&mut self, mut packet: TracePacket) -> io::Result<()> {
        packet.trusted_packet_sequence_id = SEQUENCE;
        packet.sequence_flags = match std::mem::replace(&mut self.is_begun, true) {
            true => SEQ_NEEDS_INCREMENTAL_STATE,
            false => SEQ_INCREMENTAL_STATE_CLEARED,
        };
        self.block.push(PACKET_KEY);
        packet.encode_length_delimited(&mut self.block)?;
        self.event = packet.track_event.unwrap_or_default();
        match self.block.len() < BLOCK_BYTES {
            true => Ok(()),
            false => self.hand_over(),
        }
    }

    fn hand_over(&mut self) -> io::Result<()> {
        self.file.write_all(&self.block)?;
        self.block.clear();
        Ok(())
    }

    /// Hands over the rest.
    pub fn finish(mut self) -> io::Result<()> {
        self.hand_over()?;
        self.file.flush()
    }
}

/// Numbers of texts, from 1.
#[derive(Debug)]
struct Texts<K>(FxHashMap<K, u64>);

impl<K> Default for Texts<K> {
    fn default() -> Texts<K> {
        Texts(FxHashMap::default())
    }
}

impl<K: Copy + Eq + Hash + ToString> Texts<K> {
    /// The number of a text, which is added to `fresh` if it is new.
    fn number(&mut self, key: K, fresh: &mut Vec<InternedText>) -> u64 {
        let next = self.0.len() as u64 + 1;
        match self.0.entry(key) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                fresh.push(InternedText { iid: next, text: key.to_string() });
                *place.insert(next)
            }
        }
    }
}
