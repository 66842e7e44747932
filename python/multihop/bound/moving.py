"""The rates that a network can give on average over its periods, one or one each second."""

from __future__ import annotations

import time

import numpy as np
from scipy import sparse

from multihop.bound.network import Network
from multihop.bound.objectives import Objective, Vector, maximise, plain
from multihop.bound.region import Reached, Region


class Mean:
    """Rates on average over the periods of a network.

    From outside they are bounded in directions: the mean over the periods of the most that a
    weighted sum of the rates can be in each. Inside are the means of the rates that come near it.
    """

    def __init__(self, network: Network) -> None:
        self._regions: list[Region] = []
        self._shares: list[float] = []
        for period in network.periods:
            self._regions.append(Region(network, period))
            self._shares.append(period.length_s / network.span_s)
        self.served = np.unique(np.concatenate([region.served for region in self._regions]))
        """Places of the flows that can get anything at any time."""

    @property
    def region(self) -> Region | None:
        """The rates of a network that does not change."""
        return self._regions[0] if len(self._regions) == 1 else None

    def best(self, objective: Objective, *, gap: float, seconds: float) -> Reached:
        """The best on average, within a share `gap` if time allows."""
        if self.region is not None:
            return self.region.best(objective, gap=gap, seconds=seconds)
        until = time.monotonic() + seconds
        directions: list[Vector] = []
        limits: list[float] = []
        points: list[Vector] = []
        weights = np.ones(len(self.served))
        free = np.full(len(self.served), np.inf)
        each_s = seconds / len(self._regions)
        while True:
            point, limit = self._towards(weights, gap / 2, each_s)
            objective.note(point)
            directions.append(weights)
            limits.append(limit)
            points.append(point)
            if objective.name == "total":
                value, bound, rates = float(point.sum()), limit, point
                break
            inside = maximise(
                objective,
                sparse.csr_matrix(np.array(points).T),
                sparse.csr_matrix(np.ones((1, len(points)))),
                np.ones(1),
                free,
            )
            rates, value = inside.rates, objective.value(inside.rates)
            objective.note(rates)
            bound = maximise(
                objective,
                sparse.csr_matrix(np.eye(len(self.served))),
                sparse.csr_matrix(np.array(directions)),
                np.array(limits),
                free,
            ).value
            if objective.gap(value, bound) <= gap or time.monotonic() > until:
                break
            weights = np.maximum(inside.slopes, 1e-6 * inside.slopes.max())
            weights = weights / weights.sum()
        return Reached(value, bound, objective.gap(value, bound), rates, len(points))

    def _towards(self, weights: Vector, gap: float, each_s: float) -> tuple[Vector, float]:
        """Rates whose weighted sum is about as high as it can be on average, and its limit."""
        rates, limit = np.zeros(len(self.served)), 0.0
        for region, share in zip(self._regions, self._shares, strict=True):
            if len(region.served):
                places = np.searchsorted(self.served, region.served)
                objective = plain("total", len(places), weights[places])
                found = region.best(objective, gap=gap, seconds=each_s)
                rates[places] += share * found.rates_bps
                limit += share * found.bound
        return rates, limit
