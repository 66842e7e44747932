"""Timing diagrams of semi-TCP's handshakes, from the record of every frame of a run.

    python papers/semi-tcp/handshakes.py docs/model/images/semi-tcp-handshakes.svg

The five cases of Fig. 3 of the paper: what A asks with, RTS or RTSC, and what B answers SIFS later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from multihop.draw.style import (
    FAINT,
    INK,
    MARGIN_IN,
    NODE,
    SOFT_INK,
    WIDTH_IN,
    flow_colour,
    heading,
    lighter,
    on_top_of,
    save,
)
from multihop.result_types import FrameReport
from multihop.simulate import run

SIFS_NS, SLACK_NS = 10_000, 2_000
_LONGEST_NS, _SEGMENT_NS = 9_000_000, 2_000_000
_TITLE_IN, _PANEL_IN, _GAP_IN = 0.95, 1.05, 0.4

CASES = {
    ("RTS", "CTS"): "(a) Nobody is congested: granted",
    ("RTS", "RTSC"): "(b) B is congested: refused by B's own request",
    ("RTSC", "CTS"): "(c) A is congested: granted",
    ("RTSC", "CTSC"): "(d) Both are, and each has its first packet for the other: granted",
    ("RTSC", "RTSC"): "(e) The same, but B has helped A already, or has no place left: refused",
}  # fmt: skip
"""What A asks with and B answers, and the case that it is."""

SCENARIO: dict[str, Any] = {
    "title": "two flows against each other on a chain of 5 hops",
    "duration_s": 60,
    "topology": {"kind": "chain", "hops": 5},
    "mac": {"semi": {"other_rtsc": "rtsc"}},
    "transport": {"segment_bytes": 512},
    "flows": [
        {"kind": "ftp", "source": 0, "destination": 5, "start_s": 1},
        {"kind": "ftp", "source": 5, "destination": 0, "start_s": 1},
    ],
}
"""A run with all five; (e) as in the paper's prose, for its Algorithm 2 has silence there."""


@dataclass(frozen=True, slots=True)
class Handshake:
    """A request, its answer, and what the nodes concerned sent until a packet was through."""

    case: str
    nodes: list[int]
    """A, B, and a third if B's own request is for it."""
    frames: list[FrameReport]

    @property
    def begin_ns(self) -> int:
        """When the request begins."""
        return int(self.frames[0]["time_ns"])


def name(frame: FrameReport) -> str:
    """The frame's name as the paper has it."""
    kind = str(frame["kind"]).upper()
    return f"{kind}C" if frame["notice"] == "congested" else kind


def find(frames: Sequence[FrameReport]) -> list[Handshake]:
    """The first handshake of each case that gets a full segment through, in their order."""
    found: dict[str, Handshake] = {}
    for place, handshake in _handshakes(frames):
        if handshake.case not in found and _is_clean(frames[place : place + 60], handshake):
            found[handshake.case] = handshake
    return [found[case] for case in CASES.values() if case in found]


def _handshakes(frames: Sequence[FrameReport]) -> Iterator[tuple[int, Handshake]]:
    for place, request in enumerate(frames):
        if name(request) not in ("RTS", "RTSC"):
            continue
        answer = _answer(frames[place + 1 : place + 20], request)
        if answer is None:
            continue
        case = CASES.get((name(request), name(answer)))
        if case is not None:
            nodes = [request["transmitter"], answer["transmitter"]]
            third = answer["receiver"]
            nodes += [third] if third is not None and third not in nodes else []
            yield place, Handshake(case, nodes, _until_through(frames[place:], nodes))


def _answer(later: Sequence[FrameReport], request: FrameReport) -> FrameReport | None:
    ends = request["time_ns"] + request["airtime_ns"]
    for frame in later:
        after = frame["time_ns"] - ends
        if frame["transmitter"] == request["receiver"] and SIFS_NS <= after < SIFS_NS + SLACK_NS:
            return frame
    return None


def _until_through(later: Sequence[FrameReport], nodes: Sequence[int]) -> list[FrameReport]:
    begin = later[0]["time_ns"]
    kept = []
    for frame in later:
        if frame["time_ns"] > begin + _LONGEST_NS:
            break
        if frame["transmitter"] in nodes and frame["receiver"] in nodes:
            kept.append(frame)
            if name(frame) == "ACK":
                break
    return kept


def _is_clean(later: Sequence[FrameReport], handshake: Handshake) -> bool:
    """Whether it gets a full segment through and its nodes sent nothing else meanwhile."""
    *_, data, last = handshake.frames
    if name(last) != "ACK" or data["airtime_ns"] < _SEGMENT_NS:
        return False
    meanwhile = [frame for frame in later if frame["time_ns"] <= last["time_ns"]]
    return [f for f in meanwhile if f["transmitter"] in handshake.nodes] == handshake.frames


def draw(handshakes: Sequence[Handshake], subtitle: str) -> Figure:
    """The handshakes one below the other, on one scale of time."""
    height = _TITLE_IN + len(handshakes) * (_PANEL_IN + _GAP_IN) + 0.45
    figure = Figure(figsize=(WIDTH_IN, height))
    heading(figure, "Who asks and who is granted", subtitle)
    longest = max(_end_ms(handshake) for handshake in handshakes)
    left = MARGIN_IN + 0.55
    for number, handshake in enumerate(handshakes):
        bottom = height - _TITLE_IN - (number + 1) * (_PANEL_IN + _GAP_IN) + 0.05
        axes = figure.add_axes(
            (left / WIDTH_IN, bottom / height, (WIDTH_IN - left - MARGIN_IN) / WIDTH_IN,
             _PANEL_IN / height)
        )  # fmt: skip
        _panel(axes, handshake, longest)
        if number < len(handshakes) - 1:
            axes.tick_params(labelbottom=False)
        else:
            axes.set_xlabel("ms since the request", color=SOFT_INK, fontsize=9)
    return figure


def _panel(axes: Axes, handshake: Handshake, longest: float) -> None:
    rows = len(handshake.nodes)
    axes.set_xlim(-0.05, longest + 0.05)
    axes.set_ylim(-0.5 - (3 - rows) / 2, rows - 0.5 + (3 - rows) / 2)
    axes.set_title(handshake.case, loc="left", fontsize=10.5, color=INK, pad=4)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(colors=SOFT_INK, labelsize=8, length=0)
    axes.set_yticks(range(rows), [_letter(handshake, rows - 1 - row) for row in range(rows)])
    axes.tick_params(axis="y", labelsize=9, labelcolor=INK)
    for row in range(rows):
        axes.axhline(row, color=FAINT, linewidth=1, zorder=0)
    for frame in handshake.frames:
        _frame(axes, handshake, frame)


def _frame(axes: Axes, handshake: Handshake, frame: FrameReport) -> None:
    rows = len(handshake.nodes)
    begin = (frame["time_ns"] - handshake.begin_ns) / 1e6
    length = frame["airtime_ns"] / 1e6
    row_of: dict[int | None, int] = {
        node: rows - 1 - place for place, node in enumerate(handshake.nodes)
    }
    row, towards = row_of[frame["transmitter"]], row_of[frame["receiver"]]
    colour = _colour(name(frame))
    axes.add_patch(
        Rectangle((begin, row - 0.3), length, 0.6, facecolor=colour, edgecolor="white", zorder=2)
    )
    axes.text(
        begin + length / 2, row, name(frame), ha="center", va="center", fontsize=8,
        color=on_top_of(colour), zorder=3,
    )  # fmt: skip
    up = 1 if towards > row else -1
    axes.annotate(
        "", xy=(begin + length, towards - up * 0.3), xytext=(begin + length, row + up * 0.3),
        arrowprops={"arrowstyle": "->", "color": NODE, "linewidth": 1}, zorder=1,
    )  # fmt: skip


def _colour(kind: str) -> Any:
    if kind in ("RTSC", "CTSC"):
        return flow_colour(1)
    return NODE if kind == "ACK" else lighter(flow_colour(0), 0.45 if kind == "DATA" else 0.0)


def _letter(handshake: Handshake, place: int) -> str:
    return f"{'ABC'[place]} ({handshake.nodes[place]})"


def _end_ms(handshake: Handshake) -> float:
    last = handshake.frames[-1]
    return float(last["time_ns"] + last["airtime_ns"] - handshake.begin_ns) / 1e6


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def main(file: Path) -> None:
    """Run the scenario and draw the first handshake of each case."""
    handshakes = find(
        run(SCENARIO, scheme="semi-tcp", reading="semi-tcp/ours", seed=1, frames=True).json[
            "frames"
        ]
    )
    subtitle = (
        "Two flows against each other on a chain of 5 hops; in brackets the node. "
        "Orange: the sender is congested."
    )
    figure = draw(handshakes, subtitle)
    save(figure, file)


if __name__ == "__main__":
    main()
