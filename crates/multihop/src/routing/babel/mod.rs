//! The Babel routing protocol (RFC 8966). Sections and appendices are those of the RFC.
//!
//! Nodes keep routes to all others ready: a distance vector whose updates are accepted by a
//! feasibility condition, so that no loop arises. Its packets have the octets that real ones have.
//!
//! A neighbour is the address of its station, and so of one interface; Hellos go out by all
//! interfaces at once with one number, so that the interface table needs none of its own.
//!
//! Deviation: acknowledgments are given but never asked for (section 3.3); urgent updates are
//! repeated instead, as section 3.7.2 allows. Effect: a few more updates, no acknowledgments.
//! Deviation: no Unicast Hellos are sent (their recommended interval is infinite), though they
//! count when they come.
//! Deviation: data go by host routes alone. Effect: routes to shorter prefixes, which programs'
//! nodes may announce, are passed on but carry nothing.
//! Deviation: addresses of IPv6 neighbours are resolved by the simulated ARP.

mod address;
pub mod config;
pub mod cost;
pub mod diversity;
mod expiry;
mod forward;
mod history;
mod message;
mod neighbours;
mod outbox;
mod parse;
mod requests;
mod routes;
pub mod scheme;
mod selection;
mod seqno;
mod tlv;
mod updates;
mod write;

pub use config::BabelConfig;
pub use scheme::BabelReport;

use address::{Address, Plan, Prefix, RouterId, interface};
use expiry::Schedule;
use message::{BabelPacket, HEADERS_BYTES, PORT};
use neighbours::Known;
use outbox::Outbox;
use requests::Pending;
use routes::Table;
use seqno::Seqno;
use tlv::{Centiseconds, Hello, Tlv};

use super::metric::Metric;
use super::neighbour_table::NeighbourTable;
use super::{Context, DropReason, Protocol, Timer};
use crate::kernel::{Duration, Instant, seconds};
use crate::wire::{Body, Extension, NodeId, Packet};

/// Timer: the next Hello.
const HELLO: &str = "babel-hello";
/// Timer: the next update of all routes.
const UPDATE: &str = "babel-update";
/// Timer: what waits for all neighbours, or for one, is to be sent.
const FLUSH: &str = "babel-flush";
/// Timer: a Hello of the neighbour is missed, or its IHU no longer counts.
const NEIGHBOUR: &str = "babel-neighbour";
/// Timer: routes or sources expire.
const EXPIRY: &str = "babel-expiry";
/// Timer: a seqno request is to be sent again, or is forgotten.
const REQUEST: &str = "babel-request";

/// Babel on one node.
#[derive(Debug)]
pub struct Babel {
    node: NodeId,
    config: BabelConfig,
    metric: Metric,
    plan: Plan,
    /// By kind of station, how long a frame takes over that of the quickest kind, for `wcett`.
    slowness: Vec<f64>,
    /// The number of nodes' stations.
    stations: u32,
    router_id: RouterId,
    /// The node's sequence number.
    seqno: Seqno,
    /// The number of the next Hello.
    hello_seqno: Seqno,
    neighbours: NeighbourTable<Known>,
    table: Table,
    schedule: Schedule,
    /// By when all routes have to be announced again.
    update_due: Instant,
    pending: Vec<Pending>,
    outbox: Outbox,
    counts: BabelReport,
}

impl Babel {
    /// Babel on `node` in a network of so many stations. Where programs outside the simulation send
    /// (`is_open`), nodes have the addresses that these have.
    pub fn new(node: NodeId, stations: usize, config: &BabelConfig, is_open: bool) -> Babel {
        Babel {
            node,
            config: config.clone(),
            metric: Metric::default(),
            plan: if is_open { Plan::Programs } else { Plan::Simulated },
            slowness: Vec::new(),
            stations: stations as u32,
            router_id: interface(node),
            seqno: Seqno(0),
            hello_seqno: Seqno(0),
            neighbours: NeighbourTable::default(),
            table: Table::default(),
            schedule: Schedule::default(),
            update_due: Instant::ZERO,
            pending: Vec::new(),
            outbox: Outbox::default(),
            counts: BabelReport::default(),
        }
    }

    /// The same with this metric.
    #[must_use]
    pub fn with_metric(self, metric: Metric) -> Babel {
        Babel { metric, ..self }
    }

    /// The same where an attempt at a test frame takes so long, by kind of station.
    #[must_use]
    pub fn with_attempts(self, attempts: &[Duration]) -> Babel {
        let least = attempts.iter().min().map_or(1.0, |least| least.as_secs_f64());
        let slowness = attempts.iter().map(|one| one.as_secs_f64() / least).collect();
        Babel { slowness, ..self }
    }

    /// The next hop of data for `destination`.
    pub fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        let destination = self.table.host(self.plan.ipv4(destination))?;
        Some(destination.selected()?.next_hop)
    }

    /// The metric of the route to `destination`.
    pub fn metric(&self, destination: NodeId) -> Option<u16> {
        Some(self.table.host(self.plan.ipv4(destination))?.selected()?.metric)
    }

    /// The station that has `address`.
    fn station_of(&self, address: Address) -> Option<NodeId> {
        self.plan.node_of(address).filter(|station| station.0 < self.stations)
    }

    /// The node whose address `prefix` is.
    fn node_of_prefix(&self, prefix: &Prefix) -> Option<NodeId> {
        self.station_of(prefix.address()?)
    }

    /// A packet of `from` has come.
    fn on_packet(&mut self, cx: &mut Context, from: NodeId, packet: &BabelPacket) {
        let mut tlvs = Vec::new();
        let source = Address::link_local(interface(from));
        let malformed = parse::parse(&packet.bytes, source, |tlv| tlvs.push(tlv));
        self.counts.malformed += u64::from(malformed);
        for tlv in tlvs {
            self.on_tlv(cx, from, &tlv);
        }
    }

    fn on_tlv(&mut self, cx: &mut Context, from: NodeId, tlv: &Tlv) {
        match tlv {
            Tlv::Hello(hello) => return self.on_hello(cx, from, hello),
            // Nothing else is exchanged with a node of whom no Hello has come (section 3.4).
            _ if self.neighbours.get(cx.now, from).is_none() => return,
            _ => {}
        }
        match tlv {
            Tlv::Ihu { address, rxcost, interval } => {
                self.on_ihu(cx, from, (*address, *rxcost, *interval));
            }
            Tlv::Update(update) => self.on_update(cx, from, update),
            Tlv::RouteRequest { prefix } => self.on_route_request(cx, from, *prefix),
            Tlv::SeqnoRequest(request) => self.on_seqno_request(cx, from, request),
            Tlv::AckRequest { opaque, interval } => {
                let deadline = history::centiseconds(*interval) / 2;
                let delay = self.urgent_delay(cx).min(deadline);
                self.send_to(cx, from, Tlv::Ack { opaque: *opaque }, delay);
            }
            Tlv::Ack { .. } | Tlv::Hello(_) => {}
        }
    }

    fn say_hello(&mut self, cx: &mut Context) {
        self.drop_silent(cx);
        // Smoothed metrics change with time alone.
        for place in 0..self.table.all.len() {
            self.select(cx, place);
        }
        let interval = to_centiseconds(seconds(self.config.hello_interval_s));
        let hello = Hello { is_unicast: false, seqno: self.hello_seqno, interval };
        self.hello_seqno = self.hello_seqno.plus(1);
        let mut first = vec![(None, Tlv::Hello(hello))];
        first.extend(self.ihus(cx));
        // An update that can't wait for the next Hello goes with this one.
        if self.update_due < cx.now + seconds(self.config.hello_interval_s) {
            self.announce_all(cx);
        }
        self.flush(cx, first);
        let spacing = self.spacing(cx, seconds(self.config.hello_interval_s));
        cx.set_timer(Timer::of(HELLO), cx.now + spacing);
    }

    fn on_update_timer(&mut self, cx: &mut Context) {
        if self.update_due <= cx.now {
            self.announce_all(cx);
            self.flush(cx, Vec::new());
        }
    }

    /// Time to the next of what is sent at least every `interval`.
    fn spacing(&self, cx: &mut Context, interval: Duration) -> Duration {
        let share = 1.0 - self.config.jitter * cx.rng.unit();
        Duration::from_secs_f64(interval.as_secs_f64() * share)
    }

    /// A random delay of what is urgent.
    fn urgent_delay(&self, cx: &mut Context) -> Duration {
        cx.rng.duration_below(seconds(self.config.urgent_timeout_s))
    }

    /// A random delay of what is not: within half of the Hello interval (section 3.1).
    fn usual_delay(&self, cx: &mut Context) -> Duration {
        cx.rng.duration_below(seconds(self.config.hello_interval_s) / 2)
    }
}

/// In hundredths of a second, at least one.
fn to_centiseconds(duration: Duration) -> Centiseconds {
    let centiseconds = (duration.as_nanos() + 5_000_000) / 10_000_000;
    centiseconds.clamp(1, u64::from(Centiseconds::MAX - 1)) as Centiseconds
}

impl Protocol for Babel {
    fn on_start(&mut self, cx: &mut Context) {
        // Where they begin is free: at random, as a node does that has forgotten where it was.
        self.seqno = Seqno(cx.rng.below(1 << 16) as u16);
        self.hello_seqno = Seqno(cx.rng.below(1 << 16) as u16);
        for prefix in self.plan.prefixes(self.node) {
            let place = self.table.place(prefix);
            if let Some(destination) = self.table.all.get_mut(place) {
                destination.is_own = true;
            }
        }
        let first = cx.rng.duration_below(seconds(self.config.hello_interval_s));
        cx.set_timer(Timer::of(HELLO), cx.now + first);
    }

    fn may_overhear(&self) -> bool {
        false
    }

    fn read(&self, port: u16, bytes: &[u8]) -> Option<Extension> {
        (port == PORT).then(|| Extension::new(BabelPacket { bytes: bytes.to_vec() }))
    }

    fn on_send(&mut self, cx: &mut Context, packet: Packet) {
        self.originate(cx, packet);
    }

    fn on_receive(&mut self, cx: &mut Context, packet: Packet, from: NodeId) {
        match &packet.body {
            Body::Routing(message) => {
                if let Some(packet) = message.get::<BabelPacket>() {
                    self.on_packet(cx, from, packet);
                }
            }
            _ => self.forward(cx, packet),
        }
    }

    fn on_client(&mut self, cx: &mut Context, client: NodeId, is_here: bool) {
        self.attach(cx, client, is_here);
    }

    /// What the MAC could not deliver is lost: Babel learns of links by Hellos alone.
    fn on_link_failure(&mut self, cx: &mut Context, packet: Packet, _: NodeId) {
        cx.drop(packet, DropReason::LinkFailure);
    }

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) {
        match timer.kind {
            HELLO => self.say_hello(cx),
            UPDATE => self.on_update_timer(cx),
            FLUSH => self.on_flush_timer(cx, timer.node),
            NEIGHBOUR => self.on_neighbour_timer(cx, timer.node),
            EXPIRY => self.on_expiry_timer(cx),
            REQUEST => self.on_request_timer(cx),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
