//! What links cost, where a protocol takes another's word for it: Babel (RFC 8966 section 3.4.3
//! leaves it to local policy), OLSR, HWMP (IEEE Std 802.11-2012 section 13.9 has others, too) and
//! B.A.T.M.A.N.

use std::fmt::Debug;

use crate::kernel::{Duration, Instant};
use crate::measure::Counts;
use crate::wire::NodeId;

/// A link as its protocol has measured it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The node that would send over it.
    pub sender: NodeId,
    /// The node at its other end.
    pub receiver: NodeId,
    /// Share of the receiver's latest messages that came to the sender.
    pub received: f64,
    /// Share of the sender's that came to the receiver, where the protocol asks for it.
    pub delivered: Option<f64>,
    /// What an attempt at a test frame takes on the medium, where the protocol knows; where the MAC
    /// has measured it, with the attempts that failed, and `received` is 1.
    pub airtime: Option<Duration>,
    /// What the protocol's own metric says.
    pub usual: u32,
}

/// What a link costs, in the units of the protocol that asks: the more, the worse, and paths add
/// up. B.A.T.M.A.N. asks for a quality in 255ths instead: the less, the worse, and paths multiply.
pub trait LinkMetric: Debug + Send + Sync + 'static {
    /// What `link` costs at `now`; none: it is not to be used.
    fn cost(&self, now: Instant, link: &Link) -> Option<u32>;

    /// Adds what it has counted of its own to the result.
    fn report(&self, _counts: &mut Counts) {}
}

/// The metric of one node's protocol: its own, or one from outside.
#[derive(Debug, Default)]
pub struct Metric(Option<Box<dyn LinkMetric>>);

impl Metric {
    /// One from outside.
    pub fn outside(metric: Box<dyn LinkMetric>) -> Metric {
        Metric(Some(metric))
    }

    /// What a link costs that costs `usual` by the protocol's own metric; `link` tells of it.
    pub fn cost(&self, now: Instant, usual: u32, link: impl FnOnce() -> Link) -> Option<u32> {
        match &self.0 {
            None => Some(usual),
            Some(metric) => metric.cost(now, &Link { usual, ..link() }),
        }
    }

    /// What one from outside has counted.
    pub fn counts(&self) -> Counts {
        Counts::of(|counts| {
            if let Some(metric) = &self.0 {
                metric.report(counts);
            }
        })
    }
}
