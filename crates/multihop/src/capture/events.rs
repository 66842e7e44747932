//! A finished record.

use super::called::Called;
use super::note::{Note, SentFrame, Subject};
use super::pcap::Frames;
use super::row::{Happening, NONE, Row, SenderState};
use crate::radio::StationLayout;
use crate::wire::NodeId;

/// A finished record.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// Noted as they happened, and what turned out later; both in the order of time.
    pub(super) prompt: Vec<Note>,
    pub(super) late: Vec<Note>,
    pub(super) subjects: Vec<Subject>,
    /// Every frame sent, by its number.
    pub(super) sent: Vec<SentFrame>,
    pub(super) senders: Vec<SenderState>,
    /// The names that messages of routing may have.
    pub(super) messages: Vec<&'static str>,
    /// Source and destination of each flow.
    pub(super) flows: Vec<(NodeId, NodeId)>,
    pub(super) called: Called,
    /// The nodes' stations.
    pub(super) stations: StationLayout,
    /// The bytes of the frames, if they were kept.
    pub(super) frames: Option<Frames>,
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

    /// The rows, in the order of time; of equal times, in the order in which they were noted, and
    /// what turned out later first.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        let known = self.known();
        merged(&self.prompt, &self.late).map(move |note| known.row(note))
    }

    /// The same with stations in the place of nodes.
    pub(super) fn rows_of_stations(&self) -> impl Iterator<Item = Row> {
        let known = self.known();
        merged(&self.prompt, &self.late).map(move |note| known.row_of_station(note))
    }

    fn known(&self) -> Known<'_> {
        Known { subjects: &self.subjects, sent: &self.sent, stations: &self.stations }
    }

    /// The states of senders, which the extents of `tcp` rows are places of.
    pub fn senders(&self) -> &[SenderState] {
        &self.senders
    }
}

/// Notes of two lists in the order of time; of equal times those of `late` first.
pub(super) fn merged<'a>(prompt: &'a [Note], late: &'a [Note]) -> impl Iterator<Item = &'a Note> {
    let mut late = late.iter().peekable();
    let mut prompt = prompt.iter().peekable();
    std::iter::from_fn(move || {
        let until = prompt.peek().map(|note| note.at);
        let is_before = |late: &&Note| until.is_none_or(|until| late.at <= until);
        late.next_if(is_before).or_else(|| prompt.next())
    })
}

/// What notes are about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<'a> {
    pub subjects: &'a [Subject],
    pub sent: &'a [SentFrame],
    pub stations: &'a StationLayout,
}

impl Known<'_> {
    #[inline]
    pub fn row(&self, note: &Note) -> Row {
        let row = self.row_of_station(note);
        if self.stations.have_kinds() { self.placed(row) } else { row }
    }

    /// The row with nodes in the place of stations.
    #[cold]
    fn placed(&self, row: Row) -> Row {
        let is_of_station = row.happening.is_of_station();
        let interface = self.stations.kind(NodeId(row.node)).0;
        let node = |station: u32| self.stations.node(NodeId(station)).0;
        let is_hop = row.happening == Happening::NextHop;
        Row {
            interface: if is_of_station { interface.into() } else { NONE },
            node: node(row.node),
            peer: node(row.peer),
            origin: node(row.origin),
            target: node(row.target),
            extent: if is_hop { node(row.extent) } else { row.extent },
            ..row
        }
    }

    #[inline]
    pub fn row_of_station(&self, note: &Note) -> Row {
        match note.happening {
            Happening::Transmit | Happening::Receive | Happening::Miss => {
                self.sent[note.subject as usize].row(note)
            }
            Happening::Mac => note.mac_row(),
            _ => note.row(&self.subjects[note.subject as usize]),
        }
    }
}
