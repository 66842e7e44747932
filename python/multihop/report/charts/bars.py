"""Bars with whiskers."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from multihop.report.charts.drawing import Drawing
from multihop.report.charts.lines import mean_of
from multihop.report.charts.style import INK, Look
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
        return [*layers, *self.reference()]

    def height(self, share: float = 1.0) -> float:
        """Horizontal bars take what they need."""
        return share * (super().height() if self.upright else 20 + _BAR_STEP * len(self.xs))

    def measure(self) -> str:
        """The quantity and its interval."""
        return f"{self.what()}; {mean_of(self)}, 95 % interval"
