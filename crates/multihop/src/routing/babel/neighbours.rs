//! Neighbours: Hellos and IHUs, and the costs that follow (sections 3.4.1 to 3.4.3).

use super::address::{Address, interface};
use super::cost::PERFECT;
use super::history::{Heard, History, centiseconds};
use super::seqno::INFINITY;
use super::tlv::{Centiseconds, Hello, Tlv};
use super::{Babel, NEIGHBOUR};
use crate::kernel::{Duration, Instant, seconds};
use crate::routing::metric::Link;
use crate::routing::{Context, Timer};
use crate::wire::NodeId;

/// What is kept of a neighbour (section 3.2.4).
#[derive(Clone, Debug)]
pub struct Known {
    /// Its Multicast Hellos.
    multicast: History,
    /// Its Unicast Hellos.
    unicast: History,
    /// What it says that it costs to hear us.
    txcost: u16,
    /// Until when that counts.
    txcost_until: Instant,
    /// The cost of the link to it.
    pub cost: u16,
    /// Hellos of ours since the last IHU for it.
    hellos_since_ihu: u8,
    /// When the timer about it expires.
    armed: Instant,
}

impl Default for Known {
    fn default() -> Self {
        Known {
            multicast: History::default(),
            unicast: History::default(),
            txcost: INFINITY,
            txcost_until: Instant::ZERO,
            cost: INFINITY,
            hellos_since_ihu: u8::MAX,
            armed: Instant::FAR,
        }
    }
}

impl Known {
    /// When its histories are empty unless another Hello comes.
    fn empties_at(&self) -> Option<Instant> {
        let at = |history: &History| history.empties_at();
        at(&self.multicast).max(at(&self.unicast))
    }

    /// When something about it changes with time alone.
    fn due(&self) -> Instant {
        let ihu = if self.txcost == INFINITY { None } else { Some(self.txcost_until) };
        [self.multicast.due, self.unicast.due, ihu]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(Instant::FAR)
    }
}

impl Babel {
    /// A Hello of `from` has come.
    pub(super) fn on_hello(&mut self, cx: &mut Context, from: NodeId, hello: &Hello) {
        self.counts.hellos_received += 1;
        // Without a scheduled Hello, as if it had our interval.
        let least = cx.now + seconds(self.config.hello_interval_s) * 33 / 2;
        let was_known = self.neighbours.get(cx.now, from).is_some();
        let known = self.neighbours.hear(cx.now, from, least);
        let mut is_restarted = false;
        let history = |known: &mut Known| match hello.is_unicast {
            true => known.unicast.hear(cx.now, hello),
            false => known.multicast.hear(cx.now, hello),
        };
        if history(known) == Heard::Restarted {
            *known = Known { armed: known.armed, ..Known::default() };
            history(known);
            is_restarted = true;
        }
        if let Some(until) = known.empties_at() {
            self.neighbours.hear(cx.now, from, until);
        }
        if is_restarted || !was_known {
            self.forget_routes_of(cx, from);
        }
        self.assess(cx, from);
    }

    /// `from` says at which cost it hears `address`, or whom the packet is for.
    pub(super) fn on_ihu(
        &mut self,
        cx: &mut Context,
        from: NodeId,
        (address, rxcost, interval): (Option<Address>, u16, Centiseconds),
    ) {
        if address.is_some_and(|address| address != Address::link_local(interface(cx.address()))) {
            return;
        }
        let hold = centiseconds(interval).as_secs_f64() * self.config.ihu_hold_intervals;
        let Some(known) = self.neighbours.get_mut(cx.now, from) else { return };
        known.txcost = rxcost;
        known.txcost_until = cx.now + Duration::from_secs_f64(hold);
        self.assess(cx, from);
    }

    /// The time has come at which something about `neighbour` may change.
    pub(super) fn on_neighbour_timer(&mut self, cx: &mut Context, neighbour: NodeId) {
        let Some(known) = self.neighbours.get_mut(cx.now, neighbour) else {
            return self.drop_silent(cx);
        };
        if cx.now < known.armed {
            return;
        }
        known.armed = Instant::FAR;
        while known.multicast.miss(cx.now) || known.unicast.miss(cx.now) {}
        if known.txcost_until <= cx.now {
            known.txcost = INFINITY;
        }
        self.assess(cx, neighbour);
    }

    /// Forgets the neighbours of whom no Hello has come for so long that none is remembered.
    pub(super) fn drop_silent(&mut self, cx: &mut Context) {
        for (neighbour, _) in self.neighbours.expire(cx.now) {
            self.counts.neighbours_lost += 1;
            self.forget_routes_of(cx, neighbour);
        }
    }

    /// Works out the cost of the link to `neighbour`, has the routes over it follow, and sets the
    /// timer for the next change.
    fn assess(&mut self, cx: &mut Context, neighbour: NodeId) {
        let costs = self.config.costs(cx.stations.is_wire(neighbour));
        let Some(known) = self.neighbours.get_mut(cx.now, neighbour) else { return };
        let rxcost = costs.rxcost(&known.multicast, &known.unicast);
        let usual = costs.cost(rxcost, known.txcost);
        let link = || Link {
            sender: cx.node,
            receiver: cx.stations.node(neighbour),
            received: f64::from(known.multicast.came(costs.window)) / f64::from(costs.window),
            delivered: Some(f64::from(PERFECT) / f64::from(known.txcost.max(PERFECT))),
            airtime: None,
            usual: usual.into(),
        };
        let told = match usual {
            INFINITY => None,
            _ => self.metric.cost(cx.now, usual.into(), link),
        };
        // A cost is positive (section 3.4.3).
        let cost = told.map_or(INFINITY, |cost| cost.clamp(1, u32::from(INFINITY) - 1) as u16);
        let before = std::mem::replace(&mut known.cost, cost);
        let due = known.due();
        if due < known.armed {
            known.armed = due;
            cx.set_timer(Timer::about(NEIGHBOUR, neighbour), due);
        }
        if before == cost {
            return;
        }
        self.on_cost_change(cx, neighbour);
        if before == INFINITY {
            // What it knows comes sooner than with its next update of all routes (section 3.8.2).
            let deadline = self.urgent_delay(cx);
            self.send_to(cx, neighbour, Tlv::RouteRequest { prefix: None }, deadline);
        }
    }

    /// The cost of the link to `neighbour`.
    pub(super) fn cost_of(&self, now: Instant, neighbour: NodeId) -> u16 {
        self.neighbours.get(now, neighbour).map_or(INFINITY, |neighbour| neighbour.known.cost)
    }

    /// The IHUs that go with the next Hello, each by the interface of its neighbour: for one whose
    /// last Hellos all came with every third only (appendix B).
    pub(super) fn ihus(&mut self, cx: &Context) -> Vec<(Option<NodeId>, Tlv)> {
        let every = self.config.ihu_interval_hellos;
        let interval = self.ihu_interval();
        let mut ihus = Vec::new();
        for (neighbour, known) in self.neighbours.current_mut(cx.now) {
            known.hellos_since_ihu = known.hellos_since_ihu.saturating_add(1);
            let costs = self.config.costs(cx.stations.is_wire(neighbour));
            if known.hellos_since_ihu < every && costs.is_lossless(&known.multicast) {
                continue;
            }
            known.hellos_since_ihu = 0;
            let address = Some(Address::link_local(interface(neighbour)));
            let rxcost = costs.rxcost(&known.multicast, &known.unicast);
            let station = cx.stations.peer(neighbour, cx.node);
            ihus.push((station, Tlv::Ihu { address, rxcost, interval }));
        }
        ihus
    }

    fn ihu_interval(&self) -> Centiseconds {
        let hello = super::to_centiseconds(seconds(self.config.hello_interval_s));
        hello.saturating_mul(self.config.ihu_interval_hellos.into())
    }
}
