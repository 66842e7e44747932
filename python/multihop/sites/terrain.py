"""Gains between places over hills: free space and knife edges, from heights of the ground.

Free space is ITU-R P.525-4. Hills add the loss of Bullington's equivalent edge (ITU-R P.526-15,
section 4.5.1); `longley_rice` has another model, which `gains` can be given. The Earth has 4/3 of
its radius, as the mean atmosphere bends rays. Houses and trees are left out, except for what the
heights have of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from multihop.extras import need
from multihop.sites.elevation import Elevation
from multihop.sites.form import SiteError
from multihop.sites.grid import Heights

Ends = tuple[tuple[float, float], tuple[float, float]]
EARTH_KM = 8500.0
"""Radius of the Earth times 4/3."""
_LIGHT_MPS = 299_792_458.0
_STEP_M, _MOST_STEPS = 30.0, 2000
MOST_KM = 60.0
"""Of a link; farther nodes do not hear each other."""
_LEAST_GAIN_DB = -130.0
"""Weaker links are left out: 20 dBm sent would be 15 dB below the noise."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The ground between two antennas."""

    distance_km: Heights
    """Of each point from the first."""
    ground_m: Heights
    """Above the sea."""
    antennas_m: tuple[float, float]
    """Above the sea, at both ends."""

    def line_m(self) -> Heights:
        """The straight line between the antennas, above the sea."""
        first, last = self.antennas_m
        return np.asarray(first + (last - first) * self.distance_km / self.distance_km[-1])

    def bulged_m(self) -> Heights:
        """The ground and how far the curved Earth lifts it over the chord."""
        d = self.distance_km
        return np.asarray(self.ground_m + 500 * d * (d[-1] - d) / EARTH_KM)

    def edges(self, wavelength_m: float) -> Heights:
        """Of each point between the ends, how far it is an edge: nu of P.526-15 equation 26."""
        d = self.distance_km
        before, after = d[1:-1] - d[0], d[-1] - d[1:-1]
        spread = np.sqrt(0.002 * (d[-1] - d[0]) / (wavelength_m * before * after))
        return np.asarray((self.bulged_m() - self.line_m())[1:-1] * spread)


def profile(
    tiles: Sequence[Elevation],
    ends: Ends,
    masts_m: tuple[float, float],
) -> Profile:
    """The ground along the geodesic between two places [degrees], with masts above the ground.

    Raises:
        SiteError: a part of it is in no tile, or void there.
    """
    need("sites", "terrain")
    from pyproj import Geod

    geod = Geod(ellps="WGS84")
    (lat, lon), (to_lat, to_lon) = ends
    far_m = geod.inv(lon, lat, to_lon, to_lat)[2]
    steps = int(np.clip(math.ceil(far_m / _STEP_M), 2, _MOST_STEPS))
    between = geod.npts(lon, lat, to_lon, to_lat, steps - 1)
    points = np.array([(lon, lat), *between, (to_lon, to_lat)], dtype=float)
    ground = np.full(len(points), np.nan)
    for tile in tiles:
        ground = np.where(np.isnan(ground), tile.at(points[:, 1], points[:, 0]), ground)
    if np.isnan(ground).any():
        at = points[int(np.argmax(np.isnan(ground)))]
        raise SiteError(f"no tile has a height at {at[1]:.4f}, {at[0]:.4f}")
    antennas = (float(ground[0]) + masts_m[0], float(ground[-1]) + masts_m[1])
    return Profile(np.linspace(0, far_m / 1000, len(points)), ground, antennas)


def free_space_db(distance_km: float, frequency_hz: float) -> float:
    """The basic loss of free space: P.525-4, equation 4; of a metre at least."""
    wavelength_m = _LIGHT_MPS / frequency_hz
    return 20 * math.log10(4 * math.pi * max(distance_km * 1000, 1.0) / wavelength_m)


def knife_edge_db(nu: float) -> float:
    """What an edge takes: P.526-15, equation 31; 6.0 dB at grazing."""
    if nu <= -0.78:
        return 0.0
    return 6.9 + 20 * math.log10(math.hypot(nu - 0.1, 1) + nu - 0.1)


def diffraction_db(ground: Profile, frequency_hz: float) -> float:
    """What the ground takes beyond free space."""
    if len(ground.distance_km) < 3 or ground.distance_km[-1] <= 0:
        return 0.0
    wavelength_m = _LIGHT_MPS / frequency_hz
    return _bullington(ground, wavelength_m)


def _bullington(ground: Profile, wavelength_m: float) -> float:
    d, height = ground.distance_km, ground.bulged_m()
    far, (first, last) = float(d[-1]), ground.antennas_m
    inner, over = d[1:-1], height[1:-1]
    rise = float(((over - first) / inner).max())
    if rise < (last - first) / far:
        nu = float(ground.edges(wavelength_m).max())
    else:
        fall = float(((over - last) / (far - inner)).max())
        at = (last - first + fall * far) / (rise + fall)
        line = (first * (far - at) + last * at) / far
        spread = math.sqrt(0.002 * far / (wavelength_m * at * (far - at)))
        nu = (first + rise * at - line) * spread
    edge = knife_edge_db(nu)
    return edge + (1 - math.exp(-edge / 6)) * (10 + 0.02 * far)


def fresnel_m(ground: Profile, frequency_hz: float) -> Heights:
    """Radius of the first Fresnel zone at each point."""
    d = ground.distance_km * 1000
    return np.asarray(np.sqrt(_LIGHT_MPS / frequency_hz * d * (d[-1] - d) / d[-1]))


def gain_db(ground: Profile, frequency_hz: float) -> float:
    """The gain between two antennas that point at each other and have none of their own."""
    far_km = float(ground.distance_km[-1])
    return -free_space_db(far_km, frequency_hz) - diffraction_db(ground, frequency_hz)


def gains(
    tiles: Sequence[Elevation],
    places: Sequence[tuple[float, float]],
    masts_m: Sequence[float],
    frequency_hz: float,
    model: Callable[[Profile, float], float] = gain_db,
    walls_db: Callable[[Ends, Profile], float] | None = None,
    taken_db: Sequence[float] | None = None,
) -> list[tuple[int, int, float]]:
    """Each pair of places [degrees] that may hear each other, once, with its gain by `model`.

    `walls_db` says what buildings take on the way between two places, `taken_db` what is lost at
    each place besides.

    Raises:
        SiteError: a part of the ground between is in no tile.
    """
    from multihop.sites.projection import Plane

    metres = Plane.around(places).metres(places)
    found = []
    for a in range(len(places)):
        for b in range(a + 1, len(places)):
            far_km = math.dist(metres[a], metres[b]) / 1000
            if far_km > MOST_KM or -free_space_db(far_km, frequency_hz) < _LEAST_GAIN_DB:
                continue
            ends = (places[a], places[b])
            ground = profile(tiles, ends, (masts_m[a], masts_m[b]))
            gain = model(ground, frequency_hz)
            if taken_db is not None:
                gain -= taken_db[a] + taken_db[b]
            if walls_db is not None and gain >= _LEAST_GAIN_DB:
                gain -= walls_db(ends, ground)
            if gain >= _LEAST_GAIN_DB:
                found.append((a, b, gain))
    return found
