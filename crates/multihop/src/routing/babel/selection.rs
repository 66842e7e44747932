//! Route selection (section 3.6, appendix A.3), and what is told at once of its outcome (section
//! 3.7.2).

use super::Babel;
use super::address::RouterId;
use super::routes::Tick;
use super::seqno::INFINITY;
use crate::routing::Context;

impl Babel {
    /// Selects a route to the prefix at `place`, after something about its routes has changed.
    pub(super) fn select(&mut self, cx: &mut Context, place: usize) {
        let Some(destination) = self.table.all.get(place) else { return };
        let before = destination.selected().map(|route| route.router_id);
        self.select_from(cx, place, before);
    }

    /// The same, where the route so far was of the router `before`.
    pub(super) fn select_from(&mut self, cx: &mut Context, place: usize, before: Option<RouterId>) {
        let constant = self.config.smoothing_s();
        let Some(destination) = self.table.all.get_mut(place) else { return };
        let best = destination.best(Tick::at(cx.now), constant);
        let found = best.map(|route| (route.neighbour, route.router_id, route.metric));
        let asks_at = best.map(|route| route.expires.before(u32::from(route.interval) / 2));
        let neighbour = found.map(|(neighbour, ..)| neighbour);
        let is_changed = destination.selected != neighbour;
        let announced = destination.announced;
        destination.selected = neighbour;
        self.counts.route_changes += u64::from(is_changed);
        if let Some(at) = asks_at.filter(|_| is_changed) {
            self.look_at_by(cx, place, at);
        }
        match (before, found) {
            (None, None) => {}
            (Some(lost), None) => self.on_loss(cx, place, lost),
            (_, Some((_, router_id, _))) if before != Some(router_id) => {
                // A first route endangers nobody: one copy is enough.
                let copies = if before.is_some() { self.config.urgent_copies } else { 1 };
                let delay = self.urgent_delay(cx);
                self.announce(cx, place, copies, delay);
            }
            (_, Some((_, _, metric))) => {
                if metric.abs_diff(announced) >= self.config.significant_change {
                    let delay = self.usual_delay(cx);
                    self.announce(cx, place, 1, delay);
                }
            }
        }
    }

    /// The last route to the prefix at `place`, originated by `lost`, is gone.
    fn on_loss(&mut self, cx: &mut Context, place: usize, lost: RouterId) {
        self.counts.routes_lost += 1;
        let copies = self.config.urgent_copies;
        let delay = self.urgent_delay(cx);
        self.announce(cx, place, copies, delay);
        let Some(destination) = self.table.all.get(place) else { return };
        let starves = destination.routes.iter().any(|route| route.metric != INFINITY);
        if let Some(node) = self.node_of_prefix(&destination.prefix) {
            cx.report_broken_route(node);
        }
        // Routes are left, but none that is known to be loop-free (section 3.8.2.1).
        if starves {
            self.request_seqno(cx, place, lost, None);
        }
    }
}
