"""Degrees and metres: an azimuthal equidistant projection about the middle of the sites (PROJ).

Distances from the middle are those on the ellipsoid of WGS 84. Between two other places, both
within R of it, they are too long by R^2 / 6 / (6371 km)^2 at most: 1 in 24,000 at 100 km.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from multihop.extras import need
from multihop.sites.form import SiteError

if TYPE_CHECKING:
    from pyproj import Proj

Places = npt.NDArray[np.float64]
MOST_KM = 1000.0
"""Nodes farther from the middle are no mesh, but a mistake in a coordinate."""


@dataclass(frozen=True, slots=True)
class Plane:
    """A plane that touches the Earth at `latitude` and `longitude` [degrees]."""

    latitude: float
    longitude: float

    @classmethod
    def around(cls, degrees: Sequence[tuple[float, float]] | Places) -> Plane:
        """The one about the middle of these places, on whichever side of the 180th meridian."""
        places = np.asarray(degrees, dtype=float)
        first = places[0, 1]
        east = (places[:, 1] - first + 180.0) % 360.0 - 180.0
        longitude = first + (east.min() + east.max()) / 2
        latitude = (places[:, 0].min() + places[:, 0].max()) / 2
        return cls(round(float(latitude), 6), round((float(longitude) + 180) % 360 - 180, 6))

    def metres(self, degrees: Sequence[tuple[float, float]] | Places) -> Places:
        """Metres east and north of the middle, a row for each latitude and longitude.

        Raises:
            MissingExtraError: pyproj is not installed.
            SiteError: one is more than 1,000 km from the middle.
        """
        places = np.asarray(degrees, dtype=float).reshape(-1, 2)
        x, y = _proj(self.latitude, self.longitude)(places[:, 1], places[:, 0])
        found = np.column_stack([x, y])
        far = np.hypot(x, y)
        if not np.all(far <= MOST_KM * 1000):
            at = int(np.argmax(np.where(np.isfinite(far), far, np.inf)))
            raise SiteError(
                f"{places[at, 0]:g}, {places[at, 1]:g} is more than {MOST_KM:g} km from the middle "
                f"of all places, {self.latitude:g}, {self.longitude:g}; take it out"
            )
        return found

    def degrees(self, metres: Sequence[tuple[float, float]] | Places) -> Places:
        """The way back: latitudes and longitudes."""
        places = np.asarray(metres, dtype=float).reshape(-1, 2)
        longitude, latitude = _proj(self.latitude, self.longitude)(
            places[:, 0], places[:, 1], inverse=True
        )
        return np.column_stack([latitude, longitude])

    def told(self) -> str:
        """The projection, as PROJ takes it."""
        return f"+proj=aeqd +lat_0={self.latitude:.6f} +lon_0={self.longitude:.6f} +ellps=WGS84"


@functools.cache
def _proj(latitude: float, longitude: float) -> Proj:
    need("sites", "a place in degrees")
    from pyproj import Proj

    return Proj(Plane(latitude, longitude).told())
