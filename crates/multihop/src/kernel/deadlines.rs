//! A deadline for each of many owners, and the earliest of all.
//!
//! For deadlines that are postponed far more often than they expire: a heap of the owners that have
//! one, usually few. Postponing the earliest sifts it down. Postponing or cancelling another
//! changes only its slot, and its entry is moved when it reaches the top. Of equal deadlines the
//! lowest owner's is due first.

use super::time::Instant;

/// Owners' deadlines.
#[derive(Debug)]
pub struct Deadlines {
    slots: Vec<Slot>,
    /// Entry n has the children 2n + 1 and 2n + 2. Never empty: an entry at `FAR` belongs to
    /// nobody.
    heap: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    deadline: Instant,
    /// The instant of the one entry that counts, not after the deadline; `FAR` if there is none.
    queued: Instant,
}

impl Slot {
    const NONE: Slot = Slot { deadline: Instant::FAR, queued: Instant::FAR };
}

/// In the heap only the instant counts, so that one comparison finds the earlier of two.
#[derive(Clone, Copy, Debug)]
struct Entry {
    at: Instant,
    owner: u32,
}

impl Deadlines {
    /// For so many owners, none of whom has a deadline.
    pub fn new(owners: usize) -> Deadlines {
        let nobody = Entry { at: Instant::FAR, owner: u32::MAX };
        Deadlines { slots: vec![Slot::NONE; owners], heap: vec![nobody] }
    }

    /// The deadline of `owner`, [`Instant::FAR`] if it has none.
    #[inline]
    pub fn at(&self, owner: u32) -> Instant {
        self.slots[owner as usize].deadline
    }

    /// Sets the deadline of `owner`; [`Instant::FAR`] cancels it.
    #[inline]
    pub fn set(&mut self, owner: u32, at: Instant) {
        let slot = &mut self.slots[owner as usize];
        slot.deadline = at;
        if at < slot.queued {
            slot.queued = at;
            let entry = Entry { at, owner };
            self.heap.push(entry);
            self.rise(self.heap.len() - 1, entry);
        }
    }

    /// No deadline is earlier; [`Instant::FAR`] if there is none.
    #[inline]
    pub fn earliest(&self) -> Instant {
        self.heap[0].at
    }

    /// The owner whose deadline is [`Deadlines::earliest`]: call [`Deadlines::postpone_due`] or
    /// [`Deadlines::cancel_due`] for it before anything else. None if the entry at the top was out
    /// of date: it has been moved or removed, and the next may be later.
    #[inline]
    pub fn due(&mut self) -> Option<u32> {
        let at = self.heap[0].at;
        if self.heap.iter().take(3).skip(1).any(|other| other.at == at) {
            self.put_lowest_first();
        }
        let owner = self.heap[0].owner;
        let slot = self.slots.get_mut(owner as usize)?;
        if slot.queued == at {
            if slot.deadline == at {
                return Some(owner);
            }
            slot.queued = slot.deadline;
            if slot.deadline != Instant::FAR {
                let later = Entry { at: slot.deadline, owner };
                self.replace_first(later);
                return None;
            }
        }
        self.remove_first();
        None
    }

    /// Postpones the deadline of `owner`, which is due, to `at`.
    #[inline]
    pub fn postpone_due(&mut self, owner: u32, at: Instant) {
        self.slots[owner as usize] = Slot { deadline: at, queued: at };
        self.replace_first(Entry { at, owner });
    }

    /// Cancels the deadline of `owner`, which is due.
    #[inline]
    pub fn cancel_due(&mut self, owner: u32) {
        self.slots[owner as usize] = Slot::NONE;
        self.remove_first();
    }

    fn remove_first(&mut self) {
        if let Some(last) = self.heap.pop() {
            self.replace_first(last);
        }
    }

    /// Sifts `entry` down from the top.
    #[inline(never)]
    fn replace_first(&mut self, entry: Entry) {
        let heap = &mut self.heap[..];
        let (mut place, mut child) = (0, 1);
        while child < heap.len() {
            let right = (child + 1).min(heap.len() - 1);
            child += usize::from(heap[right].at < heap[child].at);
            if entry.at <= heap[child].at {
                break;
            }
            heap[place] = heap[child];
            (place, child) = (child, 2 * child + 1);
        }
        heap[place] = entry;
    }

    /// Sifts `entry` up from `place`.
    #[inline]
    fn rise(&mut self, mut place: usize, entry: Entry) {
        let heap = &mut self.heap[..];
        while place > 0 {
            let parent = (place - 1) / 2;
            if heap[parent].at <= entry.at {
                break;
            }
            heap[place] = heap[parent];
            place = parent;
        }
        heap[place] = entry;
    }

    /// Of the entries with the first instant, the one of the lowest owner takes the first place.
    #[cold]
    fn put_lowest_first(&mut self) {
        let lowest = self.lowest_below(0);
        let owner = self.heap[0].owner;
        self.heap[0].owner = std::mem::replace(&mut self.heap[lowest].owner, owner);
    }

    /// The place of the lowest owner among `place` and what lies below it with the same instant,
    /// all of which are connected.
    fn lowest_below(&self, place: usize) -> usize {
        let children = 2 * place + 1..(2 * place + 3).min(self.heap.len());
        let same = children.filter(|&child| self.heap[child].at == self.heap[place].at);
        let below = same.map(|child| self.lowest_below(child));
        below.chain([place]).min_by_key(|&place| self.heap[place].owner).unwrap_or(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(nanos: u64) -> Instant {
        Instant::from_nanos(nanos)
    }

    /// The first that is due until `end`, and when.
    fn due_by(deadlines: &mut Deadlines, end: Instant) -> Option<(Instant, u32)> {
        while deadlines.earliest() <= end {
            let at = deadlines.earliest();
            if let Some(owner) = deadlines.due() {
                return Some((at, owner));
            }
        }
        None
    }

    #[test]
    fn nobody_is_due_without_an_instant() {
        assert_eq!(Deadlines::new(0).earliest(), Instant::FAR);
        let mut deadlines = Deadlines::new(9);
        deadlines.set(8, at(5));
        deadlines.set(8, Instant::FAR);
        assert_eq!((deadlines.at(8), due_by(&mut deadlines, at(9))), (Instant::FAR, None));
        assert_eq!(deadlines.earliest(), Instant::FAR);
    }

    #[test]
    fn to_postpone_what_is_not_due_moves_nothing() {
        let mut deadlines = Deadlines::new(3);
        deadlines.set(1, at(10));
        (11..1000).for_each(|nanos| deadlines.set(1, at(nanos)));
        assert_eq!((deadlines.heap.len(), deadlines.earliest()), (2, at(10)));
        assert_eq!(due_by(&mut deadlines, at(998)), None);
        assert_eq!(due_by(&mut deadlines, at(2000)), Some((at(999), 1)));
    }

    #[derive(Clone, Debug)]
    enum Step {
        Set(u32, u64),
        Cancel(u32),
        /// Time passes; who is due is put off by so much, as often as it comes, or has no instant
        /// any more.
        Run(u64, u64),
    }

    /// So short that many are the same, or of any size.
    fn delay() -> impl Strategy<Value = u64> {
        prop_oneof![0u64..4, 0u64..1_000_000]
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            6 => (0u32..30, delay()).prop_map(|(owner, ahead)| Step::Set(owner, ahead)),
            1 => (0u32..30).prop_map(Step::Cancel),
            3 => (delay(), delay()).prop_map(|(ahead, more)| Step::Run(ahead, more)),
        ]
    }

    proptest! {
        /// Against a plain list of instants.
        #[test]
        fn owners_come_due_by_instant_and_number(
            steps in prop::collection::vec(step(), 0..200),
        ) {
            let mut deadlines = Deadlines::new(30);
            let mut list = [Instant::FAR; 30];
            let mut now = 0;
            for step in steps {
                match step {
                    Step::Set(owner, ahead) => {
                        deadlines.set(owner, at(now + ahead));
                        list[owner as usize] = at(now + ahead);
                    }
                    Step::Cancel(owner) => {
                        deadlines.set(owner, Instant::FAR);
                        list[owner as usize] = Instant::FAR;
                    }
                    Step::Run(ahead, more) => {
                        let end = now + ahead;
                        while let Some((due, owner)) = due_by(&mut deadlines, at(end)) {
                            let first = list.iter().zip(0u32..).min().map(|(&at, owner)| (at, owner));
                            prop_assert_eq!(first, Some((due, owner)));
                            let later = due.as_nanos() + 1 + more + u64::from(owner);
                            list[owner as usize] = match owner % 3 {
                                0 => Instant::FAR,
                                _ if later <= end => Instant::FAR,
                                _ => at(later),
                            };
                            match list[owner as usize] {
                                Instant::FAR => deadlines.cancel_due(owner),
                                later => deadlines.postpone_due(owner, later),
                            }
                        }
                        now = end;
                        prop_assert!(list.iter().all(|&instant| instant > at(now)));
                    }
                }
                let instants: Vec<Instant> = (0..30).map(|owner| deadlines.at(owner)).collect();
                prop_assert_eq!(&instants[..], &list[..]);
                prop_assert!(list.iter().all(|&instant| instant >= deadlines.earliest()));
                prop_assert!(deadlines.earliest() >= at(now));
            }
        }
    }
}
