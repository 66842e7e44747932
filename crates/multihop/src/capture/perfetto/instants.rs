//! What takes no time, as instants.

use std::io::{self, Write};

use super::format::Type;
use super::names::Name;
use super::packets::Packets;
use super::tracks::{FlowTrack, NodeTrack, Track, Tracks};
use crate::capture::NONE;
use crate::capture::row::{Detail, Happening, Row};

/// What happened to a packet or a node: at the node, and if a flow is concerned, there.
pub fn of_packet(
    row: &Row,
    packets: &mut Packets<impl Write>,
    tracks: &mut Tracks<'_>,
) -> io::Result<()> {
    if row.happening != Happening::Deliver {
        instant(row, Track::OfNode(row.node, NodeTrack::Events, 0), packets, tracks)?;
    }
    match row.happening {
        _ if row.flow == NONE => Ok(()),
        Happening::Deliver => {
            instant(row, Track::OfFlow(row.flow, FlowTrack::Deliveries), packets, tracks)
        }
        Happening::Drop | Happening::NextHop | Happening::LinkFailure => {
            instant(row, Track::OfFlow(row.flow, FlowTrack::Events), packets, tracks)
        }
        _ => Ok(()),
    }
}

/// Why a sender was called, where that is not what keeps it going.
pub fn of_sender(
    row: &Row,
    packets: &mut Packets<impl Write>,
    tracks: &mut Tracks<'_>,
) -> io::Result<()> {
    if !matches!(row.detail, Detail::Start | Detail::Stop | Detail::Timeout | Detail::RouteError) {
        return Ok(());
    }
    let uuid = tracks.uuid(Track::OfFlow(row.flow, FlowTrack::Events), packets)?;
    let event = packets.event(Type::Instant, uuid, Name::Word(row.detail.word()));
    event.number("highest_ack", row.number).write(row.time_ns)
}

fn instant(
    row: &Row,
    track: Track,
    packets: &mut Packets<impl Write>,
    tracks: &mut Tracks<'_>,
) -> io::Result<()> {
    let uuid = tracks.uuid(track, packets)?;
    let name = match row.happening {
        Happening::Deliver => Name::Word(packets.content(row.content, row.named)),
        _ => Name::of(row),
    };
    let event = packets.event(Type::Instant, uuid, name);
    event.number("node", row.node).number("peer", row.peer).packet_of(row);
    if row.happening == Happening::NextHop {
        event.number("former", row.extent);
    }
    event.write(row.time_ns)
}
