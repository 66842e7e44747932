"""Small statistics on samples of runs: intervals and comparisons of means."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with the half-width of its 95 % Student-t interval (NaN for a single value)."""

    mean: float
    half_width: float
    count: int

    @property
    def low(self) -> float:
        """Lower end."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """Upper end."""
        return self.mean + self.half_width


def mean_interval(values: Sequence[float], confidence: float = 0.95) -> Interval:
    """Mean and Student-t interval of independent values."""
    from scipy.special import stdtrit

    if not values:
        raise ValueError("no values to average")
    count = len(values)
    quantile = float(stdtrit(count - 1, 0.5 + confidence / 2)) if count > 1 else math.nan
    return Interval(float(np.mean(values)), quantile * standard_error(values), count)


def standard_error(values: Sequence[float]) -> float:
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


def relative_difference(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """(mean of ours - mean of theirs) / mean of theirs; infinite where theirs is 0 and ours not."""
    difference, base = float(np.mean(ours) - np.mean(theirs)), float(np.mean(theirs))
    if difference == 0.0:
        return 0.0
    return math.copysign(math.inf, difference) if base == 0.0 else difference / base


def correlation(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Pearson's correlation of paired values."""
    return float(np.corrcoef(ours, theirs)[0, 1])


def same_distribution_p(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """p-value of the two-sample Kolmogorov-Smirnov test."""
    from scipy.stats import ks_2samp

    return float(ks_2samp(ours, theirs).pvalue)
