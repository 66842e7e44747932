"""Samples of a metric from the frames of a study."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from multihop.statistics import Estimate
from multihop.study.estimates import Sample
from multihop.study.selector import parse


def sample_of(
    frame: pl.DataFrame,
    metric: str,
    scheme: str | None = None,
    where: str | pl.Expr | None = None,
) -> Sample:
    """Sums of a metric by network, over the rows of `frame` of `scheme` that fulfil `where`."""
    condition = where if isinstance(where, pl.Expr) else parse(where, frame.columns)
    if scheme is not None:
        condition = condition & (pl.col("scheme") == scheme)
    found = (
        frame.filter(condition)
        .group_by("network")
        .agg(pl.col(metric).sum().alias("sum"), pl.col(metric).count().alias("count"))
        .sort("network")
    )
    return Sample(
        tuple(found["network"]),
        found["sum"].to_numpy().astype(np.float64),
        found["count"].to_numpy().astype(np.float64),
    )


def estimate_columns(name: str, found: Estimate | None) -> dict[str, float | None]:
    """An estimate as columns: `name`, or `value` for no name, with `_low` and `_high`."""
    names = [f"{name}_{part}".strip("_") for part in ("value", "low", "high")]
    names[0] = name or "value"
    values = [found.value, found.low, found.high] if found else [None, None, None]
    return dict(zip(names, values, strict=True))


def equals(values: dict[str, Any]) -> pl.Expr:
    """The condition that every column has its value."""
    expression = pl.lit(True)
    for column, value in values.items():
        expression = expression & pl.col(column).eq_missing(pl.lit(value))
    return expression
