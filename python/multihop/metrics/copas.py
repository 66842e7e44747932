"""COPAS: its two disjoint paths, and the contention that it avoids."""

from __future__ import annotations

from collections.abc import Callable

from multihop.metrics.access import per_node_second, ratio
from multihop.metrics.registry import Metric, RunMetric
from multihop.result_types import CopasCounters, RunResult


def _contention_backoffs(run: RunResult) -> float | None:
    return per_node_second(run, run["mac"]["backoffs_busy"] + run["mac"]["backoffs_retry"])


def _counted(of: Callable[[CopasCounters], float | None]) -> Callable[[RunResult], float | None]:
    """A number from COPAS's counters; None under other schemes."""

    def counted(run: RunResult) -> float | None:
        report = run["schemes"].get("copas")
        return of(report) if report else None

    return counted


METRICS: list[Metric] = [
    RunMetric("contention_backoffs_per_node_s", "1/s",
              "MAC backoffs for a busy medium or a missing answer per node and second, over all "
              "nodes and the whole run.", _contention_backoffs),
    RunMetric("two_paths_share", "",
              "Share of the connections' time with two disjoint paths (COPAS).",
              _counted(lambda copas: ratio(copas["two_paths_s"], copas["connection_s"]))),
    RunMetric("no_path_share", "",
              "Share of the connections' time without any path (COPAS).",
              _counted(lambda copas: ratio(copas["no_path_s"], copas["connection_s"]))),
    RunMetric("replacements", "", "Contended paths replaced (COPAS).",
              _counted(lambda copas: float(copas["replacements"]))),
]  # fmt: skip
