//! What waits to be sent (section 3.1): TLVs are delayed at random and go together in packets.
//!
//! An update waits as its prefix alone, and says what is so when it is sent.

use std::collections::BTreeMap;

use super::address::{Address, Prefix, interface};
use super::message::{BabelPacket, HEADERS_BYTES};
use super::tlv::Tlv;
use super::write::Writer;
use super::{Babel, FLUSH, UPDATE};
use crate::kernel::{Duration, Instant, seconds};
use crate::routing::{Context, Timer};
use crate::wire::{Body, Extension, NodeId, Packet};

/// What waits.
#[derive(Debug)]
pub struct Outbox {
    /// For all neighbours.
    all: Queue,
    /// Updates for all neighbours: the place of the prefix, and how many copies.
    updates: BTreeMap<usize, u8>,
    /// For one neighbour.
    single: BTreeMap<NodeId, Queue>,
    /// When an update of all routes was sent last.
    pub last_dump: Option<Instant>,
}

#[derive(Debug)]
struct Queue {
    tlvs: Vec<Tlv>,
    /// When it is sent at the latest.
    due: Instant,
}

impl Default for Queue {
    fn default() -> Self {
        Queue { tlvs: Vec::new(), due: Instant::FAR }
    }
}

impl Default for Outbox {
    fn default() -> Self {
        let (all, updates, single, last_dump) = Default::default();
        Outbox { all, updates, single, last_dump }
    }
}

impl Queue {
    /// Whether it has to be sent at `at`, and so earlier than before.
    fn hasten(&mut self, at: Instant) -> bool {
        let is_earlier = at < self.due;
        self.due = self.due.min(at);
        is_earlier
    }
}

impl Babel {
    /// Sends `tlv` to all neighbours within `delay`.
    pub(super) fn send_all(&mut self, cx: &mut Context, tlv: Tlv, delay: Duration) {
        self.outbox.all.tlvs.push(tlv);
        self.hasten_all(cx, delay);
    }

    /// Sends `tlv` to `neighbour` within `delay`.
    pub(super) fn send_to(
        &mut self,
        cx: &mut Context,
        neighbour: NodeId,
        tlv: Tlv,
        delay: Duration,
    ) {
        let queue = self.outbox.single.entry(neighbour).or_default();
        queue.tlvs.push(tlv);
        if queue.hasten(cx.now + delay) {
            cx.set_timer(Timer::about(FLUSH, neighbour), cx.now + delay);
        }
    }

    /// Sends an update for the prefix at `place` to all neighbours within `delay`, `copies` times.
    pub(super) fn announce(&mut self, cx: &mut Context, place: usize, copies: u8, delay: Duration) {
        let waiting = self.outbox.updates.entry(place).or_default();
        *waiting = copies.max(*waiting);
        self.hasten_all(cx, delay);
    }

    /// The next packets have updates for all prefixes that this node announces.
    pub(super) fn announce_all(&mut self, cx: &mut Context) {
        let known = self.table.all.iter().enumerate();
        for (place, _) in known.filter(|(_, known)| known.is_own || known.selected.is_some()) {
            self.outbox.updates.entry(place).or_insert(1);
        }
        self.outbox.last_dump = Some(cx.now);
        // More often than Hellos, it has a jitter of its own.
        let interval = match self.config.update_interval() > seconds(self.config.hello_interval_s) {
            true => self.config.update_interval(),
            false => self.spacing(cx, self.config.update_interval()),
        };
        self.update_due = cx.now + interval;
        cx.set_timer(Timer::of(UPDATE), self.update_due);
    }

    /// What waits for all neighbours is sent within `delay`.
    pub(super) fn hasten_all(&mut self, cx: &mut Context, delay: Duration) {
        if self.outbox.all.hasten(cx.now + delay) {
            cx.set_timer(Timer::of(FLUSH), cx.now + delay);
        }
    }

    /// A time has come to send what waits for `neighbour`, or for all.
    pub(super) fn on_flush_timer(&mut self, cx: &mut Context, neighbour: NodeId) {
        if neighbour.is_broadcast() {
            if self.outbox.all.due <= cx.now {
                self.flush(cx, Vec::new());
            }
        } else if let Some(queue) = self.outbox.single.get(&neighbour)
            && queue.due <= cx.now
            && let Some(Queue { tlvs, .. }) = self.outbox.single.remove(&neighbour)
        {
            let station = cx.stations.peer(neighbour, cx.node).unwrap_or(cx.node);
            self.send(cx, station, neighbour, tlvs.into_iter());
        }
    }

    /// Sends all that waits for all neighbours, behind `first`: each TLV by the station that is
    /// named, or by all.
    pub(super) fn flush(&mut self, cx: &mut Context, first: Vec<(Option<NodeId>, Tlv)>) {
        let mut tlvs = first;
        tlvs.extend(self.outbox.all.tlvs.drain(..).map(|tlv| (None, tlv)));
        self.outbox.all.due = Instant::FAR;
        for (place, copies) in std::mem::take(&mut self.outbox.updates) {
            tlvs.extend(self.update(cx, place).map(|tlv| (None, tlv)));
            if let Some(more) = copies.checked_sub(1).filter(|more| *more > 0) {
                self.outbox.updates.insert(place, more);
            }
        }
        for station in cx.stations.all_of(cx.node) {
            let goes = |by: Option<NodeId>| by.is_none_or(|by| by == station);
            let own = tlvs.iter().filter(|(by, _)| goes(*by)).map(|(_, tlv)| *tlv);
            self.send(cx, station, NodeId::BROADCAST, own);
        }
        if !self.outbox.updates.is_empty() {
            // Copies are some way apart.
            let half = seconds(self.config.urgent_timeout_s) / 2;
            let delay = half + cx.rng.duration_below(half);
            self.hasten_all(cx, delay);
        }
    }

    /// Sends `tlvs` by `station` to `next_hop`, or to all, in as many packets as it takes.
    fn send(
        &mut self,
        cx: &mut Context,
        station: NodeId,
        next_hop: NodeId,
        tlvs: impl Iterator<Item = Tlv>,
    ) {
        let source = Address::link_local(interface(station));
        let new = || Writer::new(self.config.body_bytes(), source);
        let (mut packets, mut writer) = (Vec::new(), new());
        for mut tlv in tlvs {
            if let Tlv::Update(update) = &mut tlv {
                let next_hop = |prefix: Prefix| self.next_hop_at(station, prefix.is_ipv6());
                update.next_hop = update.prefix.map(next_hop);
            }
            self.counts.note_sent(&tlv);
            if !writer.push(&tlv) {
                packets.push(std::mem::replace(&mut writer, new()));
                writer.push(&tlv);
            }
        }
        packets.push(writer);
        let mut delay = Duration::ZERO;
        for writer in packets.into_iter().filter(|writer| !writer.is_empty()) {
            let bytes = writer.finish();
            let size_bytes = HEADERS_BYTES + bytes.len() as u32;
            self.counts.packets_sent += 1;
            self.counts.bytes_sent += u64::from(size_bytes);
            let body = Body::Routing(Extension::new(BabelPacket { bytes }));
            let packet =
                Packet { size_bytes, ttl: 1, ..Packet::new(cx.node, next_hop, cx.now, body) };
            cx.send_by(cx.stations.kind(station), packet, next_hop, delay);
            delay += seconds(self.config.packet_spacing_s);
        }
    }
}
