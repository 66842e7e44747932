"""Numbers worked out of a run's record of events, which is not kept: what totals can't tell.

A study asks for them by name in `record.observe`; each is a metric of its runs. A new file's table
joins `OBSERVATIONS` below.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from multihop.observed import access, bursts, medium, paths
from multihop.observed.observation import Observation
from multihop.result_types import RunResult

__all__ = ["OBSERVATIONS", "Observation", "observe"]

OBSERVATIONS = {
    each.name: each
    for each in (
        *access.OBSERVATIONS,
        *medium.OBSERVATIONS,
        *paths.OBSERVATIONS,
        *bursts.OBSERVATIONS,
    )
}
"""Everything that can be observed, by its name."""


def observe(
    names: Iterable[str], events: pl.DataFrame, result: RunResult
) -> dict[str, float | None]:
    """The observations called `names` of a run; None where there is nothing to observe."""
    return {name: OBSERVATIONS[name].of(events, result) for name in names}
