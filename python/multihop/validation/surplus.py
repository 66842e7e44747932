"""Whether our values lie above the published ones at many points together.

Each point by itself may be within the scatter of single runs; that all lie on one side is not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Surplus:
    """At how many points ours is above, and by what factor."""

    points: int
    above: int
    factor: float
    """Geometric mean of ours over theirs."""

    @property
    def chance(self) -> float:
        """Two-sided sign test: the probability of so uneven a split if either side is as likely."""
        from scipy.stats import binomtest  # takes 0.5 s to import

        return float(binomtest(self.above, self.points).pvalue)


def surplus(pairs: Iterable[tuple[float, float]]) -> Surplus:
    """Of pairs of ours and theirs, all above zero; pairs that are equal do not count."""
    ratios = [ours / theirs for ours, theirs in pairs if ours != theirs]
    above = sum(ratio > 1 for ratio in ratios)
    return Surplus(len(ratios), above, float(np.exp(np.mean(np.log(ratios)))))
