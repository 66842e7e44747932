//! Timers that are set, moved and cancelled without allocation and mostly without touching the
//! queue.
//!
//! Each timer has one slot. Postponing a deadline, or cancelling it, only writes the slot: the
//! event already queued fires early, finds the later deadline and moves there, under the key drawn
//! when the timer was last set. So the order of events is exactly that of an eager queue.

use super::order::EventKey;
use super::queue::EventQueue;
use super::time::Instant;

/// A table of timers.
#[derive(Debug, Default)]
pub struct Timers {
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    /// When the timer expires; `NEVER` when it is off.
    deadline: EventKey,
    /// The one queued event that counts; `NEVER` when there is none.
    queued: EventKey,
}

impl Timers {
    /// A table of `count` timers, all off.
    pub fn new(count: usize) -> Timers {
        Timers { slots: vec![Slot { deadline: EventKey::NEVER, queued: EventKey::NEVER }; count] }
    }

    /// Sets timer `slot` to expire at `at`, whatever it was set to before. `event` must be the same
    /// at every call for a slot, and lead to [`Timers::on_event`] when it runs.
    pub fn set<E: Copy>(&mut self, queue: &mut EventQueue<E>, slot: usize, at: Instant, event: E) {
        let key = queue.draw_key(at);
        let slot = &mut self.slots[slot];
        slot.deadline = key;
        if key < slot.queued {
            slot.queued = key;
            queue.schedule_with_key(key, event);
        }
    }

    /// Switches timer `slot` off.
    pub fn cancel(&mut self, slot: usize) {
        self.slots[slot].deadline = EventKey::NEVER;
    }

    /// When timer `slot` expires; `Instant::FAR` if it is off.
    pub fn deadline(&self, slot: usize) -> Instant {
        self.slots[slot].deadline.at
    }

    /// The event of `slot`, next in the queue at `key`, is due: whether the timer expires now.
    /// Removes the event, or moves it to the postponed deadline.
    pub fn on_event<E: Copy>(
        &mut self,
        queue: &mut EventQueue<E>,
        slot: usize,
        key: EventKey,
    ) -> bool {
        let slot = &mut self.slots[slot];
        if slot.queued == key && slot.deadline != key && slot.deadline != EventKey::NEVER {
            slot.queued = slot.deadline;
            queue.postpone_next(slot.deadline);
            return false;
        }
        queue.pop();
        let expires = slot.queued == key && slot.deadline == key;
        if slot.queued == key {
            *slot = Slot { deadline: EventKey::NEVER, queued: EventKey::NEVER };
        }
        expires
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn expiries(
        queue: &mut EventQueue<usize>,
        timers: &mut Timers,
        until: u64,
    ) -> Vec<(u64, usize)> {
        let mut fired = Vec::new();
        while queue.next_key().at <= Instant::from_nanos(until) {
            let (key, slot) = queue.peek().unwrap();
            if timers.on_event(queue, slot, key) {
                fired.push((key.at.as_nanos(), slot));
            }
        }
        fired
    }

    #[test]
    fn moving_a_deadline_back_does_not_touch_the_queue() {
        let (mut queue, mut timers) = (EventQueue::default(), Timers::new(1));
        timers.set(&mut queue, 0, Instant::from_nanos(10), 0);
        for at in 11..1000 {
            timers.set(&mut queue, 0, Instant::from_nanos(at), 0);
        }
        assert_eq!(queue.len(), 1);
        assert_eq!(expiries(&mut queue, &mut timers, 2000), [(999, 0)]);
    }

    #[test]
    fn a_cancelled_timer_never_expires_and_can_be_set_again() {
        let (mut queue, mut timers) = (EventQueue::default(), Timers::new(1));
        timers.set(&mut queue, 0, Instant::from_nanos(10), 0);
        timers.cancel(0);
        assert_eq!(timers.deadline(0), Instant::FAR);
        assert_eq!(expiries(&mut queue, &mut timers, 15), []);
        timers.set(&mut queue, 0, Instant::from_nanos(20), 0);
        assert_eq!(expiries(&mut queue, &mut timers, 50), [(20, 0)]);
    }

    #[test]
    fn a_timer_set_again_for_the_same_instant_takes_its_new_rank() {
        let (mut queue, mut timers) = (EventQueue::default(), Timers::new(2));
        let at = Instant::from_nanos(10);
        timers.set(&mut queue, 0, at, 0);
        timers.set(&mut queue, 1, at, 1);
        timers.set(&mut queue, 0, at, 0);
        assert_eq!(expiries(&mut queue, &mut timers, 50), [(10, 1), (10, 0)]);
    }

    #[derive(Clone, Debug)]
    enum Step {
        Set(usize, u64),
        Cancel(usize),
        Run(u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0usize..4, 0u64..30).prop_map(|(slot, ahead)| Step::Set(slot, ahead)),
            (0usize..4).prop_map(Step::Cancel),
            (0u64..10).prop_map(Step::Run),
        ]
    }

    proptest! {
        /// Against a plain list of deadlines in which setting removes the old one.
        #[test]
        fn expiries_equal_those_of_an_eager_queue(steps in prop::collection::vec(step(), 0..80)) {
            let (mut queue, mut timers) = (EventQueue::default(), Timers::new(4));
            let mut eager: Vec<(u64, u64, usize)> = Vec::new();
            let (mut now, mut rank) = (0u64, 0u64);
            for step in steps {
                match step {
                    Step::Set(slot, ahead) => {
                        timers.set(&mut queue, slot, Instant::from_nanos(now + ahead), slot);
                        eager.retain(|e| e.2 != slot);
                        eager.push((now + ahead, rank, slot));
                        rank += 1;
                    }
                    Step::Cancel(slot) => {
                        timers.cancel(slot);
                        eager.retain(|e| e.2 != slot);
                    }
                    Step::Run(ahead) => {
                        now += ahead;
                        eager.sort_unstable();
                        let due: Vec<(u64, usize)> =
                            eager.iter().filter(|e| e.0 <= now).map(|e| (e.0, e.2)).collect();
                        eager.retain(|e| e.0 > now);
                        prop_assert_eq!(expiries(&mut queue, &mut timers, now), due);
                        queue.advance_to(Instant::from_nanos(now));
                    }
                }
            }
        }
    }
}
