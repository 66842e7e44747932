"""What a study observed of its runs, as metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from multihop.metrics.registry import Metric, RunMetric
from multihop.observed import OBSERVATIONS
from multihop.result_types import RunResult


def _observed(name: str) -> Callable[[RunResult], float | None]:
    def value(run: Mapping[str, Any]) -> float | None:
        found: float | None = run.get("observed", {}).get(name)
        return found

    return value


METRICS: list[Metric] = [
    RunMetric(
        each.name,
        each.unit,
        f"{each.definition} Needs `record.observe`.",
        _observed(each.name),
        least=each.least,
    )
    for each in OBSERVATIONS.values()
]
