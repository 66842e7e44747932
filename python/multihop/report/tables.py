"""Tables of a page: cells as people read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from multihop.labels import plain
from multihop.metrics import METRICS
from multihop.report.wording import (
    capital,
    name_of,
    number,
    scale_of,
    titled,
    with_interval,
)
from multihop.study.distributions import boxes, quantile
from multihop.study.figure import METRIC_ACROSS, Figure
from multihop.study.figures import FigureData
from multihop.study.results import StudyResults
from multihop.study.summary import point_column


@dataclass(frozen=True, slots=True)
class Table:
    """Headings and rows in words; the columns after `names` up to `numbers` are numbers."""

    headings: list[str]
    rows: list[list[str]]
    names: int
    numbers: int


@dataclass(frozen=True, slots=True)
class Measured:
    """A value with its interval in words; `sure` where the interval excludes equality."""

    value: str
    interval: str
    sure: bool = False


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """A scheme at a point of the axes and the group."""

    point: list[str]
    first: bool
    """Whether the point differs from that of the row above."""
    scheme: str
    value: Measured
    ratio: Measured | None
    difference: Measured | None
    networks: int
    counted: int
    """Flows or runs."""


@dataclass(frozen=True, slots=True)
class SummaryTable:
    """The part of the summary that is about one metric."""

    metric: str
    title: str
    definition: str
    points: list[str]
    """Headings of the columns that identify a row besides the scheme."""
    rows: list[SummaryRow]
    compared: bool
    counted: str
    """What the last column counts: flows or runs."""


def summary_tables(results: StudyResults, summary: pl.DataFrame) -> list[SummaryTable]:
    """One table a metric, in the study's order."""
    made = []
    for metric in results.study.table.metrics if not summary.is_empty() else []:
        frame = summary.filter(pl.col("metric") == metric)
        if not frame.is_empty():
            made.append(_summary_table(results, frame, metric))
    return made


def figure_table(data: FigureData) -> Table:
    """The numbers of a figure; of a distribution its quantiles or quartiles."""
    if data.figure.kind == "cdf":
        return _quantiles(data)
    if data.figure.kind == "front":
        return _candidates(data)
    figure, shown = data.figure, boxes(data.frame) if data.figure.kind == "box" else data.shown
    factor, unit = scale_of(data.unit, data.measured)
    headings = _place_headings(figure)
    names = len(headings)
    if figure.kind == "box":
        headings += [f"Median of {titled(figure.metric, unit)}", "Middle half"]
    else:
        ratio = f"Ratio to {figure.relative_to}" if figure.relative_to else None
        headings += [ratio or titled(figure.metric, unit), "95 % interval"]
    rows = []
    for row in shown.to_dicts():
        value, between = with_interval(*(_times(row[key], factor) for key in _ENDS))
        counts = [f"{row['networks']:,}", f"{row['flows']:,}"]
        printed = [_printed(figure, row, factor)] if figure.printed else []
        rows.append([*_place(figure, row), value, between or "–", *printed, *counts])
    headings += [*(["The paper"] if figure.printed else []), "Networks", _counted(figure)]
    return Table(headings, rows, names=names, numbers=len(headings))


def _printed(figure: Figure, row: dict[str, Any], factor: float) -> str:
    """What the paper prints there."""
    found = figure.printed_at(row["x"], row["scheme"], row["facet"])
    return "" if found is None else plain(found * factor)


def _candidates(data: FigureData) -> Table:
    """A row for each candidate on a front, with both metrics; most of the first comes first."""
    figure = data.figure
    across, across_unit = scale_of(METRICS[figure.x].unit, data.frame["x"])
    factor, unit = scale_of(data.unit, data.measured)
    headings = _place_headings(figure)
    names = len(headings)
    headings += [
        figure.x_title or titled(figure.x, across_unit), "95 % interval",
        figure.y_title or titled(figure.metric, unit), "95 % interval",
    ]  # fmt: skip
    rows = []
    panels = list(dict.fromkeys(data.frame["facet"]))

    def order(row: dict[str, Any]) -> tuple[int, float]:
        return panels.index(row["facet"]), -row["x"]

    front = data.shown.filter(dominance="front")
    for row in sorted(front.to_dicts(), key=order):
        x, between_x = with_interval(*(_times(row[k], across) for k in ("x", "x_low", "x_high")))
        y, between_y = with_interval(*(_times(row[key], factor) for key in _ENDS))
        counts = [f"{row['networks']:,}", f"{row['flows']:,}"]
        both = [x, between_x or "–", y, between_y or "–"]
        rows.append([*_place(figure, row), *both, *counts])
    headings += ["Networks", _counted(figure)]
    return Table(headings, rows, names=names, numbers=len(headings))


_SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)


def _quantiles(data: FigureData) -> Table:
    """A row for each line of a cdf: the values that so many per cent are at or below."""
    figure = data.figure
    factor, unit = scale_of(data.unit, data.measured)
    headings = [*_place_headings(figure), *(f"{100 * share:g} %" for share in _SHARES)]
    names = len(headings) - len(_SHARES)
    headings[names] = f"{figure.x_title or titled(figure.metric, unit)}: {headings[names]}"
    rows = []
    for _, line in data.frame.group_by("facet", "scheme", maintain_order=True):
        place = _place(figure, line.row(0, named=True))
        found = [number(quantile(line, share) * factor) for share in _SHARES]
        counts = [f"{line['networks'][0]:,}", f"{line['flows'][0]:,}"]
        rows.append([*place, *found, *counts])
    headings += ["Networks", _counted(figure)]
    return Table(headings, rows, names=names, numbers=len(headings))


def _place_headings(figure: Figure) -> list[str]:
    """Headings of the columns that say where a value is."""
    names = [figure.facet, None if figure.kind in METRIC_ACROSS else figure.x, figure.over]
    if "scheme" not in names:
        names.append("scheme")
    said = {figure.x: figure.x_title or capital(name_of(figure.x))}
    return [said.get(name, capital(name_of(name))) for name in names if name is not None]


def _place(figure: Figure, row: dict[str, Any]) -> list[str]:
    """The cells under those headings."""
    facet = [row["facet"]] if figure.facet is not None else []
    over = [row["over"]] if figure.over is not None else []
    x = [] if figure.kind in METRIC_ACROSS else [figure.named_x(row["x"]) or row["x"]]
    scheme = [] if "scheme" in (figure.x, figure.over) else [row["scheme"]]
    return [plain(value) for value in (*facet, *x, *over, *scheme)]


def _counted(figure: Figure) -> str:
    return f"{METRICS[figure.metric].level}s".capitalize()


_ENDS = ("value", "low", "high")


def _summary_table(results: StudyResults, frame: pl.DataFrame, metric: str) -> SummaryTable:
    about, table = METRICS[metric], results.study.table
    factor, unit = scale_of(about.unit, frame["value"])
    points = {
        name: point_column(name)
        for name in [*table.axes, *table.group]
        if frame[point_column(name)].null_count() < frame.height
    }
    rows: list[SummaryRow] = []
    for row in frame.to_dicts():
        point = [plain(row[column]) for column in points.values()]
        compared = row.get("ratio") is not None
        rows.append(
            SummaryRow(
                point,
                first=not rows or rows[-1].point != point,
                scheme=row["scheme"],
                value=_measured(row, "", factor, about.least),
                ratio=_measured(row, "ratio", 1.0, about.least, none=1.0) if compared else None,
                difference=_measured(row, "difference", factor, none=0.0) if compared else None,
                networks=row["networks"],
                counted=row["flows"],
            )
        )
    return SummaryTable(
        metric,
        titled(metric, unit),
        about.definition,
        [capital(name_of(name)) for name in points],
        rows,
        compared=any(row.ratio for row in rows),
        counted=f"{about.level}s",
    )


def _measured(
    row: dict[str, Any],
    name: str,
    factor: float,
    least: float | None = None,
    none: float | None = None,
) -> Measured:
    keys = _ENDS if not name else (name, f"{name}_low", f"{name}_high")
    value, low, high = (_times(row[key], factor) for key in keys)
    known = low is not None and high is not None and low == low and high == high
    text, between = with_interval(value, low, high, least) if known else (number(value), "")
    sure = none is not None and known and not (low or 0.0) <= none <= (high or 0.0)
    return Measured(text, between, sure)


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
