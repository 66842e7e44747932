//! What agents observe and set: names, units, ranges.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an agent is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Of {
    /// The TCP sender of a flow.
    Flow,
    /// A node.
    Node,
}

/// A number that an agent observes or sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// Its name, with its unit.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// The ends of its range; what is beyond counts as the end.
    pub low: f64,
    /// See `low`.
    pub high: f64,
    /// How the range is divided.
    pub scale: Scale,
    /// Whether the agent's own node knows it.
    pub is_local: bool,
}

/// How a range is divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By the logarithm of the number, or of 1 and the number over this step where the range begins
    /// with 0.
    Logarithmic(f64),
}

/// What agents of a kind observe and set.
#[derive(Clone, Copy, Debug)]
pub struct Quantities {
    /// What they can observe. What is of a time is of that since the last decision.
    pub observed: &'static [Quantity],
    /// What they can set.
    pub set: &'static [Quantity],
}

impl Of {
    /// What agents of this kind observe and set.
    pub fn quantities(self) -> Quantities {
        match self {
            Of::Flow => FLOW,
            Of::Node => NODE,
        }
    }

    /// Its name in a scenario.
    pub fn name(self) -> &'static str {
        match self {
            Of::Flow => "flow",
            Of::Node => "node",
        }
    }
}

impl Quantity {
    /// `value` as a share of the range, 0 to 1.
    pub fn share(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Logarithmic(step) if self.low == 0.0 => {
                libm::log1p(value / step) / libm::log1p(self.high / step)
            }
            Scale::Logarithmic(_) => libm::log(value / self.low) / libm::log(self.high / self.low),
        }
    }

    /// The value at `share` of the range, 0 to 1; what is beyond counts as the end.
    pub fn value(&self, share: f64) -> f64 {
        let share = share.clamp(0.0, 1.0);
        match self.scale {
            Scale::Linear => self.low + share * (self.high - self.low),
            Scale::Logarithmic(step) if self.low == 0.0 => {
                step * libm::expm1(share * libm::log1p(self.high / step))
            }
            Scale::Logarithmic(_) => self.low * libm::exp(share * libm::log(self.high / self.low)),
        }
    }
}

/// A quantity over a range, as its columns say.
const fn quantity(
    name: &'static str,
    about: &'static str,
    [low, high]: [f64; 2],
    scale: Scale,
) -> Quantity {
    Quantity { name, about, low, high, scale, is_local: true }
}

const fn delivered_bps(about: &'static str) -> Quantity {
    quantity("delivered_bps", about, [0.0, 1e9], Scale::Logarithmic(1e3))
}

const LINEAR: Scale = Scale::Linear;
const LOG: Scale = Scale::Logarithmic(1.0);

/// The last place among a node's next hops.
const LAST_NEXT_HOP: f64 = 7.0;

/// The greatest window that is told apart \[segments\].
const MOST_SEGMENTS: f64 = 256.0;

/// Of the TCP sender of a flow.
pub const FLOW: Quantities = Quantities {
    observed: &[
        quantity("active", "1 from the flow's start to its stop, else 0", [0.0, 1.0], LINEAR),
        quantity("hops", "hops of the last acknowledgment", [0.0, 32.0], LINEAR),
        quantity(
            "smoothed_rtt_s",
            "smoothed round-trip time; 0 before the first",
            [0.0, 10.0],
            Scale::Logarithmic(0.01),
        ),
        quantity(
            "least_rtt_s",
            "shortest round-trip time so far; 0 before the first",
            [0.0, 10.0],
            Scale::Logarithmic(0.01),
        ),
        quantity("rto_s", "retransmission timeout", [0.0, 60.0], Scale::Logarithmic(0.1)),
        quantity("cwnd_segments", "congestion window", [0.0, MOST_SEGMENTS], LOG),
        quantity("acked_per_s", "segments newly acknowledged a second", [0.0, 10_000.0], LOG),
        quantity("sent_per_s", "segments sent a second, repeated ones too", [0.0, 10_000.0], LOG),
        quantity("retransmits_per_s", "segments repeated a second", [0.0, 10_000.0], LOG),
        quantity("timeouts", "expiries of the retransmission timer", [0.0, 10.0], LOG),
        quantity("window_segments", "as set; 0 before", [0.0, MOST_SEGMENTS], LOG),
        quantity("pacing_s", "as set; 0 before", [0.0, 1.0], Scale::Logarithmic(0.001)),
        Quantity { is_local: false, ..delivered_bps("payload that reached the receiver in order") },
    ],
    set: &[
        quantity(
            "window_segments",
            "most segments unacknowledged, whatever the congestion window",
            [1.0, MOST_SEGMENTS],
            LOG,
        ),
        quantity("pacing_s", "time between segments", [0.001, 1.0], LOG),
        quantity(
            "cwnd_segments",
            "congestion window, from which congestion avoidance goes on",
            [1.0, MOST_SEGMENTS],
            LOG,
        ),
    ],
};

/// Of a node, all its stations together.
pub const NODE: Quantities = Quantities {
    observed: &[
        quantity("queue_packets", "packets in the interface queue", [0.0, 1000.0], LOG),
        quantity("sending_share", "share of the time in which it sent", [0.0, 1.0], LINEAR),
        quantity(
            "retry_share",
            "of the frames that were answered or not, the share that was not",
            [0.0, 1.0],
            LINEAR,
        ),
        quantity("busy_per_s", "backoffs a second for a busy medium", [0.0, 10_000.0], LOG),
        quantity("freezes_per_s", "countdowns that others froze, a second", [0.0, 100_000.0], LOG),
        delivered_bps("payload that neighbours acknowledged"),
        quantity("attempts", "attempts in vain at the packet in service", [0.0, 16.0], LINEAR),
        quantity("window_slots", "contention window now", [0.0, 1023.0], LOG),
        quantity("least_window_slots", "smallest contention window", [0.0, 1023.0], LOG),
        quantity("flows", "flows that start or end at the node", [0.0, 100.0], LOG),
        quantity("next_hop", "as set; 0 before", [0.0, LAST_NEXT_HOP], LINEAR),
    ],
    set: &[
        quantity(
            "least_window_slots",
            "smallest contention window, from the next packet on",
            [1.0, 1023.0],
            LOG,
        ),
        quantity("queue_packets", "size of the interface queue", [2.0, 1000.0], LOG),
        quantity(
            "data_rate_bps",
            "most that data frames go at, where mac.rate is not fixed",
            [1e6, 1e9],
            LOG,
        ),
        quantity(
            "next_hop",
            "of the neighbours that are no farther from a destination than the node, the place of \
             the one that gets its packets: 0 is the nearest, the last where there are fewer; \
             with routing.scheme static",
            [0.0, LAST_NEXT_HOP],
            LINEAR,
        ),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_a_range_is_the_value_again_and_beyond_it_the_end() {
        for Quantities { observed, set } in [FLOW, NODE] {
            for quantity in observed.iter().chain(set) {
                for share in [0.0, 0.25, 1.0] {
                    let back = quantity.share(quantity.value(share));
                    assert!((back - share).abs() < 1e-12, "{}: {back}", quantity.name);
                }
                assert_eq!(quantity.value(7.0), quantity.value(1.0));
                assert_eq!(quantity.share(quantity.low - 1.0), 0.0);
            }
        }
    }

    #[test]
    fn ranges_are_divided_as_their_scale_says() {
        let slots = NODE.set[0];
        assert!((slots.value(0.5) - 1023f64.sqrt()).abs() < 1e-9);
        let rtt = FLOW.observed[2];
        assert!((rtt.share(0.01) - 2f64.ln() / 1001f64.ln()).abs() < 1e-12);
        assert_eq!(FLOW.observed[1].share(8.0), 0.25);
    }
}
