"""How far the axis of the measured quantity reaches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import altair as alt

from multihop.report.charts.style import Row, short

_FURTHEST = 1.6
"""Intervals are drawn up to so many times the greatest value."""
_LOWEST = 10.0
"""On a logarithmic axis intervals are drawn down to the least value over this."""
_MOST_DECADES = 3


@dataclass(frozen=True, slots=True)
class Extent:
    """An axis from `least` to `reach`; without them it is as the values ask."""

    log: bool
    zero: bool = True
    least: float | None = None
    reach: float | None = None

    @classmethod
    def of(cls, rows: Sequence[Row], *, log: bool, relative: bool, whole: bool) -> Extent:
        """The extent that rows need; cuts their intervals to it.

        Args:
            rows: with `value`, `low` and `high`.
            log: whether the axis is logarithmic; then values of 0 and less have no place.
            relative: whether values are ratios, which 1 must be seen beside.
            whole: whether the axis must begin at 0.
        """
        if log:
            for row in rows:
                row["value"] = row["value"] if (row["value"] or 0) > 0 else None
        values = [row["value"] for row in rows if row["value"] is not None]
        if not values or min(values) < 0:
            return cls(log)
        ones = [1.0] if relative else []
        highs = [row["high"] for row in rows if row["high"] is not None]
        lows = [row["low"] for row in rows if row["low"] is not None]
        reach = max(*values, *ones, min(max(highs, default=0.0), _FURTHEST * max(values)), 0.0)
        if log:
            lowest = min(*values, *ones, reach)
            least = min([lowest, *(max(low, lowest / _LOWEST) for low in lows)]) / 1.15
            top = reach * 1.15
        else:
            lowest = min(1.0, *values, max(0.0, min(lows, default=1.0)))
            near = relative and not whole and lowest > 0.5 * reach
            least = lowest - 0.08 * (reach - lowest) if near else 0.0
            top = (reach - least) * 1.05 + least
        for row in rows:
            if row["low"] is not None:
                row["low"] = min(max(row["low"], short(least)), short(top))
                row["high"] = min(row["high"], short(top))
        return cls(log, least == 0.0, short(least), short(top)) if reach > 0 else cls(log)

    def free(self) -> Extent:
        """As this, but left to the values of each panel."""
        return replace(self, least=None, reach=None)

    def ticks(self) -> Any:
        """Where a logarithmic axis is labelled; elsewhere that is left to the scale."""
        if not self.log or self.least is None or self.reach is None:
            return alt.Undefined
        return log_ticks(self.least, self.reach)

    def scale(self) -> Any:
        """The scale of the axis."""
        kind: Any = "log" if self.log else alt.Undefined
        if self.reach is not None:
            return alt.Scale(type=kind, domain=[self.least, self.reach], nice=False)
        if self.log:
            return alt.Scale(type="log", nice=False, padding=10)
        return alt.Scale(zero=self.zero)


def log_ticks(least: float, greatest: float) -> list[float]:
    """1, 2 and 5 with their multiples by ten; over many decades the powers of ten alone."""
    first, last = math.floor(math.log10(least)), math.ceil(math.log10(greatest))
    digits = (1, 2, 5) if last - first <= _MOST_DECADES else (1,)
    found = [digit * 10.0**power for power in range(first, last + 1) for digit in digits]
    return [tick for tick in found if least <= tick <= greatest]
