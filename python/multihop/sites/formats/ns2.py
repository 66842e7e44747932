"""Movement files of ns-2 (setdest) in all their dialects, CORE's `.scen` among them.

The engine reads them, as it does for a scenario (docs/model/mobility.md).
"""

from __future__ import annotations

import math
import re
from pathlib import Path

from multihop import engine
from multihop.errors import ScenarioError
from multihop.sites.content import number, text
from multihop.sites.form import MOST_NODES, SiteError, Survey, Track

_LONGEST_S = 1e6
_AT = re.compile(r"\bat\s+([\d.eE+]+)\s")
_GOAL = re.compile(r"\bsetdest\s+(\S+)\s+(\S+)\s+([\d.eE+-]+)")
_PLACE = re.compile(r"\bset\s+[XY]_\s+([-+\d.eE]+)")
_NODE = re.compile(r"\$\w*?[(_]?(\d+)\)?\s+(?:set\s+[XYZ]_|setdest)\b")


def matches(begin: str) -> bool:
    """Whether it has commands of such a file."""
    return bool(_NODE.search(begin))


def read(path: Path) -> Survey:
    """The ways of all nodes, by the numbers that the file has."""
    told = "\n".join(row.partition("#")[0] for row in text(path).split("\n"))
    numbers = sorted({int(found[1]) for found in _NODE.finditer(told) if len(found[1]) < 10})
    if len(numbers) > MOST_NODES:
        raise SiteError(f"has more than {MOST_NODES} nodes, the most that are imported")
    if len(numbers) < 2:
        raise SiteError("must have two nodes at least")
    scenario = {
        "duration_s": _lasts_s(told),
        "topology": {"kind": "setdest", "file": str(path.resolve()), "nodes": len(numbers)},
        "flows": [
            {"kind": "cbr", "source": 0, "destination": 1, "packet_bytes": 100, "rate_bps": 1e3}
        ],
    }
    try:
        ways = engine.hearing(engine.to_json(scenario), syntax="json").ways
    except ScenarioError as error:
        raise SiteError(error.fault.removeprefix(f"{path.resolve()}: ")) from None
    found = Survey("movement of ns-2")
    for node, knots in zip(numbers, ways, strict=True):
        found.node(str(node)).place = knots[0][1:]
        if len(knots) > 1 and knots[-1][1:] == knots[-2][1:]:
            knots.pop()  # where it stays to the end of the run
        if len(knots) > 1:
            found.tracks[str(node)] = track = Track()
            for knot in knots:
                track.add(*knot)
    return found


def _lasts_s(told: str) -> float:
    """A time by which every node has arrived."""
    last_s = max((number(found[1]) or 0.0 for found in _AT.finditer(told)), default=0.0)
    goals = [[number(word) for word in found.groups()] for found in _GOAL.finditer(told)]
    values = [number(found[1]) for found in _PLACE.finditer(told)]
    far = [abs(v) for v in (*values, *(v for goal in goals for v in goal[:2])) if v is not None]
    speeds = [goal[2] for goal in goals if goal[2]]
    longest_s = 3 * max(far, default=0.0) / min(speeds, default=1.0)
    return float(math.ceil(min(last_s + longest_s, _LONGEST_S - 1)) + 1)
