//! Neighbours and the nodes behind them (RFC 6130), and the relays chosen among them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::link::Link;
use super::messages::{Content, Hello, Listed, Mprs, Olsr2Message, Status};
use super::mprs::{Member, choose};
use super::{EARLY_HELLO, HELLO, Metrics, Olsr2, REFRESH};
use crate::kernel::Duration;
use crate::routing::{Context, Timer};
use crate::wire::NodeId;
use crate::wire::manet::TimeCode;

impl Olsr2 {
    /// The neighbours with a link both ways.
    pub fn symmetric_neighbours(&self) -> &BTreeSet<NodeId> {
        &self.symmetric
    }

    /// The neighbours chosen to pass messages on.
    pub fn flooding_mprs(&self) -> &BTreeSet<NodeId> {
        &self.flooding_mprs
    }

    /// The neighbours chosen to pass data on.
    pub fn routing_mprs(&self) -> &BTreeSet<NodeId> {
        &self.routing_mprs
    }

    /// Lets what has expired take effect.
    pub(super) fn update(&mut self, cx: &mut Context) {
        if cx.now >= self.next_change {
            self.look(cx, false);
        }
    }

    /// The same, whether anything has expired or not. The neighbourhood may have changed.
    pub(super) fn look(&mut self, cx: &mut Context, has_changed: bool) {
        let now = cx.now;
        let mut ends = Vec::new();
        for (node, link) in self.links.current_mut(now) {
            link.listen(&self.config, now);
            link.settle(now);
            ends.push((node, link.until));
        }
        // A link of poor quality may end before its time.
        ends.into_iter().for_each(|(node, until)| self.links.set_until(node, until));
        let gone = self.links.expire(now).into_iter().map(|(node, _)| node);
        // What lies behind a link is kept while HELLOs alone would have it symmetric (RFC 7466).
        let current = self.links.current(now);
        let silent = current.filter(|(_, link)| link.known.symmetric_until <= now);
        let lost: Vec<NodeId> = gone.chain(silent.map(|(node, _)| node)).collect();
        lost.into_iter().for_each(|node| self.two_hop.lose(node));
        let links = self.links.current(now).filter(|(_, link)| link.known.is_symmetric(now));
        let symmetric: BTreeSet<NodeId> = links.map(|(node, _)| node).collect();
        let is_near_change = has_changed | self.two_hop.expire(now) | (symmetric != self.symmetric);
        self.symmetric = symmetric;
        if is_near_change {
            self.choose_mprs(cx);
        }
        self.routes.are_stale |= is_near_change | self.topology.expire(now);
        let ends = self.links.current(now).map(|(_, link)| link.known.next_change(now));
        let far = self.two_hop.next_change().min(self.topology.next_change());
        self.next_change = ends.min().map_or(far, |end| end.min(far));
        self.look_at_advertised(cx);
    }

    /// Chooses relays for messages, without metrics, and for data, by those towards this node
    /// (RFC 7181 sections 18.4 and 18.5).
    fn choose_mprs(&mut self, cx: &mut Context) {
        let link = |&node: &NodeId| Some((node, &self.links.get(cx.now, node)?.known));
        let links: Vec<(NodeId, &Link)> = self.symmetric.iter().filter_map(link).collect();
        let others = |node: NodeId| self.two_hop.behind(node).filter(|(far, _)| *far != self.node);
        let flooding = |&(node, link): &(NodeId, &Link)| Member {
            node,
            willingness: link.will_flooding,
            metric: 1,
            behind: others(node).filter_map(|(far, of)| of.outgoing.map(|_| (far, 1))).collect(),
        };
        let routing = |&(node, link): &(NodeId, &Link)| Member {
            node,
            willingness: link.will_routing,
            metric: link.in_metric,
            behind: others(node).filter_map(|(far, of)| Some((far, of.incoming?))).collect(),
        };
        let members = |of: &dyn Fn(&(NodeId, &Link)) -> Member| -> Vec<Member> {
            links.iter().map(of).collect()
        };
        let (for_flooding, for_routing) = (members(&flooding), members(&routing));
        let flooding = choose(&for_flooding);
        // By hops the two are mostly one.
        let routing = match for_routing == for_flooding {
            true => flooding.clone(),
            false => choose(&for_routing),
        };
        let is_change = flooding != self.flooding_mprs || routing != self.routing_mprs;
        (self.flooding_mprs, self.routing_mprs) = (flooding, routing);
        // Section 15.2.
        if is_change && self.config.responsive_hellos {
            let (least, jitter) = (self.config.hello_min_interval(), self.config.max_jitter());
            self.hellos.hasten(cx, EARLY_HELLO, least, jitter);
        }
    }

    /// The packet tells of the link all the same.
    pub(super) fn on_packet_without_hello(&mut self, cx: &mut Context, number: u16, from: NodeId) {
        let Some(link) = self.links.get_mut(cx.now, from) else { return };
        link.receive(&self.config, cx.now, number);
        self.look_at(cx, from, false);
    }

    /// RFC 6130 sections 12.5 and 12.6, RFC 7181 section 15.3.
    pub(super) fn on_hello(
        &mut self,
        cx: &mut Context,
        number: u16,
        message: &Olsr2Message,
        hello: &Hello,
        from: NodeId,
    ) {
        // Section 15.3.1.
        if hello.links.iter().any(|listed| listed.node == from) {
            return;
        }
        let now = cx.now;
        let validity = message.validity.time();
        let until = self.links.get(now, from).map_or(now + validity, |link| link.until);
        let link = self.links.hear(now, from, until);
        if !link.reception.has_begun() {
            link.begin(&self.config, until);
        }
        link.reception.hello_interval = message.interval.time();
        link.receive(&self.config, now, number);
        let before = (link.will_flooding, link.will_routing, link.out_metric);
        link.hear(&self.config, now, self.node, hello, validity);
        let mut is_near_change = before != (link.will_flooding, link.will_routing, link.out_metric);
        if link.symmetric_until > now {
            let others = hello.links.iter().filter(|listed| listed.node != self.node);
            let listed = others.map(|listed| {
                let (incoming, outgoing) = (listed.in_metric, listed.out_metric);
                let is_symmetric = listed.status == Status::Symmetric;
                (listed.node, is_symmetric.then_some(Metrics { incoming, outgoing }))
            });
            let change = self.two_hop.hear(from, listed, now + validity);
            is_near_change |= change.is_of_nodes | change.is_of_costs;
        }
        self.look_at(cx, from, is_near_change);
        self.look_at_advertised(cx);
    }

    /// The link to `from` may have changed.
    fn look_at(&mut self, cx: &mut Context, from: NodeId, is_near_change: bool) {
        let now = cx.now;
        let Some(link) = self.links.get_mut(now, from) else { return };
        let (until, next_change) = (link.until, link.next_change(now));
        let is_flip = link.is_symmetric(now) != self.symmetric.contains(&from);
        self.links.set_until(from, until);
        self.next_change = self.next_change.min(next_change);
        if is_near_change | is_flip {
            self.look(cx, is_near_change);
        }
    }

    pub(super) fn on_early_hello(&mut self, cx: &mut Context) {
        self.hellos.begin_early();
        self.send_hello(cx);
    }

    /// Sends a HELLO and begins a new schedule.
    pub(super) fn send_hello(&mut self, cx: &mut Context) {
        self.update(cx);
        let interval = Duration::from_secs_f64(self.config.hello_interval_s);
        self.hellos.restart(cx, HELLO, interval, self.config.max_jitter());
        let now = cx.now;
        self.hellos.last = Some(now);
        let listed = self.links.current(now).filter_map(|(node, link)| {
            let link = &link.known;
            let status = link.status(now)?;
            let is_symmetric = status == Status::Symmetric;
            let mprs = Mprs {
                flooding: is_symmetric && self.flooding_mprs.contains(&node),
                routing: is_symmetric && self.routing_mprs.contains(&node),
            };
            let in_metric = (status != Status::Lost).then_some(link.in_metric);
            let out_metric = link.out_metric.filter(|_| is_symmetric);
            Some(Listed { node, status, mprs, in_metric, out_metric })
        });
        let mut links: Vec<Listed> = listed.collect();
        let place = |listed: &Listed| match listed.status {
            Status::Symmetric if listed.mprs != Mprs::default() => 0,
            Status::Symmetric => 1,
            Status::Heard => 2,
            Status::Lost => 3,
        };
        links.sort_by_key(place);
        let (will_flooding, will_routing) = (self.config.will_flooding, self.config.will_routing);
        let hello = Hello { will_flooding, will_routing, links };
        self.counts.hellos_sent += 1;
        let (interval, validity) =
            (TimeCode::of(interval), TimeCode::of(self.config.h_hold_time()));
        let message = Olsr2Message::new(interval, validity, Content::Hello(Arc::new(hello)));
        self.outgoing.hold(message, now);
        self.send(cx);
    }

    /// An interval of the metric is over (RFC 7779 section 10.2).
    pub(super) fn refresh(&mut self, cx: &mut Context) {
        self.update(cx);
        let now = cx.now;
        let mut is_change = false;
        for (node, link) in self.links.current_mut(now) {
            link.listen(&self.config, now);
            let rate_bps = cx.rates.map_or(self.data_rate_bps, |rates| rates.rate_from(node));
            is_change |= link.refresh(&self.config, rate_bps);
        }
        if is_change {
            self.look(cx, true);
        }
        let interval = Duration::from_secs_f64(self.config.dat_refresh_interval_s);
        cx.set_timer(Timer::of(REFRESH), now + interval);
    }
}
