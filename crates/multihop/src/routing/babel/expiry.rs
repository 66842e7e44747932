//! What ends with time: routes (section 3.5.3) and sources (section 3.7.3). A prefix is looked at
//! when the first of its own may end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::history::centiseconds;
use super::routes::Tick;
use super::seqno::INFINITY;
use super::tlv::Tlv;
use super::{Babel, EXPIRY};
use crate::kernel::{Duration, Instant};
use crate::routing::{Context, Timer};

/// When prefixes have to be looked at.
#[derive(Debug)]
pub struct Schedule {
    /// The time and the prefix's place. Those whose time is not the prefix's own any more are
    /// stale.
    waiting: BinaryHeap<Reverse<(Tick, u32)>>,
    /// When the timer expires.
    armed: Instant,
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule { waiting: BinaryHeap::new(), armed: Instant::FAR }
    }
}

impl Babel {
    /// The prefix at `place` has to be looked at by `at`.
    pub(super) fn look_at_by(&mut self, cx: &mut Context, place: usize, at: Tick) {
        let Some(destination) = self.table.all.get_mut(place) else { return };
        if at >= destination.due {
            return;
        }
        destination.due = at;
        self.schedule.waiting.push(Reverse((at, place as u32)));
        self.arm(cx);
    }

    fn arm(&mut self, cx: &mut Context) {
        let Some(Reverse((at, _))) = self.schedule.waiting.peek() else { return };
        let at = at.instant().max(cx.now);
        if at < self.schedule.armed {
            self.schedule.armed = at;
            cx.set_timer(Timer::of(EXPIRY), at);
        }
    }

    /// Looks at the prefixes whose time has come.
    pub(super) fn on_expiry_timer(&mut self, cx: &mut Context) {
        if cx.now < self.schedule.armed {
            return;
        }
        self.schedule.armed = Instant::FAR;
        let now = Tick::at(cx.now);
        while let Some(&Reverse((at, place))) = self.schedule.waiting.peek()
            && at <= now
        {
            self.schedule.waiting.pop();
            let place = place as usize;
            if let Some(destination) = self.table.all.get_mut(place)
                && destination.due == at
            {
                destination.due = Tick::NEVER;
                self.expire(cx, place, now);
            }
        }
        self.arm(cx);
    }

    fn expire(&mut self, cx: &mut Context, place: usize, now: Tick) {
        let expiry = self.config.route_expiry_intervals;
        let constant = self.config.smoothing_s();
        let Some(destination) = self.table.all.get_mut(place) else { return };
        let mut has_expired = false;
        destination.routes.retain_mut(|route| {
            if route.expires > now {
                return true;
            }
            has_expired = true;
            let is_over = route.advertised == INFINITY;
            route.advertised = INFINITY;
            route.set_metric(now, INFINITY, constant);
            let hold = centiseconds(route.interval).as_secs_f64() * expiry;
            route.expires = now.after(Duration::from_secs_f64(hold));
            !is_over
        });
        if has_expired {
            destination.forget_channels();
        }
        destination.sources.retain(|source| source.until > now);
        // A route in use that is about to expire is asked for (section 3.8.2.3).
        let asks_at = |interval: u16, expires: Tick| expires.before(u32::from(interval) / 2);
        let selected = destination.selected().filter(|route| route.advertised != INFINITY);
        let asked = selected.map(|route| (route.neighbour, asks_at(route.interval, route.expires)));
        let prefix = destination.prefix;
        let routes = destination.routes.iter().map(|route| route.expires);
        let sources = destination.sources.iter().map(|source| source.until);
        let ask = asked.map(|(_, at)| at).filter(|at| *at > now);
        let next = routes.chain(sources).chain(ask).min().unwrap_or(Tick::NEVER);
        if let Some((neighbour, _)) = asked.filter(|(_, at)| *at <= now) {
            let delay = self.urgent_delay(cx);
            self.send_to(cx, neighbour, Tlv::RouteRequest { prefix: Some(prefix) }, delay);
        }
        self.look_at_by(cx, place, next);
        if has_expired {
            self.select(cx, place);
        }
    }
}
