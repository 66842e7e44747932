"""Metrics of the paths that a run's discoveries found, where they are recorded."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from math import dist
from typing import Any

Json = Mapping[str, Any]

SENSING_M = 550.0
"""Within this distance one node's transmission keeps the other from sending."""


def longest_life(run: Json, flow: Json) -> float | None:
    """Mean life of the longest-lived path of each discovery whose several paths all failed [s]."""
    return _mean([max(lives) for lives in _lives(run, flow)])


def shortest_life(run: Json, flow: Json) -> float | None:
    """Mean life of the shortest-lived path of the same discoveries [s]."""
    return _mean([min(lives) for lives in _lives(run, flow)])


def coupled_share(run: Json, flow: Json) -> float | None:
    """Share of the pairs of paths of one discovery that lie within sensing range all along."""
    places = run["positions_m"]
    pairs = [
        (one["nodes"][1:-1], other["nodes"][1:-1])
        for paths in _discoveries(run, flow)
        for one, other in itertools.combinations(paths, 2)
    ]
    return _mean([float(_coupled(places, *pair)) for pair in pairs if all(pair)])


def rediscovered_shortest(run: Json, flow: Json) -> float | None:
    """Share of the discoveries after the first that found a path as short as can be."""
    later = _discoveries(run, flow)[1:]
    found = [min(path["hops"] for path in paths) == flow["shortest_hops"] for paths in later]
    return _mean([float(shortest) for shortest in found])


def _discoveries(run: Json, flow: Json) -> list[list[Json]]:
    """The paths from the flow's source to its destination, those of one discovery together."""
    found: dict[int, list[Json]] = {}
    for path in run.get("paths", ()):
        if (path["source"], path["destination"]) == (flow["source"], flow["destination"]):
            found.setdefault(path["request"], []).append(path)
    return [found[request] for request in sorted(found)]


def _lives(run: Json, flow: Json) -> list[list[float]]:
    return [
        [path["lost_s"] - path["found_s"] for path in paths]
        for paths in _discoveries(run, flow)
        if len(paths) > 1 and all(path["lost_s"] is not None for path in paths)
    ]


def _coupled(places: list[list[float]], one: list[int], other: list[int]) -> bool:
    def near(node: int, nodes: list[int]) -> bool:
        return any(dist(places[node], places[each]) <= SENSING_M for each in nodes)

    return all(near(node, other) for node in one) and all(near(node, one) for node in other)


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None
