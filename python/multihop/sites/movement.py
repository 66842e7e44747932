"""Ways of nodes as movement files: ns-2's setdest and BonnMotion's native format."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from multihop.sites.form import Points, SiteError

Knots = Sequence[tuple[float, float, float]]
JUMP_S = 1e-6
"""A leg that takes less is a jump."""
_BLOCK = 4096


class Setdest:
    """The commands of ns-2, node by node in the order of time, piece by piece.

    `places_m` is where nodes begin, by node; `ways` has the knots (time_s, x_m, y_m) of those that
    move, with straight lines between them.
    """

    def __init__(self, places_m: Sequence[tuple[float, float]], ways: Mapping[int, Points]) -> None:
        self.places_m, self.ways = places_m, ways

    def __iter__(self) -> Iterator[str]:
        for node, place in enumerate(self.places_m):
            x, y = self.ways[node][0, 1:] if node in self.ways else place
            for axis, value in (("X", x), ("Y", y)):
                yield f"$node_({node}) set {axis}_ {_short(value)}\n"
            yield f"$node_({node}) set Z_ 0\n"
        for node, leg in self._legs():
            (at_s, x, y), (end_s, to_x, to_y) = self.ways[node][leg : leg + 2].tolist()
            far = math.dist((x, y), (to_x, to_y))
            if far == 0:
                continue
            if end_s - at_s < JUMP_S:
                for axis, value in (("X", to_x), ("Y", to_y)):
                    goal = f"set {axis}_ {_short(value)}"
                    yield f'$ns_ at {_short(end_s)} "$node_({node}) {goal}"\n'
            else:
                goal = f"setdest {_short(to_x)} {_short(to_y)} {far / (end_s - at_s):.12g}"
                yield f'$ns_ at {_short(at_s)} "$node_({node}) {goal}"\n'

    def _legs(self) -> Iterator[tuple[int, int]]:
        """The node and the number of each leg, in the order in which they begin."""
        begins, legs = [np.empty(0)], [np.empty((0, 2), dtype=np.int32)]
        for node, knots in self.ways.items():
            at_s, end_s = knots[:-1, 0], knots[1:, 0]
            begins.append(np.where(end_s - at_s < JUMP_S, end_s, at_s))
            numbers = np.arange(len(at_s), dtype=np.int32)
            legs.append(np.column_stack([np.full_like(numbers, node), numbers]))
        every, order = np.concatenate(legs), np.concatenate(begins).argsort(kind="stable")
        for at in range(0, len(order), _BLOCK):
            yield from map(tuple, every[order[at : at + _BLOCK]].tolist())


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
