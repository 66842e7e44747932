//! Learning from overheard packets (RFC 4728 sections 3.3.1 and 3.4.3).

use super::discovery::Reply;
use super::{Dsr, Policy};
use crate::kernel::{Duration, Instant, seconds};
use crate::profile::Profile;
use crate::routing::Context;
use crate::wire::dsr::{Header, Path, SourceRoute};
use crate::wire::{NodeId, Packet};

/// Overheard packets remembered.
const HEARD_PACKETS: usize = 1024;
/// Reported routes remembered.
const SHORTENED_ROUTES: usize = 10;

/// The packets overheard recently, so that each is processed once.
#[derive(Debug, Default)]
pub(super) struct Heard {
    ids: Vec<u64>,
    /// The last way through the node that was overheard, for reuse.
    rest: Vec<NodeId>,
}

impl Heard {
    /// Whether packet `id` is overheard for the first time, as far as the table remembers.
    fn is_new(&mut self, id: u64) -> bool {
        self.ids.resize(HEARD_PACKETS, 0);
        // Fibonacci hashing: the top ten bits.
        let place = (id.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize;
        std::mem::replace(&mut self.ids[place], id) != id
    }
}

/// What gratuitous replies were sent about (section 4.4): a packet's sender and the node that was
/// overheard; in ns-2 its whole route.
#[derive(Debug, Default)]
pub(super) struct Shortened {
    recent: Vec<(Path, Instant)>,
    next: usize,
}

impl Shortened {
    /// Whether a reply about `nodes` may be sent: none was within `hold`. Records it as sent.
    fn may_report(&mut self, nodes: &Path, now: Instant, hold: Duration) -> bool {
        if self.recent.iter().any(|(known, at)| known == nodes && now - *at < hold) {
            return false;
        }
        if self.recent.len() < SHORTENED_ROUTES {
            self.recent.push((nodes.clone(), now));
        } else {
            self.recent[self.next] = (nodes.clone(), now);
            self.next = (self.next + 1) % SHORTENED_ROUTES;
        }
        true
    }
}

impl<P: Policy + ?Sized> Dsr<P> {
    /// `packet`, sent to `receiver`, was overheard.
    pub(super) fn learn_from(&mut self, cx: &mut Context, packet: &Packet, receiver: NodeId) {
        let Some(header) = &packet.dsr else { return };
        if packet.source == self.node || !self.heard.is_new(header.id) {
            return;
        }
        self.handle_errors(cx, &header.errors);
        self.notice_reply(header);
        if header.request.is_some() {
            return;
        }
        let Some(route) = &header.route else { return };
        if self.vouches_for_route(header) {
            self.notice_overheard(route, receiver);
        }
        let place = |node: NodeId| route.nodes.iter().position(|other| *other == node);
        if self.profile == Profile::Standard
            && let Some(passed) = place(receiver).map(|i| place(self.node).unwrap_or(i).min(i))
        {
            self.notice_way_back(&route.nodes[..passed]);
        }
        if packet.is_transport() && self.config.gratuitous_replies {
            self.shorten(cx, packet.source, route, receiver);
        }
    }

    /// Caches the route in a reply to another node, from here on.
    pub(super) fn notice_reply(&mut self, header: &Header) {
        if let Some(path) = &header.reply
            && let Some(here) = path.iter().position(|node| *node == self.node)
        {
            self.routes.notice(&path[here..]);
        }
    }

    /// Whether the links ahead of a packet may be cached. A reply is yet to show that those on its
    /// way work in its direction (section 3.3.1); ns-2 does not wait for that.
    pub(super) fn vouches_for_route(&self, header: &Header) -> bool {
        self.profile == Profile::Ns2 || header.reply.is_none()
    }

    /// Caches the way back over the nodes `passed` that a packet has passed: unicast frames need
    /// links that work in both directions (section 3.3.1). In ns-2 nodes do not.
    pub(super) fn notice_way_back(&mut self, passed: &[NodeId]) {
        if self.profile == Profile::Standard {
            self.heard.rest.clear();
            self.heard.rest.push(self.node);
            self.heard.rest.extend(passed.iter().rev());
            self.routes.notice(&self.heard.rest);
        }
    }

    /// Caches the rest of an overheard packet's route: from here if this node is on it, else
    /// through the transmitter.
    fn notice_overheard(&mut self, route: &SourceRoute, receiver: NodeId) {
        let nodes = &route.nodes;
        if let Some(here) = nodes.iter().position(|node| *node == self.node) {
            self.routes.notice(&nodes[here..]);
        } else if let Some(i) = nodes.iter().position(|node| *node == receiver)
            && i > 0
        {
            self.heard.rest.clear();
            self.heard.rest.push(self.node);
            self.heard.rest.extend_from_slice(&nodes[i - 1..]);
            self.routes.notice(&self.heard.rest);
        }
    }

    /// Automatic route shortening: if this node is later on the route than `receiver`, sends the
    /// source a gratuitous reply without the nodes between the transmitter and this node.
    fn shorten(&mut self, cx: &mut Context, sender: NodeId, route: &SourceRoute, receiver: NodeId) {
        let place = |node: NodeId| route.nodes.iter().position(|other| *other == node);
        let (Some(i), Some(here)) = (place(receiver), place(self.node)) else { return };
        if i == 0 || here <= i {
            return;
        }
        let hold = seconds(self.config.gratuitous_hold_s);
        let reported = match self.profile {
            Profile::Ns2 => route.nodes.clone(),
            Profile::Standard => [sender, route.nodes[i - 1]].into(),
        };
        if self.shortened.may_report(&reported, cx.now, hold) {
            let (before, after) = (&route.nodes[..i], &route.nodes[here..]);
            let found = [before, after].concat();
            self.reply(cx, Reply::plain(found.into()), before, Duration::ZERO);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_counts_once() {
        let mut heard = Heard::default();
        assert!(heard.is_new(7) && !heard.is_new(7) && heard.is_new(8) && !heard.is_new(7));
    }

    #[test]
    fn a_route_is_reported_again_only_after_a_while() {
        let (mut shortened, hold) = (Shortened::default(), Duration::from_secs(1));
        let route: Path = [0, 1, 2].map(NodeId).into();
        let at = Instant::from_secs_f64;
        assert!(shortened.may_report(&route, at(1.0), hold));
        assert!(!shortened.may_report(&route, at(1.9), hold));
        assert!(shortened.may_report(&route, at(2.0), hold));
    }
}
