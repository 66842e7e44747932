"""The metrics: the package's, a file a subject, and those that papers bring in their folders.

A metric of a flow is a column of `StudyResults.flows`, one of a run a column of
`StudyResults.runs`. A mean over flows is taken over all flows of all networks, so a starved flow
counts as much as any other. A new file's table joins `OWN` below.
"""

from __future__ import annotations

from multihop.metrics import applications, common, observed, of_papers
from multihop.metrics.registry import (
    BaselineMetric,
    BoundMetric,
    FlowMetric,
    Metric,
    Registry,
    RunMetric,
    by_name,
)
from multihop.metrics.series import SERIES, series_of

__all__ = [
    "METRICS",
    "OWN",
    "SERIES",
    "BaselineMetric",
    "BoundMetric",
    "FlowMetric",
    "Metric",
    "RunMetric",
    "baseline_metrics",
    "bound_metrics",
    "flow_metrics",
    "run_metrics",
    "series_of",
]

OWN = by_name(common.METRICS, applications.METRICS, observed.METRICS)
"""The package's metrics by their names."""

METRICS: Registry = Registry(OWN, of_papers.add_installed)
"""Every metric by its name, those of papers among them."""


def flow_metrics() -> list[FlowMetric]:
    """The metrics of single flows."""
    return [metric for metric in METRICS.values() if isinstance(metric, FlowMetric)]


def run_metrics() -> list[RunMetric]:
    """The metrics of whole runs."""
    return [metric for metric in METRICS.values() if isinstance(metric, RunMetric)]


def baseline_metrics() -> list[BaselineMetric]:
    """The metrics that compare a flow with the same flow under the study's baseline."""
    return [metric for metric in METRICS.values() if isinstance(metric, BaselineMetric)]


def bound_metrics() -> list[BoundMetric]:
    """The metrics that compare a run with what its network could carry."""
    return [metric for metric in METRICS.values() if isinstance(metric, BoundMetric)]
