"""The load of a moment of a day, drawn from what households use.

When: downstream traffic of Orange France's fixed network by hour (Feknous et al., Internet traffic
analysis: a case study from two major European operators, IEEE ISCC 2014, read off its figure by
Aleksiejunas, github.com/tmc-calc/mob-traffic-ds). How much: what a household of the United Kingdom
used a month (Ofcom, Connected Nations 2021). As what is assumed: as videos of
`live_video.RATE_BPS`, each on its own, so that how many a household has on at a moment is a number
of Poisson.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multihop.sites import live_video

PROFILE = (
    0.920, 0.817, 0.623, 0.448, 0.330, 0.249, 0.197, 0.195, 0.259, 0.363, 0.484, 0.599,
    0.701, 0.704, 0.711, 0.736, 0.797, 0.812, 0.843, 0.885, 0.908, 0.922, 0.993, 0.991,
)  # fmt: skip
"""Traffic at each hour of the day, over that of the busiest ten minutes."""
GB_PER_MONTH = 453.0
"""Of a household."""
_MONTH_S = 30 * 86400.0
_SPREAD_S = 2.0
"""Videos of the load begin within this time, so that their segments do not come together."""
_STREAM = 0x44_41_59
"""Keeps these draws apart from others of the same seed."""


@dataclass(frozen=True, slots=True)
class Day:
    """What houses watch at a moment."""

    hour: int
    starts_s: dict[int, list[float]]
    """Of each house's videos, after the begin [s]."""

    @property
    def videos(self) -> int:
        """How many are on."""
        return sum(map(len, self.starts_s.values()))

    def flows(
        self, gateway: int, begin_s: float, *, but: int | None = None
    ) -> list[dict[str, Any]]:
        """The load, without one house's own."""
        return [
            live_video.flow(gateway, house, begin_s + start_s)
            for house, starts_s in self.starts_s.items()
            if house != but
            for start_s in starts_s
        ]


@dataclass(frozen=True, slots=True)
class Demand:
    """What each household uses."""

    gb_per_month: float = GB_PER_MONTH
    """Downstream, 10^9 bytes."""
    hour: int | None = None
    """0 to 23; None draws it, in proportion to what is used then: when users look."""

    def rate_bps(self, hour: int) -> float:
        """A household's mean rate at an hour."""
        mean_bps = self.gb_per_month * 8e9 / _MONTH_S
        return mean_bps * PROFILE[hour] * len(PROFILE) / sum(PROFILE)

    def day(self, houses: Sequence[int], seed: int) -> Day:
        """A drawn moment; a house's part of it does not depend on which others there are."""
        hour = self.hour
        if hour is None:
            rng = np.random.default_rng([seed, _STREAM])
            hour = int(rng.choice(len(PROFILE), p=np.array(PROFILE) / sum(PROFILE)))
        mean = self.rate_bps(hour) / live_video.RATE_BPS
        starts_s = {}
        for house in houses:
            rng = np.random.default_rng([seed, _STREAM, house])
            starts_s[house] = rng.uniform(0, _SPREAD_S, rng.poisson(mean)).tolist()
        return Day(hour, starts_s)
