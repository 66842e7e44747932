"""What a metric is, and the three kinds there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
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


class Registry(Mapping[str, Metric]):
    """Metrics by name: the package's own, and those of papers, which come when they are asked for.

    Those of installed papers are there once a name is asked for that the package does not have, or
    all names are.
    """

    def __init__(self, own: Mapping[str, Metric], installed: Callable[[Registry], None]) -> None:
        self._own = own
        self._installed = installed
        """Adds the metrics of installed papers."""
        self._is_complete = False
        self._papers: dict[str, dict[str, Metric]] = {}
        self._merged: dict[str, Metric] = {}
        """All of them; empty until they are asked for."""

    def add(self, paper: str, metrics: Iterable[Metric]) -> None:
        """Add those of a paper, in place of what it had before.

        Raises:
            ValueError: another metric has the name of one of them.
        """
        others = {name: of for of, found in self._papers.items() if of != paper for name in found}
        found: dict[str, Metric] = {}
        for metric in metrics:
            if metric.name in self._own:
                raise ValueError(f"the package has a metric {metric.name}")
            if metric.name in others:
                raise ValueError(f"paper {others[metric.name]} has a metric {metric.name}")
            if metric.name in found:
                raise ValueError(f"two metrics are called {metric.name}")
            found[metric.name] = metric
        self._papers[paper] = found
        self._merged = {}

    def __getitem__(self, name: str) -> Metric:
        if name in self._own:
            return self._own[name]
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    @property
    def _all(self) -> dict[str, Metric]:
        if not self._is_complete:
            self._is_complete = True
            self._installed(self)
        if not self._merged:
            tables = [self._own, *self._papers.values()]
            self._merged = {name: metric for table in tables for name, metric in table.items()}
        return self._merged


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
