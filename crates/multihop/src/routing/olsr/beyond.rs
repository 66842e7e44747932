//! What is reached by a node though it runs no OLSR (section 12): the clients of an access point.
//!
//! They are told every TC interval, for three of these (HNA_HOLD_TIME), and nothing takes it back:
//! for so long a client that has gone to another access point is told by both, and packets go to
//! the nearer one.

use std::collections::{BTreeMap, BTreeSet};

use super::messages::Content;
use super::{Olsr, TC_TIME_TO_LIVE};
use crate::kernel::Instant;
use crate::routing::Context;
use crate::wire::NodeId;

/// The nodes beyond this one and others.
#[derive(Debug, Default)]
pub struct Beyond {
    own: BTreeSet<NodeId>,
    /// By gateway, what it has told, until when (the association set).
    told: BTreeMap<(NodeId, NodeId), Instant>,
}

impl Beyond {
    /// `client` is reached by this node, or not any more.
    pub fn attach(&mut self, client: NodeId, is_here: bool) {
        match is_here {
            true => self.own.insert(client),
            false => self.own.remove(&client),
        };
    }

    /// `gateway` says that these are reached by it.
    pub fn declare(&mut self, gateway: NodeId, nodes: &[NodeId], until: Instant) {
        for &node in nodes {
            self.told.insert((gateway, node), until);
        }
    }

    /// What is reached by `gateway`.
    pub fn of(&self, gateway: NodeId) -> impl Iterator<Item = NodeId> + Clone {
        let all = (gateway, NodeId(0))..=(gateway, NodeId::BROADCAST);
        self.told.range(all).map(|(&(_, node), _)| node)
    }

    /// Forgets what has not been told for too long. Whether there was any.
    pub fn expire(&mut self, now: Instant) -> bool {
        let before = self.told.len();
        self.told.retain(|_, until| *until > now);
        self.told.len() < before
    }

    /// When something is to be forgotten.
    pub fn next_change(&self) -> Instant {
        self.told.values().copied().min().unwrap_or(Instant::FAR)
    }
}

impl Olsr {
    /// Tells all what is reached by this node, if anything is.
    pub(super) fn send_hna(&mut self, cx: &mut Context) {
        if !self.beyond.own.is_empty() {
            let nodes = self.beyond.own.iter().copied().collect();
            let validity = self.config.top_hold_time();
            self.originate(cx, None, Content::Hna(nodes), validity, TC_TIME_TO_LIVE);
            self.send(cx);
        }
    }
}
