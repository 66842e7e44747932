//! DSDV: destination-sequenced distance vectors (C. Perkins, P. Bhagwat: "Highly Dynamic
//! Destination-Sequenced Distance-Vector Routing (DSDV) for Mobile Computers", SIGCOMM 1994).
//!
//! Every node tells its neighbours its routes periodically, and what has changed soon after. A
//! route has the number that its destination gave it; the newer number wins, then the shorter route.
//!
//! Deviation: routes have no hardware addresses and are not taken out once broken.

mod config;
pub mod message;
mod scheme;
pub mod table;

use std::collections::VecDeque;
use std::sync::Arc;

pub use config::DsdvConfig;
pub use scheme::DsdvReport;

use self::message::{MOST_ROUTES, Told, Update};
use self::table::{Effect, Settling, Table, is_newer};
use super::neighbour_table::NeighbourTable;
use super::relaying::{give_up, originated, relayed};
use super::{Context, DropReason, Protocol, Timer};
use crate::kernel::{Duration, Instant};
use crate::profile::Profile;
use crate::wire::{Body, Extension, IP_HEADER_BYTES, NodeId, Packet};

/// Timer: the next full update.
const FULL: &str = "full-update";
/// Timer: what has changed may be told.
const CHANGES: &str = "changes";

/// DSDV on one node.
#[derive(Debug)]
pub struct Dsdv {
    node: NodeId,
    config: Arc<DsdvConfig>,
    profile: Profile,
    table: Table,
    neighbours: NeighbourTable<()>,
    /// This node's own number.
    sequence: u32,
    /// Own number to be told, since others believed this node out of reach.
    is_contradicted: bool,
    /// When changes were told last, and when they are told next.
    told: Instant,
    tells_at: Instant,
    waiting: VecDeque<Packet>,
    /// What the node did.
    pub counts: DsdvReport,
}

impl Dsdv {
    /// DSDV on `node`.
    pub fn new(node: NodeId, config: &Arc<DsdvConfig>, profile: Profile) -> Dsdv {
        Dsdv {
            node,
            config: Arc::clone(config),
            profile,
            table: Table::default(),
            neighbours: NeighbourTable::default(),
            sequence: 0,
            is_contradicted: false,
            told: Instant::ZERO,
            tells_at: Instant::FAR,
            waiting: VecDeque::new(),
            counts: DsdvReport::default(),
        }
    }

    /// The node's routes.
    pub fn table(&self) -> &Table {
        &self.table
    }

    fn settling(&self) -> Settling {
        Settling {
            initial: Duration::from_secs_f64(self.config.settling_time_s),
            weight: self.config.settling_weight,
            sequence_is_news: self.config.triggers_on_sequence,
        }
    }

    fn on_update(&mut self, cx: &mut Context, update: &Update, from: NodeId) {
        let life = self.config.update_interval_s * f64::from(self.config.missed_updates);
        self.neighbours.hear(cx.now, from, cx.now + Duration::from_secs_f64(life));
        for told in &update.routes {
            if told.destination == self.node {
                if told.hops.is_none() && is_newer(told.sequence, self.sequence) {
                    self.sequence = told.sequence.wrapping_add(1);
                    self.is_contradicted = true;
                }
                continue;
            }
            match self.table.hear(cx.now, from, told, self.settling()) {
                Effect::Changed => self.counts.route_changes += 1,
                Effect::None | Effect::Renewed | Effect::Contradicted => {}
            }
        }
        self.send_waiting(cx);
        self.plan_changes(cx);
    }

    /// Sees to it that what is news is told as soon as it may be.
    fn plan_changes(&mut self, cx: &mut Context) {
        let news = self.table.routes().filter(|(_, route)| route.is_news);
        let own = self.is_contradicted.then_some(cx.now);
        let Some(first) = news.map(|(_, route)| route.tell_at).chain(own).min() else { return };
        let spacing = Duration::from_secs_f64(self.config.trigger_spacing_s);
        let at = first.max(self.told + spacing).max(cx.now);
        if at < self.tells_at {
            self.tells_at = at;
            cx.set_timer(Timer::of(CHANGES), at);
        }
    }

    fn tell_changes(&mut self, cx: &mut Context) {
        self.tells_at = Instant::FAR;
        let own = std::mem::take(&mut self.is_contradicted);
        self.tell(cx, own, |route, now| route.is_news && route.tell_at <= now);
        self.plan_changes(cx);
    }

    /// All routes that have settled, and this node's own with its next number.
    fn tell_all(&mut self, cx: &mut Context) {
        self.lose_silent_neighbours(cx);
        self.sequence = self.sequence.wrapping_add(2);
        self.is_contradicted = false;
        self.tell(cx, true, |route, now| route.tell_at <= now);
        let spread =
            Duration::from_secs_f64(self.config.update_interval_s * self.config.update_jitter);
        let jitter = cx.rng.duration_below(spread);
        let interval = Duration::from_secs_f64(self.config.update_interval_s);
        cx.set_timer(Timer::of(FULL), cx.now + interval.saturating_sub(jitter));
    }

    fn tell(
        &mut self,
        cx: &mut Context,
        with_own: bool,
        chosen: impl Fn(&table::Route, Instant) -> bool,
    ) {
        let now = cx.now;
        let own = Told { destination: self.node, hops: Some(0), sequence: self.sequence };
        let mut routes: Vec<Told> = with_own.then_some(own).into_iter().collect();
        for (destination, route) in self.table.routes_mut().filter(|(_, route)| chosen(route, now))
        {
            route.is_news = false;
            routes.push(Told { destination, hops: route.hops, sequence: route.sequence });
        }
        self.told = if routes.is_empty() { self.told } else { now };
        for routes in routes.chunks(MOST_ROUTES) {
            let update = Update { routes: routes.to_vec(), is_full: with_own };
            let bytes = update.bytes();
            self.counts.full_updates_sent += u64::from(with_own);
            self.counts.changes_sent += u64::from(!with_own);
            cx.broadcast(Extension::new(update), bytes);
        }
    }

    fn lose_silent_neighbours(&mut self, cx: &mut Context) {
        for (neighbour, ()) in self.neighbours.expire(cx.now) {
            self.lose(cx, neighbour);
        }
    }

    fn lose(&mut self, cx: &mut Context, neighbour: NodeId) {
        let lost = self.table.lose(cx.now, neighbour).len();
        self.counts.route_changes += lost as u64;
        self.counts.broken_links += u64::from(lost > 0);
        self.plan_changes(cx);
    }

    fn forward(&mut self, cx: &mut Context, packet: Packet) {
        match self.table.next_hop(packet.destination) {
            Some(next_hop) => cx.send(packet, next_hop, Duration::ZERO),
            None => self.wait(cx, packet),
        }
    }

    /// Keeps `packet` until there is a route; the oldest for its destination gives way.
    fn wait(&mut self, cx: &mut Context, packet: Packet) {
        let same = |one: &Packet| one.destination == packet.destination;
        let kept = self.waiting.iter().filter(|one| same(one)).count();
        if self.config.buffer_packets == 0 {
            cx.drop(packet, DropReason::NoRoute);
            return;
        }
        if kept >= self.config.buffer_packets
            && let Some(oldest) = self.waiting.iter().position(same)
            && let Some(oldest) = self.waiting.remove(oldest)
        {
            cx.drop(oldest, DropReason::BufferFull);
        }
        self.waiting.push_back(packet);
    }

    fn send_waiting(&mut self, cx: &mut Context) {
        for packet in std::mem::take(&mut self.waiting) {
            match self.table.next_hop(packet.destination) {
                Some(next_hop) => cx.send(packet, next_hop, Duration::ZERO),
                None => self.waiting.push_back(packet),
            }
        }
    }
}

impl Protocol for Dsdv {
    fn may_overhear(&self) -> bool {
        false
    }

    fn waiting_packets(&self) -> usize {
        self.waiting.len()
    }

    /// The first update comes within two seconds, as those of ns-2.35 do.
    fn on_start(&mut self, cx: &mut Context) {
        let first = cx.rng.duration_below(Duration::from_secs(2));
        cx.set_timer(Timer::of(FULL), cx.now + first);
    }

    /// In ns-2 a TCP segment, which has its IP header, is given another.
    fn on_send(&mut self, cx: &mut Context, packet: Packet) {
        let mut packet = originated(packet);
        if self.profile == Profile::Ns2 && matches!(packet.body, Body::Tcp(_)) {
            packet.size_bytes += IP_HEADER_BYTES;
        }
        self.forward(cx, packet);
    }

    fn on_receive(&mut self, cx: &mut Context, packet: Packet, from: NodeId) {
        if let Body::Routing(message) = &packet.body {
            if let Some(update) = message.get::<Update>() {
                self.on_update(cx, update, from);
            }
            return;
        }
        match relayed(cx, packet) {
            Ok(packet) => self.forward(cx, packet),
            Err(_) => self.counts.loops_seen += 1,
        }
    }

    fn on_link_failure(&mut self, cx: &mut Context, packet: Packet, next_hop: NodeId) {
        if self.config.link_layer_notification {
            self.lose(cx, next_hop);
        }
        give_up(cx, packet);
    }

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) {
        match timer.kind {
            FULL => self.tell_all(cx),
            CHANGES if cx.now >= self.tells_at => self.tell_changes(cx),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
