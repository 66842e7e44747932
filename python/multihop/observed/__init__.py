"""Numbers worked out of a run's record of events, which is not kept: what totals can't tell.

A study asks for them by name in `record.observe`; each is a metric of its runs. A new file's
observer joins `OBSERVERS` below.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from multihop.observed import access, bursts, growth, medium, paths, starvation
from multihop.observed.observation import Observation, Observer
from multihop.result_types import RunResult

__all__ = ["OBSERVATIONS", "OBSERVERS", "Observation", "Observer", "observe"]

OBSERVERS = (
    access.OBSERVER,
    medium.OBSERVER,
    paths.OBSERVER,
    bursts.OBSERVER,
    starvation.OBSERVER,
    growth.OBSERVER,
)

OBSERVATIONS = {each.name: each for observer in OBSERVERS for each in observer.observations}
"""Everything that can be observed, by its name."""


def observe(
    names: Iterable[str], events: pl.DataFrame, result: RunResult
) -> dict[str, float | None]:
    """The observations called `names` of a run; None where there is nothing to observe."""
    wanted = list(names)
    found: dict[str, float | None] = {}
    for observer in OBSERVERS:
        own = [each.name for each in observer.observations]
        if not set(own).isdisjoint(wanted):
            found.update(zip(own, observer.of(events, result), strict=True))
    return {name: found[name] for name in wanted}
