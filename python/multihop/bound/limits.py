"""What use of links no schedule exceeds: inequalities on the shares of time that they are in use.

Of links that exclude each other one at most is in use at a time, so the shares of such a *group*
add up to 1 at most. Few groups say nearly all there is to say in a network of radios (Gupta and
others, Ad Hoc Networks 5, 2007), but not all: of five links in a ring of conflicts
two can be in use at once, though every two neighbours exclude each other. The rest is in
inequalities whose weights differ: prices at which no set of links weighs more than 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from multihop.bound.network import Mask
from multihop.bound.objectives import Vector
from multihop.bound.schedule import STEPS, TOLERANCE, Set, matrix_of
from multihop.engine import Packing

_STARTS = 200
_ADDED = 40
"""Groups of a search, at most."""
_LIFTING_STEPS = 300


class Limits:
    """Those found so far."""

    def __init__(self, compatible: Mask) -> None:
        self._conflicts = ~compatible
        np.fill_diagonal(self._conflicts, val=False)
        matrix = np.ascontiguousarray(self._conflicts, dtype=np.uint8)
        self._exclusions = Packing(len(compatible), matrix.tobytes())
        self._groups: dict[Set, None] = {}
        self._weighted: list[Vector] = []

    def matrix(self) -> sparse.csr_matrix:
        """A row each: weights of the links, whose use weighs no more than 1."""
        links = len(self._conflicts)
        groups = matrix_of(list(self._groups), links)
        weighted = sparse.csr_matrix(np.array(self._weighted).reshape(-1, links))
        found: sparse.csr_matrix = sparse.vstack([groups, weighted], format="csr")
        return found

    def add_group(self, links: Sequence[int]) -> int:
        """Add the group of these links and all others that fit; how many groups there are more."""
        group = list(links)
        fits = self._conflicts[group].all(axis=0)
        while fits.any():
            group.append(int(fits.argmax()))
            fits &= self._conflicts[group[-1]]
        before = len(self._groups)
        self._groups[tuple(sorted(group))] = None
        return len(self._groups) - before

    def separate(self, usage: Vector, *, is_last: bool) -> int:
        """Add groups that a use exceeds; how many.

        Args:
            usage: share of the time that each link is in use.
            is_last: search on where growing groups finds none.
        """
        grown = self._exclusions.grown(usage.tolist(), _STARTS)[:_ADDED]
        added = sum(self.add_group(links) for weight, links in grown if weight > 1 + TOLERANCE)
        if added == 0 and is_last:
            links, weight, _ = self._exclusions.heaviest(usage.tolist(), TOLERANCE, STEPS)
            added = self.add_group(links) if weight > 1 + TOLERANCE else 0
        return added

    def add_weighted(
        self, packing: Packing, weights: Vector, full: list[list[int]], prices: Vector
    ) -> None:
        """Add weights by which no set of links weighs more than 1, those in `full` just so.

        Links without weight get as much as there is room for, those with the highest price first.
        """
        order = np.argsort(-prices, kind="stable").tolist()
        lifted = packing.lifted(weights.tolist(), order, full, _LIFTING_STEPS)
        self._weighted.append(np.array(lifted))
