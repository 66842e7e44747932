"""What an observation is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from multihop.result_types import RunResult


@dataclass(frozen=True, slots=True)
class Observation:
    """A number of a run that its record of events tells."""

    name: str
    unit: str
    definition: str
    of: Callable[[pl.DataFrame, RunResult], float | None]
    least: float | None = 0.0
    """The least that it can be; None where it may be anything."""
