//! A DCF under a rule for its contention window.

use super::{Link, WindowRule, Windows};
use crate::capture::State;
use crate::mac::access::{Access, Defers, Gathers};
use crate::mac::context::MacContext;
use crate::mac::dcf::Dcf;
use crate::mac::rates::RateControl;
use crate::mac::timing::Timing;
use crate::measure::{BackoffCounts, PartCounts};
use crate::wire::{Frame, FrameKind, NodeId, Packet};

/// Where the scenario names the rule.
const KEY: &str = "mac.access";

/// One station's DCF whose windows follow a rule.
#[derive(Debug)]
pub struct Windowed {
    dcf: Dcf,
    rule: Box<dyn WindowRule>,
    /// The windows of the DCF.
    usual: Windows,
    /// The run's timing, with the windows of the moment.
    timing: Timing,
    /// The neighbour for which the last data packet was; none after a routing or ARP packet.
    link: Option<NodeId>,
    /// Data packets in the queue, by next hop.
    backlogs: Vec<(NodeId, u32)>,
    /// Packets that may yet follow in this turn.
    following: u32,
    /// The packet in service follows another of the same turn.
    is_following: bool,
    /// The exchange that is ending has delivered its packet.
    has_delivered: bool,
}

impl Windowed {
    /// The idle station whose DCF is `dcf`, under `rule`.
    pub fn new(dcf: Dcf, timing: &Timing, rule: Box<dyn WindowRule>) -> Windowed {
        Windowed {
            dcf,
            rule,
            usual: Windows::of(timing),
            timing: timing.clone(),
            link: None,
            backlogs: Vec::new(),
            following: 0,
            is_following: false,
            has_delivered: false,
        }
    }

    /// The link of the data packet in service, if one `is_serving`, or of the last one.
    fn link(&self, is_serving: bool) -> Option<Link> {
        let next_hop = self.link?;
        let queued = self.backlogs.iter().find(|(neighbour, _)| *neighbour == next_hop);
        let waiting = queued.map_or(0, |&(_, packets)| packets);
        Some(Link { next_hop, backlog: waiting + u32::from(is_serving) })
    }

    fn set_windows(&mut self, is_serving: bool) {
        let windows = match self.link(is_serving) {
            Some(link) => self.rule.windows(link, self.usual),
            None => self.usual,
        };
        (self.timing.cw_min, self.timing.cw_max) = (windows.least, windows.most);
    }

    /// Calls the DCF, with the windows of the moment.
    fn with<R>(
        &mut self,
        cx: &mut MacContext,
        call: impl FnOnce(&mut Dcf, &mut MacContext) -> R,
    ) -> R {
        self.set_windows(!self.dcf.is_free());
        self.call(cx, call)
    }

    /// Calls the DCF, with the windows as they are.
    fn call<R>(
        &mut self,
        cx: &mut MacContext,
        call: impl FnOnce(&mut Dcf, &mut MacContext) -> R,
    ) -> R {
        let mut own = MacContext {
            now: cx.now,
            timing: &self.timing,
            contention: cx.contention,
            rng: cx.rng,
            counters: cx.counters,
            admission: cx.admission,
            waiting: cx.waiting,
            payloads: cx.payloads,
            out: cx.out,
        };
        let result = call(&mut self.dcf, &mut own);
        if let Some(frame) = &cx.out.transmit
            && let (FrameKind::Data, Some(packet)) = (frame.kind, frame.packet())
            && packet.is_transport()
        {
            self.rule.on_sent(frame.receiver, packet);
        }
        result
    }
}

impl Access for Windowed {
    fn is_free(&self) -> bool {
        self.dcf.is_free()
    }

    fn on_packet(&mut self, cx: &mut MacContext, next_hop: NodeId, packet: Packet) {
        let link = (packet.is_transport() && !next_hop.is_broadcast()).then_some(next_hop);
        let is_same = link.is_some() && link == self.link;
        let has_delivered = std::mem::take(&mut self.has_delivered);
        self.is_following = has_delivered && is_same && self.following > 0;
        self.following = self.following.saturating_sub(1);
        // The backoff after the last exchange has yet to begin.
        let is_drawn = self.dcf.is_engaged() && cx.contention.is_backing_off();
        self.link = link;
        self.set_windows(true);
        self.dcf.contend_from(self.timing.cw_min);
        self.call(cx, |dcf, cx| dcf.on_packet(cx, next_hop, packet));
        if is_drawn {
            let follows = self.is_following;
            self.call(cx, |dcf, cx| dcf.draw_again(cx, follows));
        }
    }

    fn on_frame(&mut self, cx: &mut MacContext, frame: Frame) {
        self.has_delivered = self.dcf.awaits(frame.kind);
        self.with(cx, |dcf, cx| dcf.on_frame(cx, frame));
    }

    fn on_timer(&mut self, cx: &mut MacContext) {
        self.with(cx, Dcf::on_timer);
    }

    fn on_sifs(&mut self, cx: &mut MacContext) {
        self.with(cx, Dcf::on_sifs);
    }

    fn on_turn(&mut self, cx: &mut MacContext) {
        if !std::mem::take(&mut self.is_following) {
            let packets = self.link(true).map_or(1.0, |link| self.rule.packets_a_turn(link));
            let whole = packets.floor();
            // The mean is met by chance where it is no whole number.
            let one_more = packets > whole && cx.rng.unit() < packets - whole;
            self.following = whole as u32 - 1 + u32::from(one_more);
        }
        self.with(cx, Dcf::on_turn);
    }

    fn next_step(&mut self, cx: &mut MacContext) -> bool {
        self.with(cx, Dcf::next_step)
    }

    fn end_step(&mut self, cx: &mut MacContext) {
        self.has_delivered = false;
        self.with(cx, Dcf::end_step);
    }

    fn wants(&self, packet: &Packet) -> bool {
        self.dcf.wants(packet)
    }

    fn data_packets(&self) -> u32 {
        self.dcf.data_packets()
    }

    fn delivered_payload_bytes(&self) -> u64 {
        self.dcf.delivered_payload_bytes()
    }

    fn state(&self) -> (State, u32, u32) {
        self.dcf.state()
    }

    fn backoffs(&self) -> BackoffCounts {
        self.dcf.backoffs()
    }

    fn rates(&self) -> Option<&RateControl> {
        self.dcf.rates()
    }

    fn order_rate(&mut self, most_bps: f64) {
        self.dcf.order_rate(most_bps);
    }

    fn on_power(&mut self, neighbour: NodeId, power_w: f64) {
        self.dcf.on_power(neighbour, power_w);
    }

    fn on_backlog(&mut self, waiting: &mut dyn Iterator<Item = (NodeId, &Packet)>) {
        self.backlogs.clear();
        for (next_hop, _) in waiting.filter(|(_, packet)| packet.is_transport()) {
            match self.backlogs.iter_mut().find(|(neighbour, _)| *neighbour == next_hop) {
                Some((_, packets)) => *packets += 1,
                None => self.backlogs.push((next_hop, 1)),
            }
        }
    }

    fn report(&self, parts: &mut PartCounts) {
        self.rule.report(parts.of(KEY, self.rule.name()));
    }
}

impl Defers for Windowed {
    fn on_overheard(&mut self, _: &mut MacContext, frame: &Frame) {
        if let (FrameKind::Data, Some(packet)) = (frame.kind, frame.packet()) {
            self.rule.on_overheard(frame.transmitter, packet);
        }
    }
}

impl Gathers for Windowed {}
