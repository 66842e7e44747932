"""Quantities worked out of several means, for claims about more than a mean or a ratio.

Each takes means as numbers, or as arrays with one mean a resample.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np


def crossing(x: Sequence[float], ratios: Sequence[Any]) -> Any:
    """The first `x` at which the ratio exceeds 1; NaN if it never does."""
    above = np.stack(ratios) > 1
    return np.where(above.any(axis=0), np.asarray(x, float)[above.argmax(axis=0)], np.nan)


def loss_per_step(x: Sequence[float], values: Sequence[Any]) -> Any:
    """The share of the value that each unit of `x` takes away, from the first `x` to the last."""
    return 1 - (values[-1] / values[0]) ** (1 / (x[-1] - x[0]))


def settles(x: Sequence[float], values: Sequence[Any], share: float = 0.05) -> Any:
    """The first `x` from which on the value stays within a share of that at the last `x`."""
    near = np.abs(np.stack(values) / values[-1] - 1) <= share
    stays = np.logical_and.accumulate(near[::-1], axis=0)[::-1]
    return np.asarray(x, float)[stays.argmax(axis=0)]


def falls(x: Sequence[tuple[float, ...]], values: Sequence[Any]) -> Any:
    """How many steps of the last variable of `x` lower the value, the others being equal."""
    steps = [
        after < before
        for (one, before), (other, after) in itertools.pairwise(zip(x, values, strict=True))
        if one[:-1] == other[:-1]
    ]
    return np.sum(np.stack(steps), axis=0)


def share_of_best(values: Sequence[Any], chosen: int) -> Any:
    """One of several values over the largest of them."""
    return values[chosen] / np.max(np.stack(values), axis=0)


def gain_share(ours: Any, theirs: Any) -> Any:
    """Of two ratios, the gain of the one as a share of the other's."""
    return (ours - 1) / (theirs - 1)


def change(after: Any, before: Any) -> Any:
    """Difference of a quantity between two conditions."""
    return after - before
