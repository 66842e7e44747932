"""Ways of nodes as movement files: ns-2's setdest and BonnMotion's native format."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from multihop.sites.form import SiteError

Knots = Sequence[tuple[float, float, float]]
JUMP_S = 1e-6
"""A leg that takes less is a jump."""


def setdest(places_m: Sequence[tuple[float, float]], ways: Mapping[int, Knots]) -> str:
    """The commands of ns-2, node by node in the order of time.

    `places_m` is where nodes begin, by node; `ways` has the knots (time_s, x_m, y_m) of those that
    move, with straight lines between them.
    """
    rows = []
    for node, place in enumerate(places_m):
        x, y = ways[node][0][1:] if node in ways else place
        rows += [f"$node_({node}) set {axis}_ {_short(v)}" for axis, v in (("X", x), ("Y", y))]
        rows.append(f"$node_({node}) set Z_ 0")
    timed = []
    for node, knots in ways.items():
        for (at_s, x, y), (end_s, to_x, to_y) in pairwise(knots):
            far = math.dist((x, y), (to_x, to_y))
            if far == 0:
                continue
            if end_s - at_s < JUMP_S:
                for axis, value in (("X", to_x), ("Y", to_y)):
                    timed.append((end_s, node, f"set {axis}_ {_short(value)}"))
            else:
                goal = f"setdest {_short(to_x)} {_short(to_y)} {far / (end_s - at_s):.12g}"
                timed.append((at_s, node, goal))
    timed.sort(key=lambda row: row[0])
    rows += [f'$ns_ at {_short(at_s)} "$node_({node}) {told}"' for at_s, node, told in timed]
    return "\n".join(rows) + "\n"


def bonnmotion(
    places_m: Sequence[tuple[float, float]], ways: Mapping[int, Knots], duration_s: float
) -> dict[str, str]:
    """The texts of `.movements`, a line a node, and `.params`, by suffix.

    Raises:
        SiteError: a node is at a negative coordinate, which the format has not.
    """
    rows, most = [], [0.0, 0.0]
    for node, place in enumerate(places_m):
        knots = ways.get(node) or [(0.0, *place)]
        if min(min(knot[1:]) for knot in knots) < 0:
            raise SiteError(f"node {node}: BonnMotion has no negative coordinates")
        most = [max(most[axis], *(knot[axis + 1] for knot in knots)) for axis in (0, 1)]
        rows.append(" ".join(_short(value) for knot in knots for value in knot))
    params = f"model=multihop\nignore=0.0\nrandomSeed=0\nx={_short(most[0])}\ny={_short(most[1])}\n"
    params += f"duration={duration_s:g}\nnn={len(rows)}\ncirc=false\nJ=2D\n"
    return {".movements": "\n".join(rows) + "\n", ".params": params}


def _short(value: float) -> str:
    """A coordinate or time, to a micrometre or nanosecond."""
    return f"{value:.9f}".rstrip("0").rstrip(".") if value else "0"
