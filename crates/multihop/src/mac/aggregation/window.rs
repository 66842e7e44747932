//! A sender's part: the packets in service after the first, and the sequence numbers given out.

use std::collections::VecDeque;

use super::Limits;
use crate::wire::{NodeId, Packet};

/// A packet in service.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// Its sequence number.
    pub sequence: u16,
    /// Attempts in vain so far.
    pub attempts: u32,
    /// The packet.
    pub packet: Packet,
}

/// The packets for one neighbour that a station has in service beside the first.
#[derive(Debug, Default)]
pub struct Window {
    /// In the order of their sequence numbers.
    pub others: VecDeque<Waiting>,
    /// How many of the packets in service, with the first, the present frame carries.
    pub in_frame: usize,
    /// The last attempt stayed without an answer: it is repeated with the same packets.
    pub is_unanswered: bool,
    /// Some of the packets have been sent, and answered.
    pub is_begun: bool,
    /// The next sequence number for each neighbour.
    numbers: Vec<(NodeId, u16)>,
}

impl Window {
    /// A sequence number for a packet for `neighbour`.
    pub fn number(&mut self, neighbour: NodeId) -> u16 {
        let known = self.numbers.iter_mut().find(|(node, _)| *node == neighbour);
        match known {
            Some((_, next)) => std::mem::replace(next, next.wrapping_add(1)),
            None => {
                self.numbers.push((neighbour, 1));
                0
            }
        }
    }

    /// Whether a packet may join those in service for `neighbour`, of which the first has number
    /// `first`.
    pub fn has_room(&self, neighbour: NodeId, first: u16, limits: &Limits) -> bool {
        let known = self.numbers.iter().find(|(node, _)| *node == neighbour);
        let next = known.map_or(first, |&(_, next)| next);
        !self.is_unanswered
            && self.others.len() + 1 < limits.mpdus
            && next.wrapping_sub(first) < limits.window()
    }
}
