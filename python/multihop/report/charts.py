"""Figures as Vega-Lite charts: one specification for the page, the SVG and the PNG."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import vl_convert

from multihop.labels import plain
from multihop.metrics import METRICS
from multihop.palette import COLOURS
from multihop.report.wording import (
    capital,
    name_of,
    scale_of,
    titled,
    with_interval,
)
from multihop.study.figures import FigureData

WIDTH, HEIGHT = 640, 320
VERSION = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
"""Version of Vega-Lite that specifications are written for."""

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif"
INK, _SOFT, _RULE = "#1f2328", "#59626c", "#e4e7eb"
_BASELINE = "#59626c"
_SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
_MOST_BANDS = 5
_MOST_TICKS = 12
_MOST_SERIES_ROWS = 3000
"""Of longer series the least and the greatest value of each interval are drawn: each point costs
some 200 bytes of SVG."""
_MOST_BARS = 30
"""Panels with more bars than this side by side are stacked."""
_BAR_STEP = 34

Spec = dict[str, Any]
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Look:
    """Colour and shape of each scheme, the same in all figures of a study."""

    schemes: Sequence[str]
    baseline: str | None = None

    def colours(self, lines: Sequence[str]) -> list[str]:
        """Colours of these lines; of those that are no schemes, in their order."""
        others = [scheme for scheme in self.schemes if scheme != self.baseline]
        known = [*others, *(line for line in lines if line not in self.schemes)]
        if not set(lines) & set(self.schemes):
            known = list(lines)
        return [
            _BASELINE if line == self.baseline else COLOURS[known.index(line) % len(COLOURS)]
            for line in lines
        ]

    def shapes(self, lines: Sequence[str]) -> list[str]:
        """Shapes of the points of these lines."""
        known = [*self.schemes, *(line for line in lines if line not in self.schemes)]
        return [_SHAPES[known.index(line) % len(_SHAPES)] for line in lines]


_WRITTEN_OUT = "format(datum.value, '~g')"
"""An axis's own format has as few digits as the ticks need, and so would write 10 as 1e+1."""


def chart(data: FigureData, look: Look) -> Spec:
    """The figure as a Vega-Lite specification, `WIDTH` wide."""
    drawing = _Drawing(data, look)
    match data.figure.kind:
        case "series":
            layers = drawing.series()
        case "bar":
            layers = drawing.bars()
        case "line":
            layers = drawing.lines()
    return drawing.finished(layers)


class _Drawing:
    """The parts that all kinds of figures are made of."""

    def __init__(self, data: FigureData, look: Look) -> None:
        self.figure = data.figure
        self.note = data.note
        self.frame = data.frame
        self.factor, self.unit = scale_of(data.unit, data.frame["value"])
        self.parts = data.figure.kind == "series" and data.frame["part"].n_unique() > 1
        self.facet = _facet(data, self.parts)
        self.rows = [self._row(row) for row in data.frame.to_dicts()]
        self.labels = list(dict.fromkeys(row["line"] for row in self.rows))
        self.xs = list(dict.fromkeys(row["x"] for row in self.rows))
        self.numeric = all(isinstance(x, int | float) for x in self.xs)
        self.look = look
        self.upright = self.figure.x != "scheme"

    def lines(self) -> list[alt.Chart]:
        """Lines with points; their intervals as bands, or as whiskers where bands would hide."""
        x: Any = self._x_numbers() if self.numeric else self._x_names()
        banded = self.numeric and len(self.xs) > 1 and len(self.labels) <= _MOST_BANDS
        y = self._y()
        spread = (
            alt.Chart().mark_area(opacity=0.16, clip=True) if banded
            else alt.Chart().mark_rule(strokeWidth=1.5, opacity=0.55, clip=True)
        )  # fmt: skip
        layers = [
            spread.encode(x=x, y=self._y("low"), y2="high:Q", color=self._colour())
            .transform_filter("isValid(datum.low)"),
            alt.Chart().mark_line(strokeWidth=2, clip=True).encode(x=x, y=y, color=self._colour()),
            alt.Chart().mark_point(filled=True, size=52, opacity=1, clip=True)
            .encode(x=x, y=y, color=self._colour(), shape=self._shape(), tooltip=self._tips()),
            self._targets(x, y),
        ]  # fmt: skip
        return [*self._reference(), *layers]

    def bars(self) -> list[alt.Chart]:
        """Bars side by side with whiskers; horizontal where each scheme has one bar."""
        if not self.upright:
            return self._horizontal_bars()
        x = self._x_names()
        aside = alt.XOffset("line:N", sort=self.labels)
        y, low = self._y(), self._y("low")
        layers = [
            alt.Chart().mark_bar(clip=True)
            .encode(x=x, xOffset=aside, y=y, color=self._colour(), tooltip=self._tips()),
            alt.Chart().mark_rule(color=INK, strokeWidth=1.3, clip=True)
            .encode(x=x, xOffset=aside, y=low, y2="high:Q", tooltip=self._tips())
            .transform_filter("isValid(datum.low)"),
        ]  # fmt: skip
        return [*layers, *self._reference()]

    def _horizontal_bars(self) -> list[alt.Chart]:
        names = alt.Y("x:N", sort=self.xs, title=None, axis=alt.Axis(ticks=False, labelPadding=8))
        x = self._quantity(alt.X, "value")
        layers = [
            alt.Chart().mark_bar(clip=True)
            .encode(y=names, x=x, color=self._colour(), tooltip=self._tips()),
            alt.Chart().mark_rule(color=INK, strokeWidth=1.3, clip=True)
            .encode(y=names, x=self._quantity(alt.X, "low"), x2="high:Q", tooltip=self._tips())
            .transform_filter("isValid(datum.low)"),
        ]  # fmt: skip
        return [*layers, *self._reference()]

    def series(self) -> list[alt.Chart]:
        """One thin line for each scheme, flow or node over time."""
        x, y = self._x_numbers(), self._y()
        return [
            alt.Chart().mark_line(strokeWidth=1.4, clip=True)
            .encode(x=x, y=y, color=self._colour(), detail="line:N"),
            self._targets(x, y),
        ]  # fmt: skip

    def finished(self, layers: Sequence[alt.Chart]) -> Spec:
        """The layers with data, facets, title and style."""
        height = HEIGHT if self.upright else 20 + _BAR_STEP * len(self.xs)
        layered: Any = alt.layer(*layers)
        rows = self._thinned()
        data = alt.InlineData(values=rows)
        if self.facet is None:
            made = layered.properties(width=WIDTH, height=height, data=data)
            made = made.properties(autosize=alt.AutoSizeParams(type="fit-x", contains="padding"))
        else:
            panels = list(dict.fromkeys(row["facet"] for row in self.rows))
            bars = len(self.xs) * len(self.labels) if self.figure.kind == "bar" else 0
            columns = min(1 if bars > _MOST_BARS else 2, len(panels))
            facet = alt.Facet("facet:N", sort=panels, title=None)
            size = {"width": WIDTH // columns - 50, "height": 0.75 * height}
            made = layered.properties(**size).facet(facet, data=data, columns=columns)
        longest = max((len(label) for label in self.labels), default=0)
        made = made.properties(
            title=alt.TitleParams(self.figure.title, subtitle=self._measure()),
            usermeta={"longestLabel": longest, "labels": len(self.labels)},
        )
        spec: Spec = made.to_dict()
        spec["config"] = config(_legend_columns(self.labels))
        return spec

    def _row(self, row: Row) -> Row:
        """A row as it is drawn: values in the unit shown, and the text of its tooltip."""
        series = self.figure.kind == "series"
        value, low, high = (
            None if row[key] is None else row[key] * self.factor for key in ("value", "low", "high")
        )
        line = row["scheme"]
        if self.parts:
            line = row["part"] if self.facet != "part" else line
            if self.facet == "facet" and self.frame["scheme"].n_unique() > 1:
                line = f"{row['scheme']}, {row['part']}"
        drawn: Row = {"x": _short(row["x"]), "line": line, "value": _short(value)}
        if self.facet is not None:
            name = self.figure.facet
            drawn["facet"] = (
                row["scheme"] if self.facet == "scheme"
                else f"{name_of(name or '')} {plain(row['facet'])}"
            )  # fmt: skip
        if not series:
            text, between = with_interval(value, low, high)
            drawn |= {"low": _short(low), "high": _short(high)}
            drawn |= {"shown": f"{text} {self.unit}".strip(), "between": between or "one network"}
            drawn |= {"networks": row["networks"], "flows": row["flows"]}
        return drawn

    def _thinned(self) -> list[Row]:
        """All rows; of very long series those that a picture can show."""
        if self.figure.kind != "series" or len(self.rows) <= _MOST_SERIES_ROWS:
            return self.rows
        lines: dict[tuple[Any, Any], list[Row]] = {}
        for row in self.rows:
            lines.setdefault((row.get("facet"), row["line"]), []).append(row)
        intervals = max(1, _MOST_SERIES_ROWS // (2 * len(lines)))
        first, last = min(self.xs), max(self.xs)
        width = (last - first) / intervals or 1.0

        def interval(x: Any) -> int:
            return min(int((x - first) / width), intervals - 1)

        return [row for line in lines.values() for row in _extremes(line, interval)]

    def _x_numbers(self) -> alt.X:
        few = len(self.xs) <= _MOST_TICKS and self.figure.kind != "series"
        values: Any = sorted(self.xs) if few else alt.Undefined
        scale = alt.Scale(zero=False, nice=False, padding=14 if few else 0)
        axis = alt.Axis(
            values=values, grid=False, labelExpr=_WRITTEN_OUT, labelOverlap=True, labelSeparation=6,
            tickCount=10,
        )  # fmt: skip
        return alt.X("x:Q", title=self._x_title(), scale=scale, axis=axis)

    def _x_names(self) -> alt.X:
        axis = alt.Axis(labelAngle=0, labelOverlap=True, grid=False, labelLimit=120)
        return alt.X("x:N", title=self._x_title(), sort=self.xs, axis=axis)

    def _x_title(self) -> str:
        if self.figure.x_title is not None:
            return self.figure.x_title
        return titled(self.figure.x, "s" if self.figure.x == "time_s" else "")

    def _y(self, field: str = "value") -> alt.Y:
        y: alt.Y = self._quantity(alt.Y, field)
        return y

    def _quantity(self, channel: Any, field: str) -> Any:
        """The measured quantity; intervals may be clipped, values may not."""
        domain = self._domain()
        scale = alt.Scale(domain=domain, nice=False) if domain else alt.Scale(zero=True)
        axis = alt.Axis(tickCount=6, format=",~f")
        return channel(f"{field}:Q", title=None, scale=scale, axis=axis)

    def _domain(self) -> list[float] | None:
        values = [row["value"] for row in self.rows if row["value"] is not None]
        if self.figure.kind == "series" or not values or min(values) < 0:
            return None
        highs = [row["high"] for row in self.rows if row["high"] is not None]
        top = max(values)
        reach = max(top, min(max(highs, default=0.0), 1.6 * top))
        least = 0.0
        if self.figure.relative_to is not None:
            reach = max(reach, 1.0)
            lows = [row["low"] for row in self.rows if row["low"] is not None]
            lowest = min(1.0, *values, max(0.0, min(lows, default=1.0)))
            if self.figure.kind == "line" and lowest > 0.5 * reach:
                least = lowest - 0.08 * (reach - lowest)
        return [_short(least), _short((reach - least) * 1.05 + least)] if reach > 0 else None

    def _measure(self) -> str:
        """What is drawn, in words: the line under the title."""
        figure = self.figure
        if figure.y_title is not None:
            what = figure.y_title
        elif figure.relative_to is not None:
            what = f"{capital(name_of(figure.y))} relative to {figure.relative_to}"
        else:
            what = titled(figure.y, self.unit)
        if figure.kind == "series":
            return "; ".join([what, *filter(None, [self.note])])
        level = METRICS[figure.y].level
        mean = "ratio of means" if figure.relative_to else f"mean over {level}s"
        return f"{what}; {mean}, 95 % interval"

    def _colour(self) -> alt.Color:
        scale = alt.Scale(domain=self.labels, range=self.look.colours(self.labels))
        lone = len(self.labels) < 2 or not self.upright
        return alt.Color("line:N", title=None, scale=scale, legend=None if lone else alt.Legend())

    def _shape(self) -> alt.Shape:
        scale = alt.Scale(domain=self.labels, range=self.look.shapes(self.labels))
        legend = None if len(self.labels) < 2 else alt.Legend()
        return alt.Shape("line:N", title=None, scale=scale, legend=legend)

    def _targets(self, x: alt.X, y: alt.Y) -> alt.Chart:
        """Invisible points, larger than the visible ones and so easier to point at."""
        points: alt.Chart = alt.Chart().mark_point(filled=True, size=320, opacity=0, clip=True)
        return points.encode(x=x, y=y, tooltip=self._tips())

    def _reference(self) -> list[alt.Chart]:
        """The line at 1 where values are relative to a scheme."""
        if self.figure.relative_to is None:
            return []
        one: Any = alt.XDatum(1) if not self.upright else alt.YDatum(1)
        rule = alt.Chart().mark_rule(color=_BASELINE, strokeDash=[5, 4], strokeWidth=1.2)
        return [rule.encode(x=one) if not self.upright else rule.encode(y=one)]

    def _tips(self) -> list[alt.Tooltip]:
        named = [] if self.figure.x == "scheme" else [alt.Tooltip("x:N", title=self._x_title())]
        facet = [alt.Tooltip("facet:N", title="panel")] if self.facet else []
        line = alt.Tooltip("line:N", title="scheme" if not self.parts else "line")
        if self.figure.kind == "series":
            value = alt.Tooltip("value:Q", title=titled(self.figure.y, self.unit))
            return [line, *facet, *named, value]
        level = METRICS[self.figure.y].level
        fields = {"shown": "ratio" if self.figure.relative_to else "mean",
                  "between": "95 % interval", "networks": "networks",
                  "flows": f"{level}s"}  # fmt: skip
        tips = [alt.Tooltip(f"{field}:N", title=title) for field, title in fields.items()]
        return [line, *facet, *named, *tips]


def _extremes(rows: Sequence[Row], interval: Callable[[Any], int]) -> Iterator[Row]:
    """The rows with the least and the greatest value of each interval, in order of time."""
    for _, found in itertools.groupby(rows, lambda row: interval(row["x"])):
        group = [*found]
        known = [place for place, row in enumerate(group) if row["value"] is not None]
        by_value = sorted(known, key=lambda place: group[place]["value"]) or [0]
        for place in sorted({by_value[0], by_value[-1]}):
            yield group[place]


def _facet(data: FigureData, parts: bool) -> str | None:
    """What the panels are by: the figure's facet, or the schemes where each has several lines."""
    if data.figure.facet is not None:
        return "facet"
    return "scheme" if parts and data.frame["scheme"].n_unique() > 1 else None


def _legend_columns(labels: Sequence[str]) -> int:
    longest = max((len(label) for label in labels), default=1)
    return max(1, min(len(labels), int(WIDTH / (6.8 * longest + 40))))


def _short(value: Any) -> Any:
    """A number with six digits, which is more than a picture shows."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def config(legend_columns: int) -> Spec:
    """The style that all charts share."""
    text = {"labelFont": _FONT, "titleFont": _FONT, "labelColor": _SOFT, "titleColor": INK}
    return {
        "font": _FONT,
        "background": "white",
        "view": {"stroke": None},
        "axis": {
            **text, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal",
            "titlePadding": 8, "gridColor": _RULE, "domainColor": "#aab1b9", "tickColor": "#aab1b9",
            "tickSize": 4,
        },
        "axisY": {"domain": False, "ticks": False, "labelPadding": 6},
        "legend": {
            **text, "orient": "top", "direction": "horizontal", "columns": legend_columns,
            "labelFontSize": 12.5, "labelColor": INK, "labelLimit": 280, "symbolSize": 70,
            "columnPadding": 16, "rowPadding": 3, "offset": 10, "symbolStrokeWidth": 2,
            "symbolOpacity": 1,
        },
        "title": {
            "anchor": "start", "font": _FONT, "fontSize": 15, "fontWeight": 600, "color": INK,
            "subtitleFont": _FONT, "subtitleFontSize": 12.5, "subtitleColor": _SOFT, "offset": 12,
            "subtitlePadding": 5, "frame": "group",
        },
        "header": {"labelFont": _FONT, "labelFontSize": 12.5, "labelColor": INK,
                   "labelFontWeight": 600, "labelAnchor": "start", "labelPadding": 8},
    }  # fmt: skip


def svg(spec: Spec) -> str:
    """The chart as SVG; the same chart gives the same text."""
    drawn: str = vl_convert.vegalite_to_svg(spec, vl_version=VERSION)
    # Vega numbers its clip paths consecutively for as long as the process lives.
    paths = dict.fromkeys(re.findall(r"clip\d+", drawn))
    numbers = {path: f"clip{number}" for number, path in enumerate(paths, 1)}
    return re.sub(r"clip\d+", lambda found: numbers[found[0]], drawn)


def png(spec: Spec) -> bytes:
    """The chart as PNG, for a page or slide."""
    drawn: bytes = vl_convert.vegalite_to_png(spec, vl_version=VERSION, scale=2)
    return drawn


def bundle() -> str:
    """The scripts that draw such charts in a page."""
    found: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", VERSION)
    return found
