"""Which rows of a grid a connection takes past another that lies along a row.

The metrics need a grid with two flows, and `record = { links = true }` in the study.
"""

from __future__ import annotations

import itertools

from multihop.metrics.access import ratio
from multihop.metrics.registry import FlowMetric, Metric
from multihop.result_types import FlowReport, RunResult


def _passing(run: RunResult, flow: FlowReport, rows: int) -> float | None:
    """Share of the packets that pass all nodes lying `rows` rows below those of the other flow.

    None where it cannot be known or none arrived.
    """
    grid = run["scenario"].get("topology", {})
    others = [other for other in run["flows"] if other["id"] != flow["id"]]
    links = [link for link in run.get("links", []) if link["flow"] == flow["id"]]
    arrived = sum(link["packets"] for link in links if link["to"] == flow["destination"])
    if grid.get("kind") != "grid" or len(others) != 1 or not arrived:
        return None
    first, last = sorted((others[0]["source"], others[0]["destination"]))
    if first // grid["columns"] != last // grid["columns"]:
        return None
    carried = {(link["from"], link["to"]): link["packets"] for link in links}
    past = [node + rows * grid["columns"] for node in range(first, last + 1)]
    if flow["source"] > flow["destination"]:
        past.reverse()
    return ratio(min(carried.get(link, 0) for link in itertools.pairwise(past)), arrived)


def _two_rows_aside(run: RunResult, flow: FlowReport) -> float | None:
    above, below = (_passing(run, flow, rows) for rows in (-2, 2))
    return None if above is None or below is None else above + below


def _mostly_above(run: RunResult, flow: FlowReport) -> float | None:
    above, below = (_passing(run, flow, rows) for rows in (-2, 2))
    if above is None or below is None or above == below:
        return None
    return float(above > below)


METRICS: list[Metric] = [
    FlowMetric("two_rows_aside_share", "",
               "Share of the packets that pass the other flow two rows above or two rows below, "
               "all along its row (grid with two flows, recorded links).", _two_rows_aside),
    FlowMetric("three_rows_below_share", "",
               "The same three rows below: where nodes have higher numbers.",
               lambda run, flow: _passing(run, flow, 3)),
    FlowMetric("mostly_above", "",
               "1 if more packets pass the other flow two rows above than two rows below, 0 if "
               "fewer; none if as many.", _mostly_above),
]  # fmt: skip
