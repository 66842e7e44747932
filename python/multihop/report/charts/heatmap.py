"""Heat maps: a metric over two columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from multihop.report.charts.drawing import WRITTEN_OUT, Drawing
from multihop.report.charts.lines import mean_of
from multihop.report.charts.style import INK, Look, Row, short
from multihop.report.wording import in_order, number, titled
from multihop.study.figures import FigureData

_STEP = 44
"""Height of a cell."""
_CHARACTER = 6.4
"""Width of a digit in a cell [px]."""
_DARK_BLUE, _DARK_PURPLE, _DARK_GREEN = 0.55, 0.32, 0.41
"""From where on white is easier to read: so far from the colour of the least, or of 1."""


class Heatmap(Drawing):
    """Cells coloured by their value, each labelled with it and half the width of its interval."""

    def __init__(self, data: FigureData, look: Look) -> None:
        super().__init__(data, look)
        self.overs = in_order(row["over"] for row in self.rows)

    def layers(self) -> Sequence[alt.Chart]:
        """Cells, labels."""
        x, y = self.x_names(), alt.Y("over:N", sort=self.overs, title=self._over_title())
        longest = max((len(text) for row in self.rows for text in row["label"]), default=0)
        room = round(longest * _CHARACTER) + 6
        short_room = round(max(len(row["label"][0]) for row in self.rows) * _CHARACTER) + 4
        label = (
            f"bandwidth('x') >= {room} ? datum.label : "
            f"bandwidth('x') >= {short_room} ? datum.label[0] : ''"
        )
        return [
            alt.Chart().mark_rect(stroke="white", strokeWidth=1)
            .encode(x=x, y=y, color=self._shade(), tooltip=self.tips()),
            alt.Chart().mark_text(
                text=alt.expr(label), lineHeight=14, fontSize=12, baseline="middle",
                dy=alt.expr(f"bandwidth('x') >= {room} && length(datum.label) > 1 ? -6 : 0"),
            )
            .encode(x=x, y=y, color=alt.condition("datum.dark", alt.value("white"), alt.value(INK)),
                    tooltip=self.tips()),
        ]  # fmt: skip

    def drawn_rows(self) -> list[Row]:
        """The rows, each with whether its colour is dark."""
        least, middle, greatest = self._ends()
        span = greatest - least

        def dark(value: float) -> bool:
            if middle is None:
                return value > least + _DARK_BLUE * span
            return not middle - _DARK_PURPLE * span < value < middle + _DARK_GREEN * span

        return [row | {"dark": dark(row["value"])} for row in self.rows]

    def height(self, share: float = 1.0) -> float:
        """As many rows as there are; a little lower in panels."""
        return (0.85 if share < 1 else 1.0) * _STEP * len(self.overs)

    def measure(self) -> str:
        """The quantity and what the second number of a cell is."""
        return f"{self.what()}; {mean_of(self)} ± half of the 95 % interval"

    def tips_of_place(self) -> list[alt.Tooltip]:
        """The scheme and both columns."""
        over = alt.Tooltip("over:N", title=self._over_title())
        return [*super().tips_of_place(), over]

    def _over_title(self) -> str:
        return titled(self.figure.over or "", "")

    def _facet(self) -> str | None:
        several = self.frame["scheme"].n_unique() > 1
        if several and "scheme" not in (self.figure.x, self.figure.over):
            return "scheme" if self.figure.facet is None else "both"
        return None if self.figure.facet is None else "facet"

    def _panel(self, row: Row) -> str:
        panel = super()._panel(row)
        return f"{row['scheme']}, {panel}" if self.facet == "both" else panel

    def _row(self, row: Row) -> Row:
        value, low, high = (row[key] for key in ("value", "low", "high"))
        half = None if low is None or high is None else (high - low) / 2 * self.factor
        label = [number(value * self.factor, half)]
        label += [] if half is None else [f"± {number(half, half)}"]
        return super()._row(row) | {"over": short(row["over"]), "label": label}

    def _ends(self) -> tuple[float, float | None, float]:
        """The least value, that of no difference where there is one, the greatest."""
        values = [row["value"] for row in self.rows]
        least, greatest = min(values), max(values)
        if self.figure.relative_to is not None:
            reach = max(greatest - 1, 1 - least) or 1.0
            return 1 - reach, 1.0, 1 + reach
        return least, None, greatest

    def _shade(self) -> alt.Color:
        """White is little, or no difference."""
        least, middle, greatest = self._ends()
        scheme: Any = "blues" if middle is None else "purplegreen"
        scale = alt.Scale(scheme=scheme, domain=[least, greatest], nice=False)
        if middle is not None:
            scale = alt.Scale(scheme=scheme, domain=[least, middle, greatest])
        legend = alt.Legend(
            orient="top",
            direction="horizontal",
            gradientLength=200,
            title=None,
            labelExpr=WRITTEN_OUT,
        )  # fmt: skip
        return alt.Color("value:Q", scale=scale, legend=legend)
