"""The timeline: which path carried each flow over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from matplotlib.figure import Figure

from multihop.draw.paths import History, Path
from multihop.draw.style import (
    COLOURED_FLOWS,
    GROUND,
    INK,
    MARGIN_IN,
    SOFT_INK,
    flow_colour,
    lighter,
    on_top_of,
    shortened,
    text_width_in,
)
from multihop.foreign import line as in_line
from multihop.nodes import Nodes
from multihop.result_types import FlowReport
from multihop.results import ends_of

DETAILED_FLOWS = 6
"""With more flows each gets one row instead of one for each of its paths."""

PATHS_SHOWN = 6
"""Of a flow's paths at most; the others share a row or a colour."""

_ROW_IN = 0.23
_ABOVE_IN, _BELOW_IN = 0.34, 0.55
_MOST_COMPACT_ROWS = 40
_MOST_LABEL_IN, _MOST_HEAD_IN = 4.2, 3.0
_RIGHT_IN = 0.6
_PATH_SIZE, _FLOW_SIZE = 8.0, 9.0
_REST = "#BCC3CA"


@dataclass(frozen=True, slots=True)
class Bar:
    """Windows in one colour: first window and number of windows of each."""

    bands: Sequence[tuple[int, int]]
    colour: str | tuple[float, float, float]
    hops: int | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One row: the text beside it, and its bars over the flow's life."""

    flow: FlowReport
    head: str = ""
    text: str = ""
    value: str = ""
    bars: Sequence[Bar] = ()
    colour: str = SOFT_INK


class Timeline:
    """Rows of all flows, laid out before the figure is made because its height follows."""

    def __init__(
        self,
        flows: Sequence[FlowReport],
        histories: Sequence[History],
        nodes: Nodes,
        *,
        window_s: float,
        duration_s: float,
    ) -> None:
        self._window_s = window_s
        self._duration_s = duration_s
        self._lines: list[Line] = []
        self._compact = len(flows) > DETAILED_FLOWS
        shown = list(zip(flows, histories, strict=True))
        if self._compact:
            shown = shown[:_MOST_COMPACT_ROWS]
        self._left_out = len(flows) - len(shown)
        self._repeats = len(flows) > COLOURED_FLOWS
        for index, (flow, history) in enumerate(shown):
            make = _compact_lines if self._compact else _detailed_lines
            self._lines += make(flow, history, nodes, flow_colour(index), _paths_shown(len(flows)))
        self._label_in = min(_MOST_LABEL_IN, max(map(_label_width_in, self._lines)) + 0.15)
        self._right_in = max(
            _RIGHT_IN, *(text_width_in(line.value, _PATH_SIZE) + 0.15 for line in self._lines)
        )

    @property
    def height_in(self) -> float:
        """Height with heading and time axis."""
        return _ABOVE_IN + len(self._lines) * _ROW_IN + _BELOW_IN

    def draw(self, figure: Figure, bottom_in: float) -> None:
        """Draw it with its lower edge at this height."""
        width, height = figure.get_size_inches()
        rows_in = len(self._lines) * _ROW_IN
        left_in = MARGIN_IN + self._label_in
        bars_in = width - left_in - self._right_in - MARGIN_IN
        axes = figure.add_axes(
            (
                left_in / width,
                (bottom_in + _BELOW_IN) / height,
                bars_in / width,
                rows_in / height,
            )
        )
        axes.set_xlim(0, self._duration_s)
        axes.set_ylim(len(self._lines), 0)
        for number, line in enumerate(self._lines):
            self._draw_bars(axes, number, line, self._duration_s / bars_in)
            self._draw_texts(axes, number, line, bars_in)
        self._finish(axes)
        figure.text(
            MARGIN_IN / width, (bottom_in + self.height_in - 0.13) / height, self._heading(),
            fontsize=9.5, color=SOFT_INK, va="center",
        )  # fmt: skip

    def _heading(self) -> str:
        window = f"{self._window_s:g} s"
        text = f"Path that carried each flow, per {window}; gap: nothing reached the destination"
        if self._compact:
            text += "; darkest: most used path, grey: rare paths; numbers: hops"
        if self._left_out:
            text += f"; {self._left_out} more not shown"
        if self._repeats:
            text += f"; colours repeat after {COLOURED_FLOWS}"
        return text

    def _draw_bars(self, axes: Any, number: int, line: Line, seconds_per_in: float) -> None:
        if not line.bars:
            return
        top, high = number + 0.12, 0.76
        life = max(0.0, min(line.flow["stop_s"], self._duration_s) - line.flow["start_s"])
        axes.broken_barh([(line.flow["start_s"], life)], (top, high), color=GROUND, linewidth=0)
        for bar in line.bars:
            spans = [(first * self._window_s, n * self._window_s) for first, n in bar.bands]
            axes.broken_barh(spans, (top, high), facecolor=bar.colour, edgecolor="none", zorder=2)
            for start, length in spans if bar.hops is not None else ():
                middle = start + min(length, self._duration_s - start) / 2
                if length > 0.22 * seconds_per_in:
                    axes.text(
                        middle, number + 0.5, str(bar.hops), fontsize=7, zorder=3,
                        color=on_top_of(bar.colour), ha="center", va="center_baseline",
                    )  # fmt: skip

    def _draw_texts(self, axes: Any, number: int, line: Line, bars_in: float) -> None:
        place = axes.get_yaxis_transform()
        y = number + 0.5
        left = -self._label_in / bars_in
        if line.head:
            axes.text(
                left, y, line.head, transform=place, fontsize=_FLOW_SIZE, fontweight="bold",
                color=line.colour, va="center_baseline", parse_math=False,
            )  # fmt: skip
        head_in = _head_width_in(line)
        room = self._label_in - head_in - 0.12
        axes.text(
            left + head_in / bars_in, y, shortened(line.text, room, _PATH_SIZE), transform=place,
            fontsize=_PATH_SIZE, color=SOFT_INK, va="center_baseline", parse_math=False,
        )  # fmt: skip
        axes.text(
            1 + 0.1 / bars_in, y, line.value, transform=place, fontsize=_PATH_SIZE,
            color=SOFT_INK, va="center_baseline",
        )  # fmt: skip

    def _finish(self, axes: Any) -> None:
        for side in ("left", "right", "top"):
            axes.spines[side].set_visible(False)
        axes.spines["bottom"].set_color(SOFT_INK)
        axes.set_yticks([])
        axes.tick_params(axis="x", colors=SOFT_INK, labelsize=8.5)
        axes.grid(axis="x", color="#D5DADF", linewidth=0.5, zorder=0)
        axes.set_axisbelow(True)
        axes.set_xlabel("time (s)", fontsize=9, color=INK, labelpad=2)


def rate(bps: float) -> str:
    """Goodput as text."""
    return f"{bps / 1e6:.2f} Mbit/s" if bps >= 1e6 else f"{bps / 1e3:.1f} kbit/s"


def _detailed_lines(
    flow: FlowReport, history: History, nodes: Nodes, colour: str, most: int
) -> list[Line]:
    """A heading, then a row for each of the most used paths and one for the rest."""
    shares = history.shares
    note = f"{rate(flow['goodput_bps'])}   {_counts(history)}"
    lines = [Line(flow, head=_ends(flow, nodes), text=note, colour=colour)]
    if not history.steps:
        return [*lines, Line(flow, text="nothing arrived", bars=[Bar([], colour)])]
    shown = shares if len(shares) <= most + 1 else shares[:most]
    for path, share in shown:
        bar = Bar(history.bands([path]), colour)
        lines.append(Line(flow, text=_path_text(path, nodes), value=_percent(share), bars=[bar]))
    rest = _rest(history, [path for path, _ in shown])
    if rest:
        paths = len(shares) - len(shown)
        text = f"{paths} other paths" if paths else "not known"
        value = _percent(1 - sum(share for _, share in shown))
        bars = [Bar(history.bands(rest), _REST)]
        lines.append(Line(flow, text=text, value=value, bars=bars))
    return lines


def _compact_lines(
    flow: FlowReport, history: History, nodes: Nodes, colour: str, most: int
) -> list[Line]:
    """One row, with a shade for each path."""
    shown = [path for path, _ in history.shares[:most]]
    bars = [
        Bar(history.bands([path]), lighter(colour, 0.62 * rank / max(1, most - 1)), len(path) - 1)
        for rank, path in enumerate(shown)
    ]
    bars.append(Bar(history.bands(_rest(history, shown)), _REST))
    text = rate(flow["goodput_bps"])
    return [
        Line(
            flow,
            head=_ends(flow, nodes),
            text=text,
            value=_counts(history),
            bars=bars,
            colour=colour,
        )
    ]


def _paths_shown(flows: int) -> int:
    """How many paths a flow may have before the rest share a row or a colour."""
    return PATHS_SHOWN if flows <= 4 else 4


def _rest(history: History, shown: Sequence[Path]) -> list[Path | None]:
    return [*{step.path for step in history.steps if step.path not in shown}]


def _counts(history: History) -> str:
    paths, changes = len(history.shares), history.changes
    return f"{paths} path{'s' * (paths != 1)}, {changes} change{'s' * (changes != 1)}"


def _ends(flow: FlowReport, nodes: Nodes) -> str:
    name = flow.get("name")
    count = cast("dict[str, int]", flow).get("flows", 1)
    several = f" ({count} flows)" if count > 1 else f" ({in_line(name)})" if name else ""
    return shortened(f"{ends_of([flow], nodes)}{several}", _MOST_HEAD_IN, _FLOW_SIZE, "bold")


def _path_text(path: Path, nodes: Nodes) -> str:
    hops = len(path) - 1
    return f"{hops} hop{'s' * (hops != 1)}:  {'–'.join(map(nodes.short, path))}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 else "< 1 %"


def _label_width_in(line: Line) -> float:
    return _head_width_in(line) + text_width_in(line.text, _PATH_SIZE)


def _head_width_in(line: Line) -> float:
    return text_width_in(line.head, _FLOW_SIZE, "bold") + 0.14 if line.head else 0.0
