"""What the links that carried a flow's packets tell: where it went, and whom it disturbed.

All need `record = { links = true }` in the study.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Json = Mapping[str, Any]

ON_LINE_M = 1.0
"""A node this near to the straight line between a flow's ends is on it."""

MAIN_SHARE = 0.1
"""A link is one of a flow's main ones if it carried this share of what its busiest carried."""


def straight_share(run: Json, flow: Json) -> float | None:
    """Share of a flow's packets that went through every node on the straight line of its ends."""
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


def interfering_pairs(run: Json, _flow: Json) -> float | None:
    """How many pairs of flows have main links with ends within sensing range of each other."""
    if not run.get("links"):
        return None
    near = _sensing(run)
    nodes = [_main_nodes(run, flow["id"]) for flow in run["flows"]]
    return float(sum(_meet(near, a, b) for a, b in itertools.combinations(nodes, 2)))


def endpoint_in_congestion(run: Json, flow: Json) -> float | None:
    """Whether an end is in sensing range of another's main links, if any node of the flow is."""
    if not run.get("links"):
        return None
    near = _sensing(run)
    own = _main_nodes(run, flow["id"])
    others = [_main_nodes(run, other["id"]) for other in run["flows"] if other["id"] != flow["id"]]
    if not any(_meet(near, own, other) for other in others):
        return None
    ends = [flow["source"], flow["destination"]]
    return float(any(_meet(near, ends, other) for other in others))


def _sensing(run: Json) -> NDArray[np.bool_]:
    """Which nodes sense which, as a matrix; a node senses itself."""
    places = np.array(run["positions_m"])
    distances = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    return np.asarray(distances <= run["scenario"]["radio"]["sense_range_m"])


def _main_nodes(run: Json, flow: int) -> list[int]:
    rows = [row for row in run["links"] if row["flow"] == flow]
    most = max((row["packets"] for row in rows), default=0)
    main = [row for row in rows if row["packets"] >= MAIN_SHARE * most]
    return sorted({node for row in main for node in (row["from"], row["to"])})


def _meet(near: NDArray[np.bool_], some: list[int], others: list[int]) -> bool:
    return bool(near[np.ix_(some, others)].any())
