//! A timeline read back, as Perfetto reads it: a trace is packets, each behind the key of field 1
//! and its length.

use prost::Message;

use super::format::{TracePacket, Type};
use crate::capture::called::Called;
use crate::capture::{Capture, MacState, State, Watch};
use crate::kernel::{Duration, Instant};
use crate::radio::StationLayout;
use crate::wire::{Frame, FrameKind, NodeId, Notice, Rate};

#[derive(Clone, PartialEq, Message)]
struct Trace {
    #[prost(message, repeated, tag = "1")]
    packets: Vec<TracePacket>,
}

fn at(micros: u64) -> Instant {
    Instant::from_nanos(1000 * micros)
}

/// Node 0 sends node 1 an RTS of 272 us at 100 us, and waits for its CTS until 700 us.
fn trace() -> Trace {
    let mut capture = Capture::new(&Watch::default(), &StationLayout::alike(2), Vec::new());
    let mac = |state| MacState { state, retries: 2, cw: 31, backoff: 4 };
    let rts = Frame {
        kind: FrameKind::Rts,
        rate: Rate(0),
        transmitter: NodeId(0),
        receiver: NodeId(1),
        duration_us: 0,
        sequence: 0,
        notice: Notice::None,
        payload: None,
    };
    capture.on_transmission(at(100), &rts, Duration::from_micros(272));
    capture.on_mac(at(100), NodeId(0), mac(State::AwaitingCts));
    capture.on_reception(at(372), NodeId(1), 0);
    capture.on_mac(at(700), NodeId(0), mac(State::Idle));
    let events = capture.finish(Vec::new(), Called::new(Vec::new(), Vec::new()));
    let mut file = Vec::new();
    events.write_perfetto(&mut file).unwrap();
    Trace::decode(&file[..]).expect("a trace")
}

/// The name of each track by its number, with that of its group before it.
fn tracks(trace: &Trace) -> Vec<(u64, String)> {
    let all = || trace.packets.iter().filter_map(|packet| packet.track_descriptor.as_ref());
    let name = |uuid| all().find(|track| track.uuid == uuid).map_or("", |track| &track.name);
    all()
        .map(|track| {
            (track.uuid, format!("{}/{}", name(track.parent_uuid.unwrap_or(0)), track.name))
        })
        .collect()
}

#[test]
fn frames_and_states_are_slices_from_their_start_to_their_end() {
    let trace = trace();
    let tracks = tracks(&trace);
    let mut slices: Vec<(String, Type, u64)> = Vec::new();
    for packet in &trace.packets {
        let Some(event) = &packet.track_event else { continue };
        let kind = Type::try_from(event.r#type).unwrap();
        if matches!(kind, Type::SliceBegin | Type::SliceEnd) {
            let track = tracks.iter().find(|(uuid, _)| *uuid == event.track_uuid).expect("a track");
            slices.push((track.1.clone(), kind, packet.timestamp.unwrap()));
        }
    }
    let of = |node: &str| -> Vec<(Type, u64)> {
        let mine = slices.iter().filter(|(track, ..)| track.starts_with(node));
        mine.map(|&(_, kind, ns)| (kind, ns)).collect()
    };
    use Type::{SliceBegin, SliceEnd};
    let sent =
        [(SliceBegin, 100_000), (SliceBegin, 100_000), (SliceEnd, 372_000), (SliceEnd, 700_000)];
    assert_eq!(of("node 0"), sent, "the frame, and the wait for the CTS");
    assert_eq!(of("node 1"), [(SliceBegin, 100_000), (SliceEnd, 372_000)]);
}

#[test]
fn every_track_and_text_comes_before_its_use_and_times_never_fall() {
    let trace = trace();
    let (mut tracks, mut names, mut last) = (Vec::new(), Vec::new(), 0);
    assert_eq!(trace.packets[0].sequence_flags & 1, 1, "the first says that nothing is interned");
    for packet in &trace.packets {
        tracks.extend(packet.track_descriptor.as_ref().map(|track| track.uuid));
        if let Some(texts) = &packet.interned_data {
            names.extend(texts.event_names.iter().map(|name| name.iid));
        }
        let Some(event) = &packet.track_event else { continue };
        assert!(tracks.contains(&event.track_uuid), "{event:?}");
        assert!(event.name_iid.is_none_or(|name| names.contains(&name)), "{event:?}");
        assert!(packet.timestamp.unwrap() >= last);
        last = packet.timestamp.unwrap();
    }
}

#[test]
fn an_arrow_leads_from_a_frame_sent_to_the_same_received() {
    let trace = trace();
    let events = || trace.packets.iter().filter_map(|packet| packet.track_event.as_ref());
    let begun: Vec<u64> = events().flat_map(|event| event.flow_ids.clone()).collect();
    let ended: Vec<u64> = events().flat_map(|event| event.terminating_flow_ids.clone()).collect();
    assert_eq!((begun.len(), &begun), (1, &ended));
}
