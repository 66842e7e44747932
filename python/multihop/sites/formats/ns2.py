"""Movement files of ns-2 (setdest) in all their dialects, CORE's `.scen` among them.

The engine reads them, as it does for a scenario (docs/model/mobility.md).
"""

from __future__ import annotations

import math
import re
import tempfile
from pathlib import Path

import numpy as np

from multihop import engine
from multihop.errors import ScenarioError
from multihop.sites.content import lines, number
from multihop.sites.form import LONGEST_S, MOST_NODES, SiteError, Survey

_MOST_S = 1e6
_AT = re.compile(r"\bat\s+([\d.eE+]+)\s")
_ONE = re.compile(r'\s*\$\w+\s+at\s[^";]*"[^"]*"\s*;?\s*')
"""A line of one timed command."""
_GOAL = re.compile(r"\bsetdest\s+(\S+)\s+(\S+)\s+([\d.eE+-]+)")
_PLACE = re.compile(r"\bset\s+[XY]_\s+([-+\d.eE]+)")
_NODE = re.compile(r"\$\w*?[(_]?(\d+)\)?\s+(?:set\s+[XYZ]_|setdest)\b")


def matches(begin: str) -> bool:
    """Whether it has commands of such a file."""
    return bool(_NODE.search(begin))


def read(path: Path) -> Survey:
    """The ways of all nodes, by the numbers that the file has."""
    found = Survey("movement of ns-2")
    with tempfile.TemporaryDirectory(prefix="multihop-") as folder:
        kept = Path(folder, "kept.tcl")
        numbers, lasts_s, last_s = _kept(path, kept)
        scenario = {
            "duration_s": lasts_s,
            "topology": {"kind": "setdest", "file": str(kept), "nodes": len(numbers)},
            "flows": [
                {"kind": "cbr", "source": 0, "destination": 1, "packet_bytes": 100, "rate_bps": 1e3}
            ],
        }
        try:
            ways = engine.hearing(engine.to_json(scenario), syntax="json").ways
        except ScenarioError as error:
            raise SiteError(error.fault.removeprefix(f"{kept}: ")) from None
    ways.reverse()
    for node in numbers:
        knots = ways.pop()
        found.node(str(node)).place = knots[0][1:]
        if len(knots) > 1 and knots[-1][1:] == knots[-2][1:]:
            knots.pop()  # where it stays to the end of the run
        if len(knots) > 1:
            found.way(str(node), np.array(knots))
    found.last_s = max(found.last_s, last_s)
    return found


def _kept(path: Path, kept: Path) -> tuple[list[int], float, float]:
    """Write what the longest run sees of a file, line by line.

    Returns the nodes, a time by which every node has arrived, and that of the last command.
    """
    numbers, last_s, kept_s, far, slowest = set[int](), 0.0, 0.0, 0.0, math.inf
    with kept.open("w", encoding="utf-8", newline="\n") as file:
        for _, row in lines(path):
            told = row.partition("#")[0]
            times = [number(found[1]) or 0.0 for found in _AT.finditer(told)]
            last_s = max(last_s, *times, 0.0)
            if times and times[0] > LONGEST_S and _ONE.fullmatch(told):
                file.write("\n")  # so that errors have the right line
                continue
            kept_s = max(kept_s, *times, 0.0)
            file.write(f"{row}\n")
            numbers.update(int(found[1]) for found in _NODE.finditer(told) if len(found[1]) < 10)
            if len(numbers) > MOST_NODES:
                raise SiteError(f"has more than {MOST_NODES} nodes, the most that are imported")
            goals = [[number(word) for word in found.groups()] for found in _GOAL.finditer(told)]
            values = [number(found[1]) for found in _PLACE.finditer(told)]
            values += [value for goal in goals for value in goal[:2]]
            far = max(far, *(abs(value) for value in values if value is not None), 0.0)
            slowest = min(slowest, *(goal[2] for goal in goals if goal[2]), math.inf)
    if len(numbers) < 2:
        raise SiteError("must have two nodes at least")
    longest_s = 3 * far / (slowest if math.isfinite(slowest) else 1.0)
    lasts_s = float(math.ceil(min(kept_s + longest_s, _MOST_S - 1)) + 1)
    return sorted(numbers), lasts_s, last_s
