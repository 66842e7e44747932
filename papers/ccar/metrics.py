"""CCAR and DCAR: where flows went, which others they disturbed, and how paths were chosen.

The metrics of links need `record = { links = true }` in the study, those of rows a grid with two
flows besides.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from multihop.metrics.access import mean, ratio
from multihop.metrics.registry import FlowMetric, Metric, RunMetric
from multihop.places import sensed_at_start
from multihop.result_types import Choice, FlowReport, RunResult

ON_LINE_M = 1.0
"""A node this close to the straight line between a flow's ends is on it."""

MAIN_SHARE = 0.1
"""A link is one of a flow's main ones if it carried this share of what its busiest link carried."""


def _straight_share(run: RunResult, flow: FlowReport) -> float | None:
    carried = {
        (row["from"], row["to"]): row["packets"]
        for row in run.get("links", [])
        if row["flow"] == flow["id"]
    }
    arrived = sum(count for (_, to), count in carried.items() if to == flow["destination"])
    if not arrived:
        return None
    places = np.array(run["positions_m"])
    start, way = places[flow["source"]], places[flow["destination"]] - places[flow["source"]]
    length = float(np.hypot(*way))
    along = (places - start) @ way / length
    aside = np.abs((places - start) @ np.array([-way[1], way[0]])) / length
    on_line = np.flatnonzero(
        (aside <= ON_LINE_M) & (along >= -ON_LINE_M) & (along <= length + ON_LINE_M)
    )
    line = on_line[np.argsort(along[on_line])].tolist()
    return float(min(carried.get(link, 0) for link in itertools.pairwise(line)) / arrived)


def _interfering_pairs(run: RunResult) -> float | None:
    if not run.get("links"):
        return None
    near = _in_sensing_range(run)
    nodes = [_main_nodes(run, flow["id"]) for flow in run["flows"]]
    return float(sum(_any_near(near, a, b) for a, b in itertools.combinations(nodes, 2)))


def _endpoint_in_congestion(run: RunResult, flow: FlowReport) -> float | None:
    if not run.get("links"):
        return None
    near = _in_sensing_range(run)
    own = _main_nodes(run, flow["id"])
    ends = [flow["source"], flow["destination"]]
    others = [_main_nodes(run, other["id"]) for other in run["flows"] if other["id"] != flow["id"]]
    return mean([float(_any_near(near, ends, one)) for one in others if _any_near(near, own, one)])


def _in_sensing_range(run: RunResult) -> NDArray[np.bool_]:
    """Which nodes sense which or are sensed by them, as a matrix; a node senses itself."""
    senses = sensed_at_start(run)
    return senses | senses.T | np.eye(len(senses), dtype=np.bool_)


def _main_nodes(run: RunResult, flow: int) -> list[int]:
    """The ends of a flow's main links."""
    rows = [row for row in run["links"] if row["flow"] == flow]
    most = max((row["packets"] for row in rows), default=0)
    main = [row for row in rows if row["packets"] >= MAIN_SHARE * most]
    return sorted({node for row in main for node in (row["from"], row["to"])})


def _any_near(near: NDArray[np.bool_], some: list[int], others: list[int]) -> bool:
    return bool(near[np.ix_(some, others)].any())


def _choices(of: Callable[[Choice], float | None]) -> Callable[[RunResult], float | None]:
    """Mean of a number over the paths that CCAR's centre chose; None without a centre."""

    def over_choices(run: RunResult) -> float | None:
        report = run["schemes"].get("ccar")
        choices = report["choices"] if report else []
        return mean([number for choice in choices if (number := of(choice)) is not None])

    return over_choices


def _bottleneck_spread(choice: Choice) -> float | None:
    weights = choice["bottlenecks"]
    return float(np.ptp(weights) / np.mean(weights)) if len(weights) > 1 else None


def _weight_error(run: RunResult) -> float | None:
    report = run["schemes"].get("dcar")
    return ratio(report["weights_stale_connections"], report["weights_used"]) if report else None


def _late_requests(run: RunResult) -> float:
    report = run["schemes"].get("dcar")
    return float(report["late_requests"]) if report else 0.0


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
    FlowMetric("straight_share", "",
               "Share of the packets that went through every node on the straight line from source "
               "to destination (needs recorded links).", _straight_share),
    FlowMetric("endpoint_in_congestion", "",
               "Of the other flows whose main links are in sensing range of this one's, the share "
               "that an end is in range of, and not relays alone (needs recorded links).",
               _endpoint_in_congestion),
    RunMetric("interfering_pairs", "",
              "Pairs of flows whose main links have ends within sensing range of each other "
              "(needs recorded links).", _interfering_pairs),
    RunMetric("shortest_choices", "",
              "Share of the paths chosen by the centre that are as short as any (CCAR).",
              _choices(lambda choice: len(choice["path"]) - 1 == choice["shortest_hops"])),
    RunMetric("lightest_choices", "",
              "Share of the paths chosen by the centre that are also the lightest (CCAR).",
              _choices(lambda choice: choice["chosen"] == 0)),
    RunMetric("chosen_bottleneck", "connections",
              "Mean weight of the heaviest link of the paths chosen by the centre (CCAR).",
              _choices(lambda choice: choice["bottlenecks"][choice["chosen"]])),
    RunMetric("bottleneck_spread", "",
              "Range of the candidate paths' heaviest links over their mean (CCAR, modified "
              "heuristic I).", _choices(_bottleneck_spread)),
    RunMetric("weight_error", "connections",
              "Mean error of the weights that route requests collected (DCAR).", _weight_error),
    RunMetric("late_requests", "",
              "Copies of a request with less weight that arrived after the choice (DCAR).",
              _late_requests),
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
