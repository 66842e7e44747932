"""An estimate beside the lines that decide: too near to matter, or how many networks it takes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from multihop.reproduction.headlines import MARGIN
from multihop.statistics import Estimate


@dataclass(frozen=True, slots=True)
class Line:
    """A bound, and what is the whole of which the margin is a share."""

    at: float
    whole: float
    is_least: bool
    """Whether the estimate has to lie above it, not below."""

    @property
    def margin(self) -> float:
        """What differs by less from the line does not matter."""
        return MARGIN * abs(self.whole)

    def slack(self, value: float) -> float:
        """How far a value lies on its side."""
        return value - self.at if self.is_least else self.at - value


def matters_not(found: Estimate, lines: Sequence[Line]) -> bool:
    """Whether the whole interval lies within the margin of one of the lines."""
    return any(
        line.margin > 0
        and found.low >= line.at - line.margin
        and found.high <= line.at + line.margin
        for line in lines
    )


def nearness(found: Estimate, lines: Sequence[Line]) -> float:
    """How far the estimate is from the nearest line, as a share of the whole."""
    return min(
        (abs(found.value - line.at) / abs(line.whole) for line in lines if line.whole),
        default=math.nan,
    )


def networks_needed(found: Estimate, lines: Sequence[Line]) -> int | None:
    """On how many networks a word can be expected, if the estimate and the spread stay.

    An interval shrinks with the root of the number of networks. None where the estimate lies on a
    line and no margin is known.
    """
    shrinks = min(_shrinks(found, lines), default=math.inf)
    if not math.isfinite(shrinks):
        return None
    return max(found.networks + 1, math.ceil(found.networks * shrinks**2 - 1e-6))


def _shrinks(found: Estimate, lines: Sequence[Line]) -> Iterator[float]:
    """By how much the interval has to shrink for each word that the estimate may get."""
    below, above = found.value - found.low, found.high - found.value

    def over(width: float, room: float) -> float:
        return width / room if room > 0 else math.inf

    inner = [(below if line.is_least else above, line.slack(found.value)) for line in lines]
    yield max((over(*each) for each in inner), default=math.inf)
    for line in lines:
        yield over(above if line.is_least else below, -line.slack(found.value))
        yield max(
            over(below, found.value - line.at + line.margin),
            over(above, line.at + line.margin - found.value),
        )
