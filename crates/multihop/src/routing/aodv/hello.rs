//! HELLO messages (RFC 3561 sections 6.9 and 6.10), off unless an interval is set.

use super::policy::Greeting;
use super::table::Offer;
use super::{Aodv, HELLO, NEIGHBOUR_CHECK, Policy};
use crate::kernel::{Duration, seconds};
use crate::profile::Profile;
use crate::routing::{Context, Timer};
use crate::wire::NodeId;
use crate::wire::aodv::{Message, SequenceNumber};

impl<P: Policy + ?Sized> Aodv<P> {
    pub(super) fn start_hello(&mut self, cx: &mut Context) {
        let first = cx.rng.duration_below(seconds(self.config.hello_interval_s));
        cx.set_timer(Timer::of(HELLO), cx.now + first);
        if self.policy.hello_proves_link() {
            cx.set_timer(
                Timer::of(NEIGHBOUR_CHECK),
                cx.now + seconds(self.config.hello_interval_s),
            );
        }
    }

    /// Broadcasts a HELLO and sets the timer for the next.
    pub(super) fn send_hello(&mut self, cx: &mut Context) {
        if let Some(Greeting { extension }) = self.policy.greet(cx) {
            let lifetime = self.neighbour_life();
            let hello = Message::Hello { sequence: self.sequence, lifetime, extension };
            let packet = self.message(cx, NodeId::BROADCAST, 1, hello);
            cx.send(packet, NodeId::BROADCAST, Duration::ZERO);
        }
        let spacing = self.policy.hello_spacing(seconds(self.config.hello_interval_s), cx.rng);
        cx.set_timer(Timer::of(HELLO), cx.now + spacing);
    }

    pub(super) fn on_hello(
        &mut self,
        cx: &mut Context,
        from: NodeId,
        sequence: SequenceNumber,
        lifetime: Duration,
    ) {
        if !self.policy.hello_proves_link() {
            return;
        }
        self.neighbours.hear(cx.now, from, cx.now + self.neighbour_life());
        if self.profile == Profile::Standard {
            let offer = Offer { sequence, hops: 1, metric: 0 };
            let route = self.routes.entry(from);
            if self.policy.prefers(route, &offer, Profile::Standard) {
                route.set(&offer, from, cx.now + lifetime);
            } else if route.is_up() && route.next_hop == from {
                route.expires = route.expires.max(cx.now + lifetime);
            }
        }
    }

    /// Treats the links to neighbours whose HELLOs have stopped as broken.
    pub(super) fn check_neighbours(&mut self, cx: &mut Context) {
        for (neighbour, ()) in self.neighbours.expire(cx.now) {
            self.break_link(cx, neighbour);
        }
        cx.set_timer(Timer::of(NEIGHBOUR_CHECK), cx.now + seconds(self.config.hello_interval_s));
    }

    fn neighbour_life(&self) -> Duration {
        seconds(self.config.hello_interval_s) * u64::from(self.config.allowed_hello_loss)
    }
}
