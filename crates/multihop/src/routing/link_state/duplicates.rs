//! The messages that a node has seen: the duplicate set of RFC 3626 section 3.4, the sets of RFC
//! 7181 section 11.
//!
//! Kept by originator, the last 64 numbers of each, rather than by message: a node keeps 30 s of
//! everybody's.

use rustc_hash::FxHashMap;

use super::is_newer;
use crate::kernel::{Duration, Instant};
use crate::wire::NodeId;

/// Seen messages.
#[derive(Debug, Default)]
pub struct Duplicates {
    of: FxHashMap<NodeId, Seen>,
}

#[derive(Debug)]
struct Seen {
    latest: u16,
    /// Which of the numbers up to the latest were seen; the latest is in the lowest bit.
    numbers: u64,
    until: Instant,
}

impl Duplicates {
    /// Whether message `number` of `originator` was seen and is remembered.
    pub fn knows(&self, now: Instant, originator: NodeId, number: u16) -> bool {
        let seen = self.of.get(&originator).filter(|seen| seen.until > now);
        seen.is_some_and(|seen| {
            let bit = 1_u64.checked_shl(seen.latest.wrapping_sub(number).into()).unwrap_or(0);
            !is_newer(number, seen.latest) && (bit == 0 || seen.numbers & bit != 0)
        })
    }

    /// Whether message `number` of `originator` is seen for the first time; it is remembered for
    /// `hold` after the latest one of its originator. A number far behind the latest was seen.
    pub fn is_new(
        &mut self,
        now: Instant,
        originator: NodeId,
        number: u16,
        hold: Duration,
    ) -> bool {
        let until = now + hold;
        let fresh = Seen { latest: number, numbers: 1, until };
        let Some(seen) = self.of.get_mut(&originator) else {
            self.of.insert(originator, fresh);
            return true;
        };
        if seen.until <= now {
            *seen = fresh;
            return true;
        }
        seen.until = until;
        if is_newer(number, seen.latest) {
            let step = u32::from(number.wrapping_sub(seen.latest));
            seen.numbers = seen.numbers.checked_shl(step).unwrap_or(0) | 1;
            seen.latest = number;
            return true;
        }
        let behind = u32::from(seen.latest.wrapping_sub(number));
        let bit = 1_u64.checked_shl(behind).unwrap_or(0);
        let is_new = bit != 0 && seen.numbers & bit == 0;
        seen.numbers |= bit;
        is_new
    }
}
