"""What houses and trees around an antenna take, from a table of their usual heights.

ITU-R P.2108-1, section 3.1: the correction for an antenna below the clutter around it, for 0.03 to
3 GHz. It is added to the loss of a path that begins at the clutter's height.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from multihop.sites.terrain import knife_edge_db

STREET_M = 27.0
"""Between buildings: the default of section 3.1."""
LEAST_MAST_M = 0.5
"""A lower antenna counts as one at this height."""


@dataclass(frozen=True, slots=True)
class Clutter:
    """What stands around antennas."""

    height_m: float
    """Representative."""
    edges: bool
    """Whether the wave comes over an edge, as in streets and woods (equation 2a), or is reflected
    and blocked, as in the open (equation 2b).
    """

    def loss_db(self, mast_m: float, frequency_hz: float, street_m: float = STREET_M) -> float:
        """The median loss at an antenna; none where it stands above the clutter."""
        mast_m = max(mast_m, LEAST_MAST_M)
        if mast_m >= self.height_m:
            return 0.0
        giga = frequency_hz / 1e9
        if not self.edges:
            return -(21.8 + 6.2 * math.log10(giga)) * math.log10(mast_m / self.height_m)
        below_m = self.height_m - mast_m
        angle_deg = math.degrees(math.atan(below_m / street_m))
        return knife_edge_db(0.342 * math.sqrt(giga * below_m * angle_deg)) - 6.03


KINDS = {
    "rural": Clutter(10, edges=False),
    "suburban": Clutter(10, edges=True),
    "urban": Clutter(15, edges=True),
    "forest": Clutter(15, edges=True),
    "dense-urban": Clutter(20, edges=True),
}
"""The default heights of section 3.1, by the name that a person gives them."""
