//! The backoffs of a station with access categories: each counts by itself, after an interframe
//! space of its own, and all by the same carrier sense.
//!
//! A countdown goes down by one where its interframe space ends, and where each slot after that
//! does; in DCF only by whole slots (I. Tinnirello and G. Bianchi, "Rethinking the IEEE 802.11e EDCA
//! performance modeling methodology", IEEE/ACM Transactions on Networking 18(2), 2010).

use std::sync::Arc;

use super::backoff::Backoff;
use super::several::Several;
use super::{Contention, Wake};
use crate::kernel::Instant;
use crate::mac::categories::{CATEGORIES, Category};
use crate::mac::timing::Timing;
use crate::radio::Followed;

impl Contention {
    /// That of a station with access categories of this timing.
    pub fn of_categories(timings: Arc<[Timing; CATEGORIES]>) -> Contention {
        let several = Several {
            backoffs: [Backoff::Off; CATEGORIES],
            timings,
            selected: 0,
            expired: [false; CATEGORIES],
        };
        let several = Some(Box::new(several));
        Contention { backoff: Backoff::Several, several, ..Contention::default() }
    }

    /// What the MAC says next is about `category`.
    pub fn select(&mut self, category: Category) {
        if let Some(all) = &mut self.several {
            all.selected = category.index();
        }
    }

    /// Of which categories the backoff has expired since the last call.
    pub fn take_expired(&mut self) -> [bool; CATEGORIES] {
        self.several.as_mut().map_or_else(Default::default, |all| std::mem::take(&mut all.expired))
    }

    /// Does `each` with every backoff in turn as the only one.
    fn with_each(&mut self, mut each: impl FnMut(&mut Contention, usize, &Timing)) {
        let Some(mut all) = self.several.take() else { return };
        for category in 0..CATEGORIES {
            self.backoff = all.backoffs[category];
            each(self, category, &all.timings[category]);
            all.backoffs[category] = self.backoff;
        }
        self.backoff = Backoff::Several;
        self.several = Some(all);
    }

    #[cold]
    #[inline(never)]
    pub(super) fn earliest_of_several(&self, followed: Option<Followed>) -> Option<Instant> {
        let all = self.several.as_ref()?;
        let both = all.backoffs.iter().zip(&*all.timings);
        both.filter_map(|(&backoff, timing)| self.expiry_of(backoff, || followed, timing)).min()
    }

    #[cold]
    #[inline(never)]
    pub(super) fn freeze_several(&mut self, at: Instant) {
        self.with_each(|one, _, timing| {
            let from = match one.backoff {
                Backoff::Counting(_, from) => from,
                Backoff::Frozen(_) => one.ready_at(timing),
                Backoff::Off | Backoff::Watching | Backoff::Several => return,
            };
            one.freeze_one(at, timing);
            // One more slot counts than in DCF: the one that the countdown begins with.
            if let (true, Backoff::Frozen(left)) = (at >= from, &mut one.backoff) {
                *left = left.saturating_sub(timing.slot);
            }
        });
    }

    #[cold]
    #[inline(never)]
    pub(super) fn wake_several(&mut self, now: Instant, followed: Option<Followed>) -> Wake {
        let mut expired = [false; CATEGORIES];
        let mut earliest: Option<Instant> = None;
        self.with_each(|one, category, timing| match one.wake_one(now, || followed, timing) {
            Wake::Expired => expired[category] = true,
            Wake::NotBefore(at) => {
                earliest = Some(earliest.map_or(at, |earliest| earliest.min(at)))
            }
            Wake::Nothing => {}
        });
        if let Some(all) = &mut self.several {
            all.expired = expired;
        }
        match earliest {
            _ if expired.contains(&true) => Wake::Expired,
            Some(at) => Wake::NotBefore(at),
            None => Wake::Nothing,
        }
    }
}
