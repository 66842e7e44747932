"""How long runs will take, roughly, from what a scenario says: nothing is run to find out.

A run takes as long as its transmissions and the neighbours that sense them: a network of N nodes
with K others in sensing range has room for N / (K + 1) exchanges at a time, but no more than there
are flows, and an exchange is four frames. evidence/performance.md has the times behind the
constants; the rule is right within a factor of four for saturated networks, and too high for idle
ones.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from multihop import engine

if TYPE_CHECKING:
    from multihop.study.plan import Cell

_FRAME_S, _NEIGHBOUR_S = 6e-7, 1.2e-8
"""Processor time of a frame, and of each node that senses it."""
_FRAMES = 4
"""RTS, CTS, data, ACK."""
_GAPS_S, _HEADS_BITS = 2e-4, 1200
"""Of an exchange: what does not depend on rates, and what is sent at the basic rate."""
_PAYLOAD_BITS = 12_000
_BY_SIGNAL, _MOVING = 3.0, 2.0
"""How much longer reception by signal and noise takes, and nodes that move."""
_PROTOTYPE = 10.0
"""How much longer schemes in Python take."""
_SENSED = 4
"""The bit of a link that makes the medium busy; see `multihop.hearing`."""
_MOST_CELLS = 12
"""So many cells of a study are looked at."""


def run_seconds(text: str) -> float:
    """Processor time of a run of a resolved scenario, which is JSON [s]."""
    tables = json.loads(text)
    nodes, sensed, build_s = _density(text)
    mac, radio = tables["mac"], tables["radio"]
    flows = sum(
        flow.get("count", 1) if "arrivals_per_s" not in flow else _arriving(flow)
        for flow in tables["flows"]
    )
    at_once = min(nodes / (sensed + 1), max(flows, 1)) if nodes else 1.0
    rate_bps, basic_bps = float(mac["data_rate_bps"]), float(mac["basic_rate_bps"])
    exchange_s = _GAPS_S + _HEADS_BITS / basic_bps + _PAYLOAD_BITS / rate_bps
    frames = _FRAMES * float(tables["duration_s"]) / exchange_s * max(at_once, 1.0)
    seconds = frames * (_FRAME_S + sensed * _NEIGHBOUR_S)
    seconds *= _BY_SIGNAL if radio["reception"] == "sinr" else 1.0
    seconds *= _MOVING if tables["mobility"]["kind"] != "static" else 1.0
    seconds *= _PROTOTYPE if ".py:" in text else 1.0
    return seconds + build_s


def study_seconds(cells: Sequence[Cell], networks: int) -> float:
    """Wall-clock time of every cell on so many networks, on all cores [s]."""
    step = max(1, math.ceil(len(cells) / _MOST_CELLS))
    chosen = cells[::step]
    mean_s = sum(run_seconds(cell.text) for cell in chosen) / max(1, len(chosen))
    return mean_s * len(cells) * networks / (os.cpu_count() or 1)


def shown(seconds: float) -> str:
    """A time that is known roughly, in one unit."""
    if seconds < 1:
        return "less than a second"
    for unit, size in (("h", 3600), ("min", 60), ("s", 1)):
        if seconds >= 2 * size or size == 1:
            count = seconds / size
            digits = 10 ** max(0, math.floor(math.log10(count)) - 1)
            return f"about {round(count / digits) * digits:,} {unit}"
    return ""


def _arriving(flow: dict[str, Any]) -> float:
    """How many flows of a Poisson process there are at a time, if each stays for a second."""
    return float(flow["arrivals_per_s"] * (flow.get("lifetime_s") or 1.0))


def _density(text: str) -> tuple[int, float, float]:
    """How many nodes there are, how many others sense each, and the time to build them [s]."""
    if (load := engine.load(text, syntax="json")) is not None:
        nodes, neighbours, _, build_s = load
        return nodes, neighbours / nodes, build_s
    table = engine.hearing(text, syntax="json")
    *_, flags = table.at(0)
    nodes = len(table.ways)
    return nodes, sum(flag & _SENSED > 0 for flag in flags) / nodes, 0.0
