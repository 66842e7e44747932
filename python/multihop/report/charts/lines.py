"""Lines of means with their intervals, and series over time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import altair as alt

from multihop.metrics import METRICS
from multihop.report.charts.drawing import Drawing
from multihop.report.charts.style import WIDTH, Row
from multihop.report.wording import titled

MOST_BANDS = 2
"""Bands of more lines can't be told from each other: those have bars, each a little aside."""
_DODGE = 6.0
"""Distance of such lines at a point [px], at most."""
_MOST_SERIES_ROWS = 3000
"""Of longer series the least and the greatest value of each interval are drawn: each point costs
some 200 bytes of SVG."""


class Lines(Drawing):
    """Lines with points; their intervals as bands, or as bars side by side."""

    def layers(self) -> Sequence[alt.Chart]:
        """Intervals, lines, points."""
        x: Any = self.x_numbers() if self.numeric else self.x_names()
        y = self.quantity(alt.Y)
        moved: dict[str, Any] = {}
        banded = self.numeric and len(self.xs) > 1 and len(self.labels) <= MOST_BANDS
        if banded:
            spread = alt.Chart().mark_area(opacity=0.16, clip=True)
        else:
            moved = {"xOffset": alt.expr("datum.aside")}
            spread = alt.Chart().mark_rule(strokeWidth=1.5, opacity=0.7, clip=True, **moved)
        low, colour = self.quantity(alt.Y, "low"), self.colour()
        line = alt.Chart().mark_line(strokeWidth=2, clip=True, **moved)
        points = alt.Chart().mark_point(filled=True, size=52, opacity=1, clip=True, **moved)
        return [
            *self.reference(),
            spread.encode(x=x, y=low, y2="high:Q", color=colour)
            .transform_filter("isValid(datum.low) && isValid(datum.value)"),
            line.encode(x=x, y=y, color=colour),
            points.encode(x=x, y=y, color=colour, shape=self.shape(), tooltip=self.tips()),
            self.targets(x, y, **moved),
        ]  # fmt: skip

    def drawn_rows(self) -> list[Row]:
        """The rows, each with how far aside it is drawn."""
        wide = WIDTH / (1 if self.facet is None else 2) / max(1, len(self.xs))
        step = min(_DODGE, 0.6 * wide / max(1, len(self.labels)))
        middle = (len(self.labels) - 1) / 2
        aside = {label: round((i - middle) * step, 1) for i, label in enumerate(self.labels)}
        return [row | {"aside": aside[row["line"]]} for row in self.rows]

    def measure(self) -> str:
        """The quantity and its interval."""
        return f"{self.what()}; {mean_of(self)}, 95 % interval"


class Series(Drawing):
    """One thin line for each scheme, flow or node over time."""

    def layers(self) -> Sequence[alt.Chart]:
        """The lines."""
        x, y = self.x_numbers(), self.quantity(alt.Y)
        return [
            alt.Chart().mark_line(strokeWidth=1.4, clip=True)
            .encode(x=x, y=y, color=self.colour(), detail="line:N"),
            self.targets(x, y),
        ]  # fmt: skip

    def measure(self) -> str:
        """The quantity, and what to know of it."""
        return "; ".join([self.what(), *filter(None, [self.data.note])])

    def x_title(self) -> str:
        """Time, unless the figure says otherwise."""
        return self.figure.x_title or titled(self.figure.x, "s")

    def tips(self) -> list[alt.Tooltip]:
        """The line, the time and the value."""
        value = alt.Tooltip("value:Q", title=titled(self.figure.metric, self.unit))
        return [*self.tips_of_place(), value]

    def drawn_rows(self) -> list[Row]:
        """All rows; of very long series those that a picture can show."""
        keys = ("x", "line", "value", *(["facet"] if self.facet else []))
        rows = [{key: row[key] for key in keys} for row in self.rows]
        if len(rows) <= _MOST_SERIES_ROWS:
            return rows
        lines: dict[tuple[Any, Any], list[Row]] = {}
        for row in rows:
            lines.setdefault((row.get("facet"), row["line"]), []).append(row)
        intervals = max(1, _MOST_SERIES_ROWS // (2 * len(lines)))
        first, last = self.xs[0], self.xs[-1]
        width = (last - first) / intervals or 1.0

        def interval(x: Any) -> int:
            return min(int((x - first) / width), intervals - 1)

        return [row for line in lines.values() for row in _extremes(line, interval)]

    def _line(self, row: Row) -> str:
        if not self.parts or (self.facet == "facet" and row["part"] is None):
            return str(row["scheme"])
        if self.facet == "facet" and self.frame["scheme"].n_unique() > 1:
            return f"{row['scheme']}, {row['part']}"
        return str(row["part"])


def mean_of(drawing: Drawing) -> str:
    """What a value is, in words."""
    figure = drawing.figure
    level = METRICS[figure.metric].level
    return "ratio of means" if figure.relative_to else f"mean over {level}s"


def _extremes(rows: Sequence[Row], interval: Callable[[Any], int]) -> Iterator[Row]:
    """The rows with the least and the greatest value of each interval, in order of time."""
    for _, found in itertools.groupby(rows, lambda row: interval(row["x"])):
        group = [*found]
        known = [place for place, row in enumerate(group) if row["value"] is not None]
        by_value = sorted(known, key=lambda place: group[place]["value"]) or [0]
        for place in sorted({by_value[0], by_value[-1]}):
            yield group[place]
