"""The tests of a headline's parts, at one look or at several.

Each is Student's, one-sided, with the jackknife's standard error over networks, of the logarithm of
a ratio. Where more than a thousand looks share 5 %, each needs a p-value so small that skewness and
heavy tails matter even with a hundred networks. So degrees of freedom are what the kurtosis leaves
(the variance of a sample's variance, Box, Biometrika 40, 1953), and the test is taken again with
the skewness removed (Hall, J. R. Stat. Soc. B 54, 1992): the larger p-value counts.

A comparison has a *slack*, how far the quantity lies on its side of the line; that of a headline is
the least of its parts, as all must hold. So it *holds* where the slack is above 0, does *not hold*
where it is below, and differs by less than what matters where it is within the margin.

**Several looks** at growing numbers of networks share the level (alpha spending: Slud and Wei, J.
Am. Stat. Assoc. 77, 1982; Lan and DeMets, Biometrika 70, 1983), the later ones more of it, as tails
are least known at the first: a p-value is divided by its look's share, and the least of those
counts. That bound needs no assumption on how looks depend on each other; as each has half as many
networks again as the one before, an exact one would save little.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from multihop.reproduction.headlines import Comparison
from multihop.reproduction.quantities import Quantity
from multihop.statistics import jackknife_error

Floats = npt.NDArray[np.float64]

FIRST_LOOK = 30
"""Networks of the first look: with fewer the logarithm of a ratio is far from normal."""
GROWTH = 1.5
"""From one look to the next."""
SPENT = 0.8
"""Of the level by all looks; the rest is kept back, as tails are heavier than any correction."""
SKEWNESS_TIMES = 1.5
"""By so much the skewness of few networks is taken for larger: a long tail is seldom seen whole."""


def looks(most: int) -> list[int]:
    """After how many networks judgements look at what was found, to `most` of them."""
    found, at = [], float(FIRST_LOOK)
    while round(at) < most:
        found.append(round(at))
        at *= GROWTH
    return [*found, most]


def shares(count: int) -> list[float]:
    """What each of so many looks may spend of the level: in proportion to its rank's square."""
    squares = [rank**2 for rank in range(1, count + 1)]
    return [SPENT * square / sum(squares) for square in squares]


@dataclass(frozen=True, slots=True)
class Looked:
    """A comparison on some networks: its slack with the standard error."""

    slack: float
    """How far on the right side of the line, in logarithms where the quantity is a ratio."""
    error: float
    margin: float
    """On the same scale."""
    networks: int
    """Those with any flow (or run) of the kind."""
    skewness: float = 0.0
    """Of what networks add to the slack, over the root of their number."""
    degrees: float = 1.0
    """Degrees of freedom of the error."""

    @property
    def plain(self) -> Looked:
        """The same by a plain Student test, as for a single look."""
        return replace(self, skewness=0.0, degrees=max(1.0, self.networks - 1.0))

    @property
    def beyond(self) -> float:
        """P-value of a slack above 0."""
        return self._p(self.slack, 1)

    @property
    def short(self) -> float:
        """P-value of a slack below 0."""
        return self._p(-self.slack, -1)

    @property
    def no_worse(self) -> float:
        """P-value of a slack that is not a margin below 0."""
        return self._p(self.slack + self.margin, 1)

    @property
    def no_better(self) -> float:
        """P-value of a slack that is not a margin above 0."""
        return self._p(self.margin - self.slack, -1)

    def _p(self, distance: float, sign: int) -> float:
        """One-sided p-value of the slack, times the sign, so far above what is tested."""
        from scipy.special import stdtr  # takes 0.1 s to import

        if not (math.isfinite(self.error) and math.isfinite(self.slack)):
            return 1.0
        if self.error == 0.0:
            return 0.0 if distance > 0 else 1.0
        errors, skewness = distance / self.error, sign * SKEWNESS_TIMES * self.skewness
        unskewed = errors + skewness * errors**2 / 3 + skewness**2 * errors**3 / 27 + skewness / 6
        return float(stdtr(self.degrees, -min(errors, unskewed)))

    def networks_to(self, distance: float, errors: float) -> float:
        """Networks on which a distance is this many standard errors, if it stays as it is."""
        if not distance > 0:
            return math.inf
        return self.networks * (errors * self.error / distance) ** 2


def look(part: Comparison, margin: float, quantity: Quantity) -> Looked:
    """A comparison on the networks that its quantity has.

    Args:
        part: the comparison.
        margin: what differs by less from the line does not matter, as a share of it.
        quantity: what is compared with the line.
    """
    networks = quantity.networks
    paired = [sample.on(networks) for sample in quantity.samples]
    sums, counts = [sample.sums for sample in paired], [sample.counts for sample in paired]
    return looked(part, margin, quantity.at, sums, counts)


def looked(
    part: Comparison,
    margin: float,
    at: Callable[[list[Any]], Any],
    sums: Sequence[Floats],
    counts: Sequence[Floats],
) -> Looked:
    """The same, of a quantity that is a function `at` of samples' means.

    `sums` and `counts` are those of each sample, network by network, the same networks for all.
    """
    networks = len(sums[0])
    wide = math.log1p(margin) if part.is_ratio else margin * abs(part.line)
    if networks < 3:
        return Looked(math.nan, math.nan, wide, networks)
    with np.errstate(all="ignore"):
        totals = [(s.sum(), c.sum()) for s, c in zip(sums, counts, strict=True)]
        both = zip(sums, counts, totals, strict=True)
        value = at([np.float64(total / count) for total, count in totals])
        without = at([(total - s) / (count - c) for s, c, (total, count) in both])
        values, line = np.asarray(without, dtype=np.float64), part.line
        if part.is_ratio:
            value, values, line = np.log(value), np.log(values), math.log(line)
        error = jackknife_error(values)
        added = (values.mean() - values) * (1 if part.side == "above" else -1)
        squares = added * added
        second, third, fourth = (
            float(squares @ each) for each in (np.ones(networks), added, squares)
        )
        skewness = third / second**1.5 if second else 0.0
        kurtosis = fourth * networks / second**2 if second else 1.0
    slack = float(value) - line if part.side == "above" else line - float(value)
    degrees = 2 * networks / max(kurtosis - 1, 2 * networks / (networks - 1))
    return Looked(slack, error, wide, networks, skewness, degrees)


Answer = Literal["holds", "does not hold", "no difference that matters"]


@dataclass(frozen=True, slots=True)
class Chances:
    """P-value of each word that a headline can get, one-sided."""

    holds: float = 1.0
    fails: float = 1.0
    alike: float = 1.0

    @property
    def two_sided(self) -> float:
        """P-value of the word that is nearest.

        A slack of 0 can be taken for one above or below; any other for one thing alone, as what is
        taken for less than a margin is taken for less than it is. So two chances are enough.
        """
        return min(1.0, 2 * min(self.holds, self.fails, self.alike))

    def word(self, needed: float) -> Answer | None:
        """The word where the p-value has to be this: that it does not matter, before others."""
        if 2 * self.alike <= needed:
            return "no difference that matters"
        if 2 * min(self.holds, self.fails) <= needed:
            return "holds" if self.holds < self.fails else "does not hold"
        return None

    def after(self, earlier: Chances, share: float) -> Chances:
        """With those of earlier looks, at a look that has a share of the level: the least of each.

        Before the first look all are 1.
        """
        return Chances(
            min(earlier.holds, self.holds / share),
            min(earlier.fails, self.fails / share),
            min(earlier.alike, self.alike / share),
        )


def chances(parts: Sequence[Looked]) -> Chances:
    """It holds if all parts do; it does not if one does not, of as many as are tried."""
    tried = len(parts)
    no_better = min(1.0, tried * min(part.no_better for part in parts))
    return Chances(
        max(part.beyond for part in parts),
        min(1.0, tried * min(part.short for part in parts)),
        max(no_better, *(part.no_worse for part in parts)),
    )


def networks_needed(parts: Sequence[Looked], needed: float) -> float:
    """On how many networks a word can be expected, if slacks and spreads stay as they are.

    Args:
        parts: the headline's parts at the last look.
        needed: what the two-sided p-value has to be.
    """
    from scipy.special import ndtri

    one = -float(ndtri(needed / 2))
    either = -float(ndtri(needed / 2 / len(parts)))
    holds = max(part.networks_to(part.slack, one) for part in parts)
    fails = min(part.networks_to(-part.slack, either) for part in parts)
    better = min(part.networks_to(part.margin - part.slack, either) for part in parts)
    worse = max(part.networks_to(part.slack + part.margin, one) for part in parts)
    return min(holds, fails, max(better, worse))
