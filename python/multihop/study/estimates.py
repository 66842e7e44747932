"""Estimates with 95 % intervals from samples that are paired by network.

A `Sample` holds, for each network, a sum over its flows and their number. The mean of a sample is
the ratio of the two totals, the mean over flows. Networks are independent, flows of one network are
not: intervals resample networks (BCa bootstrap, SciPy), in a comparison the same on both sides.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

RESAMPLES = 2000
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval (NaN bounds where a single network gives none)."""

    value: float
    low: float
    high: float
    networks: int
    flows: int

    @property
    def half_width(self) -> float:
        """Half of the interval's width."""
        return (self.high - self.low) / 2


@dataclass(frozen=True, slots=True)
class Sample:
    """Sums and counts by network, in the order of `networks`."""

    networks: tuple[int, ...]
    sums: Floats
    counts: Floats

    @property
    def mean(self) -> float:
        """Mean over all flows (or runs) of all networks; NaN for none."""
        return _ratio(self.sums.sum(), self.counts.sum())

    @property
    def flows(self) -> int:
        """How many flows (or runs) there are."""
        return int(self.counts.sum())

    def on(self, networks: Sequence[int]) -> Sample:
        """The sample on these networks; zero sums and counts where it has none."""
        place = {network: i for i, network in enumerate(self.networks)}
        picked = [place.get(network) for network in networks]
        sums = np.array([0.0 if i is None else self.sums[i] for i in picked])
        counts = np.array([0.0 if i is None else self.counts[i] for i in picked])
        return Sample(tuple(networks), sums, counts)


def mean(sample: Sample) -> Estimate:
    """Mean over flows."""
    if np.all(sample.counts == 1):
        return _student(sample.sums)
    return _estimate([sample], lambda s, n: _ratios(s, n))


def difference(ours: Sample, theirs: Sample) -> Estimate:
    """Difference of the means, paired by network."""
    ours, theirs = _paired(ours, theirs)
    if np.all(ours.counts == 1) and np.all(theirs.counts == 1):
        return _student(ours.sums - theirs.sums)
    return _estimate([ours, theirs], lambda a, n, b, m: _ratios(a, n) - _ratios(b, m))


def ratio(ours: Sample, theirs: Sample) -> Estimate:
    """Ratio of the means (not mean of ratios: starved flows make those infinite), paired."""
    ours, theirs = _paired(ours, theirs)
    return _estimate([ours, theirs], lambda a, n, b, m: _ratios(_ratios(a, n), _ratios(b, m)))


def jain(values: Floats) -> float:
    """Jain's fairness index, 1/n to 1; NaN where nobody got anything."""
    squares = float(np.sum(np.square(values)))
    return math.nan if squares == 0.0 else float(np.sum(values)) ** 2 / (len(values) * squares)


def _paired(ours: Sample, theirs: Sample) -> tuple[Sample, Sample]:
    networks = sorted({*ours.networks} | {*theirs.networks})
    return ours.on(networks), theirs.on(networks)


def _student(values: Floats) -> Estimate:
    from multihop.statistics import mean_interval

    if len(values) == 0:
        return Estimate(math.nan, math.nan, math.nan, 0, 0)
    interval = mean_interval(values.tolist(), CONFIDENCE)
    return Estimate(interval.mean, interval.low, interval.high, len(values), len(values))


def _estimate(samples: list[Sample], statistic: Callable[..., Any]) -> Estimate:
    """The statistic of the samples' sums and counts, with a BCa interval over networks."""
    columns = [column for sample in samples for column in (sample.sums, sample.counts)]
    networks = len(columns[0])

    def of_totals(*parts: Floats, axis: int = -1) -> Any:
        return statistic(*(part.sum(axis=axis) for part in parts))

    value = float(of_totals(*columns)) if networks else math.nan
    flows = min((sample.flows for sample in samples), default=0)
    low, high = (
        _interval(columns, of_totals) if networks > 1 and flows > 1 else (math.nan, math.nan)
    )
    return Estimate(value, low, high, networks, flows)


def _interval(columns: list[Floats], statistic: Callable[..., Any]) -> tuple[float, float]:
    from scipy.stats import bootstrap

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # a resample without any flow of a class, or a constant one
        for method in ("BCa", "percentile"):
            found = bootstrap(
                columns, statistic, paired=True, vectorized=True, method=method,
                n_resamples=RESAMPLES, batch=max(1, 4_000_000 // len(columns[0])),
                confidence_level=CONFIDENCE, rng=np.random.default_rng(1),
            )  # fmt: skip
            low, high = (float(bound) for bound in found.confidence_interval)
            if math.isfinite(low) and math.isfinite(high):
                return low, high
    values = found.bootstrap_distribution
    values = values[np.isfinite(values)]
    if len(values) < RESAMPLES / 2:
        return math.nan, math.nan
    tail = (1 - CONFIDENCE) / 2
    return float(np.quantile(values, tail)), float(np.quantile(values, 1 - tail))


def _ratio(above: float, below: float) -> float:
    return above / below if below != 0.0 else math.nan


def _ratios(above: Any, below: Any) -> Any:
    with np.errstate(all="ignore"):
        return np.where(below != 0.0, np.divide(above, below), np.nan)
