//! Limits on what a node sends and believes: rates of requests and errors (RFC 3561 sections 6.3
//! and 6.11), neighbours that hear no replies (section 6.8).

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::kernel::{Duration, Instant};
use crate::wire::NodeId;
use crate::wire::aodv::{Error, SequenceNumber};

/// Over which messages are counted: a second, and what the link may hold one of them longer than
/// another.
const SPAN: Duration = Duration::from_millis(1050);

/// At most so many messages in a second.
#[derive(Debug)]
pub(super) struct RateLimit {
    most: usize,
    recent: VecDeque<Instant>,
}

impl RateLimit {
    /// At most `most` messages in a second; 0: any number.
    pub fn new(most: u32) -> RateLimit {
        RateLimit { most: most as usize, recent: VecDeque::new() }
    }

    /// Counts a message that is to leave at `now`.
    ///
    /// # Errors
    /// When the next may leave, if this one may not.
    pub fn admit(&mut self, now: Instant) -> Result<(), Instant> {
        if self.most == 0 {
            return Ok(());
        }
        while self.recent.front().is_some_and(|sent| *sent + SPAN <= now) {
            self.recent.pop_front();
        }
        if self.recent.len() >= self.most {
            return Err(self.recent[0] + SPAN);
        }
        self.recent.push_back(now);
        Ok(())
    }
}

/// What route errors that may not leave yet would have said.
#[derive(Debug, Default)]
pub(super) struct HeldErrors {
    unreachable: Vec<(NodeId, SequenceNumber)>,
    is_any_own: bool,
}

impl HeldErrors {
    /// Whether anything is held back.
    pub fn is_waiting(&self) -> bool {
        !self.unreachable.is_empty()
    }

    /// Adds what `error` says. Of a destination the newest number counts.
    pub fn add(&mut self, error: Error) {
        self.is_any_own |= !error.is_passed_on;
        for (node, sequence) in error.unreachable {
            match self.unreachable.iter_mut().find(|(known, _)| *known == node) {
                Some((_, known)) => *known = known.newer(sequence),
                None => self.unreachable.push((node, sequence)),
            }
        }
    }

    /// Takes it as one error.
    pub fn take(&mut self) -> Error {
        let HeldErrors { unreachable, is_any_own } = std::mem::take(self);
        Error { unreachable, is_passed_on: !is_any_own }
    }
}

/// Neighbours that are heard and do not hear: their requests are ignored for a while.
#[derive(Debug, Default)]
pub(super) struct OneWay {
    until: FxHashMap<NodeId, Instant>,
}

impl OneWay {
    /// A reply did not reach `neighbour`: it is on the list until `until`.
    pub fn blacklist(&mut self, neighbour: NodeId, until: Instant) {
        self.until.insert(neighbour, until);
    }

    /// Whether `neighbour` is on the list at `now`.
    pub fn is_blacklisted(&self, now: Instant, neighbour: NodeId) -> bool {
        self.until.get(&neighbour).is_some_and(|until| *until > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_second_has_more_than_the_limit() {
        let mut limit = RateLimit::new(3);
        let ms = |ms| Instant::ZERO + Duration::from_millis(ms);
        assert_eq!([0, 10, 20].map(|at| limit.admit(ms(at))), [Ok(()); 3]);
        assert_eq!(limit.admit(ms(30)), Err(ms(1050)));
        assert_eq!(limit.admit(ms(1049)), Err(ms(1050)));
        assert_eq!(limit.admit(ms(1050)), Ok(()));
        assert_eq!(limit.admit(ms(1051)), Err(ms(1060)));
        let mut unlimited = RateLimit::new(0);
        assert!((0..1000).all(|_| unlimited.admit(ms(0)).is_ok()));
    }

    #[test]
    fn errors_held_back_become_one_with_the_newest_numbers() {
        let mut held = HeldErrors::default();
        let error = |entries: &[(u32, u32)], is_passed_on| Error {
            unreachable: entries.iter().map(|&(n, s)| (NodeId(n), SequenceNumber(s))).collect(),
            is_passed_on,
        };
        held.add(error(&[(1, 5), (2, 6)], true));
        held.add(error(&[(2, 4), (1, 7)], false));
        assert_eq!(held.take(), error(&[(1, 7), (2, 6)], false));
        assert!(!held.is_waiting());
    }
}
