//! What routing protocols ask for, and the one loop that carries it out.
//!
//! The actions of a call are carried out in order, each with all its consequences before the next
//! one. These may include another call of the same protocol: a packet for a neighbour whose address
//! cannot be resolved comes back as a link failure at once, and a route error lets this node's TCP
//! sender transmit. So a protocol may be called while later actions of an earlier call are still
//! pending, and its state must be consistent whenever it returns. The engine and the hand-driven
//! networks of the unit tests share this loop.

use super::{Context, Protocol, Timer};
use crate::kernel::{Duration, Instant};
use crate::wire::{Interface, NodeId, Packet};

/// Something a routing protocol wants done.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// Hand `packet` to the link for `next_hop` (may be broadcast) after `delay`.
    Send {
        /// The packet; its size includes the IP header.
        packet: Packet,
        /// The station of a neighbour that it goes to.
        next_hop: NodeId,
        /// The station of this node that sends it. Without, a broadcast goes by all, and any other
        /// packet by the one on the channel of `next_hop`.
        interface: Option<Interface>,
        /// Jitter or spacing before the link gets it.
        delay: Duration,
    },
    /// Drop `packet`.
    Drop {
        /// The packet.
        packet: Packet,
        /// Why.
        reason: DropReason,
    },
    /// Call `on_timer(timer)` at `at`. Timers are not cancelled: the protocol ignores stale ones.
    SetTimer {
        /// Which timer.
        timer: Timer,
        /// When.
        at: Instant,
    },
    /// Tell this node's transport that the route to `destination` has broken.
    RouteError {
        /// The destination that cannot be reached.
        destination: NodeId,
    },
    /// Count a route discovery: this node originates requests for a destination to which it has no
    /// route.
    Discovery {
        /// The destination.
        destination: NodeId,
    },
    /// Call [`Protocol::record`]: this node has noted something in the scheme's shared state that
    /// only other nodes' state completes. For results only; no protocol may act on it.
    Record,
}

/// Why a routing protocol dropped a packet; ns-2's trace name in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DropReason {
    /// The link to the next hop broke \[CBK\].
    LinkFailure,
    /// No route, and none was found \[NRTE\].
    NoRoute,
    /// A packet of this node's own came back to it \[LOOP\].
    Loop,
    /// The time to live has expired \[TTL\].
    TimeToLive,
    /// The send buffer was full \[IFQ at the routing layer\].
    BufferFull,
    /// The packet waited too long in the send buffer \[TOUT\].
    BufferTimeout,
}

/// A network whose nodes run routing protocols.
pub trait Host {
    /// The protocol of a node.
    type Node: Protocol + ?Sized;

    /// Calls the protocol of `node`, which leaves its actions in `actions`.
    fn call(
        &mut self,
        node: NodeId,
        actions: &mut Vec<Action>,
        call: impl FnOnce(&mut Self::Node, &mut Context),
    );

    /// An empty list of actions, reused between calls.
    fn spare_actions(&mut self) -> &mut Vec<Action>;

    /// Carries out one action of `node`, with all its consequences.
    fn carry_out(&mut self, node: NodeId, action: Action);

    /// `node` has actions to carry out. Returns what [`Host::end_actions`] gets.
    fn begin_actions(&mut self, _node: NodeId) -> bool {
        false
    }

    /// The actions of `node` have been carried out.
    fn end_actions(&mut self, _node: NodeId, _begun: bool) {}
}

/// Calls the protocol of `node` and carries out what it asks for.
pub fn drive<H: Host>(host: &mut H, node: NodeId, call: impl FnOnce(&mut H::Node, &mut Context)) {
    let mut actions = std::mem::take(host.spare_actions());
    host.call(node, &mut actions, call);
    let begun = host.begin_actions(node);
    // The first one last, to take them one by one: a drain would be tidied up in each call.
    actions.reverse();
    while let Some(action) = actions.pop() {
        host.carry_out(node, action);
    }
    *host.spare_actions() = actions;
    host.end_actions(node, begun);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Purpose, Rng};
    use crate::link::{CodelConfig, InterfaceQueue, QueueDiscipline};
    use crate::measure::BackoffCounts;
    use crate::radio::{Hearers, StationLayout};
    use crate::routing::harness::{data, links};
    use crate::routing::{Oracle, Shared};

    /// Asks for things that call it again while later actions wait.
    #[derive(Debug, Default)]
    struct Probe;

    impl Protocol for Probe {
        /// Two packets, the first for a neighbour that cannot be reached, and a route error.
        fn on_send(&mut self, cx: &mut Context, packet: Packet) {
            for next_hop in [NodeId(1), NodeId(2)] {
                cx.send(packet.clone(), next_hop, Duration::ZERO);
            }
            cx.report_broken_route(NodeId(9));
        }

        fn on_receive(&mut self, _: &mut Context, _: Packet, _: NodeId) {}

        fn on_link_failure(&mut self, cx: &mut Context, packet: Packet, _: NodeId) {
            cx.drop(packet, DropReason::LinkFailure);
            cx.report_broken_route(NodeId(8));
        }

        fn on_timer(&mut self, _: &mut Context, _: Timer) {}
    }

    /// One node whose link to node 1 fails at once, as an address does that cannot be resolved.
    struct OneNode {
        probe: Probe,
        spare: Vec<Action>,
        done: Vec<String>,
        rng: Rng,
        queue: InterfaceQueue,
        hearers: Hearers,
        stations: StationLayout,
        shared: Shared,
    }

    impl Host for OneNode {
        type Node = dyn Protocol;

        fn call(
            &mut self,
            node: NodeId,
            actions: &mut Vec<Action>,
            call: impl FnOnce(&mut dyn Protocol, &mut Context),
        ) {
            let mut cx = Context {
                now: Instant::ZERO,
                node,
                interface: Interface::default(),
                stations: &self.stations,
                rng: &mut self.rng,
                queue: &mut self.queue,
                backoffs: BackoffCounts::default(),
                rates: None,
                oracle: Oracle { hearers: &mut self.hearers, shared: &mut self.shared },
                actions,
            };
            call(&mut self.probe, &mut cx);
        }

        fn spare_actions(&mut self) -> &mut Vec<Action> {
            &mut self.spare
        }

        fn carry_out(&mut self, node: NodeId, action: Action) {
            match action {
                Action::Send { packet, next_hop, .. } => {
                    self.done.push(format!("send to {}", next_hop.0));
                    if next_hop == NodeId(1) {
                        drive(self, node, |protocol, cx| {
                            protocol.on_link_failure(cx, packet, next_hop);
                        });
                    }
                }
                Action::Drop { .. } => self.done.push("drop".to_owned()),
                Action::RouteError { destination } => {
                    self.done.push(format!("route error for {}", destination.0));
                }
                other => panic!("not asked for: {other:?}"),
            }
        }

        fn begin_actions(&mut self, _: NodeId) -> bool {
            self.done.push("begin".to_owned());
            true
        }

        fn end_actions(&mut self, _: NodeId, begun: bool) {
            assert!(begun);
            self.done.push("end".to_owned());
        }
    }

    #[test]
    fn an_action_is_carried_out_with_all_that_follows_from_it_before_the_next() {
        let mut host = OneNode {
            probe: Probe,
            spare: Vec::new(),
            done: Vec::new(),
            rng: Rng::stream(1, Purpose::Routing, 0),
            queue: InterfaceQueue::new(
                QueueDiscipline::RoutingFirst,
                50,
                &CodelConfig::default(),
                Rng::stream(1, Purpose::QueueManagement, 0),
            ),
            hearers: links(1, &[], &[]),
            stations: StationLayout::alike(1),
            shared: Shared::default(),
        };
        let packet = data(0, 9, 1, Instant::ZERO);
        drive(&mut host, NodeId(0), |protocol, cx| protocol.on_send(cx, packet));
        let expected = [
            "begin",
            "send to 1",
            "begin",
            "drop",
            "route error for 8",
            "end",
            "send to 2",
            "route error for 9",
            "end",
        ];
        assert_eq!(host.done, expected);
        assert!(host.spare.is_empty());
    }
}
