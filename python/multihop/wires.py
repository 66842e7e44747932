"""The wires of a scenario, for whoever draws or explains a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any


def members(scenario: Mapping[str, Any]) -> list[list[int]]:
    """By wire of a resolved scenario, the nodes that it joins: two or, by a switch, more."""
    return [list(wire["nodes"]) for wire in scenario.get("wires") or ()]


def pairs(scenario: Mapping[str, Any]) -> Iterator[tuple[str, int, int]]:
    """The name of each wire with every two nodes that it joins, both ways."""
    for wire in scenario.get("wires") or ():
        for a, b in combinations(wire["nodes"], 2):
            yield wire["name"], a, b
            yield wire["name"], b, a


def lines(
    scenario: Mapping[str, Any], places: Sequence[Sequence[float]]
) -> list[list[tuple[float, float]]]:
    """Each wire as lines between places: a cable from end to end, a switch as a star."""
    found = []
    for nodes in members(scenario):
        ends = [(float(places[node][0]), float(places[node][1])) for node in nodes]
        if len(ends) == 2:
            found.append(ends)
            continue
        middle = (sum(x for x, _ in ends) / len(ends), sum(y for _, y in ends) / len(ends))
        found.extend([end, middle] for end in ends)
    return found
