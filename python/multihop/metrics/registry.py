"""What a metric is, and the three kinds there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from multihop.result_types import FlowReport, RunResult

Level = Literal["flow", "run"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A number with a name, of each flow or of each run."""

    level: ClassVar[Level]

    name: str
    unit: str
    definition: str
    least: float | None = field(default=0.0, kw_only=True)
    """The least that it can be, at which pictures cut intervals; None where it may be anything."""


@dataclass(frozen=True, slots=True)
class FlowMetric(Metric):
    """A number of each flow, worked out from the run's result and the flow's part of it."""

    level: ClassVar[Level] = "flow"

    of: Callable[[RunResult, FlowReport], float | None]


@dataclass(frozen=True, slots=True)
class RunMetric(Metric):
    """A number of each run, worked out from its result."""

    level: ClassVar[Level] = "run"

    of: Callable[[RunResult], float | None]


@dataclass(frozen=True, slots=True)
class BaselineMetric(Metric):
    """The ratio of a flow's metric to the same flow's under the study's baseline.

    It needs two runs on the same network, so only a study can work it out.
    """

    level: ClassVar[Level] = "flow"

    ratio_of: str
    """Name of the flow metric."""


@dataclass(frozen=True, slots=True)
class BoundMetric(Metric):
    """What a run carried over what its network could carry at most.

    The bound of a network takes up to a minute, so only a study that names the metric works it out.
    """

    level: ClassVar[Level] = "run"


def by_name(*tables: Iterable[Metric]) -> dict[str, Metric]:
    """All metrics of some tables by name.

    Raises:
        ValueError: two metrics have the same name.
    """
    found: dict[str, Metric] = {}
    for table in tables:
        for metric in table:
            if metric.name in found:
                raise ValueError(f"two metrics are called {metric.name}")
            found[metric.name] = metric
    return found
