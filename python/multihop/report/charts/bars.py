"""Bars with whiskers."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from multihop.report.charts.drawing import Drawing
from multihop.report.charts.extent import Extent
from multihop.report.charts.lines import mean_of
from multihop.report.charts.style import INK, Look, Row, short
from multihop.study.figures import FigureData

_MOST_BARS = 30
"""Panels with more bars than this side by side are stacked."""
_BAR_STEP = 34


class Bars(Drawing):
    """Bars side by side with whiskers; horizontal where each scheme has one bar."""

    def __init__(self, data: FigureData, look: Look) -> None:
        super().__init__(data, look)
        self.upright = self.figure.x != "scheme"
        if len(self.xs) * len(self.labels) > _MOST_BARS:
            self.most_columns = 1

    def _row(self, row: Row) -> Row:
        """A row with what the paper prints beside it."""
        figure = self.figure
        printed = figure.printed_at(row["x"], row["scheme"], row["facet"])
        known = {} if printed is None else {"printed": short(printed * self.factor)}
        return super()._row(row) | known

    def _fitted(self) -> Extent:
        """An extent that has room for the paper's numbers, too."""
        rows = self.rows
        marks = [
            {**row, "value": row["printed"], "low": None, "high": None}
            for row in rows
            if "printed" in row
        ]
        self.rows = [*rows, *marks]
        try:
            return super()._fitted()
        finally:
            self.rows = rows

    def layers(self) -> Sequence[alt.Chart]:
        """Bars, whiskers."""
        bar = alt.Chart().mark_bar(clip=True)
        whisker = alt.Chart().mark_rule(color=INK, strokeWidth=1.3, clip=True)
        whisker = whisker.transform_filter("isValid(datum.low)")
        colour, tips = self.colour(), self.tips()
        if not self.upright:
            axis = alt.Axis(ticks=False, labelPadding=8)
            names = alt.Y("x:N", sort=self.xs, title=None, axis=axis)
            x, low = self.quantity(alt.X), self.quantity(alt.X, "low")
            layers = [
                bar.encode(y=names, x=x, color=colour, tooltip=tips),
                whisker.encode(y=names, x=low, x2="high:Q", tooltip=tips),
            ]
        else:
            at = {"x": self.x_names(), "xOffset": alt.XOffset("line:N", sort=self.labels)}
            y, low = self.quantity(alt.Y), self.quantity(alt.Y, "low")
            layers = [
                bar.encode(**at, y=y, color=colour, tooltip=tips),
                whisker.encode(**at, y=low, y2="high:Q", tooltip=tips),
            ]
        return [*layers, *self._marks(), *self.reference()]

    def _marks(self) -> list[alt.Chart]:
        """What the paper prints, where it does."""
        if not any("printed" in row for row in self.rows):
            return []
        mark = alt.Chart().mark_point(
            shape="diamond", filled=True, color="white", stroke=INK, size=70, clip=True, opacity=1
        )
        mark = mark.transform_filter("isValid(datum.printed)")
        tips = [*self.tips_of_place(), alt.Tooltip("printed:Q", title="the paper")]
        if not self.upright:
            names = alt.Y("x:N", sort=self.xs, title=None)
            return [mark.encode(y=names, x=self.quantity(alt.X, "printed"), tooltip=tips)]
        offset = alt.XOffset("line:N", sort=self.labels)
        y = self.quantity(alt.Y, "printed")
        return [mark.encode(x=self.x_names(), xOffset=offset, y=y, tooltip=tips)]

    def height(self, share: float = 1.0) -> float:
        """Horizontal bars take what they need."""
        return share * (super().height() if self.upright else 20 + _BAR_STEP * len(self.xs))

    def measure(self) -> str:
        """The quantity and its interval."""
        printed = "; diamonds: the paper" if any("printed" in row for row in self.rows) else ""
        return f"{self.what()}; {mean_of(self)}, 95 % interval{printed}"
