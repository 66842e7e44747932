"""Figures as Vega-Lite charts: one specification for the page, the SVG and the PNG."""

from __future__ import annotations

from multihop.foreign import in_chart
from multihop.rendering import bundle, pdf, png, svg
from multihop.report.charts.bars import Bars
from multihop.report.charts.distributions import Boxes, Cumulative
from multihop.report.charts.drawing import Drawing
from multihop.report.charts.front import Front
from multihop.report.charts.heatmap import Heatmap
from multihop.report.charts.lines import Lines, Series
from multihop.report.charts.style import INK, WIDTH, Look, Row, Spec, config
from multihop.study.figure import Kind
from multihop.study.figures import FigureData

__all__ = ["INK", "WIDTH", "Look", "Row", "Spec", "bundle", "chart", "config", "pdf", "png", "svg"]

_DRAWINGS: dict[Kind, type[Drawing]] = {
    "line": Lines,
    "bar": Bars,
    "series": Series,
    "heatmap": Heatmap,
    "cdf": Cumulative,
    "box": Boxes,
    "front": Front,
}


def chart(data: FigureData, look: Look) -> Spec:
    """The figure as a Vega-Lite specification, `WIDTH` wide."""
    made: Spec = in_chart(_DRAWINGS[data.figure.kind](data, look).finished())
    return made
