"""Where a figure has its values: each scheme at each value of what is kept apart."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from multihop.study.estimates import Sample
from multihop.study.figure import METRIC_ACROSS, Figure
from multihop.study.runs import StudyRuns
from multihop.study.samples import equals, sample_of
from multihop.study.selector import parse


@dataclass(frozen=True, slots=True)
class Place:
    """A scheme at a point of a figure."""

    labels: dict[str, Any]
    """Its columns in the figure's frame: `scheme`, `facet`, and `x` and `over` if there are any."""
    frame: pl.DataFrame
    """The rows of all schemes at the point."""
    gaps: pl.DataFrame

    @property
    def scheme(self) -> str:
        """Name of the scheme."""
        return str(self.labels["scheme"])

    def sample(self, metric: str, scheme: str | None = None) -> Sample:
        """A metric of the scheme, or of another one at the same point."""
        return sample_of(self.frame, metric, scheme or self.scheme, gaps=self.gaps)


def places(results: StudyRuns, figure: Figure) -> Iterator[Place]:
    """The figure's places: panel by panel, scheme by scheme."""
    axes = axes_of(results, figure)
    gaps = results.gaps(figure.metric, axes)
    frame = results.spread(results.frame(figure.metric), axes)
    frame = frame.filter(parse(figure.where, frame.columns))
    parts = {"facet": figure.facet, "scheme": "scheme", "over": figure.over}
    if figure.kind not in METRIC_ACROSS:
        parts["x"] = figure.x
    values = {name: results.values(frame, name) for name in figure.columns}
    values["scheme"] = drawn(results, figure)
    known = {part: name for part, name in parts.items() if name == "scheme" or name in values}
    apart = {part: name for part, name in known.items() if part == "scheme" or name != "scheme"}
    for found in itertools.product(*(values[str(name)] for name in apart.values())):
        at = dict(zip(apart, found, strict=True))
        point = {apart[part]: value for part, value in at.items() if part != "scheme"}
        labels = {part: at.get(part, at["scheme"]) for part in known} | {"facet": at.get("facet")}
        yield Place(labels, frame.filter(equals(point)), gaps)


def drawn(results: StudyRuns, figure: Figure) -> list[str]:
    """Schemes that a figure shows; the scheme that the others are divided by is the line at 1."""
    names = results.scheme_names
    wanted = names if figure.schemes is None else figure.schemes
    return [name for name in names if name in wanted and name != figure.relative_to]


def axes_of(results: StudyRuns, figure: Figure) -> list[str]:
    """The axes whose values a figure keeps apart."""
    conditions = f"{figure.where} {figure.y_where}"
    used = {*figure.columns, *re.findall(r"\w+", conditions)}
    return [name for name in results.study.table.axes if name in used]
