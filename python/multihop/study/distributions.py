"""The numbers of figures that show a distribution: over flows or runs, or over networks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from multihop.study import estimates
from multihop.study.estimates import Sample
from multihop.study.figure import Figure
from multihop.study.places import places
from multihop.study.runs import StudyRuns

MOST_STEPS = 200
"""A distribution with more different values has its 200 quantiles at equal steps."""
INTERVALS = 40
"""A line has its interval wherever it passes another fortieth, the quartiles among them."""

Rows = Iterator[dict[str, Any]]


def cumulative(results: StudyRuns, figure: Figure) -> Rows:
    """For each scheme the share of its flows (or runs) at or below each value."""
    for place in places(results, figure):
        counts = place.sample(figure.metric)
        if counts.flows < figure.least_flows:
            continue
        rows = place.frame.filter(
            pl.col("scheme") == place.scheme, pl.col("network").is_in(counts.networks)
        ).select("network", pl.col(figure.metric).cast(pl.Float64).alias("value"))
        before = 0
        for value, sample in _at_or_below(rows.drop_nulls(), counts):
            part = math.floor(INTERVALS * sample.mean + 1e-9)
            found = estimates.mean(sample) if part > before else None
            before = part
            yield {
                "x": value,
                **place.labels,
                "value": sample.mean,
                "low": found and finite(found.low),
                "high": found and finite(found.high),
                "networks": len(sample.networks),
                "flows": sample.flows,
            }


def by_network(results: StudyRuns, figure: Figure) -> Rows:
    """For each scheme and point the mean of each network."""
    for place in places(results, figure):
        sample = place.sample(figure.metric)
        if sample.flows < figure.least_flows:
            continue
        for network, total, count in zip(sample.networks, sample.sums, sample.counts, strict=True):
            if count > 0:
                yield {
                    **place.labels,
                    "value": float(total / count),
                    "networks": 1,
                    "flows": int(count),
                    "network": network,
                }


def boxes(frame: pl.DataFrame) -> pl.DataFrame:
    """Of a frame by network, for each point: quartiles as `low`, `value`, `high`; the extremes."""
    value = pl.col("value")
    return frame.group_by("x", "scheme", "facet", maintain_order=True).agg(
        value.quantile(0.25, "linear").alias("low"),
        value.quantile(0.75, "linear").alias("high"),
        value.min().alias("least"),
        value.max().alias("greatest"),
        value.median().alias("value"),
        pl.col("networks").sum(),
        pl.col("flows").sum(),
    )


def quantile(lines: pl.DataFrame, share: float) -> float:
    """The least value of one cumulative line that so large a share is at or below."""
    reached = lines.filter(pl.col("value") >= share - 1e-9)["x"]
    return float(reached.to_numpy().min()) if len(reached) else math.nan


def _at_or_below(rows: pl.DataFrame, counts: Sample) -> Iterator[tuple[float, Sample]]:
    """At each step, for each network how many values are at or below."""
    values = np.sort(rows["value"].to_numpy())
    if len(values) == 0:
        return
    ranks = np.arange(1, MOST_STEPS + 1) * len(values) / MOST_STEPS
    steps = np.unique(values)
    if len(steps) > MOST_STEPS:
        steps = np.unique(values[np.ceil(ranks - 1e-9).astype(int) - 1])
    of_network = rows.partition_by("network", as_dict=True)
    sorted_values = [
        np.sort(of_network[(network,)]["value"].to_numpy())
        if (network,) in of_network else np.empty(0)
        for network in counts.networks
    ]  # fmt: skip
    for step in steps:
        sums = [np.searchsorted(own, step, "right") for own in sorted_values]
        below = np.array(sums, dtype=np.float64)
        yield float(step), Sample(counts.networks, below, counts.counts, counts.lacks)


def finite(value: float) -> float | None:
    """The value; None if it is not finite."""
    return value if math.isfinite(value) else None
