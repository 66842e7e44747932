"""The numbers of a study's figures: one frame each, as drawn and as written to CSV."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from multihop import renamed
from multihop.labels import plain
from multihop.metrics import METRICS, SERIES, series_of
from multihop.nodes import Nodes
from multihop.plots import window_note
from multihop.results import told_flow
from multihop.statistics import Estimate
from multihop.study import estimates
from multihop.study.distributions import by_network, cumulative, finite
from multihop.study.figure import Figure, Kind
from multihop.study.front import trade_off
from multihop.study.places import Place, axes_of, drawn, places
from multihop.study.runs import StudyRuns
from multihop.study.selector import parse

COLUMNS = (
    "x", "x_low", "x_high", "over", "scheme", "facet", "value", "low", "high", "dominance",
    "networks", "flows", "network",
)  # fmt: skip
"""Those of a figure of any kind; some have fewer."""
_ONLY: dict[str, tuple[Kind, ...]] = {
    "x_low": ("front",),
    "x_high": ("front",),
    "over": ("heatmap", "front"),
    "dominance": ("front",),
    "network": ("box",),
}
"""The kinds that have a column, where not all have it."""


@dataclass(frozen=True, slots=True)
class FigureData:
    """A figure with its numbers.

    Columns of `frame`: x, scheme, facet, value, low, high (its 95 % interval), networks, flows. A
    series has `part` as well, the flow or node where there are several, and no interval; a heatmap
    has `over`. Of a cdf `x` is a value of the metric and `value` the share at or below it. Of a box
    each row is a `network`, without interval. Of a front `x` is the mean of the metric across, with
    `x_low` and `x_high`, and `dominance` says whether a candidate is on it. Values are in the
    metric's own unit.
    """

    figure: Figure
    frame: pl.DataFrame
    note: str = ""
    """What to know of the values, for the line under the title."""

    @property
    def unit(self) -> str:
        """Unit of the metric; none for ratios."""
        metric = self.figure.metric
        if self.figure.relative_to is not None:
            return ""
        if self.figure.kind == "series":
            return SERIES[series_of(metric)][metric]
        return METRICS[metric].unit

    @property
    def measured(self) -> pl.Series:
        """The values of the metric."""
        return self.frame["x" if self.figure.kind == "cdf" else "value"]

    @property
    def least(self) -> float | None:
        """The least that a value can be, if there is such."""
        return 0.0 if self.figure.kind == "series" else METRICS[self.figure.metric].least

    @property
    def shown(self) -> pl.DataFrame:
        """`frame` with intervals cut to what can be: a share is 0 to 1, most metrics 0 or more."""
        ends = pl.col("low", "high")
        if self.figure.kind == "front":
            across = METRICS[self.figure.x].least
            cut = self.frame.with_columns(pl.col("x_low", "x_high").clip(across))
            return cut.with_columns(ends.clip(self.least))
        if self.figure.kind == "cdf":
            return self.frame.with_columns(ends.clip(0.0, 1.0))
        return self.frame if self.least is None else self.frame.with_columns(ends.clip(self.least))

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
    if figure.kind != "series" or figure.metric != "cwnd":
        return ""
    return window_note(json.loads(cell.text) for cell in results.cells)


def figure_frame(results: StudyRuns, figure: Figure) -> pl.DataFrame:
    """The numbers of one figure; no rows where there is nothing to draw."""
    if figure.kind == "series":
        return _series(results, figure)
    kinds = {"cdf": cumulative, "box": by_network, "front": trade_off}
    made = kinds.get(figure.kind, _estimates)
    rows = list(made(results, figure)) if results.finished else []
    schema = _schema(figure, rows)
    for column in ("x", "over", "facet"):
        if schema.get(column) == pl.String:
            for row in rows:
                row[column] = None if row.get(column) is None else plain(row[column])
    return renamed.with_former(pl.DataFrame(rows, schema=schema))


def _estimates(results: StudyRuns, figure: Figure) -> Iterator[dict[str, Any]]:
    for place in places(results, figure):
        found = _estimate(place, figure)
        if found is not None:
            yield {
                **place.labels,
                "value": found.value,
                "low": finite(found.low),
                "high": finite(found.high),
                "networks": found.networks,
                "flows": found.flows,
            }


def _estimate(place: Place, figure: Figure) -> Estimate | None:
    names = [place.scheme, *filter(None, [figure.relative_to])]
    samples = [place.sample(figure.metric, name) for name in names]
    if any(sample.flows < figure.least_flows for sample in samples):
        return None
    found = estimates.mean(*samples) if len(samples) == 1 else estimates.ratio(*samples)
    return found if math.isfinite(found.value) else None


def _series(results: StudyRuns, figure: Figure) -> pl.DataFrame:
    which = series_of(figure.metric)
    network = results.seeds[0] if figure.network is None else figure.network
    frame = results.series(which, network)
    if frame.is_empty():
        return pl.DataFrame(schema=_schema(figure, []) | {"part": pl.String})
    frame = results.spread(frame, axes_of(results, figure))
    frame = frame.filter(parse(figure.where, frame.columns))
    part = "flow" if which == "flows" else "node"
    parts = frame[part].unique().to_list()
    told = pl.lit(None, pl.String)
    if len(parts) > 1:
        names = _called(results, part, network)
        told = pl.col(part).replace_strict({number: names(number) for number in parts})
    facet = pl.col(figure.facet) if figure.facet else pl.lit(None, pl.String)
    shown = frame.select(
        pl.col(figure.x).alias("x"),
        "scheme",
        facet.alias("facet"),
        told.alias("part"),
        pl.col(figure.metric).cast(pl.Float64).alias("value"),
        pl.lit(None, pl.Float64).alias("low"),
        pl.lit(None, pl.Float64).alias("high"),
        pl.lit(1).alias("networks"),
        pl.lit(1).alias("flows"),
        part,
    )
    schemes = drawn(results, figure)
    order = pl.col("scheme").replace_strict(
        schemes, range(len(schemes)), default=None, return_dtype=pl.Int64
    )
    panels = results.values(frame, figure.facet) if figure.facet else [None]
    panel = pl.col("facet").replace_strict(
        panels, range(len(panels)), default=None, return_dtype=pl.Int64
    )
    return (
        shown.filter(order.is_not_null())
        .sort(order, panel, part, "x", maintain_order=True)
        .drop(part)
    )


def _called(results: StudyRuns, part: str, network: int) -> Callable[[int], str]:
    """What people are told of a flow or a node of all cells: its name if it has one in all."""
    if part == "node":
        known = [json.loads(cell.text)["topology"].get("names", []) for cell in results.cells]
        nodes = Nodes(known[0] if all(names == known[0] for names in known) else ())
        return lambda node: f"node {nodes(node)}"
    flows = results.flows.filter(network=network)
    names: dict[int, set[str | None]] = {}
    if "name" in flows.columns:
        for flow, name in flows.select("flow", "name").unique().rows():
            names.setdefault(flow, set()).add(name)
    alone = {flow: one for flow, (one, *more) in names.items() if not more}
    return lambda flow: told_flow(flow, alone.get(flow))


def _schema(figure: Figure, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    def kind(column: str) -> type[pl.DataType]:
        values = [row[column] for row in rows if row.get(column) is not None]
        if not values or any(isinstance(value, bool | str) for value in values):
            return pl.String
        return pl.Int64 if all(isinstance(value, int) for value in values) else pl.Float64

    columns = [name for name in COLUMNS if figure.kind in _ONLY.get(name, (figure.kind,))]
    numbers = dict.fromkeys(("value", "low", "high", "x_low", "x_high"), pl.Float64)
    counts = dict.fromkeys(("networks", "flows", "network"), pl.Int64)
    known = {"scheme": pl.String, "dominance": pl.String, **numbers, **counts}
    return {name: known[name] if name in known else kind(name) for name in columns}
