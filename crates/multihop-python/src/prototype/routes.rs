//! What the hooks of a policy of AODV in Python get. Times are in seconds.

use multihop::api::kernel::{Duration, Instant};
use multihop::api::routing::Context;
use multihop::api::routing::aodv::policy as engine;
use multihop::api::routing::aodv::table;
use multihop::api::wire::aodv::{Reply, Request, SequenceNumber};
use multihop::api::wire::{NodeId, Packet};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The longest timer \[s\].
const MAX_TIMER_S: f64 = 1e6;
/// The largest message of a policy's own \[bytes\].
const MAX_MESSAGE_BYTES: usize = 1400;

/// The node, and what its policy asks of it.
#[pyclass]
#[derive(Debug, Default)]
pub(crate) struct RoutingContext {
    #[pyo3(get)]
    now_s: f64,
    #[pyo3(get)]
    node: u32,
    #[pyo3(get)]
    queue_packets: usize,
    #[pyo3(get)]
    backoffs: u32,
    /// Timers asked for: after so many seconds, with a number.
    #[pyo3(get)]
    pub(super) timers: Vec<(f64, u32)>,
    /// Messages to broadcast.
    #[pyo3(get)]
    pub(super) messages: Vec<Vec<u8>>,
}

#[pymethods]
impl RoutingContext {
    #[new]
    #[pyo3(signature = (*, now_s=0.0, node=0, queue_packets=0, backoffs=0))]
    fn new(now_s: f64, node: u32, queue_packets: usize, backoffs: u32) -> RoutingContext {
        RoutingContext { now_s, node, queue_packets, backoffs, ..RoutingContext::default() }
    }

    #[pyo3(signature = (after_s, number=0))]
    fn set_timer(&mut self, after_s: f64, number: u32) -> PyResult<()> {
        if !(0.0..=MAX_TIMER_S).contains(&after_s) {
            let fault = format!("set_timer: must be 0 to {MAX_TIMER_S} seconds (got {after_s})");
            return Err(PyValueError::new_err(fault));
        }
        self.timers.push((after_s, number));
        Ok(())
    }

    fn broadcast(&mut self, message: Vec<u8>) -> PyResult<()> {
        if message.len() > MAX_MESSAGE_BYTES {
            let fault = format!(
                "broadcast: must be {MAX_MESSAGE_BYTES} bytes at most (got {})",
                message.len()
            );
            return Err(PyValueError::new_err(fault));
        }
        self.messages.push(message);
        Ok(())
    }
}

impl RoutingContext {
    /// Shows the node as `cx` has it.
    pub(super) fn show(&mut self, cx: &Context) {
        self.now_s = cx.now.as_secs_f64();
        self.node = cx.node.0;
        self.queue_packets = cx.queue.len();
        let counts = cx.backoffs;
        self.backoffs = counts.idle + counts.busy + counts.retry + counts.post;
    }
}

/// A route request; the metric may be changed.
#[pyclass]
#[derive(Clone, Copy, Debug)]
pub(crate) struct RouteRequest(pub(super) Request);

#[pymethods]
impl RouteRequest {
    #[new]
    #[pyo3(signature = (*, destination=1, originator=0, id=1, hop_count=0, metric=0))]
    fn new(destination: u32, originator: u32, id: u32, hop_count: u8, metric: u32) -> RouteRequest {
        RouteRequest(Request {
            hop_count,
            id,
            destination: NodeId(destination),
            destination_sequence: SequenceNumber(0),
            originator: NodeId(originator),
            originator_sequence: SequenceNumber(0),
            sent_at: Instant::ZERO,
            metric,
            transmitter_metric: 0,
        })
    }

    #[getter]
    fn hop_count(&self) -> u8 {
        self.0.hop_count
    }

    #[getter]
    fn id(&self) -> u32 {
        self.0.id
    }

    #[getter]
    fn destination(&self) -> u32 {
        self.0.destination.0
    }

    #[getter]
    fn originator(&self) -> u32 {
        self.0.originator.0
    }

    #[getter]
    fn metric(&self) -> u32 {
        self.0.metric
    }

    #[setter]
    fn set_metric(&mut self, metric: u32) {
        self.0.metric = metric;
    }
}

/// A route reply; the metric may be changed.
#[pyclass]
#[derive(Clone, Copy, Debug)]
pub(crate) struct RouteReply(pub(super) Reply);

#[pymethods]
impl RouteReply {
    #[new]
    #[pyo3(signature = (*, destination=1, originator=0, hop_count=0, metric=0))]
    fn new(destination: u32, originator: u32, hop_count: u8, metric: u32) -> RouteReply {
        RouteReply(Reply {
            hop_count,
            destination: NodeId(destination),
            destination_sequence: SequenceNumber(0),
            originator: NodeId(originator),
            lifetime: Duration::from_secs(10),
            request_sent_at: Instant::ZERO,
            is_passed_on: false,
            metric,
        })
    }

    #[getter]
    fn hop_count(&self) -> u8 {
        self.0.hop_count
    }

    #[getter]
    fn destination(&self) -> u32 {
        self.0.destination.0
    }

    #[getter]
    fn originator(&self) -> u32 {
        self.0.originator.0
    }

    #[getter]
    fn metric(&self) -> u32 {
        self.0.metric
    }

    #[setter]
    fn set_metric(&mut self, metric: u32) {
        self.0.metric = metric;
    }
}

/// A copy of a request at a node.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct RequestCopy {
    #[pyo3(get)]
    request: Py<RouteRequest>,
    #[pyo3(get)]
    sender: u32,
    #[pyo3(get)]
    ttl: u8,
}

#[pymethods]
impl RequestCopy {
    #[new]
    #[pyo3(signature = (request, *, sender=0, ttl=30))]
    fn new(request: Py<RouteRequest>, sender: u32, ttl: u8) -> RequestCopy {
        RequestCopy { request, sender, ttl }
    }
}

impl RequestCopy {
    pub(super) fn of(py: Python<'_>, copy: &engine::Copy) -> PyResult<RequestCopy> {
        let request = Py::new(py, RouteRequest(copy.request))?;
        Ok(RequestCopy { request, sender: copy.from.0, ttl: copy.ttl })
    }

    pub(super) fn taken(&self, py: Python<'_>) -> engine::Copy {
        let request = self.request.borrow(py).0;
        engine::Copy { request, ttl: self.ttl, from: NodeId(self.sender) }
    }
}

/// What a node knows of one destination.
#[pyclass(frozen, get_all)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    destination: u32,
    next_hop: u32,
    hops: u8,
    metric: u32,
    is_up: bool,
}

#[pymethods]
impl Route {
    #[new]
    #[pyo3(signature = (*, destination=1, next_hop=1, hops=1, metric=0, is_up=true))]
    fn new(destination: u32, next_hop: u32, hops: u8, metric: u32, is_up: bool) -> Route {
        Route { destination, next_hop, hops, metric, is_up }
    }
}

impl From<&table::Route> for Route {
    fn from(route: &table::Route) -> Route {
        Route {
            destination: route.destination.0,
            next_hop: route.next_hop.0,
            hops: route.hops,
            metric: route.metric,
            is_up: route.is_up(),
        }
    }
}

/// A route that a message offers, beside the one that there is.
#[pyclass(frozen, get_all)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct RouteOffer {
    hops: u8,
    metric: u32,
    is_newer: bool,
    is_same_age: bool,
}

#[pymethods]
impl RouteOffer {
    #[new]
    #[pyo3(signature = (*, hops=1, metric=0, is_newer=false, is_same_age=true))]
    fn new(hops: u8, metric: u32, is_newer: bool, is_same_age: bool) -> RouteOffer {
        RouteOffer { hops, metric, is_newer, is_same_age }
    }
}

impl RouteOffer {
    pub(super) fn of(offer: &table::Offer, route: &table::Route) -> RouteOffer {
        RouteOffer {
            hops: offer.hops,
            metric: offer.metric,
            is_newer: offer.sequence.is_newer_than(route.sequence),
            is_same_age: offer.sequence == route.sequence,
        }
    }
}

/// A packet of data.
#[pyclass(frozen, get_all)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataPacket {
    source: u32,
    destination: u32,
    size_bytes: u32,
    hops: u16,
}

#[pymethods]
impl DataPacket {
    #[new]
    #[pyo3(signature = (*, source=0, destination=1, size_bytes=1000, hops=0))]
    fn new(source: u32, destination: u32, size_bytes: u32, hops: u16) -> DataPacket {
        DataPacket { source, destination, size_bytes, hops }
    }
}

impl From<&Packet> for DataPacket {
    fn from(packet: &Packet) -> DataPacket {
        DataPacket {
            source: packet.source.0,
            destination: packet.destination.0,
            size_bytes: packet.size_bytes,
            hops: packet.hops,
        }
    }
}
