"""The map of what could be changed in a network, by how much each change helps."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure

from multihop import hearing
from multihop.draw import network_map
from multihop.draw.style import INK, MARGIN_IN, WIDTH_IN, shortened
from multihop.nodes import Nodes
from multihop.palette import COLOURS
from multihop.places import has_metres

_MOST_HIGH_IN = 4.5
_BAR_IN = 0.62
_NAMED = 3
_ALL_NAMED = 6
"""So few routers are all named."""
_MARKER = 4.0
"""Half of its size [points]."""
_LETTER_EM, _LINE_EM = 0.62, 1.35
"""What a letter of a label takes in width, and a line in height, of the size of its type."""
Mark = tuple[str, tuple[float, float] | None, tuple[int, int] | None, float]
"""Of a candidate its label, place [m] if it is a router, nodes if it is a link, and gain."""


def candidates_figure(
    scenario: Mapping[str, Any],
    gateway: int,
    houses: Sequence[int],
    ranked: Sequence[Mark],
    unit: str,
) -> Figure:
    """Draw a resolved scenario's network with the candidates that have a place, the best named.

    Args:
        scenario: the network as it is.
        gateway: a node, drawn as a square.
        houses: nodes, drawn filled unless they are all.
        ranked: candidates, the best first.
        unit: of the gains, for the colour bar.
    """
    heard = hearing.of_scenario(scenario)
    places = [(x, y) for (_, x, y), *_ in heard.ways]
    routers = [(label, place, gain) for label, place, _, gain in ranked if place is not None]
    links = [(label, ends, gain) for label, _, ends, gain in ranked if ends is not None]
    shown = [place for _, place, _ in routers]
    shown += [places[node] for _, ends, _ in links[:_NAMED] for node in ends]
    if len(houses) < len(places) - 1:
        # Far parts of the network that nobody asks about would make the others small.
        shown += [places[node] for node in (gateway, *houses)]
    else:
        shown += places
    extent = network_map.Extent.around(
        _framed(shown, places), WIDTH_IN - 2 * MARGIN_IN, _MOST_HIGH_IN
    )
    low_in = network_map.LEGEND_IN + _BAR_IN
    figure = Figure(figsize=(WIDTH_IN, extent.height_in + low_in + 0.1))
    axes = extent.axes(figure, low_in)
    network_map.draw_hearing(axes, places, heard.at(0).pairs())
    gains = [gain for *_, gain in [*routers, *links]] or [0.0]
    most = max(1e-9, *(abs(gain) for gain in gains))
    colours = ScalarMappable(TwoSlopeNorm(0.0, -most, most), "PuOr")
    if links:
        links.reverse()  # the best on top
        strengths = colours.to_rgba(np.array([gain for *_, gain in links]))
        segments = [[places[a], places[b]] for _, (a, b), _ in links]
        axes.add_collection(LineCollection(segments, colors=strengths, linewidths=3.5, zorder=2))
    _draw_nodes(axes, places, gateway, houses)
    if routers:
        points = [place for _, place, _ in routers]
        axes.scatter(
            *zip(*points, strict=True), c=colours.to_rgba(np.array([gain for *_, gain in routers])),
            s=70, marker="D", edgecolor=INK, linewidth=0.6, zorder=5,
        )  # fmt: skip
    named = [mark for mark in ranked if mark[1] or mark[2]]
    labels = _Labels(axes, extent)
    for rank, mark in enumerate(named[: _NAMED if len(named) > _ALL_NAMED else None], 1):
        labels.put(f"{rank}: {shortened(mark[0], 1.6, 8.0)}", _middle(mark, places), 7, bold=True)
    nodes = Nodes.of(scenario)
    told = dict.fromkeys([gateway, *(houses if len(houses) <= 5 else ())])
    for node in told:
        labels.avoid(places[node])
    for node in told:
        labels.put(shortened(nodes.short(node), 1.2, 7.0), places[node], -9)
    some = len(houses) < len(places) - 1
    key = f"square: uplink{'; blue: houses that count' if some else ''}; coloured: candidates"
    _bar(figure, colours, unit, key)
    if has_metres(scenario):
        network_map.draw_scale(figure, extent, 0)
    return figure


def _framed(
    shown: Sequence[tuple[float, float]], places: Sequence[tuple[float, float]]
) -> list[tuple[float, float]]:
    """What is shown and the nodes nearby, by the corners of a frame."""
    low, high = np.min(shown, axis=0), np.max(shown, axis=0)
    margin = max(float((high - low).max()) / 4, 1.0)
    near = [
        place
        for place in places
        if np.all(place >= low - margin) and np.all(place <= high + margin)
    ]
    return [*shown, *near]


def _draw_nodes(
    axes: Any, places: Sequence[tuple[float, float]], gateway: int, houses: Sequence[int]
) -> None:
    asked = set(houses) if len(houses) < len(places) - 1 else set()
    for chosen, face, marker, size in (
        ([n for n in range(len(places)) if n not in asked | {gateway}], "white", "o", 26),
        (sorted(asked), COLOURS[0], "o", 60),
        ([gateway], INK, "s", 70),
    ):
        if chosen:
            points = zip(*(places[node] for node in chosen), strict=True)
            axes.scatter(
                *points, s=size, color=face, edgecolor=INK, linewidth=0.9, marker=marker, zorder=4
            )


def _middle(mark: Mark, places: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Where a candidate stands, or the middle of its link."""
    _, place, ends, _ = mark
    if place is not None:
        return place
    assert ends is not None
    x, y = (sum(axis) / 2 for axis in zip(*(places[end] for end in ends), strict=True))
    return x, y


class _Labels:
    """Texts beside their places, moved up or down until none hides another."""

    def __init__(self, axes: Any, extent: network_map.Extent) -> None:
        self.axes, self.extent = axes, extent
        self.taken: list[tuple[float, float, float, float]] = []
        """Left, right, low and high [points]."""

    def avoid(self, place: tuple[float, float]) -> None:
        """Hide no marker there."""
        x, y = self._points(place)
        self.taken.append((x - _MARKER, x + _MARKER, y - _MARKER, y + _MARKER))

    def _points(self, place: tuple[float, float]) -> tuple[float, float]:
        x, y = (72 * value / self.extent.metres_per_inch for value in place)
        return x, y

    def put(
        self, text: str, place: tuple[float, float], aside: float, *, bold: bool = False
    ) -> None:
        """Write it above the place, or below for a negative offset [points]."""
        size = 8.0 if bold else 7.0
        right = place[0] > self.extent.centre_m[0]
        x, y = self._points(place)
        width, height = len(text) * size * _LETTER_EM, size * _LINE_EM
        left = x - 8 - width if right else x + 8
        step = height if aside > 0 else -height
        while any(
            left < b and a < left + width and y + aside < d and c < y + aside + height
            for a, b, c, d in self.taken
        ):
            aside += step
        self.taken.append((left, left + width, y + aside, y + aside + height))
        self.axes.annotate(
            text, place, xytext=(-8 if right else 8, aside), ha="right" if right else "left",
            textcoords="offset points", fontsize=size, fontweight="bold" if bold else "normal",
            color=INK, zorder=8 if bold else 7, parse_math=False,
            bbox={"facecolor": "white", "alpha": 0.8 * bold, "edgecolor": "none", "pad": 0.8},
        )  # fmt: skip


def _bar(figure: Figure, colours: ScalarMappable, unit: str, key: str) -> None:
    width, height = figure.get_size_inches()
    place = (MARGIN_IN / width, (_BAR_IN - 0.1) / height, 2.6 / width, 0.12 / height)
    bar = figure.colorbar(colours, cax=figure.add_axes(place), orientation="horizontal")
    bar.ax.tick_params(labelsize=7)
    bar.set_label(unit, fontsize=8, loc="left")
    figure.text(
        (MARGIN_IN + 3.0) / width, (_BAR_IN - 0.1) / height, key, fontsize=8, color=INK, va="bottom"
    )
