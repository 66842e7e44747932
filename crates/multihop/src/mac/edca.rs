//! EDCA: the enhanced distributed channel access of IEEE Std 802.11e-2005, with its four access
//! categories.
//!
//! Each category is a [`Dcf`](super::Dcf) with a timing of its own: what it waits beyond SIFS, and
//! its windows. They share the station's carrier sense, in which each has a backoff, and one more
//! DCF answers others' frames. If two backoffs run out at once, the higher category sends and the
//! lower one backs off as after a collision. A category with a TXOP limit sends further frames
//! after SIFS, without RTS, as long as each is acknowledged and an exchange still fits; its A-MPDUs
//! fit into a turn as well. A first frame that does not fit is sent all the same, alone.
//!
//! Duration fields cover an exchange, not the rest of a turn, and no CF-End ends one: both are left
//! to the station. Left out: admission control, direct links, acknowledgment policies other than
//! the normal one, lifetimes of packets in the queue.

use std::array;
use std::sync::Arc;

use super::access::{Access, Defers, Gathers};
use super::aggregation::{Room, Several};
use super::categories::{CATEGORIES, CategoriesConfig, Category, Classes};
use super::contention::Contention;
use super::context::MacContext;
use super::dcf::OneCategory;
use super::rates::RateControl;
use super::timing::Timing;
use crate::capture::State;
use crate::kernel::{Duration, Instant};
use crate::measure::{BackoffCounts, CategoryCounters, MacCounters};
use crate::wire::{Frame, FrameKind, NodeId, Packet};

/// The DCF of a category, or the one that answers.
type Dcf = super::Dcf<OneCategory>;

/// Which packets belong to which category, and each one's timing.
pub type ByClass = (Classes, Arc<[Timing; CATEGORIES]>);

/// One station's EDCA.
#[derive(Debug)]
pub struct Edca {
    classes: Classes,
    timings: Arc<[Timing; CATEGORIES]>,
    limits: [Duration; CATEGORIES],
    /// One a category.
    senders: [Dcf; CATEGORIES],
    /// Answers others.
    responder: Dcf,
    /// Lent to whoever is called.
    rates: Option<Box<RateControl>>,
    several: Several,
    /// Whose turn it is, or was last.
    turn: Category,
    /// When that turn ends at the latest.
    turn_end: Instant,
    /// `turn` has been chosen for the turn that begins: before A-MPDUs are put together, if there
    /// are any.
    is_chosen: bool,
    /// Categories whose backoffs ran out at the same time as that of a higher one.
    outdone: [bool; CATEGORIES],
    /// The last exchange of the turn went well, so that another may follow.
    may_go_on: bool,
    /// Another follows after the SIFS that is running.
    goes_on: bool,
    counters: [CategoryCounters; CATEGORIES],
}

impl Edca {
    /// That of an idle station, with these `timings` of its categories.
    pub fn new(
        station: NodeId,
        config: &CategoriesConfig,
        timings: &Arc<[Timing; CATEGORIES]>,
        classes: &Classes,
        rates: Option<RateControl>,
    ) -> Edca {
        let best_effort = &timings[Category::BestEffort.index()];
        Edca {
            classes: classes.clone(),
            timings: timings.clone(),
            limits: config.txop_limits(),
            senders: array::from_fn(|place| Dcf::new(station, &timings[place], None, None)),
            responder: Dcf::new(station, best_effort, None, None),
            rates: rates.map(Box::new),
            several: Several::default(),
            turn: Category::BestEffort,
            turn_end: Instant::ZERO,
            is_chosen: false,
            outdone: [false; CATEGORIES],
            may_go_on: false,
            goes_on: false,
            counters: Default::default(),
        }
    }

    /// The category that is in an exchange of its own, if one is.
    fn engaged(&self) -> Option<Category> {
        Category::ALL.into_iter().find(|category| self.senders[category.index()].is_engaged())
    }

    /// Calls the DCF of `category`, or the one that answers.
    fn with<R>(
        &mut self,
        category: Option<Category>,
        cx: &mut MacContext,
        call: impl FnOnce(&mut Dcf, &mut MacContext) -> R,
    ) -> R {
        let of_timing = category.unwrap_or_default();
        cx.contention.select(of_timing);
        let mut own = cx.under(&self.timings[of_timing.index()]);
        let dcf = match category {
            Some(category) => &mut self.senders[category.index()],
            None => &mut self.responder,
        };
        let before = shared(own.counters);
        dcf.swap_rates(&mut self.rates);
        let result = call(dcf, &mut own);
        dcf.swap_rates(&mut self.rates);
        if let Some(several) = dcf.several() {
            self.several.received.append(&mut several.received);
            self.several.given_up.append(&mut several.given_up);
            let due = several.hold_until.take();
            self.several.hold_until = self.several.hold_until.into_iter().chain(due).min();
        }
        if let Some(category) = category {
            let counted = &mut self.counters[category.index()];
            let after = shared(own.counters);
            let [data, aggregated, broadcast, dropped] = array::from_fn(|i| after[i] - before[i]);
            counted.data_sent += data;
            counted.aggregated_sent += aggregated;
            counted.broadcast_sent += broadcast;
            counted.retry_drops += dropped;
        }
        result
    }

    /// Lets the turn of `category` go on if it may.
    fn try_to_go_on(&mut self, cx: &mut MacContext, category: Category) {
        if !std::mem::take(&mut self.may_go_on) {
            return;
        }
        let end = self.turn_end;
        self.goes_on = self.with(Some(category), cx, |dcf, cx| dcf.go_on_until(cx, end));
    }

    /// Backoffs have expired: the highest category among theirs that has a packet has its turn.
    fn choose(&mut self, contention: &mut Contention, now: Instant) {
        self.is_chosen = true;
        self.outdone = contention.take_expired();
        for (outdone, dcf) in self.outdone.iter_mut().zip(&self.senders) {
            *outdone &= !dcf.is_free();
        }
        let Some(place) = self.outdone.iter().position(|&is_ready| is_ready) else { return };
        self.outdone[place] = false;
        self.turn = Category::ALL[place];
        let limit = self.limits[place];
        self.turn_end = now + limit;
        let limit = (limit > Duration::ZERO).then_some(limit);
        self.senders[place].limit_turn(&self.timings[place], limit);
    }

    /// The category of the packets in `frame`.
    fn category_in(&self, frame: &Frame) -> Category {
        frame.packets().next().map(|packet| self.classes.of(packet)).unwrap_or_default()
    }
}

/// What is counted of a category as well as of all stations.
fn shared(counters: &MacCounters) -> [u64; 4] {
    let MacCounters { data_sent, aggregated_sent, broadcast_sent, retry_drops, .. } = *counters;
    [data_sent, aggregated_sent, broadcast_sent, retry_drops]
}

impl Access for Edca {
    fn is_free(&self) -> bool {
        self.senders.iter().all(Dcf::is_free)
    }

    fn on_packet(&mut self, cx: &mut MacContext, next_hop: NodeId, packet: Packet) {
        let category = self.classes.of(&packet);
        self.with(Some(category), cx, |dcf, cx| dcf.on_packet(cx, next_hop, packet));
    }

    fn on_frame(&mut self, cx: &mut MacContext, frame: Frame) {
        let engaged = self.engaged();
        if let Some(category) = engaged {
            let is_last = self.senders[category.index()].awaits(frame.kind);
            self.may_go_on = is_last && self.limits[category.index()] > Duration::ZERO;
        } else if matches!(frame.kind, FrameKind::Data | FrameKind::Aggregate) {
            let category = self.category_in(&frame);
            self.responder.listen_to(category);
        }
        self.with(engaged, cx, |dcf, cx| dcf.on_frame(cx, frame));
        self.may_go_on &= cx.out.step;
    }

    fn on_timer(&mut self, cx: &mut MacContext) {
        let engaged = self.engaged();
        self.may_go_on = engaged.is_some_and(|category| {
            let place = category.index();
            self.senders[place].is_broadcasting() && self.limits[place] > Duration::ZERO
        });
        self.with(engaged, cx, |dcf, cx| dcf.on_timer(cx));
    }

    fn on_sifs(&mut self, cx: &mut MacContext) {
        let engaged = self.engaged();
        let goes_on = std::mem::take(&mut self.goes_on);
        self.with(engaged, cx, |dcf, cx| {
            if goes_on {
                dcf.waive_rts();
            }
            dcf.on_sifs(cx);
        });
    }

    fn on_turn(&mut self, cx: &mut MacContext) {
        if !self.is_chosen {
            self.choose(cx.contention, cx.now);
        }
        self.is_chosen = false;
        self.counters[self.turn.index()].turns += 1;
        self.with(Some(self.turn), cx, Dcf::on_turn);
        for category in Category::ALL {
            if std::mem::take(&mut self.outdone[category.index()]) {
                self.counters[category.index()].internal_collisions += 1;
                self.with(Some(category), cx, Dcf::on_internal_collision);
            }
        }
    }

    fn next_step(&mut self, cx: &mut MacContext) -> bool {
        let Some(category) = self.engaged() else {
            // An answer is over, or is to follow; whoever answers has no packets.
            if self.with(None, cx, Dcf::next_step) {
                self.with(None, cx, Dcf::end_step);
            }
            return false;
        };
        self.turn = category;
        let wants_packet = self.with(Some(category), cx, Dcf::next_step);
        if !wants_packet {
            self.try_to_go_on(cx, category);
        }
        wants_packet
    }

    fn end_step(&mut self, cx: &mut MacContext) {
        let category = self.turn;
        self.try_to_go_on(cx, category);
        self.with(Some(category), cx, Dcf::end_step);
    }

    fn wants(&self, packet: &Packet) -> bool {
        self.senders[self.classes.of(packet).index()].wants(packet)
    }

    fn data_packets(&self) -> u32 {
        self.senders.iter().map(Dcf::data_packets).sum()
    }

    fn delivered_payload_bytes(&self) -> u64 {
        self.senders.iter().map(Dcf::delivered_payload_bytes).sum()
    }

    fn state(&self) -> (State, u32, u32) {
        let busy = self.senders.iter().position(|dcf| !dcf.is_free());
        match (self.engaged(), busy) {
            (Some(category), _) => self.senders[category.index()].state(),
            (None, Some(place)) if !self.responder.is_engaged() => self.senders[place].state(),
            _ => self.responder.state(),
        }
    }

    fn backoffs(&self) -> BackoffCounts {
        let mut sum = BackoffCounts::default();
        self.senders.iter().for_each(|dcf| sum += dcf.backoffs());
        sum
    }

    fn rates(&self) -> Option<&RateControl> {
        self.rates.as_deref()
    }

    fn on_power(&mut self, neighbour: NodeId, power_w: f64) {
        if let Some(rates) = &mut self.rates {
            rates.on_heard(neighbour, power_w);
        }
    }

    fn category(&self) -> Option<Category> {
        Some(self.turn)
    }

    fn by_category(&self) -> Option<[CategoryCounters; CATEGORIES]> {
        let mut all = self.counters.clone();
        for (counters, dcf) in all.iter_mut().zip(&self.senders) {
            counters.delivered_bytes = dcf.delivered_payload_bytes();
        }
        Some(all)
    }
}

impl Defers for Edca {}

impl Gathers for Edca {
    fn goes_on(&self) -> bool {
        self.goes_on
    }

    fn room(&self, _: &Timing) -> Option<Room> {
        let place = self.turn.index();
        self.senders[place].room(&self.timings[place])
    }

    fn on_more(&mut self, packet: Packet) {
        self.senders[self.turn.index()].on_more(packet);
    }

    fn prepare(&mut self, _: &Timing) {
        let place = self.turn.index();
        self.senders[place].prepare(&self.timings[place]);
    }

    fn begin_gathering(&mut self, contention: &mut Contention, now: Instant) {
        if !self.goes_on {
            return self.choose(contention, now);
        }
        let place = self.turn.index();
        let left = self.turn_end.saturating_since(now);
        self.senders[place].waive_rts();
        self.senders[place].limit_turn(&self.timings[place], Some(left));
    }

    fn several(&mut self) -> Option<&mut Several> {
        Some(&mut self.several)
    }

    fn on_hold_over(&mut self, cx: &mut MacContext) {
        self.with(None, cx, Dcf::on_hold_over);
    }
}
