"""Where nodes are over time, from the movement that the engine writes in ns-2's format."""

from __future__ import annotations

import math
import re
from collections import defaultdict

from multihop import engine
from multihop.results import Result

Knot = tuple[float, float, float]
"""A node is at (time_s, x_m, y_m), and goes in a straight line to the next."""

_NANOSECOND_S = 1e-9
_COMMAND = re.compile(r'\$ns_ at (\S+) "\$node_\((\d+)\) setdest (\S+) (\S+) (\S+)"')
_JUMP = re.compile(r'\$ns_ at (\S+) "\$node_\((\d+)\) set ([XY])_ (\S+)"')
_PLACE = re.compile(r"\$node_\((\d+)\) set ([XY])_ (\S+)")


def ways_of(result: Result) -> list[list[Knot]]:
    """Each node's knots in a run; one if it stays where it is.

    Raises:
        ScenarioError: the nodes move as a file says that is there no more, and the run did not
            record it (`routes`).
    """
    if recorded := result.json.get("movement"):
        return [[(time_s, x, y) for time_s, x, y in way] for way in recorded]
    if result.scenario["mobility"]["kind"] == "static":
        return [[(0.0, place[0], place[1])] for place in result.json["positions_m"]]
    written = engine.movement(engine.to_json(result.scenario), syntax="json", seed=result.seed)
    return ways(written)


def ways(setdest: str) -> list[list[Knot]]:
    """Each node's knots; one if it stays where it is."""
    places: dict[int, dict[str, float]] = defaultdict(dict)
    knots: dict[int, list[Knot]] = {}
    for line in setdest.splitlines():
        if place := _PLACE.match(line):
            places[int(place[1])][place[2]] = float(place[3])
        elif command := _COMMAND.match(line) or _JUMP.match(line):
            node, at_s = int(command[2]), float(command[1])
            begun = knots.setdefault(node, [(0.0, places[node]["X"], places[node]["Y"])])
            if command.re is _JUMP:
                _put(begun, at_s, "XY".index(command[3]), float(command[4]))
            else:
                x_m, y_m, speed_mps = (float(command[i]) for i in (3, 4, 5))
                _go(begun, at_s, (x_m, y_m), speed_mps)
    return [
        knots.get(node, [(0.0, places[node]["X"], places[node]["Y"])]) for node in sorted(places)
    ]


def _go(way: list[Knot], at_s: float, to: tuple[float, float], speed_mps: float) -> None:
    """Add a leg that begins where the node then is."""
    _stop(way, at_s)
    _, *here = way[-1]
    length_m = math.dist(here, to)
    if speed_mps > 0 and length_m > 0:
        way.append((at_s + length_m / speed_mps, *to))


def _put(way: list[Knot], at_s: float, axis: int, metres: float) -> None:
    """Move the node along an axis at once; until a nanosecond before it is where it was."""
    _stop(way, at_s)
    _, x, y = way.pop()
    if not way or way[-1][0] < at_s - _NANOSECOND_S:
        way.append((max(0.0, at_s - _NANOSECOND_S), x, y))
    way.append((at_s, metres, y) if axis == 0 else (at_s, x, metres))


def _stop(way: list[Knot], at_s: float) -> None:
    """End the way at this time, wherever the node then is."""
    time_s, x, y = way[-1]
    if time_s > at_s and len(way) > 1:  # it has not arrived yet
        before_s, from_x, from_y = way[-2]
        done = (at_s - before_s) / (time_s - before_s)
        x, y = from_x + (x - from_x) * done, from_y + (y - from_y) * done
        way.pop()
    if way[-1] != (at_s, x, y):
        way.append((at_s, x, y))
