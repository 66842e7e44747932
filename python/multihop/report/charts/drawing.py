"""What all kinds of figures are made of."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import altair as alt

from multihop.labels import plain
from multihop.metrics import METRICS
from multihop.report.charts.extent import Extent, log_ticks
from multihop.report.charts.style import BASELINE, HEIGHT, WIDTH, Look, Row, Spec, config, short
from multihop.report.wording import capital, in_order, name_of, scale_of, titled, with_interval
from multihop.study.figures import FigureData

MOST_TICKS = 12

WRITTEN_OUT = "format(datum.value, ',~f')"
_SETTING = "format(datum.value, '~g')"
"""An axis's own format has as few digits as the ticks need, and so would write 10 as 1e+1."""


class Drawing(ABC):
    """A figure as it is drawn; each kind has its own layers."""

    parts = False
    """Whether each scheme has several lines."""
    upright = True
    """Whether the measured quantity is on the vertical axis."""
    most_columns = 2
    """Panels that stand side by side."""
    tip_of_value: ClassVar[str] = "mean"
    tip_of_interval: ClassVar[str] = "95 % interval"

    def __init__(self, data: FigureData, look: Look) -> None:
        self.data, self.figure, self.look = data, data.figure, look
        self.frame = self._frame()
        self.factor, self.unit = scale_of(data.unit, data.measured)
        self.parts = "part" in self.frame.columns and self.frame["part"].n_unique() > 1
        self.facet = self._facet()
        self.rows = [self._row(row) for row in self.frame.to_dicts()]
        self.labels = self._labels()
        self.xs: list[Any] = self.labels
        if self.figure.x != "scheme":
            self.xs = in_order(row["x"] for row in self.rows)
        self.numeric = all(isinstance(x, int | float) for x in self.xs)
        self.panels = list(dict.fromkeys(str(row.get("facet")) for row in self.rows))
        self.extent = self._fitted()

    @abstractmethod
    def layers(self) -> Sequence[alt.Chart]:
        """The marks, from the lowest to the highest."""

    @abstractmethod
    def measure(self) -> str:
        """What is drawn, in words: the line under the title."""

    def finished(self) -> Spec:
        """The layers with data, facets, title and style."""
        layered: Any = alt.layer(*self.layers())
        data = alt.InlineData(values=self.drawn_rows())
        if self.facet is None:
            made = layered.properties(width=WIDTH, height=self.height(), data=data)
            made = made.properties(autosize=alt.AutoSizeParams(type="fit-x", contains="padding"))
        else:
            columns = min(self.most_columns, len(self.panels))
            facet = alt.Facet("facet:N", sort=self.panels, title=None)
            size = {"width": WIDTH // columns - 50, "height": self.height(0.75)}
            made = layered.properties(**size).facet(facet, data=data, columns=columns)
            if self.figure.free_y:
                own = {"y" if self.upright else "x": "independent"}
                made = made.resolve_scale(**own)
            if len(self.panels) % columns:  # else Vega draws axes below the empty places
                made = made.resolve_axis(x="independent")
        longest = max((len(label) for label in self.labels), default=0)
        made = made.properties(
            title=alt.TitleParams(self.figure.title, subtitle=self.measure()),
            usermeta={"longestLabel": longest, "labels": len(self.labels)},
        )
        spec: Spec = made.to_dict()
        spec["config"] = config(_legend_columns(self.labels))
        return spec

    def height(self, share: float = 1.0) -> float:
        """Height of a panel; by `share` lower where there are several."""
        return share * HEIGHT

    def drawn_rows(self) -> list[Row]:
        """The rows that the picture needs."""
        return self.rows

    def reference(self) -> list[alt.Chart]:
        """The line at 1 where values are relative to a scheme."""
        if self.figure.relative_to is None:
            return []
        one: Any = alt.YDatum(1) if self.upright else alt.XDatum(1)
        rule = alt.Chart().mark_rule(color=BASELINE, strokeDash=[5, 4], strokeWidth=1.2)
        return [rule.encode(y=one) if self.upright else rule.encode(x=one)]

    def quantity(self, channel: Any, field: str = "value") -> Any:
        """The measured quantity along an axis."""
        axis = alt.Axis(
            tickCount=6, values=self.extent.ticks(), labelExpr=WRITTEN_OUT, labelOverlap=True
        )
        return channel(f"{field}:Q", title=None, scale=self.extent.scale(), axis=axis)

    def x_numbers(self) -> alt.X:
        """The horizontal axis for numbers."""
        log = self.figure.x_scale == "log"
        has_points = self.figure.kind == "line"
        few = len(self.xs) <= MOST_TICKS and has_points
        values: Any = self.xs if few else alt.Undefined
        room = 14 if has_points else 0  # for points beside their place
        scale: Any = alt.Scale(zero=False, nice=False, padding=room)
        if log:
            shown = [x for x in self.xs if x > 0]
            values = values if few or not shown else log_ticks(shown[0], shown[-1])
            scale = alt.Scale(type="log", nice=False, padding=room)
        axis = alt.Axis(
            values=values, grid=False, labelExpr=_SETTING, labelOverlap=True, labelSeparation=6,
            tickCount=10,
        )  # fmt: skip
        return alt.X("x:Q", title=self.x_title(), scale=scale, axis=axis)

    def x_names(self) -> alt.X:
        """The horizontal axis for names."""
        axis = alt.Axis(labelAngle=0, labelOverlap=True, grid=False, labelLimit=120)
        return alt.X("x:N", title=self.x_title(), sort=self.xs, axis=axis)

    def x_title(self) -> str:
        """What the horizontal axis has."""
        return self.figure.x_title or titled(self.figure.x, "")

    def what(self) -> str:
        """The quantity, with its unit or what it is relative to."""
        figure = self.figure
        if figure.y_title is not None:
            return in_unit(figure.y_title, self.data.unit, self.unit)
        if figure.relative_to is not None:
            return f"{capital(name_of(figure.metric))} relative to {figure.relative_to}"
        return titled(figure.metric, self.unit)

    def colour(self) -> alt.Color:
        """Each line's colour."""
        scale = alt.Scale(domain=self.labels, range=self.look.colours(self.labels))
        lone = len(self.labels) < 2 or self.figure.x == "scheme"
        return alt.Color("line:N", title=None, scale=scale, legend=None if lone else alt.Legend())

    def shape(self) -> alt.Shape:
        """Each line's shape of points."""
        scale = alt.Scale(domain=self.labels, range=self.look.shapes(self.labels))
        legend = None if len(self.labels) < 2 else alt.Legend()
        return alt.Shape("line:N", title=None, scale=scale, legend=legend)

    def targets(self, x: alt.X, y: alt.Y, **moved: Any) -> alt.Chart:
        """Invisible points, larger than the visible ones and so easier to point at."""
        points = alt.Chart().mark_point(filled=True, size=320, opacity=0, clip=True, **moved)
        made: alt.Chart = points.encode(x=x, y=y, tooltip=self.tips())
        return made

    def tips(self) -> list[alt.Tooltip]:
        """What pointing at a value tells."""
        level = METRICS[self.figure.metric].level
        value = "ratio" if self.figure.relative_to else self.tip_of_value
        fields = {"shown": value, "between": self.tip_of_interval, "networks": "networks",
                  "flows": f"{level}s"}  # fmt: skip
        return [*self.tips_of_place(), *(alt.Tooltip(f"{k}:N", title=v) for k, v in fields.items())]

    def tips_of_place(self) -> list[alt.Tooltip]:
        """Of which scheme a value is, and where."""
        line = alt.Tooltip("line:N", title="scheme" if not self.parts else "line")
        facet = [alt.Tooltip("facet:N", title="panel")] if self.facet else []
        named = [] if self.figure.x == "scheme" else [alt.Tooltip("x:N", title=self.x_title())]
        return [line, *facet, *named]

    def _frame(self) -> Any:
        """The numbers, with intervals cut to what can be."""
        return self.data.shown

    def _facet(self) -> str | None:
        """What the panels are by: the facet, or the schemes where each has several lines."""
        if self.figure.facet is not None:
            return "facet"
        return "scheme" if self.parts and self.frame["scheme"].n_unique() > 1 else None

    def _row(self, row: Row) -> Row:
        """A row as it is drawn: values in the unit shown, and the text of its tooltip."""
        value, low, high = (
            None if row[key] is None else row[key] * self.factor for key in ("value", "low", "high")
        )
        x = self.figure.named_x(row["x"]) or short(row["x"])
        drawn: Row = {"x": x, "line": self._line(row)}
        drawn |= {"value": short(value), "low": short(low), "high": short(high)}
        if self.facet is not None:
            drawn["facet"] = self._panel(row)
        text, between = with_interval(value, low, high)
        drawn |= {"shown": f"{text} {self.unit}".strip(), "between": between or "one network"}
        return drawn | {"networks": row["networks"], "flows": row["flows"]}

    def _line(self, row: Row) -> str:
        """The line that a row belongs to."""
        return str(row["scheme"])

    def _panel(self, row: Row) -> str:
        """The panel that a row belongs to."""
        if self.facet == "scheme":
            return str(row["scheme"])
        return f"{name_of(self.figure.facet or '')} {plain(row['facet'])}"

    def _labels(self) -> list[str]:
        """The lines in the order of the study's schemes, and by number within a scheme."""
        pairs = zip(self.rows, self.frame["scheme"], strict=True)
        schemes = {row["line"]: scheme for row, scheme in pairs}

        def order(line: str) -> tuple[int, list[Any]]:
            by_scheme = line.startswith(schemes[line])
            return self.look.place(schemes[line]) if by_scheme else 0, _natural(line)

        return sorted(schemes, key=order)

    def _fitted(self) -> Extent:
        """The extent of the measured axis; cuts the rows' intervals to what is drawn."""
        figure = self.figure
        panels = self.panels if figure.free_y else [None]
        extents = [
            Extent.of(
                [row for row in self.rows if not figure.free_y or row["facet"] == panel],
                log=figure.y_scale == "log",
                relative=figure.relative_to is not None,
                whole=figure.kind == "bar",
            )
            for panel in panels
        ]  # fmt: skip
        return extents[0] if len(extents) == 1 else extents[0].free()


def _natural(text: str) -> list[Any]:
    """A key that sorts `flow 10` after `flow 2`."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", text)]


def in_unit(title: str, unit: str, shown: str) -> str:
    """A title that names the metric's unit, with the unit that is shown in its place."""
    return re.sub(rf"(?<![\w/]){re.escape(unit)}(?![\w/])", shown, title) if unit else title


def _legend_columns(labels: Sequence[str]) -> int:
    longest = max((len(label) for label in labels), default=1)
    return max(1, min(len(labels), int(WIDTH / (6.8 * longest + 40))))
