//! Arrivals that a station without a backoff may drop unread.
//!
//! Of a signal that is over, and after which the NAV and an interframe space would be over, too,
//! only two things are left: a collision that counts, and whether the last frame noticed was lost
//! (in the `standard` profile EIFS follows it until a good one). So a receiver that was idle in
//! between passes over everything before, and its state is exactly the same afterwards.

use super::arrival::Arrival;
use super::carrier_sense::LastHeard;
use crate::kernel::{Duration, Instant};

/// How long anything sent so far can matter to a station that hears it, from its start.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lasting {
    /// As a signal.
    pub airtime: Duration,
    /// As its NAV and the interframe space after that.
    pub effect: Duration,
}

impl Lasting {
    /// A frame of this air time is sent, after which the NAV is set for at most `after`.
    #[inline]
    pub fn extend(&mut self, airtime: Duration, after: Duration) {
        self.airtime = self.airtime.max(airtime);
        self.effect = self.effect.max(airtime + after);
    }
}

/// Arrivals at a station without a backoff, some of which can matter no more.
#[derive(Clone, Copy, Debug)]
pub struct OldArrivals<'a> {
    /// By start.
    pub arrivals: &'a [Arrival],
    /// How many of them, from the first on, must be processed to count collisions:
    /// [`super::Arrivals::counted`].
    pub counted: usize,
    /// The present.
    pub now: Instant,
    /// How long any of them can matter.
    pub lasting: &'a Lasting,
}

impl<'a> OldArrivals<'a> {
    /// The first that can matter: all before are over when it starts, and what they set is over by
    /// now.
    #[inline]
    pub fn first_to_matter(&self) -> usize {
        let (mut first, mut start) = (self.arrivals.len(), self.now);
        for (place, arrival) in self.arrivals.iter().enumerate().rev() {
            let is_recent = arrival.start + self.lasting.effect > self.now;
            if is_recent || arrival.end > start {
                (first, start) = (place, arrival.start);
            } else if arrival.start + self.lasting.airtime <= start {
                break;
            }
        }
        first
    }

    /// Whether the last frame noticed among those from `from` up to `to` was lost, so that EIFS
    /// applies. `hear` processes arrivals before and after which the medium is idle, until their
    /// end.
    pub fn last_heard(
        &self,
        (from, to): (usize, usize),
        mut hear: impl FnMut(&'a [Arrival], Instant, &mut LastHeard),
    ) -> LastHeard {
        let (mut last, mut rest) = (LastHeard::default(), &self.arrivals[from..to]);
        while let (None, Some(latest)) = (last.is_lost, rest.last()) {
            let (mut first, mut start, mut end) = (rest.len() - 1, latest.start, latest.end);
            for (place, arrival) in rest.iter().enumerate().rev() {
                if arrival.end > start {
                    (first, start) = (place, arrival.start);
                    end = end.max(arrival.end);
                } else if arrival.start + self.lasting.airtime <= start {
                    break;
                }
            }
            hear(&rest[first..], end, &mut last);
            rest = &rest[..first];
        }
        last
    }
}
