//! Peers: the stations that a mesh station exchanges frames with (IEEE Std 802.11-2012 sections
//! 13.3.6 to 13.4), and what the links to them cost (section 13.9).
//!
//! Deviation: no Close frames and no limit to the number of peers. The standard leaves open when a
//! peering ends; here it does when nothing has been heard for a time.

use std::collections::VecDeque;

use super::HwmpConfig;
use super::frames::MeshFrame;
use crate::kernel::{Duration, Instant};
use crate::mac::Airtime;
use crate::routing::Context;
use crate::routing::metric::{Link, LinkMetric, Metric};
use crate::routing::neighbour_table::NeighbourTable;
use crate::wire::NodeId;

/// Beacons over which the losses of a link are measured.
const WINDOW: u32 = 10;
/// The airtime link metric's unit, a hundredth of a TU of 1024 µs (section 13.9) \[ns\].
const UNIT_NS: f64 = 10_240.0;

/// Another station of the mesh.
#[derive(Debug, Default)]
struct Peer {
    /// This node's number for the link, from 1 on; 0 before its first Open.
    link: u16,
    /// Its number, once its Open has come.
    of_peer: Option<u16>,
    /// Its Confirm has come.
    is_confirmed: bool,
    /// Opens sent that nothing has come of.
    tries: u32,
    /// An Open waits for its Confirm.
    is_opening: bool,
    /// When its beacons came, oldest first.
    beacons: VecDeque<Instant>,
    first: Option<Instant>,
}

impl Peer {
    fn is_established(&self) -> bool {
        self.is_confirmed && self.of_peer.is_some()
    }
}

/// The stations that a node hears.
#[derive(Debug)]
pub struct Peers {
    interval: Duration,
    hold: Duration,
    retries: u32,
    /// How long an attempt at a test frame takes if the rate is fixed, by kind of station.
    test_attempts: Vec<Duration>,
    heard: NeighbourTable<Peer>,
    links: u16,
}

impl Peers {
    /// Nobody yet.
    pub fn new(config: &HwmpConfig, test_attempts: &[Duration]) -> Peers {
        Peers {
            interval: Duration::from_secs_f64(config.beacon_interval_s),
            hold: Duration::from_secs_f64(config.peer_hold_s),
            retries: config.max_peering_retries,
            test_attempts: test_attempts.to_vec(),
            heard: NeighbourTable::default(),
            links: 0,
        }
    }

    /// Whether frames are exchanged with `node`.
    pub fn is_peer(&self, now: Instant, node: NodeId) -> bool {
        self.heard.get(now, node).is_some_and(|peer| peer.known.is_established())
    }

    /// The peers.
    pub fn established(&self, now: Instant) -> impl Iterator<Item = NodeId> {
        let all = self.heard.current(now).filter(|(_, peer)| peer.known.is_established());
        all.map(|(node, _)| node)
    }

    /// The stations that have been silent for too long and were peers.
    pub fn expire(&mut self, now: Instant) -> Vec<NodeId> {
        let silent = self.heard.expire(now).into_iter();
        silent.filter(|(_, peer)| peer.is_established()).map(|(node, _)| node).collect()
    }

    /// A frame of `from` has come that says nothing of the peering.
    pub fn hear(&mut self, now: Instant, from: NodeId) {
        if self.is_peer(now, from) {
            self.heard.hear(now, from, now + self.hold);
        }
    }

    /// A beacon of `from` has come. Returns the number of the Open to send, if one is.
    pub fn on_beacon(&mut self, now: Instant, from: NodeId) -> Option<u16> {
        let oldest = self.interval * u64::from(WINDOW);
        let peer = self.heard.hear(now, from, now + self.hold);
        peer.first.get_or_insert(now);
        peer.beacons.push_back(now);
        while peer.beacons.front().is_some_and(|at| *at + oldest <= now) {
            peer.beacons.pop_front();
        }
        if peer.is_confirmed || peer.is_opening {
            return None;
        }
        peer.tries = 0;
        self.open(now, from)
    }

    /// Opens a peering with `from`, or opens it again.
    fn open(&mut self, now: Instant, from: NodeId) -> Option<u16> {
        let peer = self.heard.get_mut(now, from)?;
        if peer.link == 0 {
            self.links = self.links.wrapping_add(1).max(1);
            peer.link = self.links;
        }
        peer.tries += 1;
        peer.is_opening = true;
        Some(peer.link)
    }

    /// `from` opens a peering: the Confirm that answers it, and the number of an Open to send.
    pub fn on_open(
        &mut self,
        now: Instant,
        from: NodeId,
        of_peer: u16,
    ) -> (MeshFrame, Option<u16>) {
        let peer = self.heard.hear(now, from, now + self.hold);
        let before = peer.of_peer.replace(of_peer);
        // Another number: the peer has forgotten this node, and has to hear its Open again.
        let has_forgotten = before.is_some_and(|before| before != of_peer);
        if has_forgotten {
            (peer.is_confirmed, peer.tries) = (false, 0);
        }
        // After too many tries the next beacon begins anew.
        let opens = !peer.is_confirmed && !peer.is_opening && peer.tries <= self.retries;
        let open = if opens { self.open(now, from) } else { None };
        let link = self.heard.get(now, from).map_or(0, |peer| peer.known.link);
        (MeshFrame::Confirm(link, of_peer), open)
    }

    /// `from` has confirmed the peering of this node's number `link`.
    pub fn on_confirm(&mut self, now: Instant, from: NodeId, link: u16) {
        if let Some(peer) = self.heard.get_mut(now, from).filter(|peer| peer.link == link) {
            peer.is_confirmed = true;
        }
    }

    /// The time for an answer of `node` to an Open is over. Returns the number of the next one.
    pub fn on_retry(&mut self, now: Instant, node: NodeId) -> Option<u16> {
        let retries = self.retries;
        let peer = self.heard.get_mut(now, node)?;
        peer.is_opening = false;
        if peer.is_confirmed || peer.tries > retries { None } else { self.open(now, node) }
    }

    /// The airtime link metric of the link to `peer` (section 13.9): what the MAC has measured of
    /// the data that it sent there lately, else an attempt at a test frame over the share of the
    /// peer's last beacons that came.
    pub fn metric(&self, cx: &Context, peer: NodeId, metric: &Metric) -> Option<u32> {
        let window = self.interval * u64::from(WINDOW);
        let since = Instant::ZERO + cx.now.saturating_since(Instant::ZERO + window);
        let (airtime, share) = match cx.rates.map(|rates| rates.airtime(peer, since)) {
            Some(Airtime::Delivered(time)) => (time, 1.0),
            Some(Airtime::Attempt(time)) => (time, self.share(cx.now, peer)),
            None => {
                let attempt = self.test_attempts[usize::from(cx.interface.0)];
                (attempt, self.share(cx.now, peer))
            }
        };
        let link = Link {
            sender: cx.node,
            receiver: cx.stations.node(peer),
            received: share,
            delivered: None,
            airtime: Some(airtime),
            usual: 0,
        };
        let usual = AirtimeMetric.cost(cx.now, &link)?;
        metric.cost(cx.now, usual, || link)
    }

    /// The share of the peer's last beacons that came; 1 of a peer whose beacons have not come yet.
    fn share(&self, now: Instant, peer: NodeId) -> f64 {
        let Some(peer) = self.heard.get(now, peer).map(|peer| &peer.known) else { return 1.0 };
        let Some(first) = peer.first else { return 1.0 };
        let due = now.saturating_since(first).as_nanos() / self.interval.as_nanos() + 1;
        let due = due.min(WINDOW.into());
        let window = self.interval * u64::from(WINDOW);
        let came = peer.beacons.iter().filter(|at| **at + window > now).count() as u64;
        came.clamp(1, due) as f64 / due as f64
    }
}

/// The airtime link metric: an attempt's time over the share that comes.
#[derive(Debug)]
struct AirtimeMetric;

impl LinkMetric for AirtimeMetric {
    fn cost(&self, _: Instant, link: &Link) -> Option<u32> {
        let units = link.airtime?.as_nanos() as f64 / link.received / UNIT_NS;
        // A cast keeps within bounds.
        Some((units.round() as u32).max(1))
    }
}
