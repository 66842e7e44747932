"""Two metrics at once: candidates as points, and the Pareto front of those that none beats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from multihop.labels import plain
from multihop.metrics import METRICS
from multihop.report.charts.drawing import WRITTEN_OUT, Drawing, in_unit
from multihop.report.charts.extent import Extent
from multihop.report.charts.style import INK, SOFT, Look, Row, short
from multihop.report.wording import scale_of, titled, with_interval
from multihop.study.figures import FigureData

_IS = {"front": "on the front", "near": "not shown to be beaten", "dominated": "beaten in both"}


_NAME_PX = 13
"""Height of a name."""
_ASIDE_PX = -8
"""Where a name is beside its point, unless another is there."""
_RISES_PX = 2 * _NAME_PX
"""How far at most a name gives way to others; beyond, its point has none."""


class Front(Drawing):
    """Points with intervals both ways; at the front a line, and names where there is room.

    Colours tell values of `over` apart, or schemes where there is none.
    """

    most_columns = 1

    def __init__(self, data: FigureData, look: Look) -> None:
        self.across, self.across_unit = scale_of(METRICS[data.figure.x].unit, data.frame["x"])
        super().__init__(data, look)

    def layers(self) -> Sequence[alt.Chart]:
        """The front's line, intervals, points, names."""
        x, y = self.x_numbers(), self.quantity(alt.Y)
        colour = self.colour()
        faint: Any = alt.condition("datum.dominance == 'dominated'", alt.value(0.3), alt.value(1))
        rule = alt.Chart().mark_rule(strokeWidth=1.2, opacity=0.6, clip=True)
        rule = rule.transform_filter("datum.dominance == 'front'")
        line = alt.Chart().mark_line(
            color=SOFT, strokeWidth=1.2, strokeDash=[4, 3], interpolate="step-before", clip=True
        )
        name = alt.Chart().mark_text(
            align="left", dx=7, dy=alt.expr("datum.lift"), fontSize=11, color=INK
        )
        return [
            line.encode(x=x, y=y).transform_filter("datum.dominance == 'front'"),
            rule.encode(x=x, y=self.quantity(alt.Y, "low"), y2="high:Q", color=colour)
            .transform_filter("isValid(datum.low)"),
            rule.encode(x=alt.X("x_low:Q"), x2="x_high:Q", y=y, color=colour)
            .transform_filter("isValid(datum.x_low)"),
            alt.Chart().mark_point(filled=True, size=60, clip=True)
            .encode(x=x, y=y, color=colour, opacity=faint, tooltip=self.tips()),
            self.targets(x, y),
            name.encode(x=x, y=y, text="name:N").transform_filter("isValid(datum.lift)"),
        ]  # fmt: skip

    def x_numbers(self) -> alt.X:
        """The metric across; wide intervals are cut."""
        ends = [
            {"value": row["x"], "low": row["x_low"], "high": row["x_high"]} for row in self.rows
        ]
        extent = Extent.of(ends, log=False, relative=False, whole=True)
        axis = alt.Axis(tickCount=6, labelExpr=WRITTEN_OUT, labelOverlap=True)
        return alt.X("x:Q", title=self.x_title(), scale=extent.scale(), axis=axis)

    def drawn_rows(self) -> list[Row]:
        """The rows; names on the front rise above those of lower points to the right."""
        least, reach = self.extent.least, self.extent.reach
        share = 1.0 if self.facet is None else 0.75
        high = self.height(share) / ((reach or 1.0) - (least or 0.0))
        lifts: dict[int, float] = {}
        for panel in self.panels:
            front = [
                (number, row["value"] * high) for number, row in enumerate(self.rows)
                if row["dominance"] == "front" and str(row.get("facet")) == panel
            ]  # fmt: skip
            taken = -math.inf
            for number, place in sorted(front, key=lambda each: each[1]):
                free = max(place, taken + _NAME_PX)
                if free - place <= _RISES_PX:
                    taken = free
                    lifts[number] = _ASIDE_PX - round(taken - place)
        return [row | {"lift": lifts.get(number)} for number, row in enumerate(self.rows)]

    def height(self, share: float = 1.0) -> float:
        """Higher than other figures: names need room."""
        return 1.4 * super().height(share)

    def measure(self) -> str:
        """Both quantities, and what the line is."""
        return f"{self.what()}; means, on the front with 95 % intervals; up and right is better"

    def x_title(self) -> str:
        """The metric across, with its unit."""
        title, unit = self.figure.x_title, METRICS[self.figure.x].unit
        if title is not None:
            return in_unit(title, unit, self.across_unit)
        return titled(self.figure.x, self.across_unit)

    def tips_of_place(self) -> list[alt.Tooltip]:
        """The candidate, where it stands, and the metric across."""
        facet = [alt.Tooltip("facet:N", title="panel")] if self.facet else []
        fields = {"name": "candidate", "is": "dominance", "across": self.x_title()}
        return [*(alt.Tooltip(f"{k}:N", title=v) for k, v in fields.items()), *facet]

    def _line(self, row: Row) -> str:
        return super()._line(row) if row["over"] is None else plain(row["over"])

    def _row(self, row: Row) -> Row:
        x, low, high = (
            None if row[key] is None else row[key] * self.across for key in ("x", "x_low", "x_high")
        )
        text, between = with_interval(x, low, high)
        name = row["scheme"] if row["over"] is None else f"{row['scheme']} + {plain(row['over'])}"
        return super()._row(row) | {
            "x": short(x),
            "x_low": short(low),
            "x_high": short(high),
            "name": name,
            "dominance": row["dominance"],
            "is": _IS[row["dominance"]],
            "across": f"{text} ({between})" if between else text,
        }
