//! Data frames that come again because their ACK was lost (IEEE Std 802.11-1999 9.2.9).

use super::categories::Category;
use crate::wire::NodeId;

/// A neighbour, and the access category in which it numbers its frames.
pub type Origin = (NodeId, Category);

/// What has come from each neighbour last.
#[derive(Debug, Default)]
pub struct Repeats {
    /// Sequence of the last data frame accepted from each, by access categories.
    last_accepted: Vec<(Origin, u16)>,
}

impl Repeats {
    /// Whether the data frame `sequence` of `origin` has come before.
    pub fn is_one(&mut self, origin: Origin, sequence: u16) -> bool {
        match self.last_accepted.iter_mut().find(|(known, _)| *known == origin) {
            Some((_, last)) if *last == sequence => true,
            Some((_, last)) => {
                *last = sequence;
                false
            }
            None => {
                self.last_accepted.push((origin, sequence));
                false
            }
        }
    }
}
