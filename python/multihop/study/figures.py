"""The numbers of a study's figures: one frame each, as drawn and as written to CSV."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from multihop.labels import plain
from multihop.metrics import METRICS, SERIES, series_of
from multihop.statistics import Estimate
from multihop.study import estimates
from multihop.study.document import Figure
from multihop.study.runs import StudyRuns
from multihop.study.samples import equals, sample_of
from multihop.study.selector import parse

COLUMNS = ("x", "scheme", "facet", "value", "low", "high", "networks", "flows")


@dataclass(frozen=True, slots=True)
class FigureData:
    """A figure with its numbers.

    Columns of `frame`: x, scheme, facet, value, low, high (its 95 % interval), networks, flows. A
    series has `part` as well, the flow or node where there are several, and no interval. Values are
    in the metric's own unit.
    """

    figure: Figure
    frame: pl.DataFrame
    note: str = ""
    """What to know of the values, for the line under the title."""

    @property
    def unit(self) -> str:
        """Unit of the values; none for ratios."""
        if self.figure.relative_to is not None:
            return ""
        if self.figure.kind == "series":
            return SERIES[series_of(self.figure.y)][self.figure.y]
        return METRICS[self.figure.y].unit

    @property
    def schemes(self) -> list[str]:
        """The schemes that are drawn, in the study's order."""
        return self.frame["scheme"].unique(maintain_order=True).to_list()


def figure_data(results: StudyRuns) -> list[FigureData]:
    """Every figure of the study."""
    return [
        FigureData(figure, figure_frame(results, figure), _note(results, figure))
        for figure in results.study.table.figures
    ]


def named_figure(results: StudyRuns, name: str) -> FigureData:
    """The study's figure of that name.

    Raises:
        KeyError: the study has no figure of that name.
    """
    named = {figure.name: figure for figure in results.study.table.figures}
    if name not in named:
        raise KeyError(f"no figure {name!r}; there are {', '.join(named) or 'none'}")
    return FigureData(named[name], figure_frame(results, named[name]), _note(results, named[name]))


def _note(results: StudyRuns, figure: Figure) -> str:
    """A congestion window may grow beyond the window that the receiver lets the sender use."""
    if figure.kind != "series" or figure.y != "cwnd":
        return ""
    scenarios = (json.loads(cell.text) for cell in results.cells)
    windows = {
        told.get("window_segments", table["transport"]["window_segments"])
        for table in scenarios
        for told in table["flows"]
    }
    which = f"the window of {windows.pop()} segments" if len(windows) == 1 else "the set window"
    return f"the sender uses no more than {which}"


def figure_frame(results: StudyRuns, figure: Figure) -> pl.DataFrame:
    """The numbers of one figure; no rows where there is nothing to draw."""
    if figure.kind == "series":
        return _series(results, figure)
    rows = list(_estimates(results, figure)) if results.finished else []
    schema = _schema(rows)
    for column in ("x", "facet"):
        if schema[column] == pl.String:
            for row in rows:
                row[column] = None if row[column] is None else plain(row[column])
    return pl.DataFrame(rows, schema=schema)


def _estimates(results: StudyRuns, figure: Figure) -> Iterator[dict[str, Any]]:
    axes = _axes(results, figure)
    frame, gaps = results.spread(results.frame(figure.y), axes), results.gaps(figure.y, axes)
    frame = frame.filter(parse(figure.where, frame.columns))
    xs = results.values(frame, figure.x) if figure.x != "scheme" else [None]
    for facet in results.values(frame, figure.facet) if figure.facet else [None]:
        for scheme in _drawn(results, figure):
            for x in xs:
                place = {} if x is None else {figure.x: x}
                place |= {} if figure.facet is None else {figure.facet: facet}
                found = _estimate(frame.filter(equals(place)), gaps, figure, scheme)
                if found is not None:
                    yield {
                        "x": scheme if x is None else x,
                        "scheme": scheme,
                        "facet": facet,
                        "value": found.value,
                        "low": _finite(found.low),
                        "high": _finite(found.high),
                        "networks": found.networks,
                        "flows": found.flows,
                    }


def _estimate(
    frame: pl.DataFrame, gaps: pl.DataFrame, figure: Figure, scheme: str
) -> Estimate | None:
    drawn = [scheme] if figure.relative_to is None else [scheme, figure.relative_to]
    samples = [sample_of(frame, figure.y, name, gaps=gaps) for name in drawn]
    if any(sample.flows < figure.least_flows for sample in samples):
        return None
    found = estimates.mean(*samples) if len(samples) == 1 else estimates.ratio(*samples)
    return found if math.isfinite(found.value) else None


def _series(results: StudyRuns, figure: Figure) -> pl.DataFrame:
    which = series_of(figure.y)
    network = results.seeds[0] if figure.network is None else figure.network
    frame = results.series(which, network)
    if frame.is_empty():
        return pl.DataFrame(schema=_schema([]) | {"part": pl.String})
    frame = results.spread(frame, _axes(results, figure))
    frame = frame.filter(parse(figure.where, frame.columns))
    part = "flow" if which == "flows" else "node"
    several = frame[part].n_unique() > 1
    facet = pl.col(figure.facet) if figure.facet else pl.lit(None, pl.String)
    shown = frame.select(
        pl.col(figure.x).alias("x"),
        "scheme",
        facet.alias("facet"),
        (pl.format(f"{part} {{}}", part) if several else pl.lit(None, pl.String)).alias("part"),
        pl.col(figure.y).cast(pl.Float64).alias("value"),
        pl.lit(None, pl.Float64).alias("low"),
        pl.lit(None, pl.Float64).alias("high"),
        pl.lit(1).alias("networks"),
        pl.lit(1).alias("flows"),
    )
    schemes = _drawn(results, figure)
    order = pl.col("scheme").replace_strict(
        schemes, range(len(schemes)), default=None, return_dtype=pl.Int64
    )
    return shown.filter(order.is_not_null()).sort(order, "facet", "part", "x", maintain_order=True)


def _drawn(results: StudyRuns, figure: Figure) -> list[str]:
    """Schemes that a figure shows; the scheme that the others are divided by is the line at 1."""
    names = [scheme.name for scheme in results.study.table.scheme_tables]
    wanted = names if figure.schemes is None else figure.schemes
    return [name for name in names if name in wanted and name != figure.relative_to]


def _axes(results: StudyRuns, figure: Figure) -> list[str]:
    """The axes whose values a figure keeps apart."""
    used = {figure.x, figure.facet, *re.findall(r"\w+", figure.where or "")}
    return [name for name in results.study.table.axes if name in used]


def _schema(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    def kind(column: str) -> type[pl.DataType]:
        values = [row[column] for row in rows if row[column] is not None]
        if not values or any(isinstance(value, bool | str) for value in values):
            return pl.String
        return pl.Int64 if all(isinstance(value, int) for value in values) else pl.Float64

    numbers = dict.fromkeys(("value", "low", "high"), pl.Float64)
    counts = dict.fromkeys(("networks", "flows"), pl.Int64)
    kinds = {"x": kind("x"), "scheme": pl.String, "facet": kind("facet"), **numbers, **counts}
    return {column: kinds[column] for column in COLUMNS}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
