//! A DCF under a rule for its contention window.

use super::rule::{Link, WindowRule, Windows};
use crate::capture::State;
use crate::mac::access::{Access, Defers, Gathers};
use crate::mac::context::MacContext;
use crate::mac::dcf::UnderRule;
use crate::mac::rates::RateControl;
use crate::mac::timing::Timing;
use crate::measure::{BackoffCounts, PartCounts};
use crate::wire::{Frame, FrameKind, NodeId, Packet};

/// Where the scenario names the rule.
const KEY: &str = "mac.access";

/// The DCF under the rule.
type Dcf = crate::mac::Dcf<UnderRule>;

/// One station's DCF whose windows follow a rule.
#[derive(Debug)]
pub struct Windowed {
    dcf: Dcf,
    rule: Box<dyn WindowRule>,
    /// The windows of the DCF.
    usual: Windows,
    /// The run's timing, with the windows of the moment.
    timing: Timing,
    /// What the last data packet was for; none after a routing or ARP packet.
    service: Option<Service>,
    /// Data packets in the queue, by the rule's key.
    backlogs: Vec<(NodeId, u32)>,
    /// Packets that may yet follow in this turn.
    following: u32,
    /// The packet in service follows another of the same turn.
    is_following: bool,
    /// The exchange that is ending has delivered its packet.
    has_delivered: bool,
}

/// What a data packet is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Service {
    next_hop: NodeId,
    destination: NodeId,
    /// Whose backlog it is part of.
    key: NodeId,
}

impl Windowed {
    /// The idle station whose DCF is `dcf`, under `rule`.
    pub fn new(dcf: Dcf, timing: &Timing, rule: Box<dyn WindowRule>) -> Windowed {
        Windowed {
            dcf,
            rule,
            usual: Windows::of(timing),
            timing: timing.clone(),
            service: None,
            backlogs: Vec::new(),
            following: 0,
            is_following: false,
            has_delivered: false,
        }
    }

    /// The link of the data packet in service, if one `is_serving`, or of the last one.
    fn link(&self, is_serving: bool) -> Option<Link> {
        Some(self.link_of(self.service?, u32::from(is_serving)))
    }

    /// The link of `service`, with so many packets `more` than wait in the queue.
    fn link_of(&self, service: Service, more: u32) -> Link {
        let Service { next_hop, destination, key } = service;
        let queued = self.backlogs.iter().find(|&&(other, _)| other == key);
        let waiting = queued.map_or(0, |&(_, packets)| packets);
        Link { next_hop, destination, backlog: waiting + more }
    }

    /// What `packet` is for; none for routing and ARP packets and broadcasts.
    fn service_of(&self, next_hop: NodeId, packet: &Packet) -> Option<Service> {
        let is_data = packet.is_transport() && !next_hop.is_broadcast();
        is_data.then(|| Service {
            next_hop,
            destination: packet.destination,
            key: self.rule.key(next_hop, packet),
        })
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
        let mut own = cx.under(&self.timing);
        let result = call(&mut self.dcf, &mut own);
        if let Some(frame) = &mut cx.out.transmit
            && frame.kind == FrameKind::Data
        {
            self.on_data(frame);
        }
        result
    }

    /// `frame` with the packet in service is about to be sent.
    fn on_data(&mut self, frame: &mut Frame) {
        let Some(link) = self.link(true) else { return };
        if let Some(packet) = frame.packet() {
            self.rule.on_sent(link.next_hop, packet);
        }
        frame.notice = self.rule.tells(link.backlog);
    }
}

impl Access for Windowed {
    fn is_free(&self) -> bool {
        self.dcf.is_free()
    }

    fn on_packet(&mut self, cx: &mut MacContext, next_hop: NodeId, packet: Packet) {
        let service = self.service_of(next_hop, &packet);
        let hops = [service, self.service].map(|service| service.map(|service| service.next_hop));
        let is_same = hops[0].is_some() && hops[0] == hops[1];
        let has_delivered = std::mem::take(&mut self.has_delivered);
        self.is_following = has_delivered && is_same && self.following > 0;
        self.following = self.following.saturating_sub(1);
        // The backoff after the last exchange has yet to begin.
        let is_drawn = self.dcf.is_engaged() && cx.contention.is_backing_off();
        self.service = service;
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
        for (next_hop, packet) in waiting.filter(|(_, packet)| packet.is_transport()) {
            let key = self.rule.key(next_hop, packet);
            match self.backlogs.iter_mut().find(|(other, _)| *other == key) {
                Some((_, packets)) => *packets += 1,
                None => self.backlogs.push((key, 1)),
            }
        }
    }

    fn rank(&self, next_hop: NodeId, packet: &Packet) -> u64 {
        let service = self.service_of(next_hop, packet);
        service.map_or(0, |service| self.rule.rank(self.link_of(service, 0)))
    }

    fn report(&self, parts: &mut PartCounts) {
        self.rule.report(parts.of(KEY, self.rule.name()));
    }
}

impl Defers for Windowed {
    fn on_overheard(&mut self, _: &mut MacContext, frame: &Frame) {
        if let (FrameKind::Data, Some(packet)) = (frame.kind, frame.packet()) {
            self.rule.on_overheard(frame, packet);
        }
    }
}

impl Gathers for Windowed {}
