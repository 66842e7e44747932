"""What an observation is, and who makes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from multihop.result_types import RunResult


@dataclass(frozen=True, slots=True)
class Observation:
    """A number of a run that its record of events tells."""

    name: str
    unit: str
    definition: str
    least: float | None = 0.0
    """The least that it can be; None where it may be anything."""


@dataclass(frozen=True, slots=True)
class Observer:
    """Makes several observations, which share most of their work."""

    observations: tuple[Observation, ...]
    of: Callable[[pl.DataFrame, RunResult], Sequence[float | None]]
    """Their values, from the events and the result of a run; None for nothing to observe."""
