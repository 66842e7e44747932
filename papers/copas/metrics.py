"""COPAS: its two disjoint paths, and the contention that it avoids."""

from __future__ import annotations

from collections.abc import Callable

from multihop.metrics.access import per_node_second, ratio, total
from multihop.metrics.registry import Metric, RunMetric
from multihop.places import sensed_at_start
from multihop.result_types import CopasCounters, RunResult


def _contention_backoffs(run: RunResult) -> float | None:
    return per_node_second(run, run["mac"]["backoffs_busy"] + run["mac"]["backoffs_retry"])


def _rts_unanswered(run: RunResult) -> float | None:
    answered = ratio(run["mac"]["data_sent"], run["mac"]["rts_sent"])
    return None if answered is None else 1 - answered


def _one_hop_share(run: RunResult) -> float | None:
    near = sum(flow["delivered_bytes"] for flow in run["flows"] if flow["shortest_hops"] == 1)
    return ratio(near, total(run, "delivered_bytes"))


def _counted(of: Callable[[CopasCounters], float | None]) -> Callable[[RunResult], float | None]:
    """A number from COPAS's counters; None under other schemes."""

    def counted(run: RunResult) -> float | None:
        report = run["schemes"].get("copas")
        return of(report) if report else None

    return counted


def _flows_in_reach(run: RunResult) -> float | None:
    """Other flows with a link in sensing range of a flow's, mean over the flows that used any."""
    if not run.get("links") or run["scenario"]["mobility"]["kind"] != "static":
        return None
    senses = sensed_at_start(run)
    paths: dict[int, set[int]] = {}
    for link in run["links"]:
        paths.setdefault(link["flow"], set()).update((link["from"], link["to"]))
    near = [
        one != other and any(a == b or senses[a, b] for a in here for b in there)
        for one, here in paths.items()
        for other, there in paths.items()
    ]
    return sum(near) / len(paths)


METRICS: list[Metric] = [
    RunMetric("contention_backoffs_per_node_s", "1/s",
              "MAC backoffs for a busy medium or a missing answer per node and second, over all "
              "nodes and the whole run.", _contention_backoffs),
    RunMetric("rts_unanswered", "", "Share of the RTS sent that no unicast data frame followed.",
              _rts_unanswered),
    RunMetric("one_hop_share", "",
              "Share of the payload delivered that belongs to flows between neighbours.",
              _one_hop_share),
    RunMetric("two_paths_share", "",
              "Share of the connections' time with two disjoint paths (COPAS).",
              _counted(lambda copas: ratio(copas["two_paths_s"], copas["connection_s"]))),
    RunMetric("no_path_share", "",
              "Share of the connections' time without any path (COPAS).",
              _counted(lambda copas: ratio(copas["no_path_s"], copas["connection_s"]))),
    RunMetric("flows_in_reach", "flows",
              "Other flows whose data pass a node in sensing range of one that a flow's data pass, "
              "mean over flows; of nodes that stand still, and needs the links recorded.",
              _flows_in_reach),
    RunMetric("replacements", "", "Contended paths replaced (COPAS).",
              _counted(lambda copas: float(copas["replacements"]))),
]  # fmt: skip
