"""The least change of the choices that takes a ratio across its line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from multihop.assumptions.effects import Row
from multihop.statistics import Estimate

Side = Literal["above", "below"]
Word = Literal["yes", "no", "decides", "not decided"]

MOST_CANDIDATES = 3
"""So many settings are confirmed, besides the one as given."""


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


def other(ours: Side) -> Side:
    """The other side."""
    return "below" if ours == "above" else "above"


def candidates(found: Mapping[Row, Estimate], line: float, across: Side | None = None) -> list[Row]:
    """The settings to confirm, those with the fewest changes first, then the farthest across.

    Of the settings on the other side: the farthest with the fewest changes whose whole interval is
    there, and for each smaller number of changes the farthest whose ratio is. If no whole interval
    is across, those with the fewest changes.

    Args:
        found: the ratio of each setting.
        line: where the sides meet.
        across: the side to look at, in place of that which the setting as given is not on.
    """
    base = next(row for row in found if not changes(row))
    if not math.isfinite(found[base].value):
        return []
    wanted = across or other(side(found[base].value, line))

    def order(row: Row) -> tuple[int, float]:
        return len(changes(row)), -_distance(found[row].value, line)

    known = (row for row, ratio in found.items() if row != base and math.isfinite(ratio.value))
    there = sorted((row for row in known if side(found[row].value, line) == wanted), key=order)
    clearly = [row for row in there if lies(found[row], line) == wanted]
    pool = clearly or there
    of_least = [row for row in pool if order(row)[0] == order(pool[0])[0]]
    smaller = {order(row)[0]: row for row in reversed(there) if order(row)[0] < order(pool[0])[0]}
    # The nearest sizes below, if there are many.
    below = [smaller[size] for size in sorted(smaller)][-(MOST_CANDIDATES - 1) :]
    return sorted([*below, *of_least[: MOST_CANDIDATES - len(below)]], key=order)


def clearest(found: Mapping[Row, Estimate], line: float) -> Row | None:
    """Of the settings whose whole interval is across the line, the one with the fewest changes."""
    base = next(row for row in found if not changes(row))
    if not math.isfinite(found[base].value):
        return None
    ours = side(found[base].value, line)
    across = [row for row, ratio in found.items() if lies(ratio, line) not in (None, ours)]
    return min(across, key=lambda row: len(changes(row)), default=None)


def beyond(found: Estimate, line: float, across: Side) -> float:
    """How far a ratio lies on a side of the line, as a logarithm; less than 0 on the other."""
    if not math.isfinite(found.value) or found.value <= 0:
        return -math.inf
    return math.log(found.value / line) * (1 if across == "above" else -1)


def flips(base: Estimate, changed: Estimate, line: float) -> Word:
    """Whether a change flips the headline: both intervals must lie on one side, and not the same.

    No, if both lie on the same side. A change decides, if its interval lies on one side and that
    of the ratio as given holds the line.
    """
    before, after = lies(base, line), lies(changed, line)
    if after is None:
        return "not decided"
    if before is None:
        return "decides"
    return "yes" if before != after else "no"


def needed(flipped: Estimate, taken_back: Estimate, line: float) -> Word:
    """Whether a change of the flip is needed: without it the ratio is not across."""
    return "not decided" if lies(flipped, line) is None else flips(flipped, taken_back, line)


def _distance(value: float, line: float) -> float:
    return abs(math.log(value / line)) if value > 0 else math.inf
