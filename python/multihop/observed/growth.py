"""How fast congestion windows grow."""

from __future__ import annotations

import polars as pl

from multihop.observed.observation import Observation, Observer
from multihop.result_types import RunResult

WINDOW = 8
"""Segments, at which a window is open."""


def opening_times(events: pl.DataFrame) -> pl.DataFrame:
    """By `flow`, `opened_s` from its start until its window first holds `WINDOW` segments."""
    senders = events.filter(pl.col("event") == "tcp")
    began = (
        senders.filter(pl.col("detail") == "start")
        .group_by("flow")
        .agg(began_ns=pl.col("time_ns").min())
    )
    opened = (
        senders.filter(pl.col("cwnd") >= WINDOW)
        .group_by("flow")
        .agg(opened_ns=pl.col("time_ns").min())
    )
    return (
        began.join(opened, on="flow")
        .select("flow", opened_s=(pl.col("opened_ns") - pl.col("began_ns")) / 1e9)
        .sort("flow")
    )


def _mean(events: pl.DataFrame, _run: RunResult) -> tuple[float | None]:
    mean = opening_times(events)["opened_s"].mean()
    return (mean if isinstance(mean, float) else None,)


OBSERVER = Observer(
    (
        Observation("window_opening_s", "s",
                    f"From a flow's start until its congestion window first holds {WINDOW} "
                    "segments, mean over the flows that get there."),
    ),
    _mean,
)  # fmt: skip
