//! AODV by expected transmissions (ETX): AODV with another [`Policy`] (D. S. J. De Couto, D. Aguayo,
//! J. Bicket, R. Morris, "A High-Throughput Path Metric for Multi-Hop Wireless Routing", MobiCom 2003,
//! sections 4 and 5).
//!
//! The ETX of a link is 1/(d_f d_r): how often a packet is sent until it and its acknowledgment have got
//! through, if the two directions deliver shares d_f and d_r. Nodes measure both with broadcast probes
//! (`links.rs`). Requests and replies gather the sum over the links that they cross, in thousandths, so a
//! route's metric is the expected number of transmissions to its destination. A node takes up copies of a
//! request that are better than those before (`copies.rs`).
//!
//! Deviation: the paper changed DSDV and DSR. Here AODV gathers the metric, and only the node sought
//! answers: an answer on the way would add what was measured now to what was measured then.
//!
//! Deviation: a probe grows with its list of neighbours where the list does not fit; the paper's has a
//! fixed size.
//!
//! Deviation: a request has 4 bytes more than AODV's, a reply 4, for the metric.

mod config;
mod copies;
mod links;
mod scheme;

pub use config::{EtxConfig, EtxTable};
use copies::Copies;
use links::Links;
pub use scheme::EtxReport;

use super::aodv::Policy;
use super::aodv::policy::Copy;
use super::aodv::table::{Offer, Route};
use super::{Context, Timer};
use crate::kernel::{Duration, Instant};
use crate::profile::Profile;
use crate::wire::aodv::{Message, Reply, Request};
use crate::wire::{Extension, IP_HEADER_BYTES, NodeId, Octets};

/// The metric of a path with a link that is not known to work.
const UNUSABLE: u32 = u32::MAX;

/// What a probe has for each neighbour: its address and a count \[bytes\].
const LISTED_NEIGHBOUR_BYTES: u32 = 8;
/// What a request or a reply has beyond AODV's: the metric \[bytes\].
const METRIC_BYTES: u32 = 4;

/// Timer: the next probe.
const PROBE: &str = "probe";

/// A probe: how many of each neighbour's probes its sender has received within the window.
#[derive(Clone, Debug, PartialEq)]
struct Probe {
    received: Vec<(NodeId, u32)>,
}

impl Octets for Probe {
    const KIND: u8 = 132;

    fn write(&self, out: &mut Vec<u8>) {
        for (neighbour, count) in &self.received {
            out.extend(neighbour.address());
            out.extend(count.to_be_bytes());
        }
    }
}

/// The choices of ETX on one node. Metrics are in thousandths.
#[derive(Debug)]
pub struct Etx {
    probe_interval: Duration,
    /// Half the range of the random departure from it.
    probe_spread: Duration,
    probe_bytes: u32,
    links: Links,
    copies: Copies,
    probes_sent: u64,
    probe_bytes_sent: u64,
}

impl Etx {
    /// ETX with these keys.
    pub fn new(table: &EtxTable) -> Etx {
        let EtxTable { aodv, etx } = table;
        let request_life = Duration::from_secs_f64(aodv.request_id_life_s);
        Etx {
            probe_interval: Duration::from_secs_f64(etx.probe_interval_s),
            probe_spread: Duration::from_secs_f64(etx.probe_interval_s * etx.probe_jitter),
            probe_bytes: etx.probe_bytes,
            links: Links::new(Duration::from_secs_f64(etx.window_s), etx.probes_in_window()),
            copies: Copies::new(etx.improve_limit, request_life),
            probes_sent: 0,
            probe_bytes_sent: 0,
        }
    }

    /// The ETX of the link to `neighbour`, in thousandths; none if either direction delivered nothing
    /// within the window.
    pub fn link(&self, now: Instant, neighbour: NodeId) -> Option<u32> {
        self.links.etx(now, neighbour)
    }

    /// `metric` and the link to `neighbour`.
    fn over(&self, now: Instant, neighbour: NodeId, metric: u32) -> u32 {
        self.link(now, neighbour).map_or(UNUSABLE, |link| metric.saturating_add(link))
    }

    /// Broadcasts a probe and sets the time for the next.
    fn send_probe(&mut self, cx: &mut Context) {
        let received = self.links.received(cx.now);
        let list_bytes = LISTED_NEIGHBOUR_BYTES * received.len() as u32;
        let bytes = self.probe_bytes.max(IP_HEADER_BYTES + list_bytes);
        cx.broadcast(Extension::new(Probe { received }), bytes);
        self.probes_sent += 1;
        self.probe_bytes_sent += u64::from(bytes);
        let jitter = cx.rng.duration_below(self.probe_spread * 2);
        let spacing = self.probe_interval.saturating_sub(self.probe_spread) + jitter;
        cx.set_timer(Timer::of(PROBE), cx.now + spacing);
    }
}

impl Policy for Etx {
    fn on_start(&mut self, cx: &mut Context) {
        let first = cx.rng.duration_below(self.probe_interval);
        cx.set_timer(Timer::of(PROBE), cx.now + first);
    }

    fn on_message(&mut self, cx: &mut Context, from: NodeId, message: &Extension) {
        if let Some(Probe { received }) = message.get() {
            let of_ours = received.iter().find(|(neighbour, _)| *neighbour == cx.node);
            self.links.hear(cx.now, from, of_ours.map_or(0, |(_, count)| *count));
        }
    }

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) -> Option<Copy> {
        if timer.kind == PROBE {
            self.send_probe(cx);
        }
        None
    }

    fn gather(&mut self, cx: &mut Context, request: &mut Request, from: NodeId) {
        request.metric = self.over(cx.now, from, request.metric);
    }

    fn originate_reply(&mut self, _: &mut Context, reply: &mut Reply) {
        reply.metric = 0;
    }

    fn gather_reply(&mut self, cx: &mut Context, reply: &mut Reply, from: NodeId) {
        reply.metric = self.over(cx.now, from, reply.metric);
    }

    fn counts(&mut self, request: &Request, _: bool) -> bool {
        request.metric < UNUSABLE
    }

    fn ignores_copies(&self) -> bool {
        false
    }

    fn collect(&mut self, cx: &mut Context, copy: Copy) -> Option<Copy> {
        self.copies.takes_up(cx.now, &copy.request).then_some(copy)
    }

    fn may_answer(&self, _: &Route, _: &Request, _: Profile) -> bool {
        false
    }

    fn prefers(&self, route: &Route, offer: &Offer, profile: Profile) -> bool {
        let renewed = profile == Profile::Standard && !route.is_up();
        let same = offer.sequence == route.sequence;
        let lighter = offer.metric < route.metric;
        offer.sequence.is_newer_than(route.sequence) || same && (renewed || lighter)
    }

    fn added_bytes(&self, message: &Message) -> u32 {
        match message {
            Message::Request(_) | Message::Reply(_) => METRIC_BYTES,
            Message::Hello { .. } | Message::Returned(_) | Message::Error(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests;
