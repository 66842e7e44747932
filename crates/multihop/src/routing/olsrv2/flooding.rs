//! TCs: what a node advertises, when, and what becomes of those of others (RFC 7181 sections 14 and
//! 16), and the packets that carry all messages.

use std::sync::Arc;

use super::messages::{Content, MOST_BYTES, Olsr2Message, Olsr2Packet, Tc};
use super::{EARLY_TC, Olsr2, PASS_ON, TC};
use crate::kernel::Duration;
use crate::routing::link_state::{delayed, packed};
use crate::routing::{Context, Timer};
use crate::wire::manet::{Flooded, TimeCode};
use crate::wire::{Extension, NodeId};

impl Olsr2 {
    /// Broadcasts all that waits.
    pub(super) fn send(&mut self, cx: &mut Context) {
        let waiting = self.outgoing.take().into_iter();
        for messages in packed(waiting, MOST_BYTES, Olsr2Message::bytes) {
            self.packets = self.packets.wrapping_add(1);
            let packet = Olsr2Packet { number: self.packets, messages };
            let size_bytes = packet.bytes();
            self.counts.packets_sent += 1;
            self.counts.control_bytes += u64::from(size_bytes);
            cx.broadcast(Extension::new(packet), size_bytes);
        }
    }

    /// The neighbours that chose this node to pass data on, each with the metric towards it (section
    /// 17.3).
    fn to_advertise(&self, cx: &Context) -> Vec<(NodeId, u32)> {
        let link = |&node: &NodeId| {
            let link = &self.links.get(cx.now, node)?.known;
            Some((node, link.out_metric.filter(|_| link.is_routing_selector)?))
        };
        self.symmetric.iter().filter_map(link).collect()
    }

    /// If other neighbours are to be advertised than the last TC said, the next one comes soon
    /// (section 16.2).
    pub(super) fn look_at_advertised(&mut self, cx: &mut Context) {
        if self.is_advertised_changed(cx) {
            let (least, jitter) = (self.config.tc_min_interval(), self.config.max_jitter());
            self.tcs.hasten(cx, EARLY_TC, least, jitter);
        }
    }

    fn is_advertised_changed(&self, cx: &Context) -> bool {
        let advertised = self.to_advertise(cx);
        let nodes = advertised.iter().map(|link| link.0);
        !nodes.eq(self.advertised.iter().map(|link| link.0))
    }

    pub(super) fn on_early_tc(&mut self, cx: &mut Context) {
        self.update(cx);
        self.tcs.begin_early();
        if self.is_advertised_changed(cx) {
            self.counts.tcs_triggered += 1;
            self.send_tc(cx);
        }
    }

    /// Sends a TC if there is anything to say, and begins a new schedule (section 16.2).
    pub(super) fn send_tc(&mut self, cx: &mut Context) {
        self.update(cx);
        let interval = Duration::from_secs_f64(self.config.tc_interval_s);
        self.tcs.restart(cx, TC, interval, self.config.max_jitter());
        let now = cx.now;
        let advertised = self.to_advertise(cx);
        if advertised != self.advertised {
            self.ansn = self.ansn.wrapping_add(1);
            self.advertised = advertised;
        }
        if self.advertised.is_empty() && now >= self.empty_until {
            return;
        }
        if !self.advertised.is_empty() {
            self.empty_until = now + self.config.a_hold_time();
        }
        self.messages = self.messages.wrapping_add(1);
        let header = Flooded {
            originator: self.node,
            hop_limit: self.config.tc_hop_limit,
            hop_count: 0,
            number: self.messages,
        };
        let tc = Tc { ansn: self.ansn, neighbours: self.advertised.clone() };
        let validity = TimeCode::of(self.config.t_hold_time());
        let content = Content::Tc(header, Arc::new(tc));
        self.outgoing.hold(Olsr2Message::new(TimeCode::of(interval), validity, content), now);
        self.counts.tcs_originated += 1;
        self.tcs.last = Some(now);
        self.send(cx);
    }

    /// The TCs of a packet. All that are passed on wait equally long (RFC 5148 section 5.3).
    pub(super) fn on_tcs(&mut self, cx: &mut Context, packet: &Olsr2Packet, from: NodeId) {
        let mut passed_on = Vec::new();
        for message in &packet.messages {
            if let Content::Tc(header, tc) = &message.content
                && self.on_tc(cx, (message, header, tc), from)
            {
                passed_on.extend(message.passed_on());
            }
        }
        if !passed_on.is_empty() {
            let at = delayed(cx, self.config.max_jitter());
            self.counts.tcs_forwarded += passed_on.len() as u64;
            passed_on.into_iter().for_each(|message| self.outgoing.hold(message, at));
            cx.set_timer(Timer::of(PASS_ON), at);
        }
    }

    /// A TC has come. Returns whether it is passed on (section 14).
    fn on_tc(
        &mut self,
        cx: &mut Context,
        (message, header, tc): (&Olsr2Message, &Flooded, &Arc<Tc>),
        from: NodeId,
    ) -> bool {
        let now = cx.now;
        let &Flooded { originator, number, hop_limit, hop_count } = header;
        if originator == self.node || !self.symmetric.contains(&from) {
            return false;
        }
        let hold = Duration::from_secs_f64(self.config.rx_hold_time_s);
        let may_go_on = hop_limit > 1 && hop_count < u8::MAX;
        let (is_processed, is_passed_on) = if may_go_on {
            let is_processed = self.ended.knows(now, originator, number);
            let is_new = self.received.is_new(now, originator, number, hold);
            (is_processed || !is_new, is_new && self.chose_us(cx, from))
        } else {
            let is_processed = self.received.knows(now, originator, number);
            (is_processed || !self.ended.is_new(now, originator, number, hold), false)
        };
        // Section 16.3.1 has no links of the originator to itself.
        if !is_processed && tc.neighbours.iter().all(|link| link.0 != originator) {
            let until = now + message.validity.time();
            self.routes.are_stale |= self.topology.hear(originator, tc, until);
            self.next_change = self.next_change.min(until);
        }
        is_passed_on
    }

    /// Whether `from` chose this node to pass its messages on.
    fn chose_us(&self, cx: &Context, from: NodeId) -> bool {
        self.links.get(cx.now, from).is_some_and(|link| link.known.is_flooding_selector)
    }
}
