//! A record that is read while it grows.

use super::Capture;
use super::events::{Known, merged};
use super::note::Note;
use super::row::{Happening, Row, SenderState};
use super::sorting;
use crate::kernel::{Duration, Instant};

/// What happens to the frames of an A-MPDU is known when it is over, and none is longer (IEEE Std
/// 802.11-2020 table 19-25: 5.484 ms, and it travels).
const UNSETTLED: Duration = Duration::from_micros(6_500);

/// What has happened in a part of a run.
#[derive(Clone, Debug, Default)]
pub struct Passage {
    /// The rows, in the order of [`Events::rows`](super::Events::rows).
    pub rows: Vec<Row>,
    /// The states of senders that they tell of.
    pub senders: Vec<SenderState>,
}

/// How far a record has been read.
#[derive(Clone, Debug, Default)]
pub(super) struct Looked {
    notes: usize,
    late: usize,
    /// What is known of times that were yet to come.
    ahead: Vec<Note>,
}

impl Capture {
    /// What has happened since the last look, as far as all is known at `now`: to a few
    /// milliseconds before.
    pub fn look(&mut self, now: Instant) -> Passage {
        let Looked { notes, late, mut ahead } = std::mem::take(&mut self.looked);
        let until = now - UNSETTLED.min(now - Instant::ZERO);
        ahead.extend(&self.late[late..]);
        let (settled, ahead) = ahead.into_iter().partition(|note| note.at < until);
        let settled = sorting::by_time(settled);
        let prompt = &self.notes[notes..];
        let prompt = &prompt[..prompt.partition_point(|note| note.at < until)];
        let known = Known { subjects: &self.subjects, sent: &self.sent, stations: &self.stations };
        let mut told = Vec::new();
        let place = |note: &Note| match note.happening {
            Happening::Tcp => {
                told.push(self.senders[note.extent as usize]);
                known.row(&Note { extent: told.len() as u32 - 1, ..*note })
            }
            _ => known.row(note),
        };
        let rows = merged(prompt, &settled).map(place).collect();
        self.looked = Looked { notes: notes + prompt.len(), late: self.late.len(), ahead };
        Passage { rows, senders: told }
    }
}
