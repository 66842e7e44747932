"""Selection of the best of several candidates with a stated probability.

The fully sequential procedures KN (Kim and Nelson, A fully sequential procedure for
indifference-zone selection in simulation, ACM TOMACS 11(3), 2001) and KN++ (the same, On the
asymptotic validity of fully sequential selection procedures for steady-state simulation,
Operations Research 54(3), 2006), with the constant c = 1. Candidates may share random numbers,
which makes their differences small. After some first networks the procedure looks after each
network, and eliminates a candidate that lies behind another by more than a margin that shrinks
with the networks.

KN takes the variances of the differences from the first networks, and holds for any number of them
where values are normal. KN++ renews the variances after each network, and holds for any values in
the limit of many networks. Both ask that the best leads by the indifference at least. Here the
indifference is a number, or a share of the best mean, which is not known before: KN takes the mean
of the first networks, KN++ that of all so far.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Procedure = Literal["kn", "kn++"]

ROUNDING = 1e-12
"""Standard deviation of a difference, over the largest value, that comes from rounding only."""


class Selection:
    """A selection in progress: takes the candidates' values network by network.

    Args:
        candidates: how many there are.
        probability: that the best is selected.
        indifference: the least lead of the best, over its mean or, if `absolute`, as a number.
        start: the number of first networks.
        lowest: whether the lowest mean is the best.
        procedure: whether the variances are those of the first networks, or of all so far.
    """

    def __init__(
        self,
        candidates: int,
        *,
        probability: float,
        indifference: float,
        start: int,
        lowest: bool = False,
        procedure: Procedure = "kn++",
        absolute: bool = False,
    ) -> None:
        self.remaining = list(range(candidates))
        """The candidates in the race, in the order given; one where the best is selected."""
        self.out: dict[int, int] = {}
        """After how many networks each of the others was eliminated, in that order."""
        self.networks = 0
        """Networks taken."""
        self.indifference = math.nan
        """The indifference in the unit of the values; NaN on the first networks."""
        self._candidates, self._probability, self._share = candidates, probability, indifference
        self._absolute = absolute
        self._start, self._renew = start, procedure == "kn++"
        self._turn = -1.0 if lowest else 1.0
        self._values = np.empty((0, candidates))
        self._squares: Floats = np.empty((0, 0))

    @property
    def decided(self) -> bool:
        """Whether the best is selected."""
        return len(self.remaining) == 1

    def add(self, values: npt.ArrayLike) -> None:
        """Take one more network: a value for each candidate, of which those in the race count.

        Raises:
            ValueError: the best is selected already, or a candidate in the race has no value.
        """
        row = self._turn * np.asarray(values, dtype=np.float64)
        if self.decided:
            raise ValueError("the best is selected already")
        if not np.all(np.isfinite(row[self.remaining])):
            raise ValueError("a candidate in the race has no value")
        self._values = np.vstack([self._values, row])
        self.networks += 1
        if self.networks >= self._start:
            self._screen()

    def _screen(self) -> None:
        count = self.networks
        means = self._values[:, self.remaining].mean(axis=0)
        if count == self._start or self._renew:
            self._estimate(means.max())
        places = np.arange(self._candidates) if not self._renew else np.array(self.remaining)
        here = np.searchsorted(places, self.remaining)
        delta, squares = self.indifference, self._squares[np.ix_(here, here)]
        # Without an indifference no number of networks would do, but for equal candidates.
        margins = np.where(squares > 0, np.inf, 0.0)
        if delta > 0:
            margins = np.maximum(0.0, (squares / delta - delta * count) / (2 * count))
        keep = np.all(means[:, None] >= means[None, :] - margins, axis=1)
        if not margins.any():
            # Nothing is left to wait for; the first of equals is taken.
            keep = np.arange(len(means)) == np.argmax(means)
        behind = sorted(np.flatnonzero(~keep), key=lambda place: means[place])
        for candidate in [self.remaining[place] for place in behind]:
            self.out[candidate] = count
            self.remaining.remove(candidate)

    def _estimate(self, best: float) -> None:
        """The variances of the differences times h², and the indifference."""
        values = self._values[:, self.remaining]
        covariance = np.atleast_2d(np.cov(values, rowvar=False))
        own = np.diag(covariance)
        variances = own[:, None] + own[None, :] - 2 * covariance
        variances[variances <= (ROUNDING * np.abs(values).max()) ** 2] = 0.0
        self._squares = h_square(self._candidates, self._probability, self.networks) * variances
        self.indifference = self._share * (1.0 if self._absolute else abs(best))


def h_square(candidates: int, probability: float, networks: int) -> float:
    """The constant h² of the procedures, with variances from so many networks.

    The chance of an error is shared equally among the rivals of the best, which holds however they
    depend on each other.
    """
    error = (1 - probability) / (candidates - 1)
    eta = ((2 * error) ** (-2 / (networks - 1)) - 1) / 2
    return float(2 * eta * (networks - 1))
