//! Path requests (IEEE Std 802.11-2012 section 13.10.9), and the searches that send them.

use super::frames::{MeshFrame, Prep, Preq};
use super::table::Offer;
use super::{Action, DISCOVERY, Discovery, DropReason, Hwmp, RootMode, config, of_tu, over};
use crate::kernel::Duration;
use crate::routing::{Context, Timer};
use crate::wire::NodeId;
use crate::wire::aodv::SequenceNumber;

impl Hwmp {
    /// Seeks a path to `destination`, unless that is being done.
    pub(super) fn search(&mut self, cx: &mut Context, destination: NodeId) {
        if self.discoveries.contains_key(&destination) {
            return;
        }
        cx.actions.push(Action::Discovery { destination });
        self.discoveries.insert(destination, Discovery { tries: 0, due: cx.now });
        self.ask(cx, destination);
    }

    /// Sends a PREQ for `destination`, at once or as soon as it may leave.
    fn ask(&mut self, cx: &mut Context, destination: NodeId) {
        let spacing = Duration::from_secs_f64(self.config.preq_min_interval_s);
        let earliest = self.last_preq.1.map_or(cx.now, |last| (last + spacing).max(cx.now));
        let Some(discovery) = self.discoveries.get_mut(&destination) else { return };
        let at = if earliest > cx.now {
            earliest
        } else {
            discovery.tries += 1;
            // There and back again.
            cx.now + Duration::from_secs_f64(2.0 * self.config.net_diameter_traversal_time_s)
        };
        discovery.due = at;
        cx.set_timer(Timer::about(DISCOVERY, destination), at);
        if earliest == cx.now {
            self.paths.lapse(cx.now, destination);
            self.request(cx, destination, self.config.target_only, None);
        }
    }

    /// A PREQ for `destination` may leave, or nobody has answered the last one.
    pub(super) fn on_discovery(&mut self, cx: &mut Context, destination: NodeId) {
        let Some(discovery) = self.discoveries.get(&destination) else { return };
        if cx.now < discovery.due {
            return;
        }
        if discovery.tries <= self.config.max_preq_retries {
            self.ask(cx, destination);
            return;
        }
        self.discoveries.remove(&destination);
        self.counts.discoveries_failed += 1;
        for packet in self.take_waiting(destination) {
            cx.drop(packet, DropReason::NoRoute);
        }
        cx.report_broken_route(destination);
    }

    /// Seeks a better path to `destination`, which data go to, if the time has come (case C).
    pub(super) fn maintain(&mut self, cx: &mut Context, destination: NodeId) {
        let interval = Duration::from_secs_f64(self.config.maintenance_interval_s);
        if interval == Duration::ZERO || self.paths.active(cx.now, destination).is_none() {
            return;
        }
        let due = *self.maintained.entry(destination).or_insert(cx.now + interval);
        if cx.now >= due {
            self.maintained.insert(destination, cx.now + interval);
            self.request(cx, destination, true, None);
        }
    }

    /// Originates a PREQ for `target`: to all, or to peer `only` on the way to a root.
    pub(super) fn request(
        &mut self,
        cx: &mut Context,
        target: NodeId,
        target_only: bool,
        only: Option<NodeId>,
    ) {
        self.sequence = self.sequence.plus(1);
        self.last_preq = (self.last_preq.0.wrapping_add(1), Some(cx.now));
        let is_for_all = target.is_broadcast();
        let life_s = match is_for_all || only.is_some() {
            true => self.config.active_path_to_root_timeout_s,
            false => self.config.active_path_timeout_s,
        };
        match is_for_all {
            true => self.counts.proactive_preqs_originated += 1,
            false => self.counts.preqs_originated += 1,
        }
        let preq = Preq {
            is_individual: only.is_some(),
            wants_prep: is_for_all && self.config.root_mode == RootMode::PreqWithPrep,
            hops: 0,
            ttl: self.config.net_diameter,
            id: self.last_preq.0,
            originator: self.node,
            sequence: self.sequence,
            lifetime_tu: config::tu(life_s),
            metric: 0,
            target,
            target_only,
            target_sequence: self.paths.known(target).and_then(|path| path.sequence),
        };
        let to = only.unwrap_or(NodeId::BROADCAST);
        self.send(cx, MeshFrame::Preq(preq), to, Duration::ZERO);
    }

    /// Section 13.10.9.4.
    pub(super) fn on_preq(&mut self, cx: &mut Context, preq: &Preq, from: NodeId, link: u32) {
        if preq.originator == self.node {
            return;
        }
        self.meet(cx, from, link);
        let offer = Offer {
            destination: preq.originator,
            next_hop: from,
            sequence: preq.sequence,
            metric: over(link, preq.metric),
            hops: preq.hops.saturating_add(1),
            until: cx.now + of_tu(preq.lifetime_tu),
        };
        if !self.paths.take(cx.now, &offer) {
            return;
        }
        self.send_waiting(cx, preq.originator);
        if preq.target == self.node {
            // Its number becomes newer than all that is known of it.
            let known = preq.target_sequence.unwrap_or(self.sequence);
            self.sequence = self.sequence.newer(known).plus(1);
            self.reply(cx, preq, 0, 0, self.sequence);
            return;
        }
        if preq.target.is_broadcast() && preq.wants_prep {
            self.tell_root(cx, preq.originator);
        }
        let answers = !preq.target_only && self.answer_for(cx, preq);
        // Who answers for another lets nobody else do so (case G).
        self.pass_on(cx, preq, &offer, preq.target_only || answers);
    }

    fn pass_on(&mut self, cx: &mut Context, preq: &Preq, offer: &Offer, target_only: bool) {
        if preq.ttl <= 1 {
            return;
        }
        let to = match preq.is_individual {
            false => Some(NodeId::BROADCAST),
            true => self.next_to_root(cx.now, preq.target),
        };
        let Some(to) = to else { return };
        let preq = Preq {
            hops: offer.hops,
            ttl: preq.ttl - 1,
            metric: offer.metric,
            target_only,
            ..preq.clone()
        };
        let delay = if to.is_broadcast() { self.jitter(cx) } else { Duration::ZERO };
        self.counts.preqs_forwarded += 1;
        self.send(cx, MeshFrame::Preq(preq), to, delay);
    }

    /// Answers for the target if this node has a path that is new enough (case C of section
    /// 13.10.10.3). Whether it has.
    fn answer_for(&mut self, cx: &mut Context, preq: &Preq) -> bool {
        let Some(path) = self.paths.active(cx.now, preq.target) else { return false };
        let Some(sequence) = path.sequence else { return false };
        let is_older = preq.target_sequence.is_some_and(|known| known.is_newer_than(sequence));
        let (hops, metric, next_hop) = (path.hops, path.metric, path.next_hop);
        // A path over the originator's own way would lead it back.
        let back = self.paths.active(cx.now, preq.originator).map(|path| path.next_hop);
        if is_older || back == Some(next_hop) {
            return false;
        }
        self.counts.intermediate_preps += 1;
        if let Some(back) = back {
            self.paths.add_precursor(preq.target, back);
            self.paths.add_precursor(preq.originator, next_hop);
        }
        self.reply(cx, preq, hops, metric, sequence);
        true
    }

    /// Answers `preq` with a path to its target.
    fn reply(
        &mut self,
        cx: &mut Context,
        preq: &Preq,
        hops: u8,
        metric: u32,
        target_sequence: SequenceNumber,
    ) {
        let prep = Prep {
            hops,
            ttl: self.config.net_diameter,
            target: preq.target,
            target_sequence,
            lifetime_tu: preq.lifetime_tu,
            metric,
            originator: preq.originator,
            sequence: preq.sequence,
        };
        self.originate_prep(cx, prep);
    }
}
