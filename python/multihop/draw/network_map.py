"""The map: nodes and their links, those that flows used, and trails of moving nodes."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from multihop.draw.movement import Movement
from multihop.draw.style import (
    FAINT,
    INK,
    MARGIN_IN,
    NODE,
    SOFT_INK,
    WIRE,
    flow_colour,
    on_top_of,
    shortened,
    text_width_in,
)
from multihop.nodes import Nodes
from multihop.result_types import FlowReport

Points = Sequence[Sequence[float]]
Shares = Mapping[tuple[int, int], float]
Places = Mapping[int, tuple[float, float]]

LEGEND_IN = 0.42

_EDGE_IN = 0.3
_MOST_HEARING_LINES = 4000
_MOST_NUMBERS = 150
_MOST_RINGS = 4
_NAME_SIZE, _NAME_IN = 7.0, 1.2
_WIDEST_BUNDLE = 15.0
"""All lines of a link together, in points: as the mark of a flow's end."""


@dataclass(frozen=True, slots=True)
class Extent:
    """The part of the plane that is shown, and its size on paper."""

    centre_m: tuple[float, float]
    metres_per_inch: float
    width_in: float
    height_in: float

    @staticmethod
    def around(
        points_m: Iterable[Sequence[float]], width_in: float, most_high_in: float
    ) -> "Extent":
        """Fit all points into this width and at most this height."""
        xs, ys = zip(*((point[0], point[1]) for point in points_m), strict=True)
        wide_m, high_m = max(xs) - min(xs), max(ys) - min(ys)
        scale = max(
            wide_m / (width_in - 2 * _EDGE_IN), high_m / (most_high_in - 2 * _EDGE_IN), 1e-3
        )
        centre = ((max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2)
        return Extent(centre, scale, width_in, max(high_m / scale + 2 * _EDGE_IN, 1.0))

    def axes(self, figure: Figure, bottom_in: float) -> Any:
        """Axes without frame that show the extent, its lower edge at this height."""
        width, height = figure.get_size_inches()
        axes = figure.add_axes(
            (MARGIN_IN / width, bottom_in / height, self.width_in / width, self.height_in / height)
        )
        axes.axis("off")
        half_x, half_y = (
            self.width_in * self.metres_per_inch / 2,
            self.height_in * self.metres_per_inch / 2,
        )
        axes.set_xlim(self.centre_m[0] - half_x, self.centre_m[0] + half_x)
        axes.set_ylim(self.centre_m[1] - half_y, self.centre_m[1] + half_y)
        return axes

    def metres(self, points: float) -> float:
        """Length of so many typographic points."""
        return points / 72 * self.metres_per_inch


def draw_hearing(axes: Any, positions_m: Points, pairs: Sequence[tuple[int, int]]) -> bool:
    """Draw a faint line for each pair with a link; false where there are too many to read."""
    if len(pairs) > _MOST_HEARING_LINES:
        return False
    places = np.asarray(positions_m, dtype=float)[:, :2]
    lines = [places[[a, b]] for a, b in pairs]
    width = 1.0 if len(pairs) <= 400 else 0.5
    axes.add_collection(LineCollection(lines, colors=FAINT, linewidths=width, zorder=1))
    return True


def draw_wires(axes: Any, lines: Sequence[Sequence[tuple[float, float]]]) -> bool:
    """Draw each wire as a double line; false where there are none."""
    for colour, width in ((WIRE, 3.6), ("white", 1.6)):
        axes.add_collection(LineCollection(lines, colors=colour, linewidths=width, zorder=1.2))
    return bool(lines)


def draw_links(axes: Any, extent: Extent, positions_m: Points, flows: Sequence[Shares]) -> None:
    """Draw each flow's links as wide as they were busy, side by side where flows share a link."""
    widest, faintest = (6.0, 0.35) if len(flows) <= 4 else (4.5, 0.15)
    users: dict[tuple[int, int], list[int]] = defaultdict(list)
    for index, shares in enumerate(flows):
        for ends in shares:
            users[ends].append(index)
    for (a, b), indices in users.items():
        widths = [max(0.6, widest * flows[index][a, b]) for index in indices]
        whole = sum(widths) + len(widths) - 1
        # Of many flows the lines get thinner, so that all of them still end in the nodes' marks.
        fit = min(1.0, _WIDEST_BUNDLE / whole)
        offset = -fit * whole / 2
        across = _across(positions_m[a], positions_m[b])
        for index, width in zip(indices, widths, strict=True):
            shift = extent.metres(offset + fit * width / 2)
            offset += fit * (width + 1)
            xs, ys = (
                [positions_m[node][axis] + across[axis] * shift for node in (a, b)]
                for axis in (0, 1)
            )
            axes.plot(
                xs, ys, color=flow_colour(index), linewidth=fit * width, solid_capstyle="round",
                alpha=faintest + (0.9 - faintest) * flows[index][a, b], zorder=2,
            )  # fmt: skip


def draw_moving_links(
    axes: Any,
    movement: Movement,
    windows: Mapping[int, Mapping[tuple[int, int], int]],
    window_s: float,
    index: int,
    strength: float,
) -> None:
    """Draw a flow's links where their ends were in each window, layer over layer.

    The layers get fainter with `strength`, at most 1.
    """
    segments, carried = [], []
    for number, packets in windows.items():
        middle_s = (number + 0.5) * window_s
        for (a, b), count in packets.items():
            segments.append((movement.at(a, middle_s), movement.at(b, middle_s)))
            carried.append(count)
    if not segments:
        return
    shares = np.array(carried, dtype=float) / max(carried)
    colours = np.tile(to_rgba(flow_colour(index)), (len(segments), 1))
    colours[:, 3] = (0.04 + 0.16 * shares) * strength
    axes.add_collection(
        LineCollection(segments, colors=colours, linewidths=0.5 + 1.5 * shares, zorder=2)
    )


def draw_trails(axes: Any, movement: Movement, flows: Sequence[FlowReport]) -> None:
    """Draw each node's path, fainter the longer ago; those of flow ends in the flow's colour."""
    colours = {flow[end]: flow_colour(i) for i, flow in reversed([*enumerate(flows)])
               for end in ("source", "destination")}  # fmt: skip
    for node in range(movement.nodes):
        times, places = movement.trail(node)
        if len(times) < 2:
            continue
        own = node in colours
        rgba = np.tile(to_rgba(colours.get(node, NODE)), (len(times) - 1, 1))
        age = times[1:] / times[-1]
        rgba[:, 3] = (0.15 + 0.7 * age**2) if own else (0.05 + 0.4 * age**2)
        segments = np.stack([places[:-1], places[1:]], axis=1)
        axes.add_collection(
            LineCollection(
                [*segments], colors=rgba, linewidths=2.6 if own else 1.0, zorder=3 if own else 1.5
            )
        )


def draw_nodes(
    axes: Any,
    extent: Extent,
    positions_m: Points,
    flows: Sequence[FlowReport],
    busy: Collection[int],
    nodes: Nodes,
) -> bool:
    """Draw nodes, with their numbers and names where there is room, the `busy` ones first.

    Ends of flows always have theirs; where they would hide each other they are moved apart. Returns
    whether a node ends more flows than it has rings.
    """
    places_m = _ends_apart(extent, positions_m, flows)
    numbered = _with_room(extent, positions_m, places_m, busy)
    others = [n for n in range(len(positions_m)) if n not in places_m and n not in numbered]
    for chosen, size, width in ((others, 16, 0.9), (sorted(numbered), 150, 1.1)):
        places = np.array([positions_m[node][:2] for node in chosen]).reshape(-1, 2)
        axes.scatter(*places.T, s=size, color="white", edgecolor=NODE, linewidth=width, zorder=4)
    for node in numbered:
        _number(axes, positions_m[node], node, SOFT_INK, 7, "normal")
    ordered = [*places_m, *sorted(numbered, key=lambda node: (node not in busy, node))]
    _draw_names(axes, extent, positions_m, places_m, ordered, nodes)
    static = {node: place for node, place in enumerate(positions_m) if node not in places_m}
    return _draw_ends(axes, extent, places_m, [*static.values()], flows)


def draw_legend(
    figure: Figure,
    extent: Extent,
    bottom_in: float,
    *,
    used: str,
    hearing: bool,
    metres: bool,
    crowded: bool,
    moving: bool = False,
    wires: bool = False,
) -> None:
    """Explain the symbols in one line, a thick one as `used`; at its end a scale, if in metres."""
    width, height = figure.get_size_inches()
    handles = [
        _symbol("o", "source"),
        _symbol("s", "destination"),
        Line2D([], [], color=SOFT_INK, linewidth=4.5, alpha=0.7, label=used),
    ]
    if hearing:
        handles.append(Line2D([], [], color="#C9CED4", linewidth=1.5, label="can exchange data"))
    if wires:
        handles.append(Line2D([], [], color=WIRE, linewidth=3.6, label="wire"))
    if moving:
        handles.append(
            Line2D([], [], color=NODE, linewidth=1.5, label="a node's path, to its final position")
        )
    if crowded:
        handles.append(Line2D([], [], linestyle="", label="+2: end of 2 more"))
    figure.legend(
        handles=handles, loc="center left", ncols=len(handles), frameon=False, fontsize=9,
        labelcolor=SOFT_INK, borderpad=0, borderaxespad=0, columnspacing=1.8, handlelength=1.6,
        bbox_to_anchor=(MARGIN_IN / width, (bottom_in + LEGEND_IN / 2) / height),
    )  # fmt: skip
    if metres:
        draw_scale(figure, extent, bottom_in)


def draw_scale(figure: Figure, extent: Extent, bottom_in: float) -> None:
    """Draw a scale in metres at the right, in a line at this height."""
    width, height = figure.get_size_inches()
    length_m = _round_below(1.5 * extent.metres_per_inch)
    right = width - MARGIN_IN
    left = right - length_m / extent.metres_per_inch
    y = (bottom_in + LEGEND_IN / 2 - 0.07) / height
    figure.add_artist(Line2D([left / width, right / width], [y, y], color=INK, linewidth=1.5))
    figure.text(
        (left + right) / 2 / width, y + 0.05 / height, f"{length_m:,g} m",
        fontsize=9, color=INK, ha="center", va="bottom",
    )  # fmt: skip


def _ends_apart(extent: Extent, positions_m: Points, flows: Sequence[FlowReport]) -> Places:
    """Places of the flows' ends, each pushed off earlier ones that its mark would touch."""
    room_m = 0.23 * extent.metres_per_inch
    places: dict[int, tuple[float, float]] = {}
    for node in dict.fromkeys(flow[end] for flow in flows for end in ("source", "destination")):
        x, y = positions_m[node][:2]
        for other_x, other_y in places.values():
            distance = math.hypot(x - other_x, y - other_y)
            if distance < room_m:
                dx, dy = (1.0, 0.0) if distance == 0 else (
                    (x - other_x) / distance, (y - other_y) / distance
                )  # fmt: skip
                x, y = other_x + dx * room_m, other_y + dy * room_m
        places[node] = (x, y)
    return places


def _draw_ends(
    axes: Any, extent: Extent, places_m: Places, others_m: Points, flows: Sequence[FlowReport]
) -> bool:
    """Mark ends in their flow's colour; a node that ends several flows gets rings.

    It has no more rings than there is room for beside its neighbours; a number tells of the rest.
    """
    uses: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for index, flow in enumerate(flows):
        uses[flow["source"]].append((flow_colour(index), "o"))
        uses[flow["destination"]].append((flow_colour(index), "s"))
    crowded = False
    for node, marks in uses.items():
        place = places_m[node]
        around = [other for end, other in places_m.items() if end != node] + [*others_m]
        nearest_m = min((math.dist(place, other[:2]) for other in around), default=math.inf)
        rings = min(len(marks), _rings(nearest_m / extent.metres(1)))
        for ring in reversed(range(rings)):
            colour, marker = marks[ring]
            axes.scatter(
                *place, s=_ring_points(ring) ** 2, color=colour, marker=marker,
                edgecolor="white", linewidth=1.2, zorder=5,
            )  # fmt: skip
        _number(axes, place, node, on_top_of(marks[0][0]), 8, "bold")
        if len(marks) > rings:
            crowded = True
            aside = _ring_points(rings - 1) / 2
            axes.annotate(
                f"+{len(marks) - rings}", place, xytext=(aside, aside), fontsize=7.5,
                textcoords="offset points", color=INK, zorder=6,
            )  # fmt: skip
    return crowded


def _draw_names(
    axes: Any,
    extent: Extent,
    positions_m: Points,
    ends_m: Places,
    ordered: Sequence[int],
    nodes: Nodes,
) -> None:
    """Write names below or above nodes where they hide neither marks nor other names."""
    if not nodes:
        return
    inch = extent.metres_per_inch
    dots = [ends_m.get(node, place[:2]) for node, place in enumerate(positions_m)]
    taken: list[tuple[float, float, float]] = []
    for node in ordered:
        name = shortened(nodes.name(node), _NAME_IN, _NAME_SIZE)
        if not name:
            continue
        half, (x, y) = text_width_in(name, _NAME_SIZE) / 2, dots[node]
        centre, room = extent.centre_m[0] / inch, extent.width_in / 2 - half
        for aside_in in (-0.2, 0.2):
            middle = (min(max(x / inch, centre - room), centre + room), y / inch + aside_in)
            is_clear = all(
                abs(middle[0] - at[0] / inch) > half + 0.08 or abs(middle[1] - at[1] / inch) > 0.15
                for at in dots
            ) and all(
                abs(middle[0] - left) > half + width or abs(middle[1] - low) > 0.13
                for left, low, width in taken
            )
            if is_clear:
                taken.append((*middle, half))
                axes.text(
                    middle[0] * inch, middle[1] * inch, name, fontsize=_NAME_SIZE, color=INK,
                    ha="center", va="center", zorder=7, parse_math=False,
                    bbox={"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.6},
                )  # fmt: skip
                break


def _ring_points(ring: int) -> float:
    """Diameter of a ring, the innermost first."""
    return 15 + 4.5 * ring


def _rings(nearest_points: float) -> int:
    """How many rings a node may have whose nearest neighbour is this far."""
    fitting = (n for n in range(_MOST_RINGS, 1, -1) if _ring_points(n - 1) < nearest_points)
    return next(fitting, 1)


def _number(
    axes: Any, place: Sequence[float], node: int, colour: str, size: float, weight: str
) -> None:
    size *= min(1.0, 2.4 / len(str(node)))
    axes.text(
        place[0], place[1], str(node), fontsize=size, fontweight=weight, color=colour,
        ha="center", va="center_baseline", zorder=6,
    )  # fmt: skip


def _with_room(
    extent: Extent, positions_m: Points, ends_m: Places, busy: Collection[int]
) -> set[int]:
    """Choose nodes whose numbered dots touch neither each other nor those of the flows' ends."""
    if len(positions_m) > _MOST_NUMBERS:
        return set()
    chosen: set[int] = set()
    taken: list[tuple[Sequence[float], float]] = [(place, 0.24) for place in ends_m.values()]
    for node in sorted(range(len(positions_m)), key=lambda node: (node not in busy, node)):
        place = positions_m[node]
        clear = (
            math.dist(place[:2], other[:2]) > room_in * extent.metres_per_inch
            for other, room_in in taken
        )
        if node not in ends_m and all(clear):
            chosen.add(node)
            taken.append((place, 0.2))
    return chosen


def _across(a: Sequence[float], b: Sequence[float]) -> tuple[float, float]:
    """Unit vector at right angles to the line from `a` to `b`, pointing up."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = math.hypot(dx, dy) or 1.0
    x, y = -dy / length, dx / length
    return (x, y) if (y, x) > (0, 0) else (-x, -y)


def _symbol(marker: str, label: str) -> Line2D:
    return Line2D([], [], color=SOFT_INK, marker=marker, linestyle="", markersize=8, label=label)


def _round_below(length_m: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is not longer."""
    power = 10.0 ** math.floor(math.log10(length_m))
    return max(unit * power for unit in (1, 2, 5) if unit * power <= length_m * 1.0001)
