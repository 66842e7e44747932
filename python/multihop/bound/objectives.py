"""What is maximised over a set of rates that linear constraints describe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

Vector = NDArray[np.float64]
Name = Literal["total", "proportional", "max-min"]
NAMES: tuple[Name, ...] = ("total", "proportional", "max-min")

_GRID = 1.3
"""Ratio of neighbouring points at which the logarithm has a tangent from the start."""
_TANGENTS = 80
_LEAST = 1e-9
"""Of the largest rate: below it a logarithm is not looked at."""


class UnsolvedError(RuntimeError):
    """HiGHS has not solved a linear programme."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What `maximise` has found."""

    value: float
    """By the objective's linear form."""
    rates: Vector
    solution: Vector
    """The variables."""
    worth: Vector
    """What a unit of each limit is worth."""
    slopes: Vector
    """What a unit of each rate is worth."""


@dataclass
class Objective:
    """What is maximised: rates weighted, the sum of logarithms, or the least of some rates.

    Rates are of those flows that can get anything.
    """

    name: Name
    weights: Vector
    """Of the flows: each rate counts so many times for "total"."""
    floors: Vector
    """What each flow gets at least."""
    open: NDArray[np.bool_]
    """Flows whose least rate is maximised, for "max-min"."""
    top: float = 1e9
    """No rate is higher."""
    _points: list[set[float]] = field(default_factory=list)
    """Where the logarithm of each rate has a tangent."""

    def value(self, rates: Vector) -> float:
        """What it is of these rates."""
        if self.name == "total":
            return float(self.weights @ rates)
        if self.name == "max-min":
            return float(rates[self.open].min())
        return float(np.log(np.maximum(rates, 1e-300)).sum())

    def gap(self, low: float, high: float) -> float:
        """By what share the best may exceed what is reached; of the mean for a product."""
        if self.name == "proportional":
            return float(np.expm1(max(0.0, high - low) / len(self.weights)))
        return (high - low) / low if low > 0 else float("inf")

    def under(self, weights: Vector, limit: float) -> float:
        """The most that it can be if the weighted sum of the rates is below a limit, roughly."""
        if (weights <= 0).any():
            return float("inf")
        if self.name == "total":
            return float(limit * (self.weights / weights).max())
        if self.name == "max-min":
            closed = ~self.open
            return float((limit - weights[closed] @ self.floors[closed]) / weights[self.open].sum())
        return float(len(weights) * np.log(limit / len(weights)) - np.log(weights).sum())

    def answer(self, weights: Vector, limit: float) -> Vector:
        """Rates that are best if their weighted sum is limited."""
        if self.name == "proportional":
            return limit / (len(weights) * weights)
        if self.name == "max-min":
            rates = self.floors.copy()
            rates[self.open] = 0.0
            rest = max(0.0, limit - float(weights @ rates))
            rates[self.open] = rest / weights[self.open].sum()
            return rates
        rates = np.zeros(len(weights))
        best = int((self.weights / weights).argmax())
        rates[best] = limit / weights[best]
        return rates

    def note(self, rates: Vector) -> None:
        """Have tangents at these rates from now on."""
        if self.name != "proportional":
            return
        if not self._points:
            self._points = [set() for _ in rates]
        for points, rate in zip(self._points, rates, strict=True):
            points.add(max(float(f"{rate:.6g}"), _LEAST * rates.max()))

    def rows(self) -> tuple[int, sparse.csr_matrix, Vector, Vector]:
        """How it is linear: helpers, rows over rates and helpers, their limits, what each counts.

        Helpers are variables of any sign; rows say that something is at most its limit.
        """
        flows = len(self.weights)
        if self.name == "total":
            return 0, sparse.csr_matrix((0, flows)), np.zeros(0), self.weights
        if self.name == "max-min":
            places = np.flatnonzero(self.open)
            rows = np.zeros((len(places), flows + 1))
            rows[np.arange(len(places)), places] = -1.0
            rows[:, flows] = 1.0
            cost = np.zeros(flows + 1)
            cost[flows] = 1.0
            return 1, sparse.csr_matrix(rows), np.zeros(len(places)), cost
        entries: list[tuple[int, int, float]] = []
        limits: list[float] = []
        grid = {self.top / _GRID**k for k in range(_TANGENTS)}
        for flow, points in enumerate(grid | own for own in self._points or [set()] * flows):
            for point in sorted(points):
                row = len(limits)
                entries += [(row, flow, -1.0 / point), (row, flows + flow, 1.0)]
                limits.append(np.log(point) - 1.0)
        data = np.array(entries)
        shape = (len(limits), 2 * flows)
        matrix = sparse.csr_matrix(
            (data[:, 2], (data[:, 0].astype(int), data[:, 1].astype(int))), shape
        )
        return flows, matrix, np.array(limits), np.r_[np.zeros(flows), np.ones(flows)]


def maximise(
    objective: Objective,
    rates: sparse.csr_matrix,
    limits_of: sparse.csr_matrix,
    limits: Vector,
    caps: Vector,
) -> Solution:
    """Maximise over variables that are at least 0.

    Args:
        objective: what is maximised.
        rates: each flow's rate, a row over the variables.
        limits_of: rows over the variables that are at most `limits`.
        limits: see above.
        caps: what each rate is at most.

    Raises:
        UnsolvedError: HiGHS gives up.
    """
    helpers, rows, bounds, counts = objective.rows()
    flows, variables = rates.shape
    over_rates, over_helpers = rows[:, :flows], rows[:, flows:]
    finite = np.isfinite(caps)
    floors = objective.floors > 0
    blocks = [
        [limits_of, None],
        [over_rates @ rates, over_helpers if helpers else None],
        [rates[finite], None],
        [-rates[floors], None],
    ]
    right = np.concatenate([limits, bounds, caps[finite], -objective.floors[floors]])
    matrix = sparse.vstack(
        [
            sparse.hstack(
                [left, sparse.csr_matrix((left.shape[0], helpers)) if more is None else more]
            )
            for left, more in blocks
            if left.shape[0]
        ],
        format="csr",
    )
    cost = np.r_[rates.T @ counts[:flows], counts[flows:]]
    bounds_of = [(0, None)] * variables + [(None, None)] * helpers
    found = linprog(-cost, A_ub=matrix, b_ub=right, bounds=bounds_of, method="highs")
    if found.status != 0 or found.x is None or found.fun is None:
        raise UnsolvedError(f"HiGHS: {found.message}")
    solution = found.x[:variables]
    worth = np.maximum(0.0, -found.ineqlin.marginals)
    of_rows = worth[len(limits) : len(limits) + rows.shape[0]]
    return Solution(
        value=-float(found.fun),
        rates=rates @ solution,
        solution=solution,
        worth=worth[: len(limits)],
        slopes=counts[:flows] - over_rates.T @ of_rows,
    )


def plain(name: Name, flows: int, weights: Sequence[float] | Vector | None = None) -> Objective:
    """An objective without floors."""
    given = np.ones(flows) if weights is None else np.asarray(weights, dtype=np.float64)
    return Objective(name, given, np.zeros(flows), np.ones(flows, dtype=np.bool_))
