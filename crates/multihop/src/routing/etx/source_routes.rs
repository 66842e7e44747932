//! DSR by the metric of measured links, as link-quality source routing does it.
//!
//! Requests gather the metric of each link that they cross, and a reply carries them back. Data
//! gather them anew on their source route; if their sum has changed, the destination tells the
//! source. Each node keeps the last metric that it learned of every link, measures its own, and
//! sends on the cached path with the least sum. A link counts alike in both directions.
//!
//! Deviation: LQSR keeps links, and works paths out of them; here paths are cached as they were
//! found. It attaches what it tells a source to data that go there; here it is a packet of its own.

use rustc_hash::FxHashMap;

use super::DsrEtxTable;
use super::probing::Probing;
use crate::kernel::{Duration, Instant};
use crate::routing::copies::Copies;
use crate::routing::dsr::cache::{Found, PathCache};
use crate::routing::dsr::{Order, Policy};
use crate::routing::{Context, Timer};
use crate::wire::dsr::{Direction, Header, Path, Request};
use crate::wire::{Extension, NodeId, Packet};

/// A node remembers so long which copies of a request it has taken up.
const REQUEST_LIFE: Duration = Duration::from_secs(30);
/// A destination tells a source at most so often of its path, as in LQSR.
const TELLING_SPACING: Duration = Duration::from_secs(1);
/// Part by which the sum over a path has to change before the source is told again.
const TELLING_CHANGE: f64 = 0.1;

/// DSR's choices on one node. Metrics are in thousandths.
#[derive(Debug)]
pub struct SourceEtx {
    probing: Probing,
    copies: Copies,
    known: KnownLinks,
    told: FxHashMap<NodeId, Told>,
}

/// What this node has told a source of its path.
#[derive(Debug)]
struct Told {
    path: Path,
    sum: u64,
    at: Instant,
}

/// The last metric learned of each link, by its ends in order.
#[derive(Debug, Default)]
struct KnownLinks(FxHashMap<[NodeId; 2], f32>);

impl KnownLinks {
    /// The links of `path` have these metrics.
    fn learn(&mut self, path: &[NodeId], metrics: &[f32]) {
        for (link, metric) in path.windows(2).zip(metrics) {
            self.0.insert(ends(link[0], link[1]), *metric);
        }
    }

    /// The sum over the links of `path`; none if one is not known.
    fn sum(&self, path: &[NodeId]) -> Option<u64> {
        let metric = |link: &[NodeId]| {
            self.0.get(&ends(link[0], link[1])).map(|metric| u64::from(*metric as u32))
        };
        path.windows(2).map(metric).sum()
    }
}

fn ends(a: NodeId, b: NodeId) -> [NodeId; 2] {
    if a < b { [a, b] } else { [b, a] }
}

impl SourceEtx {
    /// The choices with these keys; `test_attempts` as in [`Probing::new`].
    pub fn new(table: &DsrEtxTable, test_attempts: &[Duration]) -> SourceEtx {
        SourceEtx {
            probing: Probing::new(&table.etx, test_attempts),
            copies: Copies::new(table.etx.improve_limit, REQUEST_LIFE),
            known: KnownLinks::default(),
            told: FxHashMap::default(),
        }
    }

    /// What this node knows of its links.
    pub fn probing(&self) -> &Probing {
        &self.probing
    }

    /// The metric of the last link of `path`, which ends at this node's neighbour.
    fn last_link(&self, cx: &Context, path: &[NodeId]) -> Option<f32> {
        self.probing.link(cx, *path.last()?).map(|metric| metric as f32)
    }

    /// Whether to tell the source of `path` that the sum over its links is `sum`.
    fn tells(&mut self, now: Instant, path: &Path, sum: u64) -> bool {
        let is_news = self.told.get(&path[0]).is_none_or(|told| {
            let change = (sum as f64 - told.sum as f64).abs();
            let changed = told.path != *path || change > TELLING_CHANGE * told.sum as f64;
            changed && told.at + TELLING_SPACING <= now
        });
        if is_news {
            self.told.insert(path[0], Told { path: path.clone(), sum, at: now });
        }
        is_news
    }

    /// Whether to take up a copy of `request`, which has come along its path: its last link is
    /// known to work, and it is the first or better than those before.
    fn takes_up(&mut self, cx: &Context, request: &Request) -> bool {
        let Some(last) = self.last_link(cx, &request.path) else { return false };
        let metric: f32 = request.gathered.iter().sum::<f32>() + last;
        self.copies.takes_up(cx.now, (request.path[0], request.id), metric as u32)
    }
}

impl Policy for SourceEtx {
    fn on_start(&mut self, cx: &mut Context) {
        self.probing.start(cx);
    }

    fn on_message(&mut self, cx: &mut Context, from: NodeId, message: &Extension) {
        self.probing.hear(cx, from, message);
    }

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) -> Vec<Order> {
        self.probing.probe(cx, timer);
        Vec::new()
    }

    fn ignores_copies(&self) -> bool {
        false
    }

    fn passes_on(&mut self, cx: &Context, request: &Request, _: bool) -> bool {
        self.takes_up(cx, request)
    }

    fn gather(&mut self, cx: &Context, request: &mut Request) {
        let before = &request.path[..request.path.len() - 1];
        let last = self.last_link(cx, before);
        request.gathered.extend(last);
    }

    fn answers(&mut self, cx: &mut Context, request: &Request, _: bool, _: bool) -> bool {
        self.takes_up(cx, request)
    }

    fn gathered(&mut self, cx: &Context, request: &Request) -> Vec<f32> {
        let path: Path = [&request.path[..], &[cx.node]].concat().into();
        let mut metrics = request.gathered.clone();
        metrics.extend(self.last_link(cx, &request.path));
        self.known.learn(&path, &metrics);
        let sum = metrics.iter().sum::<f32>() as u64;
        self.told.insert(path[0], Told { path, sum, at: cx.now });
        metrics
    }

    fn pick(
        &mut self,
        cx: &Context,
        routes: &mut PathCache,
        packet: &Packet,
        _: bool,
    ) -> Option<Found> {
        let own = |path: &[NodeId]| self.probing.link(cx, path[1]).map(u64::from);
        routes.cheapest(packet.destination, |path| Some(own(path)? + self.known.sum(&path[1..])?))
    }

    fn on_reply(&mut self, _: Instant, path: &Path, _: Option<Direction>, gathered: &[f32]) {
        self.known.learn(path, gathered);
    }

    fn piggyback(&self, cx: &Context, previous: NodeId) -> Option<f32> {
        // A link that is not known to work has let this packet through; it is not taken for a good
        // one.
        Some(self.last_link(cx, &[previous]).unwrap_or(f32::INFINITY))
    }

    fn sees_deliveries(&self) -> bool {
        true
    }

    fn on_delivered(&mut self, cx: &mut Context, _: &Packet, header: &Header) -> Option<Order> {
        let path = &header.route.as_ref()?.nodes;
        let (_, asked) = path.split_last()?;
        let mut gathered = header.gathered.clone();
        gathered.extend(self.last_link(cx, asked));
        self.known.learn(path, &gathered);
        let sum = self.known.sum(path)?;
        let asked = asked.into();
        self.tells(cx.now, path, sum).then_some(Order::Answer { asked, direction: None, gathered })
    }
}
