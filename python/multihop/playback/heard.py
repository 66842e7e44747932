"""Who hears whom, as the page gets it: what changes over time."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from multihop.hearing import Hearing

_STEP_S = 0.25
_MOST_TIMES = 1200
"""Of a longer run they are further apart."""
_MOST_PAIRS = 400_000
"""More than so many changes are too much for a page: it does not show who senses a frame."""
_MOST_NODES = 2000
_NONE: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)


def heard_facts(hearing: Hearing, duration_s: float) -> dict[str, Any]:
    """The pairs that can exchange data, and those that sense each other, by their changes."""
    times = {0.0, *(at / 1e9 for at in hearing.changes_ns)}
    if hearing.moves:
        step = max(_STEP_S, duration_s / _MOST_TIMES)
        times.update(np.arange(0.0, duration_s, step).tolist())
    told: list[float] = []
    links: list[list[int]] = []
    senses: list[list[int]] = []
    linked, sensed = _NONE, _NONE
    for time_s in sorted(times):
        found = hearing.at(round(time_s * 1e9))
        pairs = np.array([a * hearing.nodes + b for a, b in found.pairs()], dtype=np.int64)
        heard = (found.sender.astype(np.int64) * hearing.nodes + found.node)[found.senses]
        changes = [np.setxor1d(linked, pairs), np.setxor1d(sensed, heard)]
        linked, sensed = pairs, heard
        if not told or any(map(len, changes)):
            told.append(time_s)
            links.append(changes[0].tolist())
            senses.append(changes[1].tolist())
    few = hearing.nodes <= _MOST_NODES
    return {
        "times_s": told,
        "links": links if few and sum(map(len, links)) <= _MOST_PAIRS else None,
        "senses": senses if few and sum(map(len, senses)) <= _MOST_PAIRS else None,
    }
