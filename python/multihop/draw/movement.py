"""The positions of moving nodes over time."""

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]

_TRAIL_POINTS = 120


class Movement:
    """Paths of all nodes: knots of (time_s, x_m, y_m) with straight lines between them."""

    def __init__(self, knots: Sequence[Sequence[Sequence[float]]], duration_s: float) -> None:
        self._knots = [np.asarray(way, dtype=float).reshape(-1, 3) for way in knots]
        self._duration_s = duration_s

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self._knots)

    def at(self, node: int, time_s: float) -> tuple[float, float]:
        """Position of a node in metres; it stays at its last knot."""
        times, xs, ys = self._knots[node].T
        return float(np.interp(time_s, times, xs)), float(np.interp(time_s, times, ys))

    def last(self) -> list[tuple[float, float]]:
        """Positions at the end of the run."""
        return [self.at(node, self._duration_s) for node in range(self.nodes)]

    def trail(self, node: int) -> tuple[Array, Array]:
        """Times and places along a node's path, dense enough to fade; one of each if it stays."""
        times, xs, ys = self._knots[node].T
        if np.ptp(xs) == 0 and np.ptp(ys) == 0:
            return times[:1], np.column_stack([xs, ys])[:1]
        even = np.linspace(0.0, self._duration_s, _TRAIL_POINTS)
        moments = np.union1d(even, times[(times >= 0) & (times <= self._duration_s)])
        places = [np.interp(moments, times, xs), np.interp(moments, times, ys)]
        return moments, np.column_stack(places)
