//! Route discovery (RFC 4728 sections 3.1, 3.3 and 8.2): requests and replies.

use super::config::{CachedReplies, TargetReplies};
use super::{Dsr, Policy};
use crate::kernel::{Duration, seconds};
use crate::profile::Profile;
use crate::routing::{Action, Context};
use crate::wire::dsr::{Direction, Header, Path, Replaces, Request, RouteError, SourceRoute};
use crate::wire::{NodeId, Packet};

/// The contents of a reply.
pub(super) struct Reply {
    /// The route from the originator of the request to its target.
    pub found: Path,
    /// Which packets the route is for, if the scheme distinguishes them.
    pub direction: Option<Direction>,
    /// What it tells of each node of the route but the first, if the scheme tells anything.
    pub gathered: Vec<f32>,
}

impl Reply {
    /// Plain DSR's reply.
    pub fn plain(found: Path) -> Reply {
        Reply { found, direction: None, gathered: Vec::new() }
    }
}

impl<P: Policy + ?Sized> Dsr<P> {
    /// Searches for a route to `target`, unless the last search was too recent: first with a
    /// ring-zero request, then, if no neighbour replied, in the whole network. For packets of
    /// others (`is_own` false) only one ring-zero request is sent. Returns false if a packet of
    /// another node should wait no longer.
    pub(super) fn discover(&mut self, cx: &mut Context, target: NodeId, is_own: bool) -> bool {
        let config = &self.config;
        let entry = self.requests.entry(target);
        let (period, longest) =
            (seconds(config.request_period_s), seconds(config.request_period_max_s));
        let next = entry.next_search(period, longest, self.profile);
        let everyone = config.max_route_nodes;
        if cx.now >= next {
            entry.searches += 1;
            entry.last_search = cx.now;
            entry.only_ring_zero = config.ring_zero_search;
            if is_own && entry.searches == 1 {
                cx.actions.push(Action::Discovery { destination: target });
            }
            if !is_own && entry.searches > 1 {
                return false;
            }
            if config.ring_zero_search {
                self.send_request(cx, target, 0, None);
            } else if is_own {
                self.send_request(cx, target, everyone, None);
            }
        } else if entry.only_ring_zero
            && is_own
            && cx.now - entry.last_search > seconds(config.ring_zero_wait_s)
        {
            entry.only_ring_zero = false;
            self.send_request(cx, target, everyone, None);
        }
        true
    }

    /// Sends a request for `target`, to be forwarded `more_hops` hops beyond the neighbours.
    pub(super) fn send_request(
        &mut self,
        cx: &mut Context,
        target: NodeId,
        more_hops: u8,
        replaces: Option<Replaces>,
    ) {
        self.policy.on_asking(cx.now, target);
        let id = self.next_request_id;
        self.next_request_id += 1;
        let header = Header {
            id: self.new_packet_id(),
            request: Some(Request {
                id,
                target,
                path: vec![self.node],
                more_hops,
                gathered: Vec::new(),
                replaces,
            }),
            errors: self.error_to_carry(cx, more_hops > 0).into_iter().collect(),
            ..Header::default()
        };
        let packet = self.message(cx, target, header);
        let delay = cx.rng.duration_below(seconds(self.config.request_jitter_s));
        cx.send(packet, NodeId::BROADCAST, delay);
    }

    /// The last route error, if it is recent enough to be carried by a request; one network-wide
    /// request is enough.
    fn error_to_carry(&mut self, cx: &Context, to_everyone: bool) -> Option<RouteError> {
        let (kind, since) = self.held_error?;
        if to_everyone {
            self.held_error = None;
        }
        let is_young = cx.now - since <= seconds(self.config.error_life_s);
        let addressee = match self.profile {
            Profile::Ns2 => NodeId(0),
            Profile::Standard => NodeId::BROADCAST,
        };
        (is_young && self.config.errors_in_requests).then_some(RouteError { addressee, kind })
    }

    /// A copy of a request has arrived.
    pub(super) fn on_request(
        &mut self,
        cx: &mut Context,
        packet: &Packet,
        header: &Header,
        request: &Request,
    ) {
        if request.path.contains(&self.node) {
            return;
        }
        let originator = request.path[0];
        if request.target == self.node {
            let is_first = self.requests.see(originator, request.id);
            let every_copy = self.config.target_replies == TargetReplies::EveryCopy;
            if self.policy.answers(cx, request, is_first, every_copy) {
                let found = [&request.path[..], &[self.node]].concat();
                let jitter = cx.rng.duration_below(seconds(self.config.reply_jitter_s));
                let gathered = self.policy.gathered(cx, request);
                let reply = Reply { gathered, ..Reply::plain(found.into()) };
                self.reply(cx, reply, &request.path, jitter);
            }
            return;
        }
        let is_full = request.path.len() >= usize::from(self.config.max_route_nodes);
        if is_full {
            return;
        }
        let is_first = self.requests.see(originator, request.id);
        if is_first {
            self.notice_way_back(&request.path);
        }
        if !self.policy.passes_on(cx, request, is_first) {
            return;
        }
        if let Some(found) = self.cached_answer(request) {
            // In ns-2 only targets wait before they reply.
            let jitter = match self.profile {
                Profile::Ns2 => Duration::ZERO,
                Profile::Standard => cx.rng.duration_below(seconds(self.config.reply_jitter_s)),
            };
            self.reply(cx, Reply::plain(found), &request.path, jitter);
        } else if request.path.len() <= usize::from(request.more_hops) {
            self.pass_on(cx, packet, header, request);
        }
    }

    /// The route from the originator of `request` through this node to the target, if this node may
    /// reply and has the rest in its cache.
    fn cached_answer(&mut self, request: &Request) -> Option<Path> {
        let is_ring_zero = request.more_hops == 0;
        match self.config.cached_replies {
            CachedReplies::None => return None,
            CachedReplies::RingZero if !is_ring_zero => return None,
            CachedReplies::RingZero | CachedReplies::All => {}
        }
        let rest = self.routes.find(request.target, false)?;
        if request.path.len() + rest.nodes().len() > usize::from(self.config.max_route_nodes) {
            return None;
        }
        let found = without_loops([&request.path[..], rest.nodes()].concat());
        found.contains(&self.node).then(|| found.into())
    }

    /// Sends `reply` back along `asked`, the path of the request.
    pub(super) fn reply(
        &mut self,
        cx: &mut Context,
        reply: Reply,
        asked: &[NodeId],
        delay: Duration,
    ) {
        let back: Path = [self.node].iter().chain(asked.iter().rev()).copied().collect();
        self.routes.learn(&back);
        let header = Header {
            id: self.new_packet_id(),
            route: Some(SourceRoute { nodes: back.clone(), salvages: 0 }),
            reply: Some(reply.found),
            direction: reply.direction,
            gathered: reply.gathered,
            ..Header::default()
        };
        let packet = self.message(cx, asked[0], header);
        self.send(cx, packet, back[1], delay);
    }

    /// Rebroadcasts a request with this node's address added.
    fn pass_on(&mut self, cx: &mut Context, packet: &Packet, header: &Header, request: &Request) {
        let mut request = request.clone();
        request.path.push(self.node);
        self.policy.gather(cx, &mut request);
        let mut passed = packet.clone();
        // ns-2 adds the new header after the old one.
        if self.profile == Profile::Ns2 {
            passed.dsr = None;
        }
        self.set_header(&mut passed, Some(Header { request: Some(request), ..header.clone() }));
        passed.ttl = passed.ttl.saturating_sub(1);
        let delay = cx.rng.duration_below(seconds(self.config.request_jitter_s));
        cx.send(passed, NodeId::BROADCAST, delay);
    }

    /// A reply for this node has arrived: `found` is a route.
    pub(super) fn on_reply(&mut self, cx: &mut Context, found: &Path, header: &Header) {
        self.routes.learn(found);
        self.policy.on_reply(cx.now, found, header.direction, &header.gathered);
        if let Some(target) = found.last() {
            self.requests.clear_searches(*target);
        }
        self.release_all(cx);
    }
}

/// `nodes` with all loops cut out.
fn without_loops(mut nodes: Vec<NodeId>) -> Vec<NodeId> {
    let mut i = 0;
    while i < nodes.len() {
        let last = nodes.iter().rposition(|node| *node == nodes[i]).unwrap_or(i);
        nodes.drain(i + 1..=last);
        i += 1;
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_cut_out() {
        let path = |nodes: &[u32]| nodes.iter().map(|&n| NodeId(n)).collect::<Vec<_>>();
        assert_eq!(without_loops(path(&[0, 1, 2, 3])), path(&[0, 1, 2, 3]));
        assert_eq!(without_loops(path(&[0, 1, 2, 1, 3])), path(&[0, 1, 3]));
        assert_eq!(without_loops(path(&[0, 1, 2, 3, 2, 1, 4, 0, 5])), path(&[0, 5]));
    }
}
