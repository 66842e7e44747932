"""What is known of the use of links on each channel: limits on it, and sets in use together.

What is on the air on one channel leaves the others alone. So a use of the links is one that a
schedule gives if it is so on each channel, and limits are of one channel each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from multihop.bound.conflicts import Links
from multihop.bound.limits import Limits
from multihop.bound.objectives import Vector
from multihop.bound.schedule import Schedules
from multihop.engine import Packing


@dataclass(frozen=True, slots=True)
class _Channel:
    links: slice
    limits: Limits
    schedules: Schedules


class Channels:
    """Those of a network, with its links in their order."""

    def __init__(self, links: Links) -> None:
        self._all: list[_Channel] = []
        for own in links.channels:
            compatible = links.compatible[own, own]
            rows = np.ascontiguousarray(compatible, dtype=np.uint8)
            packing = Packing(len(compatible), rows.tobytes())
            schedules = Schedules(packing, len(compatible))
            self._all.append(_Channel(own, Limits(compatible), schedules))

    @property
    def known_sets(self) -> int:
        """How many there are."""
        return sum(len(channel.schedules) for channel in self._all)

    def limits(self) -> sparse.csr_matrix:
        """A row a limit: weights of the links, whose use weighs no more than 1."""
        return _diagonal([channel.limits.matrix() for channel in self._all])

    def sets(self) -> sparse.csr_matrix:
        """A row a set, 1 at its links."""
        return _diagonal([channel.schedules.matrix() for channel in self._all])

    def times(self) -> sparse.csr_matrix:
        """A row a channel, 1 at its sets, whose shares of the time add up to 1."""
        return _diagonal(
            [sparse.csr_matrix(np.ones((1, len(channel.schedules)))) for channel in self._all]
        )

    def add_group(self, link: int) -> None:
        """Add the limit of a link and of others that all exclude each other."""
        for channel in self._all:
            if channel.links.start <= link < channel.links.stop:
                channel.limits.add_group([link - channel.links.start])

    def separate(self, usage: Vector, *, is_last: bool) -> int:
        """Add limits that a use of the links exceeds, as on each channel; how many."""
        return sum(
            channel.limits.separate(usage[channel.links], is_last=is_last) for channel in self._all
        )

    def surround(self, usage: Vector) -> None:
        """Have a set around each link in use, of those most in use."""
        for channel in self._all:
            channel.schedules.surround(usage[channel.links])

    def cut_off(self, usage: Vector, prices: Vector, until: float) -> bool:
        """Add limits that a use exceeds which no schedule gives; whether there are any.

        Otherwise sets may have been added.
        """
        is_cut = False
        for channel in self._all:
            excess = channel.schedules.excess(usage[channel.links], until)
            if excess is not None:
                own, packing = prices[channel.links], channel.schedules.packing
                channel.limits.add_weighted(packing, excess.weights, excess.full, own)
                is_cut = True
        return is_cut


def _diagonal(blocks: list[sparse.csr_matrix]) -> sparse.csr_matrix:
    return sparse.csr_matrix(sparse.block_diag(blocks, format="csr"))
