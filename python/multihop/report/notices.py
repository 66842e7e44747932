"""What a reader should know before the numbers: flows that can't deliver, metrics nobody has."""

from __future__ import annotations

import polars as pl

from multihop.metrics import METRICS
from multihop.report.wording import counted
from multihop.study.columns import metric_names
from multihop.study.results import StudyResults


def notices(results: StudyResults) -> list[str]:
    """A sentence for each thing that makes numbers of a study less than they seem."""
    return [*_unjoined(results), *_missing(results)]


def unjoined(found: int, flows: int, networks: str) -> str:
    """That so many flows have ends that no path joins."""
    have = "has ends" if found == 1 else "have ends"
    return (
        f"{found:,} of {counted(flows, 'flow')} {have} that no path joins, {networks}: "
        "they deliver nothing under any routing. More range, nodes nearer together or "
        "topology.connected = true would join them"
    )


def _unjoined(results: StudyResults) -> list[str]:
    frame = results.flows
    if frame.is_empty() or "least_hops" not in frame.columns:
        return []
    # The same flow of a network counts once, whatever the scheme that it ran under.
    axes = [*results.study.table.axes]
    flows = frame.group_by("network", "flow", *axes).agg(pl.col("least_hops").is_null().all())
    apart = flows.filter(pl.col("least_hops"))
    if apart.is_empty():
        return []
    networks = counted(apart["network"].n_unique(), "network")
    return [unjoined(apart.height, flows.height, f"on {networks}")]


def _missing(results: StudyResults) -> list[str]:
    if not results.finished:
        return []
    asked: dict[str, list[str]] = {}
    for where, name in metric_names(results.study.table):
        asked.setdefault(name, []).append(where)
    return [
        f"{name} was asked for ({', '.join(places)}), and no finished run has it. It is: "
        f"{METRICS[name].definition.rstrip('.')}"
        for name, places in asked.items()
        if not places[0].startswith("assumptions")
        and (name not in (frame := results.frame(name)).columns or not frame[name].count())
    ]
