"""TCP-ELFN and its rivals: frozen senders, failed links, and what waits in relays' queues.

The metrics of queues need `record = { queue_classes = true }` in the study.
"""

from __future__ import annotations

import numpy as np

from multihop.metrics.access import ratio
from multihop.metrics.common import fullest_relay
from multihop.metrics.registry import FlowMetric, Metric, RunMetric
from multihop.places import sensed_at_start
from multihop.result_types import FlowReport, RunResult


def _contenders(run: RunResult, flow: FlowReport) -> float:
    own = {flow["source"], flow["destination"]}
    others = {other[end] for other in run["flows"] for end in ("source", "destination")} - own
    if not others:
        return 0.0
    return float(sensed_at_start(run)[np.ix_(sorted(others), sorted(own))].any(axis=1).sum())


def _sources_share(run: RunResult) -> float | None:
    waiting = [(queue["is_source"], queue["mean_data"]) for queue in run.get("queues", [])]
    at_sources = sum(data for is_source, data in waiting if is_source)
    return ratio(at_sources, sum(data for _, data in waiting))


def _queue_rtt_correlation(run: RunResult) -> float | None:
    """Pearson's correlation, from at least three flows."""
    waiting = {queue["node"]: queue["mean_data"] for queue in run.get("queues", [])}
    pairs = []
    for flow in run["flows"]:
        links = [link for link in run.get("links", []) if link["flow"] == flow["id"]]
        packets = sum(link["packets"] for link in links)
        if waiting and packets and flow["mean_hops"] and flow["mean_rtt_s"] is not None:
            at_link = sum(waiting[link["from"]] * link["packets"] for link in links) / packets
            pairs.append((at_link * flow["mean_hops"], flow["mean_rtt_s"]))
    if len(pairs) < 3 or np.ptp(pairs, axis=0).min() == 0.0:
        return None
    return float(np.corrcoef(np.array(pairs).T)[0, 1])


METRICS: list[Metric] = [
    FlowMetric("contenders", "nodes",
               "Ends of other flows that either end senses, at the start.",
               _contenders),
    RunMetric("relay_routing", "packets",
              "Mean routing packets in the fullest relay's queue; needs queue_classes.",
              fullest_relay("mean_routing")),
    RunMetric("relay_max_routing", "packets",
              "Most routing packets in the fullest relay's queue; needs queue_classes.",
              fullest_relay("max_routing")),
    RunMetric("relay_routing_share", "",
              "Share of the time with a routing packet in the fullest relay's queue; needs "
              "queue_classes.", fullest_relay("routing_share")),
    RunMetric("relay_nearly_full_share", "",
              "Share of the time in which data filled nine tenths of the fullest relay's queue; "
              "needs queue_classes.", fullest_relay("nearly_full_share")),
    RunMetric("relay_growth_with_routing", "packets/s",
              "Growth of the data in the fullest relay's queue while routing packets wait there; "
              "needs queue_classes.",
              fullest_relay("growth_with_routing_per_s"), least=None),
    RunMetric("relay_growth_without_routing", "packets/s",
              "The same while no routing packet waits; needs queue_classes.",
              fullest_relay("growth_without_routing_per_s"), least=None),
    RunMetric("sources_share", "",
              "Share of the waiting data packets that wait at sources; needs queue_classes.",
              _sources_share),
    RunMetric("queue_rtt_correlation", "",
              "Correlation over flows of the round-trip time and the data in all queues on the "
              "path; needs queue_classes and links.", _queue_rtt_correlation, least=None),
]  # fmt: skip
