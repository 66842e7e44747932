"""Whether the round trips on the paths of one flow rise and fall together."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl

from multihop.observed.observation import Observation, Observer
from multihop.result_types import RunResult

SECOND_NS = 1_000_000_000
FEWEST_BINS = 20
"""Seconds in which both of two paths have round trips, for a correlation."""
_WEIGHT = 0.125
"""Of a sample in the smoothed round trip (RFC 6298, section 2)."""


def round_trips(events: pl.DataFrame, flow: int) -> pl.DataFrame:
    """Round trips of the segments of a flow that were sent once.

    Columns: `time_ns` of the acknowledgment, `rtt_s`, `path`, the neighbour that the source sent
    the segment to.
    """
    own = events.filter(pl.col("flow") == flow)
    data = own.filter(pl.col("content") == "tcp-data")
    sent = (
        data.filter(pl.col("event") == "send")
        .group_by("number", maintain_order=True)
        .agg(pl.len(), pl.col("time_ns").min(), pl.col("node").first())
        .filter(pl.col("len") == 1)
    )
    first = (
        data.filter(pl.col("event") == "route", pl.col("node") == pl.col("origin"))
        .group_by("number", maintain_order=True)
        .agg(path=pl.col("peer").last())
    )
    # A cumulative acknowledgment answers every segment up to its number.
    answered = (
        own.filter(pl.col("event") == "deliver", pl.col("content") == "tcp-ack")
        .sort("time_ns")
        .with_columns(pl.col("number").cum_max())
        .group_by("number", maintain_order=True)
        .agg(answer_ns=pl.col("time_ns").min())
        .sort("number")
    )
    return (
        sent.join(first, on="number")
        .sort("number")
        .join_asof(answered, on="number", strategy="forward")
        .drop_nulls("answer_ns")
        .filter(pl.col("answer_ns") > pl.col("time_ns"))
        .select(
            time_ns="answer_ns",
            rtt_s=(pl.col("answer_ns") - pl.col("time_ns")) / 1e9,
            path="path",
        )
        .sort("time_ns")
    )


def correlations(events: pl.DataFrame, flow: int) -> list[float]:
    """Of each two paths of a flow, the correlation of their smoothed round trips by the second."""
    smoothed = (
        round_trips(events, flow)
        .with_columns(
            pl.col("rtt_s").ewm_mean(alpha=_WEIGHT, adjust=False).over("path"),
            second=pl.col("time_ns") // SECOND_NS,
        )
        .group_by("path", "second", maintain_order=True)
        .agg(pl.col("rtt_s").last())
    )
    series = {path: part.select("second", "rtt_s") for (path,), part in smoothed.group_by("path")}
    found = []
    for one, other in itertools.combinations(sorted(series), 2):
        both = series[one].join(series[other], on="second")
        if both.height >= FEWEST_BINS:
            found.append(float(np.corrcoef(both["rtt_s"], both["rtt_s_right"])[0, 1]))
    return found


def _mean(events: pl.DataFrame, run: RunResult) -> tuple[float | None]:
    found = [
        each
        for flow in range(len(run["flows"]))
        for each in correlations(events, flow)
        if np.isfinite(each)
    ]
    return (sum(found) / len(found) if found else None,)


OBSERVER = Observer(
    (
        Observation("path_rtt_correlation", "",
                    "Correlation of the smoothed round trips on two paths of a flow, told apart by "
                    "their first hop, by the second in which both have some; mean over all pairs "
                    f"with {FEWEST_BINS} such seconds.", least=None),
    ),
    _mean,
)  # fmt: skip
