//! Updates: those that come (section 3.5.3) and those that are sent (section 3.7).

use super::Babel;
use super::address::{Address, interface};
use super::diversity::{Channels, Diversity};
use super::history::centiseconds;
use super::routes::{Route, Tick};
use super::seqno::{Distance, INFINITY, Seqno};
use super::tlv::{Centiseconds, Tlv, Update};
use crate::kernel::{Duration, seconds};
use crate::routing::Context;
use crate::wire::NodeId;

/// The interval of an update that is not repeated.
const NOT_REPEATED: Centiseconds = Centiseconds::MAX;

impl Babel {
    /// `from` has sent `update`.
    pub(super) fn on_update(&mut self, cx: &mut Context, from: NodeId, update: &Update) {
        self.counts.updates_received += 1;
        let Some(prefix) = update.prefix else { return self.forget_routes_of(cx, from) };
        if update.is_retraction() {
            self.counts.retractions_received += 1;
            if let Some(place) = self.table.find(&prefix) {
                self.on_retraction(cx, from, place);
            }
            return;
        }
        let (Some(router_id), Some(next_hop)) = (update.router_id, update.next_hop) else { return };
        let Some(next_hop) = self.station_of(next_hop) else { return };
        if !prefix.may_be_learnt() {
            return;
        }
        let place = self.table.place(prefix);
        let (weights, link) = (self.config.weights(), self.link_to(cx, from));
        let Some(destination) = self.table.all.get_mut(place) else { return };
        // What it originates itself a node needs no route to.
        if destination.is_own {
            return;
        }
        let distance = Distance { seqno: update.seqno, metric: update.metric };
        let is_feasible = destination.is_feasible(router_id, distance);
        self.counts.infeasible_updates += u64::from(!is_feasible);
        let before = destination.selected().map(|route| route.router_id);
        let is_selected = destination.selected == Some(from);
        let keeps = |route: &Route| is_selected && !is_feasible && route.router_id == router_id;
        // Its old metric stays, which is known to be loop-free, while a newer number is asked for
        // (section 3.8.2.2).
        if destination.route(from).is_some_and(keeps) {
            return self.request_seqno(cx, place, router_id, Some(from));
        }
        let now = Tick::at(cx.now);
        let expires = match update.interval {
            NOT_REPEATED => Tick::NEVER,
            interval => {
                let hold =
                    centiseconds(interval).as_secs_f64() * self.config.route_expiry_intervals;
                now.after(Duration::from_secs_f64(hold))
            }
        };
        let route = match destination.routes.iter_mut().find(|route| route.neighbour == from) {
            Some(route) => route,
            None => {
                destination.routes.push(Route::new(from));
                let Some(route) = destination.routes.last_mut() else { return };
                route
            }
        };
        (route.router_id, route.next_hop) = (router_id, next_hop);
        (route.seqno, route.advertised) = (update.seqno, update.metric);
        (route.interval, route.expires) = (update.interval, expires);
        let channels = Some(&update.channels).filter(|_| weights.diversity != Diversity::None);
        let metric = weights.metric(route.advertised, channels, link);
        route.set_metric(now, metric, self.config.smoothing_s());
        if let Some(&channels) = channels {
            destination.set_channels(from, channels);
        }
        // It would be selected, being much better than what is (section 3.8.2.2, appendix A.3).
        let constant = self.config.smoothing_s();
        let significant = self.config.significant_change;
        let is_preferable = !is_feasible
            && !is_selected
            && destination.route(from).zip(destination.selected()).is_some_and(
                |(new, selected)| {
                    selected.metric != INFINITY
                        && selected.metric.saturating_sub(new.metric) >= significant
                        && new.smoothed(now, constant) < selected.smoothed(now, constant)
                },
            );
        self.look_at_by(cx, place, expires);
        self.select_from(cx, place, before);
        if is_preferable {
            self.request_seqno(cx, place, router_id, Some(from));
        }
        self.answer_with(cx, place);
    }

    /// The addresses of `client` are this node's to announce from now on, or to retract.
    pub(super) fn attach(&mut self, cx: &mut Context, client: NodeId, is_here: bool) {
        for prefix in self.plan.prefixes(client) {
            let place = self.table.place(prefix);
            let Some(destination) = self.table.all.get_mut(place) else { continue };
            destination.is_own = is_here;
            destination.selected = None;
            destination.routes.clear();
            let copies = if is_here { 1 } else { self.config.urgent_copies };
            let delay = self.urgent_delay(cx);
            self.announce(cx, place, copies, delay);
            if !is_here {
                // Another may have it by now (section 3.8.1.1).
                self.send_all(cx, Tlv::RouteRequest { prefix: Some(prefix) }, delay);
            }
        }
    }

    /// `from` has no route any more to the prefix at `place`.
    fn on_retraction(&mut self, cx: &mut Context, from: NodeId, place: usize) {
        let Some(destination) = self.table.all.get_mut(place) else { return };
        let Some(route) = destination.route_mut(from) else { return };
        route.advertised = INFINITY;
        route.set_metric(Tick::at(cx.now), INFINITY, self.config.smoothing_s());
        self.select(cx, place);
    }

    /// All routes over `neighbour` count as retracted.
    pub(super) fn forget_routes_of(&mut self, cx: &mut Context, neighbour: NodeId) {
        for place in 0..self.table.all.len() {
            self.on_retraction(cx, neighbour, place);
        }
    }

    /// The channel of the link to `neighbour`, and its cost.
    fn link_to(&self, cx: &Context, neighbour: NodeId) -> (u8, u16) {
        let channel = u8::try_from(cx.stations.channel(neighbour)).unwrap_or(u8::MAX);
        let cost = self.cost_of(cx.now, neighbour);
        let slowness = self.slowness.get(usize::from(cx.stations.kind(neighbour).0));
        match slowness.filter(|_| self.config.diversity == Diversity::Wcett && cost != INFINITY) {
            // A cast keeps within bounds, and what is slow is not down.
            Some(times) => (channel, ((f64::from(cost) * times) as u16).min(INFINITY - 1)),
            None => (channel, cost),
        }
    }

    /// The cost of the link to `neighbour` has changed.
    pub(super) fn on_cost_change(&mut self, cx: &mut Context, neighbour: NodeId) {
        let now = Tick::at(cx.now);
        let (weights, link) = (self.config.weights(), self.link_to(cx, neighbour));
        for place in 0..self.table.all.len() {
            let Some(destination) = self.table.all.get_mut(place) else { continue };
            let channels = destination.channels(neighbour).copied();
            if let Some(route) = destination.route_mut(neighbour) {
                let metric = weights.metric(route.advertised, channels.as_ref(), link);
                route.set_metric(now, metric, self.config.smoothing_s());
                self.select(cx, place);
            }
        }
    }

    /// Where neighbours that hear `station` send data to.
    pub(super) fn next_hop_at(&self, station: NodeId, is_ipv6: bool) -> Address {
        match is_ipv6 {
            true => Address::link_local(interface(station)),
            false => self.plan.ipv4(station),
        }
    }

    /// The update to send now for the prefix at `place`: a retraction if there is no route.
    pub(super) fn update(&mut self, cx: &Context, place: usize) -> Option<Tlv> {
        let now = cx.now;
        let until = Tick::at(now + seconds(self.config.source_gc_s));
        let (own_id, own_seqno) = (self.router_id, self.seqno);
        let channels = self.channels_of(cx, place);
        let destination = self.table.all.get_mut(place)?;
        let prefix = destination.prefix;
        let found = match (destination.is_own, destination.selected()) {
            (true, _) => Some((own_id, own_seqno, 0)),
            (false, Some(route)) if route.metric != INFINITY => {
                Some((route.router_id, route.seqno, route.metric))
            }
            _ => None,
        };
        let (router_id, seqno, metric) = match found {
            Some((id, seqno, metric)) => (Some(id), seqno, metric),
            None => (None, Seqno(0), INFINITY),
        };
        if let Some(id) = router_id {
            destination.note_announced(id, Distance { seqno, metric }, until);
        }
        destination.announced = metric;
        let interval = super::to_centiseconds(self.config.update_interval());
        // That of the station which sends it.
        let next_hop = None;
        let prefix = Some(prefix);
        Some(Tlv::Update(Update { prefix, router_id, next_hop, interval, seqno, metric, channels }))
    }

    /// The channels of the selected route to the prefix at `place`, where metrics ask for them.
    fn channels_of(&self, cx: &Context, place: usize) -> Channels {
        let diversity = self.config.diversity;
        let known = self.table.all.get(place).filter(|_| diversity != Diversity::None);
        let Some((known, neighbour)) = known.and_then(|known| Some((known, known.selected?)))
        else {
            return Channels::default();
        };
        let (channel, cost) = self.link_to(cx, neighbour);
        let cost = if diversity == Diversity::Wcett { cost } else { 0 };
        known.channels(neighbour).copied().unwrap_or_default().behind((channel, cost))
    }
}
