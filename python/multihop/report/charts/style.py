"""The style that all charts share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from multihop.palette import COLOURS
from multihop.rendering import Spec as Spec

WIDTH, HEIGHT = 640, 320

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif"
INK, SOFT, RULE = "#1f2328", "#59626c", "#e4e7eb"
BASELINE = "#59626c"
_SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")

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
            BASELINE if line == self.baseline else COLOURS[known.index(line) % len(COLOURS)]
            for line in lines
        ]

    def shapes(self, lines: Sequence[str]) -> list[str]:
        """Shapes of the points of these lines."""
        known = [*self.schemes, *(line for line in lines if line not in self.schemes)]
        return [_SHAPES[known.index(line) % len(_SHAPES)] for line in lines]

    def place(self, scheme: str) -> int:
        """Where a scheme stands in the study; after all others if it is none."""
        return [*self.schemes, scheme].index(scheme)


def config(legend_columns: int) -> Spec:
    """Fonts, colours and distances; so many labels of a legend stand side by side."""
    text = {"labelFont": FONT, "titleFont": FONT, "labelColor": SOFT, "titleColor": INK}
    return {
        "font": FONT,
        "background": "white",
        "view": {"stroke": None},
        "axis": {
            **text, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal",
            "titlePadding": 8, "gridColor": RULE, "domainColor": "#aab1b9", "tickColor": "#aab1b9",
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
            "anchor": "start", "font": FONT, "fontSize": 15, "fontWeight": 600, "color": INK,
            "subtitleFont": FONT, "subtitleFontSize": 12.5, "subtitleColor": SOFT, "offset": 12,
            "subtitlePadding": 5, "frame": "group",
        },
        "header": {"labelFont": FONT, "labelFontSize": 12.5, "labelColor": INK,
                   "labelFontWeight": 600, "labelAnchor": "start", "labelPadding": 8},
    }  # fmt: skip


def short(value: Any) -> Any:
    """A number with six digits, which is more than a picture shows."""
    return float(f"{value:.6g}") if isinstance(value, float) else value
