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
from multihop.study.figures import FigureData
from multihop.study.results import StudyResults


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
    """The numbers of a figure."""
    figure, frame = data.figure, data.frame
    factor, unit = scale_of(data.unit, frame["value"])
    measured = f"Ratio to {figure.relative_to}" if figure.relative_to else titled(figure.y, unit)
    facet = [] if figure.facet is None else [capital(name_of(figure.facet))]
    x = [] if figure.x == "scheme" else [figure.x_title or capital(name_of(figure.x))]
    rows = []
    for row in frame.to_dicts():
        place = [row["facet"]] if figure.facet is not None else []
        place += [row["x"]] if figure.x != "scheme" else []
        value, between = with_interval(*(_times(row[key], factor) for key in _ENDS))
        counts = [f"{row['networks']:,}", f"{row['flows']:,}"]
        rows.append([*map(plain, place), row["scheme"], value, between or "–", *counts])
    counted = f"{METRICS[figure.y].level}s".capitalize()
    headings = [*facet, *x, "Scheme", measured, "95 % interval", "Networks", counted]
    names = len(facet) + len(x) + 1
    return Table(headings, rows, names=names, numbers=len(headings))


_ENDS = ("value", "low", "high")


def _summary_table(results: StudyResults, frame: pl.DataFrame, metric: str) -> SummaryTable:
    about, table = METRICS[metric], results.study.table
    factor, unit = scale_of(about.unit, frame["value"])
    points = [
        name for name in [*table.axes, *table.group] if frame[name].null_count() < frame.height
    ]
    rows: list[SummaryRow] = []
    for row in frame.to_dicts():
        point = [plain(row[name]) for name in points]
        compared = row.get("ratio") is not None
        rows.append(
            SummaryRow(
                point,
                first=not rows or rows[-1].point != point,
                scheme=row["scheme"],
                value=_measured(row, "", factor),
                ratio=_measured(row, "ratio", 1.0, none=1.0) if compared else None,
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


def _measured(row: dict[str, Any], name: str, factor: float, none: float | None = None) -> Measured:
    keys = _ENDS if not name else (name, f"{name}_low", f"{name}_high")
    value, low, high = (_times(row[key], factor) for key in keys)
    known = low is not None and high is not None and low == low and high == high
    text, between = with_interval(value, low, high) if known else (number(value), "")
    sure = none is not None and known and not (low or 0.0) <= none <= (high or 0.0)
    return Measured(text, between, sure)


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
