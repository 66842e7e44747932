"""Statistics of small samples: estimates with intervals, comparisons of means, fairness."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval (NaN bounds where a single network gives none)."""

    value: float
    low: float
    high: float
    networks: int
    """Independent samples: networks, or runs that differ in the seed."""
    flows: int
    """Values averaged: flows or runs."""

    @property
    def half_width(self) -> float:
        """Half of the interval's width."""
        return (self.high - self.low) / 2


def mean_interval(values: Sequence[float], confidence: float = 0.95) -> Estimate:
    """Mean and Student-t interval of independent values.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("no values to average")
    count = len(values)
    quantile = t_quantile(count - 1, confidence) if count > 1 else math.nan
    mean, half_width = float(np.mean(values)), quantile * standard_error(values)
    return Estimate(mean, mean - half_width, mean + half_width, count, count)


def standard_error(values: Sequence[float] | npt.NDArray[np.float64]) -> float:
    """Standard error of the mean; NaN for fewer than two values."""
    if len(values) < 2:
        return math.nan
    return float(np.std(values, ddof=1)) / math.sqrt(len(values))


def difference_in_errors(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Difference of two means in standard errors of that difference (Welch); signed.

    Zero for equal means, infinite for different means without any spread.
    """
    difference = float(np.mean(ours) - np.mean(theirs))
    if difference == 0.0:
        return 0.0
    error = math.hypot(standard_error(ours), standard_error(theirs))
    return math.copysign(math.inf, difference) if error == 0.0 else difference / error


def difference_half_width(
    ours: Sequence[float], theirs: Sequence[float], confidence: float = 0.95
) -> float:
    """Half of the interval of a difference of means (Welch-Satterthwaite); NaN for one value."""
    squares = [standard_error(side) ** 2 for side in (ours, theirs)]
    error = math.sqrt(sum(squares))
    if error == 0.0 or math.isnan(error):
        return error
    spread = sum(s**2 / (len(side) - 1) for s, side in zip(squares, (ours, theirs), strict=True))
    return t_quantile(error**4 / spread, confidence) * error


def relative_difference(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """(mean of ours - mean of theirs) / mean of theirs; infinite where theirs is 0 and ours not."""
    difference, base = float(np.mean(ours) - np.mean(theirs)), float(np.mean(theirs))
    if difference == 0.0:
        return 0.0
    return math.copysign(math.inf, difference) if base == 0.0 else difference / base


def paired_ratio(
    ours: npt.NDArray[np.float64], theirs: npt.NDArray[np.float64]
) -> tuple[float, float]:
    """The ratio of two means of pairs, and its standard error by the delta method."""
    ratio = float(ours.mean() / theirs.mean())
    return ratio, standard_error((ours - ratio * theirs) / theirs.mean())


def jackknife_error(without: npt.NDArray[np.float64]) -> float:
    """Jackknife's standard error, from the values without each network in turn; at least two.

    Efron and Tibshirani, An Introduction to the Bootstrap, 11.2.
    """
    squares = np.square(without - without.mean())
    return math.sqrt((len(without) - 1) * float(np.mean(squares)))


def t_quantile(degrees: float, confidence: float) -> float:
    """Half of Student's two-sided interval, in standard errors, at so many degrees of freedom."""
    from scipy.special import stdtrit  # takes 0.1 s to import, which many commands do not need

    return float(stdtrit(degrees, 0.5 + confidence / 2))


def holm(chances: Sequence[float], level: float) -> tuple[list[bool], float]:
    """Which of the p-values pass Holm's step-down procedure (Scand. J. Stat. 6, 1979), in order.

    Also what the first that fails had to be at most; the last, if all pass.
    """
    passed, needed = [False] * len(chances), level
    for rank, place in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        needed = level / (len(chances) - rank)
        if chances[place] > needed:
            break
        passed[place] = True
    return passed, needed


def correlation(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Pearson's correlation of paired values."""
    return float(np.corrcoef(ours, theirs)[0, 1])


def same_distribution_p(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """p-value of the two-sample Kolmogorov-Smirnov test."""
    from scipy.stats import ks_2samp  # takes 0.5 s to import

    return float(ks_2samp(ours, theirs).pvalue)


def jain(values: npt.NDArray[np.float64]) -> float:
    """Jain's fairness index, 1/n to 1; NaN where every value is 0."""
    squares = float(np.sum(np.square(values)))
    return math.nan if squares == 0.0 else float(np.sum(values)) ** 2 / (len(values) * squares)
