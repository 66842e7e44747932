//! Data frames that come again because their ACK was lost (IEEE Std 802.11-1999 9.2.9).

use crate::wire::NodeId;

/// What has come from each neighbour last.
#[derive(Debug, Default)]
pub struct Repeats {
    /// Sequence of the last data frame accepted from each.
    last_accepted: Vec<(NodeId, u16)>,
}

impl Repeats {
    /// Whether the data frame `sequence` of `transmitter` has come before.
    pub fn is_one(&mut self, transmitter: NodeId, sequence: u16) -> bool {
        match self.last_accepted.iter_mut().find(|(node, _)| *node == transmitter) {
            Some((_, last)) if *last == sequence => true,
            Some((_, last)) => {
                *last = sequence;
                false
            }
            None => {
                self.last_accepted.push((transmitter, sequence));
                false
            }
        }
    }
}
