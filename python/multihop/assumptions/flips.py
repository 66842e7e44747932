"""The least change of the choices that takes a ratio across its line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from multihop.assumptions.effects import Row
from multihop.statistics import Estimate

Side = Literal["above", "below"]
Word = Literal["yes", "no", "not decided"]

MOST_CANDIDATES = 3
"""So many settings of the least size are confirmed."""


def side(value: float, line: float) -> Side:
    """The side of the line that a value is on."""
    return "above" if value > line else "below"


def lies(found: Estimate, line: float) -> Side | None:
    """The side that the whole interval is on; none where it holds the line or there is none."""
    if not (math.isfinite(found.low) and math.isfinite(found.high)):
        return None
    if found.low > line:
        return "above"
    return "below" if found.high < line else None


def changes(row: Row) -> list[int]:
    """The choices that a setting does not take as the study does."""
    return [choice for choice, level in enumerate(row) if level]


def without(row: Row, choice: int) -> Row:
    """The same setting with one choice taken as the study does."""
    return tuple(0 if place == choice else level for place, level in enumerate(row))


def candidates(found: Mapping[Row, Estimate], line: float) -> list[Row]:
    """The settings to confirm: on the other side with the fewest changes, the farthest first.

    Those whose whole interval is across count; if there are none, those whose ratio is.
    """
    base = next(row for row in found if not changes(row))
    if not math.isfinite(found[base].value):
        return []
    ours = side(found[base].value, line)
    known = {row: ratio for row, ratio in found.items() if math.isfinite(ratio.value)}
    across = [row for row, ratio in known.items() if side(ratio.value, line) != ours]
    clearly = [row for row in across if lies(known[row], line) not in (None, ours)]
    pool = clearly or across
    least = min((len(changes(row)) for row in pool), default=0)
    of_least = [row for row in pool if len(changes(row)) == least]
    return sorted(of_least, key=lambda row: -_distance(known[row].value, line))[:MOST_CANDIDATES]


def flips(base: Estimate, changed: Estimate, line: float) -> Word:
    """Whether a change flips the headline: both intervals must lie on one side, and not the same.

    No, if both lie on the same side.
    """
    before, after = lies(base, line), lies(changed, line)
    if before is None or after is None:
        return "not decided"
    return "yes" if before != after else "no"


def needed(flipped: Estimate, taken_back: Estimate, line: float) -> Word:
    """Whether a change of the flip is needed: without it the ratio is not across."""
    return flips(flipped, taken_back, line)


def _distance(value: float, line: float) -> float:
    return abs(math.log(value / line)) if value > 0 else math.inf
