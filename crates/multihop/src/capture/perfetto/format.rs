//! The messages of Perfetto's trace format, with the fields that are written here
//! (<https://perfetto.dev/docs/reference/trace-packet-proto>).

use prost::Message;

/// `TracePacket`: what a trace is a list of.
#[derive(Clone, PartialEq, Message)]
pub struct TracePacket {
    /// When \[ns\].
    #[prost(uint64, optional, tag = "8")]
    pub timestamp: Option<u64>,
    #[prost(uint32, tag = "10")]
    pub trusted_packet_sequence_id: u32,
    #[prost(message, optional, tag = "11")]
    pub track_event: Option<TrackEvent>,
    #[prost(message, optional, tag = "12")]
    pub interned_data: Option<InternedData>,
    #[prost(uint32, tag = "13")]
    pub sequence_flags: u32,
    #[prost(message, optional, tag = "60")]
    pub track_descriptor: Option<TrackDescriptor>,
}

/// `TracePacket.SequenceFlags`: what was interned before counts no more.
pub const SEQ_INCREMENTAL_STATE_CLEARED: u32 = 1;
/// `TracePacket.SequenceFlags`: the packet uses what was interned.
pub const SEQ_NEEDS_INCREMENTAL_STATE: u32 = 2;

/// `TrackEvent`: something on a track.
#[derive(Clone, PartialEq, Message)]
pub struct TrackEvent {
    #[prost(message, repeated, tag = "4")]
    pub debug_annotations: Vec<DebugAnnotation>,
    #[prost(enumeration = "Type", tag = "9")]
    pub r#type: i32,
    #[prost(uint64, optional, tag = "10")]
    pub name_iid: Option<u64>,
    #[prost(uint64, tag = "11")]
    pub track_uuid: u64,
    #[prost(int64, optional, tag = "30")]
    pub counter_value: Option<i64>,
    #[prost(double, optional, tag = "44")]
    pub double_counter_value: Option<f64>,
    /// Arrows that begin here.
    #[prost(fixed64, repeated, packed = "false", tag = "47")]
    pub flow_ids: Vec<u64>,
    /// Arrows that end here.
    #[prost(fixed64, repeated, packed = "false", tag = "48")]
    pub terminating_flow_ids: Vec<u64>,
}

/// `TrackEvent.Type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, prost::Enumeration)]
#[repr(i32)]
pub enum Type {
    Unspecified = 0,
    SliceBegin = 1,
    SliceEnd = 2,
    Instant = 3,
    Counter = 4,
}

/// `DebugAnnotation`: a named value.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct DebugAnnotation {
    #[prost(uint64, tag = "1")]
    pub name_iid: u64,
    #[prost(uint64, optional, tag = "3")]
    pub uint_value: Option<u64>,
    #[prost(uint64, optional, tag = "17")]
    pub string_value_iid: Option<u64>,
}

/// `InternedData`: texts that later packets call by number.
#[derive(Clone, PartialEq, Message)]
pub struct InternedData {
    #[prost(message, repeated, tag = "2")]
    pub event_names: Vec<InternedText>,
    #[prost(message, repeated, tag = "3")]
    pub debug_annotation_names: Vec<InternedText>,
    #[prost(message, repeated, tag = "29")]
    pub debug_annotation_string_values: Vec<InternedText>,
}

/// `EventName`, `DebugAnnotationName` and `InternedString`: a text and its number, from 1.
#[derive(Clone, PartialEq, Message)]
pub struct InternedText {
    #[prost(uint64, tag = "1")]
    pub iid: u64,
    #[prost(string, tag = "2")]
    pub text: String,
}

/// A track of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid(pub u64);

/// `TrackDescriptor`: a track, or a group of tracks.
#[derive(Clone, PartialEq, Message)]
pub struct TrackDescriptor {
    #[prost(uint64, tag = "1")]
    pub uuid: u64,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(uint64, optional, tag = "5")]
    pub parent_uuid: Option<u64>,
    #[prost(message, optional, tag = "8")]
    pub counter: Option<CounterDescriptor>,
    /// [`CHILDREN_BY_RANK`] for a group.
    #[prost(int32, optional, tag = "11")]
    pub child_ordering: Option<i32>,
    /// Its place in its group.
    #[prost(int32, optional, tag = "12")]
    pub sibling_order_rank: Option<i32>,
}

/// `TrackDescriptor.ChildTracksOrdering.EXPLICIT`.
pub const CHILDREN_BY_RANK: i32 = 3;

/// `CounterDescriptor`: makes a track one of numbers.
#[derive(Clone, PartialEq, Message)]
pub struct CounterDescriptor {
    #[prost(string, tag = "6")]
    pub unit_name: String,
}
