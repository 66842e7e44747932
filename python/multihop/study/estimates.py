"""Estimates with 95 % intervals from samples that are paired by network.

Samples are compared on the networks on which both sides ran. A network that ran but has none of the
flows counts with nothing; one that did not run on either side is left out on both.

A `Sample` holds, for each network, a sum over its flows and their number. The mean of a sample is
the ratio of the two totals, the mean over flows. Networks are independent, flows of one network are
not: intervals resample networks, the same ones on both sides of a comparison. They are studentised
(bootstrap-t; Efron and Tibshirani, An Introduction to the Bootstrap, 12.5), because plain and BCa
percentile intervals of ratios undercover with a few tens of networks. With fewer than ten networks
many resamples hold little more than one distinct network, their standard error is close to zero and
studentised intervals explode: the interval is then Student's with the jackknife's standard error
(the same book, 11.2). So it is where all but a few networks are equal, and many resamples lack
those few. Where every network has one value the interval is Student's.

A ratio of what can't be below 0 is not below 0 either: an interval that reaches there, as few
networks of great spread make it, ends at 0, which covers what is true as often as before. That of
the logarithm would be above 0, but its upper end explodes with so few networks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from multihop.statistics import Estimate, jackknife_error, mean_interval, t_quantile

Floats = npt.NDArray[np.float64]

RESAMPLES = 2000
CONFIDENCE = 0.95
TAIL = (1 - CONFIDENCE) / 2
FEW_NETWORKS = 10
"""With fewer the interval is the jackknife's."""
ROUNDING = 1e-12
"""Relative standard error below which samples differ by rounding only."""
ROUNDING_OF_SQUARES = 1e-7
"""The same where it is the root of squares that cancel, over what they are without signs."""


COLLAPSED = 0.01
"""Standard error of a resample over that of the sample, below which it holds no spread at all."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Sums and counts by network, in the order of `networks`."""

    networks: tuple[int, ...]
    sums: Floats
    counts: Floats
    lacks: frozenset[int] = frozenset()
    """Networks of the study that did not run here, or not at all of the points put together."""

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
        return Sample(tuple(networks), sums, counts, self.lacks)

    def without(self, networks: frozenset[int]) -> Sample:
        """The sample without these networks."""
        if networks.isdisjoint(self.networks):
            return self
        return self.on([network for network in self.networks if network not in networks])


def mean(sample: Sample) -> Estimate:
    """Mean over flows."""
    if np.all(sample.counts == 1):
        return _student(sample.sums)
    return _estimate(_Mean(), [sample])


def difference(ours: Sample, theirs: Sample) -> Estimate:
    """Difference of the means, paired by network."""
    ours, theirs = paired([ours, theirs])
    if np.all(ours.counts == 1) and np.all(theirs.counts == 1):
        return _student(ours.sums - theirs.sums)
    return _estimate(_Difference(), [ours, theirs])


def ratio(ours: Sample, theirs: Sample) -> Estimate:
    """Ratio of the means (not mean of ratios: starved flows make those infinite), paired."""
    both = paired([ours, theirs])
    found = _estimate(_Ratio(), both)
    can_be_below = any(np.any(sample.sums < 0) for sample in both)
    return found if can_be_below or not found.low < 0 else replace(found, low=0.0)


def combination(samples: Sequence[Sample], statistic: Callable[[list[Any]], Any]) -> Estimate:
    """A function of the samples' means, paired by network.

    `statistic` gets the means as numbers, or as arrays with one mean a resample. It need not be
    smooth (a rank correlation is not), so the interval is that of the plain percentiles.
    """
    together = paired(samples)
    flows = min((sample.flows for sample in together), default=0)
    networks = len(together[0].networks) if together else 0
    if flows == 0:
        return Estimate(math.nan, math.nan, math.nan, networks, 0)
    value = float(statistic([sample.mean for sample in together]))
    low, high = math.nan, math.nan
    if networks > 1:
        weights = _resamples(networks, RESAMPLES)
        with np.errstate(all="ignore"):
            means = [(weights @ s.sums) / (weights @ s.counts) for s in together]
            low, high = _central(np.asarray(statistic(means), dtype=np.float64))
    return Estimate(value, low, high, networks, flows)


def paired(samples: Sequence[Sample]) -> list[Sample]:
    """The samples on the networks of any, without those that any lacks."""
    lacks = frozenset[int]().union(*(sample.lacks for sample in samples))
    networks = {network for sample in samples for network in sample.networks} - lacks
    return [sample.on(sorted(networks)) for sample in samples]


def _student(values: Floats) -> Estimate:
    if len(values) == 0:
        return Estimate(math.nan, math.nan, math.nan, 0, 0)
    return mean_interval(values.tolist(), CONFIDENCE)


class _Statistic(Protocol):
    """A function of totals, which lie along the last axis: sum and count of each sample."""

    def value(self, totals: Floats) -> Floats:
        """The statistic."""

    def gradient(self, totals: Floats) -> Floats:
        """Its derivatives by the totals, along the last axis."""


class _Mean:
    def value(self, totals: Floats) -> Floats:
        return totals[..., 0] / totals[..., 1]

    def gradient(self, totals: Floats) -> Floats:
        total, count = totals[..., 0], totals[..., 1]
        return np.stack([1 / count, -total / count**2], axis=-1)


class _Difference:
    def value(self, totals: Floats) -> Floats:
        return _Mean().value(totals[..., :2]) - _Mean().value(totals[..., 2:])

    def gradient(self, totals: Floats) -> Floats:
        parts = [_Mean().gradient(totals[..., :2]), -_Mean().gradient(totals[..., 2:])]
        return np.concatenate(parts, axis=-1)


class _Ratio:
    def value(self, totals: Floats) -> Floats:
        return _Mean().value(totals[..., :2]) / _Mean().value(totals[..., 2:])

    def gradient(self, totals: Floats) -> Floats:
        above, below = _Mean().value(totals[..., :2]), _Mean().value(totals[..., 2:])
        by_above, by_below = _Mean().gradient(totals[..., :2]), _Mean().gradient(totals[..., 2:])
        parts = [by_above / below[..., None], by_below * -(above / below**2)[..., None]]
        return np.concatenate(parts, axis=-1)


def _estimate(statistic: _Statistic, samples: list[Sample]) -> Estimate:
    columns = np.stack([c for s in samples for c in (s.sums, s.counts)], axis=-1)
    networks, flows = len(columns), min(sample.flows for sample in samples)
    if flows == 0:
        return Estimate(math.nan, math.nan, math.nan, networks, 0)
    with np.errstate(all="ignore"):
        value = float(statistic.value(columns.sum(axis=0)))
        filled = columns[np.any(columns[:, 1::2] > 0, axis=1)]
        interval = _jackknifed if len(filled) < FEW_NETWORKS else _studentised
        low, high = interval(statistic, filled) if len(filled) > 1 else (math.nan, math.nan)
    return Estimate(value, low, high, networks, flows)


def _jackknifed(statistic: _Statistic, columns: Floats) -> tuple[float, float]:
    """Student's interval with the jackknife's standard error; a row of `columns` is a network."""
    networks, total = len(columns), columns.sum(axis=0)
    value, without = statistic.value(total), statistic.value(total - columns)
    error = jackknife_error(without)
    if not math.isfinite(error):
        return math.nan, math.nan
    half_width = t_quantile(networks - 1, CONFIDENCE) * error
    if error <= abs(value) * ROUNDING:
        half_width = 0.0
    return float(value) - half_width, float(value) + half_width


def _studentised(statistic: _Statistic, columns: Floats) -> tuple[float, float]:
    """Bootstrap-t interval; a row of `columns` is a network."""
    networks, width = columns.shape
    products = np.einsum("ni,nj->nij", columns, columns).reshape(networks, -1)

    def both(totals: Floats, second: Floats) -> tuple[Floats, Floats]:
        """The statistic and its standard error by linearisation."""
        gradient = statistic.gradient(totals)
        square = np.einsum("...i,...ij,...j", gradient, second, gradient)
        return statistic.value(totals), np.sqrt(np.maximum(square, 0) * networks / (networks - 1))

    total, second = columns.sum(axis=0), products.sum(axis=0).reshape(width, width)
    value, error = both(total, second)
    gradient = np.abs(statistic.gradient(total))
    cancelled = math.sqrt(np.einsum("i,ij,j", gradient, np.abs(second), gradient))
    if not math.isfinite(error) or error <= cancelled * ROUNDING_OF_SQUARES:
        return (float(value), float(value)) if math.isfinite(error) else (math.nan, math.nan)
    weights = _resamples(networks, RESAMPLES)
    values, errors = both(weights @ columns, (weights @ products).reshape(-1, width, width))
    if np.mean(errors < COLLAPSED * error) > TAIL:
        return _jackknifed(statistic, columns)
    low, high = _central((values - value) / errors)
    return float(value - high * error), float(value - low * error)


def _central(values: Floats) -> tuple[float, float]:
    """Bounds of the middle 95 %; NaN where too few networks have any flow of the kind."""
    finite = values[np.isfinite(values)]
    if len(finite) < RESAMPLES / 2:
        return math.nan, math.nan
    low, high = np.quantile(finite, [TAIL, 1 - TAIL])
    return float(low), float(high)


@lru_cache(maxsize=16)
def _resamples(networks: int, count: int) -> Floats:
    """How often each network is drawn in each resample; the same for all statistics."""
    rng = np.random.default_rng(1)
    drawn = rng.multinomial(networks, np.full(networks, 1 / networks), size=count)
    return drawn.astype(np.float64)


def _ratio(above: float, below: float) -> float:
    return above / below if below != 0.0 else math.nan
