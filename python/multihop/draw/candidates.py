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
_NAME_IN = 2.2
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
    named = [mark for mark in ranked if mark[1] or mark[2]][:_NAMED]
    _name_best(axes, extent, places, named)
    nodes = Nodes.of(scenario)
    for node in dict.fromkeys([gateway, *(houses if len(houses) <= 5 else ())]):
        axes.annotate(
            shortened(nodes.short(node), 1.2, 7.0), places[node], xytext=(6, -9), fontsize=7,
            textcoords="offset points", color=INK, zorder=7, parse_math=False,
        )  # fmt: skip
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


def _name_best(
    axes: Any,
    extent: network_map.Extent,
    places: Sequence[tuple[float, float]],
    named: Sequence[Mark],
) -> None:
    taken: list[tuple[float, float]] = []
    for rank, (label, place, ends, _) in enumerate(named, 1):
        if place is None:
            assert ends is not None
            place = tuple(sum(axis) / 2 for axis in zip(*(places[e] for e in ends), strict=True))
        right = place[0] > extent.centre_m[0]
        x_in, y_in = (value / extent.metres_per_inch for value in place)
        up = 7
        while any(abs(x_in - x) < _NAME_IN and abs(y_in + up / 72 - y) < 0.17 for x, y in taken):
            up += 13
        taken.append((x_in, y_in + up / 72))
        axes.annotate(
            f"{rank}: {shortened(label, 1.6, 8.0)}", place, xytext=(-8 if right else 8, up),
            ha="right" if right else "left", textcoords="offset points", fontsize=8,
            fontweight="bold", color=INK, zorder=8, parse_math=False,
            bbox={"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 0.8},
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
