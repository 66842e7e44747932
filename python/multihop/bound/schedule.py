"""Schedules: sets of links that can be in use together, each for a share of the time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from multihop.bound.objectives import UnsolvedError, Vector
from multihop.engine import Packing

Set = tuple[int, ...]
"""Links."""

TOLERANCE = 1e-6
STEPS = 20_000
"""Branches of a search for the heaviest set, at most."""
_STARTS = 200
"""Things from which heavy sets are grown."""
_ADDED = 40
_DEEP = 0.6
"""Weights that show so much of what a schedule lacks will do."""
_SLACK = 1e-5
_UNUSED = 1e-9


@dataclass(frozen=True, slots=True)
class Excess:
    """Why no schedule gives links some use: weights by which they use more than there is."""

    weights: Vector
    """Of the links: no set of them weighs more than 1."""
    full: list[list[int]]
    """Sets that weigh 1, or hardly less."""


class Schedules:
    """The sets known of a network."""

    def __init__(self, packing: Packing, links: int) -> None:
        self.packing = packing
        self._links = links
        self._sets: dict[Set, None] = {}

    def __len__(self) -> int:
        return len(self._sets)

    def matrix(self) -> sparse.csr_matrix:
        """A row a set, 1 at its links."""
        return matrix_of(list(self._sets), self._links)

    def _add(self, links: Sequence[int]) -> int:
        """Add a set; how many there are more."""
        before = len(self._sets)
        self._sets[tuple(links)] = None
        return len(self._sets) - before

    def surround(self, usage: Vector) -> None:
        """Have a set around each link in use, of those most in use."""
        for link in np.flatnonzero(usage > _UNUSED):
            self._add(self.packing.completed(usage.tolist(), [int(link)]))

    def excess(self, usage: Vector, until: float) -> Excess | None:
        """Why links can't have such shares of the time; None if they can, or if time is up.

        Sets are added until a schedule takes no longer than 1, or weights show that none does:
        those of the linear programme of the shortest schedule, by column generation.
        """
        used = np.flatnonzero(usage > _UNUSED)
        if not len(used):
            return None
        weights = np.zeros(self._links)
        while time.monotonic() < until:
            given: Any = sparse.csr_matrix(-self.matrix()[:, used].T)
            found = linprog(np.ones(len(self._sets)), A_ub=given, b_ub=-usage[used], method="highs")
            needed = found.fun
            if found.status != 0 or needed is None or found.x is None:
                raise UnsolvedError(f"HiGHS: {found.message}")
            if needed <= 1 + TOLERANCE:
                return None
            weights[used] = np.maximum(0.0, -found.ineqlin.marginals)
            grown = self.packing.grown(weights.tolist(), _STARTS)
            added = sum(
                self._add(links) for weight, links in grown[:_ADDED] if weight > 1 + TOLERANCE
            )
            enough = 1 + _DEEP * (needed - 1)
            if added and needed / grown[0][0] < enough:
                continue
            links, weight, most = self.packing.heaviest(weights.tolist(), _SLACK, STEPS)
            if weight > 1 + 2 * _SLACK:
                added += self._add(links)
            if needed / most > (enough if added else 1 + TOLERANCE):
                listed = list(self._sets)
                full = [
                    [link for link in listed[place] if weights[link] > 0]
                    for place in np.flatnonzero(found.x > _UNUSED)
                ]
                return Excess(weights / most, full)
            if not added:
                return None
        return None


def matrix_of(sets: Sequence[Set], links: int) -> sparse.csr_matrix:
    """A row a set, 1 at its links."""
    sizes = [len(members) for members in sets]
    rows = np.repeat(np.arange(len(sets)), sizes)
    columns = np.fromiter((link for members in sets for link in members), dtype=np.intp)
    return sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(sets), links))
