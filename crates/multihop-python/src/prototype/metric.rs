//! Metrics of links written in Python: a class with the hook of [`LinkMetric`].

use multihop::api::kernel::{Duration, Instant};
use multihop::api::measure::Counts;
use multihop::api::routing::metric::{self, LinkMetric};
use multihop::api::wire::NodeId;
use pyo3::prelude::*;

use super::Class;
use super::node::{Node, hooks, wrong};

hooks!(cost, counters);

/// What makes the metrics of nodes, of class `of`.
pub(super) fn maker(of: Class) -> impl Fn(NodeId, u64) -> Box<dyn LinkMetric> + Send + Sync {
    move |node, seed| {
        let (node, has) = Node::new(&of, node, seed, |_, _, hooks| Ok(Has::of(hooks)));
        Box::new(Chosen { node, has })
    }
}

/// The metric of a node.
#[derive(Debug)]
struct Chosen {
    node: Node,
    has: Has,
}

impl LinkMetric for Chosen {
    fn cost(&self, now: Instant, link: &metric::Link) -> Option<u32> {
        if !self.has.cost {
            return Some(link.usual);
        }
        self.node.look(None, "cost", |py, _| {
            let given = Link {
                now_s: now.as_secs_f64(),
                sender: link.sender.0,
                receiver: link.receiver.0,
                received: link.received,
                delivered: link.delivered,
                airtime_s: link.airtime.map(Duration::as_secs_f64),
                usual: link.usual,
            };
            let answer = self.node.call(py, "cost", (given,))?;
            let cost = answer.extract::<Option<u32>>();
            cost.map_err(|_| wrong("cost", "a whole number of 0 or more, or None", &answer))
        })
    }

    fn report(&self, counts: &mut Counts) {
        if self.has.counters {
            self.node.report(counts);
        }
    }
}

/// A link as its protocol has measured it.
#[pyclass(frozen, get_all)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    now_s: f64,
    sender: u32,
    receiver: u32,
    received: f64,
    delivered: Option<f64>,
    airtime_s: Option<f64>,
    usual: u32,
}

#[pymethods]
impl Link {
    #[new]
    #[pyo3(signature = (
        *, now_s=0.0, sender=0, receiver=1, received=1.0, delivered=None, airtime_s=None, usual=1
    ))]
    fn new(
        now_s: f64,
        sender: u32,
        receiver: u32,
        received: f64,
        delivered: Option<f64>,
        airtime_s: Option<f64>,
        usual: u32,
    ) -> Link {
        Link { now_s, sender, receiver, received, delivered, airtime_s, usual }
    }
}
