//! Route discovery (RFC 3561 sections 6.3 and 6.4) and the periodic sweep of the route table.

use super::table::RouteState;
use super::{Aodv, Policy, REQUEST_WAIT};
use crate::kernel::{Duration, seconds};
use crate::profile::Profile;
use crate::routing::{Action, Context, Timer};
use crate::wire::NodeId;
use crate::wire::aodv::{Message, Request};

/// Extra hops in the wait for a ring's reply: TIMEOUT_BUFFER of RFC 3561 section 10.
const RING_TIMEOUT_BUFFER_HOPS: u64 = 2;

impl<P: Policy + ?Sized> Aodv<P> {
    /// Requests a route to `destination`, unless a reply may still arrive.
    pub(super) fn request(&mut self, cx: &mut Context, destination: NodeId) {
        let (config, profile) = (&self.config, self.profile);
        let route = self.routes.entry(destination);
        if route.is_up() || route.next_request() > cx.now {
            return;
        }
        let (last_ttl, last_hops) = (route.last_ttl, route.last_hops);
        let discovery = route.discovery();
        if discovery.network_requests > config.request_retries(profile) {
            discovery.next_request = cx.now + seconds(config.give_up_hold_s(profile));
            discovery.network_requests = 0;
            discovery.is_on = false;
            self.give_up(cx, destination);
            return;
        }
        if let Err(next) = self.request_limit.admit(cx.now) {
            discovery.next_request = next;
            cx.set_timer(Timer::about(REQUEST_WAIT, destination), next);
            return;
        }
        if !std::mem::replace(&mut discovery.is_on, true) {
            cx.actions.push(Action::Discovery { destination });
        }
        let base = last_ttl.max(last_hops);
        let ttl = if !config.expanding_ring || base >= config.ring_threshold_ttl {
            discovery.network_requests += 1;
            config.network_ttl(profile)
        } else if base == 0 {
            config.ring_start_ttl(profile)
        } else {
            base.saturating_add(config.ring_increment_ttl)
        };
        let measured: Duration =
            discovery.latencies.iter().copied().fold(Duration::ZERO, |sum, latency| sum + latency);
        let traversal = match discovery.latencies.len() as u64 {
            samples if samples > 0 && config.measured_traversal(profile) => measured / samples,
            _ => config.node_traversal(profile),
        };
        let tries = discovery.network_requests.max(1);
        let wait = match profile {
            Profile::Ns2 => traversal * 2 * u64::from(ttl) * u64::from(tries),
            // Section 6.4: the wait for a ring is two hops longer than it reaches; for the whole
            // network it doubles at each try.
            Profile::Standard if discovery.network_requests == 0 => {
                traversal * 2 * (u64::from(ttl) + RING_TIMEOUT_BUFFER_HOPS)
            }
            Profile::Standard => traversal * 2 * u64::from(ttl) * (1 << (tries - 1).min(20)),
        };
        let wait = config.request_wait_max(profile).map_or(wait, |longest| wait.min(longest));
        discovery.next_request = cx.now + wait;
        route.last_ttl = ttl;
        let destination_sequence = route.sequence;
        match profile {
            Profile::Ns2 => self.sequence = self.sequence.plus(2),
            Profile::Standard => {
                cx.set_timer(Timer::about(REQUEST_WAIT, destination), cx.now + wait);
                self.sequence = self.sequence.plus(1);
            }
        }
        let id = self.next_request_id;
        self.next_request_id += 1;
        let mut request = Request {
            hop_count: 1,
            id,
            destination,
            destination_sequence,
            originator: self.node,
            originator_sequence: self.sequence,
            sent_at: cx.now,
            metric: 0,
            transmitter_metric: 0,
        };
        self.policy.originate(cx, &mut request);
        let packet = self.message(cx, NodeId::BROADCAST, ttl, Message::Request(request));
        cx.send(packet, NodeId::BROADCAST, Duration::ZERO);
    }

    /// The wait for a reply from `destination` is over, or requests may leave again.
    pub(super) fn on_request_wait(&mut self, cx: &mut Context, destination: NodeId) {
        self.drop_expired(cx);
        if self.buffer.needs(destination) {
            self.request(cx, destination);
        }
    }

    /// Sweeps buffer and table, newest entry first: drops packets that have waited too long, takes
    /// down expired routes, sends packets that wait for a route that is up, repeats requests for
    /// one that is not.
    pub(super) fn sweep(&mut self, cx: &mut Context) {
        self.drop_expired(cx);
        let mut delay = Duration::ZERO;
        for place in (0..self.routes.count()).rev() {
            let route = self.routes.at(place);
            let is_past_life = route.is_up() && route.expires < cx.now;
            // True for almost every entry of almost every sweep.
            if !is_past_life && self.buffer.needs_none() {
                continue;
            }
            let destination = route.destination;
            match route.state {
                RouteState::Up if is_past_life => {
                    route.sequence = route.sequence.plus(1);
                    route.take_down();
                    self.give_up(cx, destination);
                }
                RouteState::Up => {
                    let spacing = seconds(self.config.release_spacing_s);
                    delay = self.release(cx, destination, delay, spacing);
                }
                RouteState::Down | RouteState::InRepair if self.buffer.needs(destination) => {
                    self.request(cx, destination);
                }
                RouteState::Down | RouteState::InRepair => {}
            }
        }
    }
}
