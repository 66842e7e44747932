"""What walls take on the way between two antennas, from outlines of buildings with heights.

A way that goes through a building below its roof loses the median of ITU-R P.2109-1 (equation 2,
traditional buildings) at each outer wall. The way over the roof is not looked at, so that high
antennas behind a low house lose too much rather than too little.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from multihop.sites import content
from multihop.sites.content import Part
from multihop.sites.form import SiteError
from multihop.sites.projection import Plane
from multihop.sites.terrain import Profile

Floats = npt.NDArray[np.float64]
STOREY_M = 3.0
"""Of a building of which only `building:levels` are known."""
_MOST_WALLS = 2_000_000
_TRADITIONAL = (12.64, 3.72, 0.96)
"""P.2109-1, table 1: r, s, t."""


def wall_db(frequency_hz: float) -> float:
    """The median loss of entering a traditional building: P.2109-1, equation 2."""
    r, s, t = _TRADITIONAL
    giga = math.log10(frequency_hz / 1e9)
    return r + s * giga + t * giga**2


@dataclass(frozen=True, slots=True)
class Buildings:
    """Walls of buildings in a plane."""

    plane: Plane
    walls_m: Floats
    """A row for each wall: x and y of both ends."""
    heights_m: Floats
    """Of each wall's roof above the ground."""
    lacking: int
    """Buildings without a height, which are left out."""

    @classmethod
    def read(cls, path: Path) -> Buildings:
        """Polygons of a GeoJSON file with `height` [m] or `building:levels` in their properties.

        Raises:
            SiteError: it is none, or has no building with a height.
            OSError: it can't be read.
        """
        try:
            return cls._read(Part.of(content.text(path)))
        except SiteError as error:
            raise SiteError(f"{path}: {error}") from None

    @classmethod
    def _read(cls, whole: Part) -> Buildings:
        rings: list[list[tuple[float, float]]] = []
        heights: list[float] = []
        lacking = 0
        for feature in whole.need("features").each():
            height = _height(feature)
            shape = feature.get("geometry")
            own = [*_rings(shape)] if shape is not None else []
            if height is None:
                lacking += bool(own)
                continue
            rings += own
            heights += [height] * len(own)
        if not rings:
            raise SiteError("has no polygon with a height or building:levels")
        if sum(map(len, rings)) > _MOST_WALLS:
            raise SiteError(f"has more than {_MOST_WALLS} walls, the most that are read")
        plane = Plane.around([corner for ring in rings for corner in ring])
        walls = []
        for ring in rings:
            flat = plane.metres(ring)
            walls.append(np.hstack([flat[:-1], flat[1:]]))
        counts = [len(own) for own in walls]
        return cls(plane, np.vstack(walls), np.repeat(heights, counts), lacking)

    def crossed(self, ends: Sequence[tuple[float, float]], profile: Profile) -> int:
        """How many walls the straight line between two places [degrees] goes through."""
        (ax, ay), (bx, by) = self.plane.metres(ends)
        x, y, to_x, to_y = self.walls_m.T
        dx, dy, wx, wy = bx - ax, by - ay, to_x - x, to_y - y
        turn = dx * wy - dy * wx
        with np.errstate(divide="ignore", invalid="ignore"):
            along = ((x - ax) * wy - (y - ay) * wx) / turn
            beside = ((x - ax) * dy - (y - ay) * dx) / turn
        hit = (turn != 0) & (along > 0) & (along < 1) & (beside >= 0) & (beside < 1)
        at_km = along[hit] * profile.distance_km[-1]
        ground = np.interp(at_km, profile.distance_km, profile.bulged_m())
        sight = np.interp(at_km, profile.distance_km, profile.line_m())
        return int(np.sum(sight < ground + self.heights_m[hit]))


def _height(feature: Part) -> float | None:
    told = feature.get("properties", "height")
    if told is not None:
        return told.number(0, 1000, "m")
    levels = feature.get("properties", "building:levels")
    return None if levels is None else STOREY_M * levels.number(0, 300)


def _rings(shape: Part) -> Iterator[list[tuple[float, float]]]:
    """All rings of a polygon or of several, as latitudes and longitudes, closed."""
    match shape.need("type").name():
        case "Polygon":
            polygons = [shape.need("coordinates")]
        case "MultiPolygon":
            polygons = [*shape.need("coordinates").each()]
        case _:
            return
    for polygon in polygons:
        for ring in polygon.each():
            corners = []
            for corner in ring.each():
                two = [*corner.each()][:2]
                if len(two) < 2:
                    raise corner.fault("must be [longitude, latitude]")
                corners.append((two[1].number(-90, 90), two[0].number(-180, 180)))
            if len(corners) < 3:
                raise ring.fault("must have three corners at least")
            yield corners if corners[0] == corners[-1] else [*corners, corners[0]]
