"""How busy nodes sense the medium, and how much they send for it. Of nodes that stand still."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from multihop.observed.observation import Observation, Observer
from multihop.places import sensed_at_start
from multihop.result_types import RunResult

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Shares:
    """By node: share of the time in which others' frames keep the medium busy; packets relayed."""

    busy: Numbers
    relayed: Numbers


def shares(events: pl.DataFrame, run: RunResult) -> Shares | None:
    """How busy each node senses the medium from the first flow's start on.

    None where nodes move: who senses whom then changes from frame to frame.
    """
    if run["scenario"]["mobility"]["kind"] != "static":
        return None
    start = min((flow["start_s"] for flow in run["flows"]), default=0.0) * 1e9
    length = run["scenario"]["duration_s"] * 1e9 - start
    sent = events.filter(
        pl.col("event") == "transmit", pl.col("time_ns") >= start, pl.col("kind") != "ethernet"
    )
    senses = sensed_at_start(run).T
    nodes = sent["node"].to_numpy()
    starts = sent["time_ns"].to_numpy().astype(float)
    ends = starts + sent["airtime_ns"].to_numpy()
    busy = [_covered(starts[heard], ends[heard]) for heard in senses[:, nodes]]
    relays = sent.filter(
        pl.col("kind") == "data",
        pl.col("content").is_in(["tcp-data", "tcp-ack", "udp"]),
        pl.col("node") != pl.col("origin"),
    )
    relayed = np.zeros(len(senses))
    counted = relays.group_by("node").agg(pl.col("packet").n_unique())
    relayed[counted["node"].to_numpy()] = counted["packet"].to_numpy()
    return Shares(np.array(busy) / length, relayed)


def _covered(starts: Numbers, ends: Numbers) -> float:
    """Length of the union of spans in the order of their starts."""
    if not len(starts):
        return 0.0
    latest = np.maximum.accumulate(np.concatenate(([-np.inf], ends[:-1])))
    return float(np.maximum(ends - np.maximum(starts, latest), 0).sum())


def _observed(events: pl.DataFrame, run: RunResult) -> tuple[float | None, float | None]:
    from scipy.stats import spearmanr  # takes 0.5 s to import

    found = shares(events, run)
    if found is None:
        return None, None
    correlation = None
    if len(set(found.relayed)) > 1:
        correlation = float(spearmanr(found.relayed, found.busy).statistic)
    ends = {node for flow in run["flows"] for node in (flow["source"], flow["destination"])}
    bystanders = [
        busy
        for node, (busy, relayed) in enumerate(zip(found.busy, found.relayed, strict=True))
        if not relayed and node not in ends
    ]
    return correlation, max(bystanders, default=None)


OBSERVER = Observer(
    (
        Observation("load_busy_correlation", "",
                    "Rank correlation over nodes of the packets that they relay and the share of "
                    "the time in which they sense the medium busy; of nodes that stand still.",
                    least=None),
        Observation("bystander_busy_share", "",
                    "Greatest share of the time in which a node that neither relays nor ends a "
                    "flow senses the medium busy; of nodes that stand still."),
    ),
    _observed,
)  # fmt: skip
