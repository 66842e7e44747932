"""Samples of a metric from the frames of a study."""

from __future__ import annotations

from collections.abc import Sequence
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
    *,
    gaps: pl.DataFrame | None = None,
) -> Sample:
    """Sums of a metric by network, over the rows of `frame` of `scheme` that fulfil `where`.

    Of the networks in `gaps`, those of any point that has such rows are left out, so that points
    put together weigh alike.
    """
    condition = where if isinstance(where, pl.Expr) else parse(where, frame.columns)
    if scheme is not None:
        condition = condition & (pl.col("scheme") == scheme)
    rows = frame.filter(condition)
    lacks = _lacking(rows, gaps)
    found = (
        rows.group_by("network")
        .agg(pl.col(metric).sum().alias("sum"), pl.col(metric).count().alias("count"))
        .sort("network")
    )
    return Sample(
        tuple(found["network"]),
        found["sum"].to_numpy().astype(np.float64),
        found["count"].to_numpy().astype(np.float64),
        lacks,
    ).without(lacks)


def gaps_of(runs: pl.DataFrame, cell: Sequence[str], networks: pl.Series) -> pl.DataFrame:
    """Which of the `networks` lack a run: columns `cell`, the scheme with its point, and network.

    Args:
        runs: one row a run.
        cell: the columns that tell cells apart.
        networks: all networks.
    """
    every = runs.select(cell).unique().join(networks.unique().to_frame("network"), how="cross")
    return every.join(runs, on=[*cell, "network"], how="anti", nulls_equal=True)


def _lacking(rows: pl.DataFrame, gaps: pl.DataFrame | None) -> frozenset[int]:
    """The networks in the gaps of the cells that the rows are of."""
    if gaps is None or gaps.is_empty():
        return frozenset()
    cell = [column for column in gaps.columns if column != "network"]
    here = gaps.join(rows.select(cell).unique(), on=cell, how="semi", nulls_equal=True)
    return frozenset(here["network"].to_list())


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
