"""Distributions: over flows as lines, over networks as boxes with their points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from multihop.labels import plain
from multihop.metrics import METRICS
from multihop.report.charts.drawing import Drawing
from multihop.report.charts.lines import MOST_BANDS
from multihop.report.charts.style import Row, short
from multihop.report.wording import titled, with_interval
from multihop.study.distributions import boxes

_MARKED = (0.25, 0.5, 0.75)
"""Where lines too many for bands have bars."""
_AIR = 0.3
"""What is left free beside a box."""


class Cumulative(Drawing):
    """For each scheme the share of its flows at or below each value, with its band."""

    def layers(self) -> Sequence[alt.Chart]:
        """Bands, steps."""
        x, colour = self.x_numbers(), self.colour()
        percent = alt.Axis(format="%", tickCount=5)
        scale = alt.Scale(domain=[0, 1], nice=False)

        def share(field: str) -> alt.Y:
            return alt.Y(f"{field}:Q", title=None, scale=scale, axis=percent)

        spread = (
            alt.Chart().mark_rule(strokeWidth=1.5, opacity=0.7).transform_filter("datum.marked")
        )
        if len(self.labels) <= MOST_BANDS:
            spread = alt.Chart().mark_area(opacity=0.16, interpolate="step-after", clip=True)
            spread = spread.transform_filter("isValid(datum.low)")
        line = alt.Chart().mark_line(strokeWidth=1.8, interpolate="step-after", clip=True)
        return [
            spread.encode(x=x, y=share("low"), y2="high:Q", color=colour),
            line.encode(x=x, y=share("value"), color=colour),
            self.targets(x, share("value")),
        ]  # fmt: skip

    def drawn_rows(self) -> list[Row]:
        """The rows; each line begins at 0, and where it passes a quarter is marked."""
        log = self.figure.x_scale == "log"
        rows: list[Row] = []
        reached: dict[tuple[Any, Any], float] = {}
        for row in self.rows:
            if log and row["x"] <= 0:
                continue
            line = row.get("facet"), row["line"]
            if line not in reached:
                rows.append(row | {"value": 0.0, "low": None, "high": None})
            passed = any(reached.get(line, 0.0) < mark <= row["value"] for mark in _MARKED)
            reached[line] = row["value"]
            rows.append(row | {"marked": passed and row["low"] is not None})
        return rows

    def x_title(self) -> str:
        """The metric."""
        return self.figure.x_title or titled(self.figure.metric, self.unit)

    def measure(self) -> str:
        """What the share is of."""
        level = METRICS[self.figure.metric].level
        what = self.figure.y_title or f"Share of {level}s at or below"
        banded = len(self.labels) <= MOST_BANDS
        return f"{what}; 95 % {'band' if banded else 'intervals at the quartiles'}"

    def _row(self, row: Row) -> Row:
        ends = [None if row[key] is None else 100 * row[key] for key in ("value", "low", "high")]
        shown, between = with_interval(*ends)
        drawn = super()._row(row) | {key: short(row[key]) for key in ("value", "low", "high")}
        drawn["x"] = short(row["x"] * self.factor)
        return drawn | {"shown": f"{shown} %", "between": f"{between} %" if between else "–"}


class Boxes(Drawing):
    """Median, middle half and extremes of the networks, each of which is a point."""

    tip_of_value = "median"
    tip_of_interval = "middle half"

    def layers(self) -> Sequence[alt.Chart]:
        """Whiskers, boxes, medians, points."""
        at: dict[str, Any] = {"x": self.x_names(), "color": self.colour()}
        if self.figure.x != "scheme":
            aside = alt.Scale(paddingInner=_AIR, paddingOuter=_AIR / 2)
            at["xOffset"] = alt.XOffset("line:N", sort=self.labels, scale=aside)
        else:
            at["x"] = self.x_names().scale(paddingInner=2 * _AIR, paddingOuter=_AIR)
        y, tips = self.quantity(alt.Y), self.tips()
        box = alt.Chart().transform_filter("isValid(datum.low)")
        point = alt.Chart().transform_filter("!isValid(datum.low)")
        return [
            box.mark_rule(strokeWidth=1.3)
            .encode(**at, y=self.quantity(alt.Y, "least"), y2="greatest:Q"),
            box.mark_bar(opacity=0.3)
            .encode(**at, y=self.quantity(alt.Y, "low"), y2="high:Q", tooltip=tips),
            box.mark_bar(filled=False, strokeWidth=2.5, opacity=1)
            .encode(**at, y=y, y2="value:Q", tooltip=tips),
            point.mark_point(filled=True, size=22, opacity=0.5)
            .encode(**at, y=y, tooltip=[*self.tips_of_place(), *self._tips_of_network()]),
        ]  # fmt: skip

    def drawn_rows(self) -> list[Row]:
        """The points, then the boxes."""
        made = []
        for row in boxes(self.frame).to_dicts():
            drawn = self._row(row)
            ends = {key: short(row[key] * self.factor) for key in ("least", "greatest")}
            made.append(drawn | ends)
        log = self.figure.y_scale == "log"
        return [row for row in [*self.rows, *made] if not log or (row.get("least", 1) or 0) > 0]

    def measure(self) -> str:
        """What the parts of a box are."""
        return f"{self.what()}; a point a network; median, middle half, extremes"

    def _row(self, row: Row) -> Row:
        drawn = super()._row(row)
        if "network" in row:
            drawn |= {"network": plain(row["network"])}
        return drawn

    @staticmethod
    def _tips_of_network() -> list[alt.Tooltip]:
        return [alt.Tooltip("network:N", title="network"), alt.Tooltip("shown:N", title="mean")]
